"""A block device as a target: through the gate, held, purged, watched, let go again.

The drives are loop devices that the tests made; what only a drive of its own kind can
do is in ``tests/vm``.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from ssdlab.drive.inventory import find_drive
from ssdlab.drive.notes import drive_folder
from ssdlab.drive.purge.ata_password import write_journal
from ssdlab.model.drive import Consent, DriveChoices
from ssdlab.model.errors import (
    ConsentError,
    DriveInUseError,
    TargetRefusedError,
    UnknownNameError,
)
from ssdlab.model.plain import from_plain, to_plain
from ssdlab.model.records import RunRecord
from ssdlab.model.spec import Rounds
from ssdlab.model.units import KIB, MIB
from ssdlab.pts import build_tests, find_profile
from ssdlab.pts.fitting import fit_to_sectors
from ssdlab.store.records import to_json
from ssdlab.system.state import state_folder
from ssdlab.targets import Target, open_target, reopen_target
from ssdlab.targets.block import BlockTarget
from ssdlab.targets.block_opening import check_block_again
from ssdlab.targets.opening import check_target, find_obstacles, read_shape
from tests.cli.called import call
from tests.fio.jobs import CONTEXT, cell, job_of, run_step, workload
from tests.made_loop import attach_loop
from tests.targets.conftest import MakeLoop, move_loop, resize_loop
from tests.targets.stored import stored_record

Open = Callable[..., BlockTarget]
HOT = 71.0


@pytest.fixture
def open_loop(tmp_path: Path) -> Iterator[Open]:
    """Open loop devices as targets, and release them when the test ends."""
    opened: list[Target] = []

    def open_one(device: str, **choices: object) -> BlockTarget:
        asked = from_plain(
            DriveChoices, {"confirmed": find_drive(device).serial, **choices}
        )
        target = open_target(device, folder=tmp_path / "target", choices=asked)
        opened.append(target)
        assert isinstance(target, BlockTarget)
        return target

    yield open_one
    for target in opened:
        target.release()


def reopen(
    record: RunRecord, folder: Path, confirmed: str | None = None
) -> BlockTarget:
    target = reopen_target(record, folder=folder / "target", confirmed=confirmed)
    assert isinstance(target, BlockTarget)
    return target


@contextmanager
def opened_by_another(device: str, how: str) -> Iterator[None]:
    """Have another process open a device: ``O_RDWR``, ``O_RDWR | os.O_EXCL``."""
    code = (
        f"import os, sys; os.open({device!r}, os.{how}); print(1, flush=True); "
        "sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"1\n"
        yield
        process.communicate()


def test_loop_device_is_opened_when_its_owner_confirmed_it(
    make_loop: MakeLoop, open_loop: Open
) -> None:
    device = make_loop(512)
    target = open_loop(device)
    identity = target.identity
    assert (identity.kind, identity.is_virtual) == ("block", False)
    assert (identity.capacity_bytes, identity.sector_bytes) == (64 * MIB, 512)
    assert (identity.spec, identity.interface) == (device, "loop")
    assert identity.options == {"path": device, "stable_path": ""}
    assert (target.find_trouble(), target.find_alarm()) == ("", "")
    assert target.purge_choice.method == "discard"
    assert read_shape(device).is_loop


@pytest.mark.parametrize("confirmed", ["", "yes", "/some/other.img"])
def test_device_is_refused_unless_confirmed_and_is_not_kept(
    make_loop: MakeLoop, open_loop: Open, confirmed: str
) -> None:
    device = make_loop(512)
    serial = find_drive(device).serial
    with pytest.raises(ConsentError, match=rf"--confirm {serial}"):
        open_loop(device, confirmed=confirmed)
    open_loop(device)


@pytest.mark.parametrize(
    ("choices", "kind"),
    [
        ({"purge": "nvme-format-crypto"}, TargetRefusedError),
        ({"purge": "shred"}, UnknownNameError),
    ],
)
def test_device_that_cannot_be_purged_so_is_refused_and_let_go(
    make_loop: MakeLoop,
    open_loop: Open,
    choices: dict[str, str],
    kind: type[Exception],
) -> None:
    device = make_loop(512)
    with pytest.raises(kind, match="purge"):
        open_loop(device, **choices)
    open_loop(device)


def test_device_is_held_from_opening_to_release(
    make_loop: MakeLoop, open_loop: Open
) -> None:
    device = make_loop(512)
    target = open_loop(device)
    with pytest.raises(OSError, match="busy"):
        os.open(device, os.O_RDWR | os.O_EXCL)
    assert (target.release(), target.release()) == ("", "")
    os.close(os.open(device, os.O_RDWR | os.O_EXCL))
    target.close()


def test_what_could_not_be_undone_is_told_and_the_device_is_let_go(
    make_loop: MakeLoop, open_loop: Open
) -> None:
    target = open_loop(make_loop(512))
    note = {"serial": "S9", "model": "other", "before": "enabled", "asked": "disabled"}
    folder = drive_folder(target.drive)
    folder.mkdir(parents=True)
    (folder / "write_cache.json").write_text(json.dumps(note), "utf-8")
    said = target.release()
    assert said.startswith("The write cache was not restored: ")
    assert "S9" in said
    assert target.release() == said
    os.close(os.open(target.drive.path, os.O_RDWR | os.O_EXCL))


def test_device_is_refused_while_another_holds_it(
    make_loop: MakeLoop, open_loop: Open
) -> None:
    device = make_loop(512)
    with (
        opened_by_another(device, "O_RDWR | os.O_EXCL"),
        pytest.raises(DriveInUseError, match="python"),
    ):
        open_loop(device)
    open_loop(device)


@pytest.mark.fio
def test_fio_makes_no_file_where_the_node_of_a_drive_has_gone(
    make_loop: MakeLoop, open_loop: Open, tmp_path: Path
) -> None:
    """Else it would measure memory, and the node could not come back."""
    options = open_loop(make_loop(512)).fio_options
    gone = tmp_path / "gone"
    step = cell(workload("seq", MIB, queue_depth=4), seconds=0.5)
    moved = {**options, "filename": str(gone)}
    with pytest.raises(AssertionError, match="file creation disallowed"):
        run_step(step, moved, tmp_path / "steps")
    assert not gone.exists()


@pytest.mark.fio
def test_purge_discards_what_fio_wrote_and_shows_it(
    make_loop: MakeLoop, open_loop: Open, tmp_path: Path
) -> None:
    device = make_loop(512)
    target = open_loop(device)
    step = cell(workload("seq", MIB, queue_depth=4), seconds=0.5)
    outcome = run_step(step, target.fio_options, tmp_path / "steps")
    assert job_of(outcome)["write"]["io_bytes"] > 0
    told: list[str] = []
    purged = target.purge(told.append)
    assert (purged.fault, purged.doubt) == ("", "")
    assert purged.said.startswith("discard of all LBAs\n")
    assert "64 places marked with random data" in purged.said
    assert "zeros" in purged.said
    assert set(Path(device).read_bytes()) == {0}


def test_purge_is_refused_when_the_device_has_come_into_use(
    make_loop: MakeLoop, open_loop: Open
) -> None:
    device = make_loop(512)
    target = open_loop(device)
    Path(device).write_bytes(b"mine" * 2**20)
    before = Path(device).read_bytes()
    with opened_by_another(device, "O_RDWR"):
        purged = target.purge(print)
    assert "python" in purged.fault
    assert purged.said.startswith("not purged")
    assert Path(device).read_bytes() == before


def test_no_purge_is_done_where_none_was_asked_for(
    make_loop: MakeLoop, open_loop: Open
) -> None:
    device = make_loop(512)
    target = open_loop(device, purge="none")
    Path(device).write_bytes(b"mine" * 2**20)
    assert target.purge(print).said.startswith("none")
    assert Path(device).read_bytes()[:4] == b"mine"
    assert target.purge_choice.method == "none"


def test_write_cache_of_a_device_that_has_none_is_left_with_the_reason(
    make_loop: MakeLoop, open_loop: Open
) -> None:
    device = make_loop(512)
    target = open_loop(device, write_cache="disabled")
    assert target.write_cache == "as found"
    assert target.write_cache_fault == read_shape(device).write_cache_fault != ""
    target.release()
    assert open_loop(device).write_cache_fault == ""


def test_run_is_taken_up_on_its_device_though_it_has_another_name(
    make_loop: MakeLoop, open_loop: Open, tmp_path: Path
) -> None:
    target = open_loop(make_loop(512))
    record = stored_record(tmp_path, target)
    target.release()
    moved = move_loop(target.drive.path)
    assert moved != target.drive.path
    again = reopen(record, tmp_path)
    try:
        assert again.drive.path == moved
        assert again.fio_options["filename"] == moved
        assert again.identity == record.target
        assert again.purge_choice == replace(
            target.purge_choice, why=again.purge_choice.why
        )
    finally:
        again.release()


@pytest.mark.parametrize("confirmed", ["", "yes"])
def test_run_is_not_taken_up_by_a_record_alone(
    make_loop: MakeLoop, open_loop: Open, tmp_path: Path, confirmed: str
) -> None:
    target = open_loop(make_loop(512))
    record = stored_record(tmp_path, target)
    serial = target.drive.serial
    target.release()
    with pytest.raises(ConsentError, match=rf"--confirm {serial}"):
        reopen(record, tmp_path, confirmed)
    with pytest.raises(ConsentError, match=rf"--confirm {serial}"):
        reopen_target(record, folder=tmp_path / "target")
    assert "sampled places hold data)" in check_block_again(record, serial)
    assert not check_block_again(record, None)  # nothing is confirmed anew
    reopen(record, tmp_path, serial).release()


def test_what_a_strange_folder_says_of_both_ends_does_not_count(
    make_loop: MakeLoop, open_loop: Open, tmp_path: Path
) -> None:
    target = open_loop(make_loop(512))
    record = stored_record(tmp_path, target)
    write_by_chance(target)
    target.release()
    with pytest.raises(DriveInUseError, match="file system"):
        reopen(record, tmp_path, target.drive.serial)
    reopen(record, tmp_path).release()


def test_run_is_not_taken_up_on_a_device_that_is_gone_or_in_use(
    make_loop: MakeLoop, open_loop: Open, tmp_path: Path
) -> None:
    device = make_loop(512)
    target = open_loop(device)
    record = stored_record(tmp_path, target)
    target.release()
    with (
        opened_by_another(device, "O_RDWR | os.O_EXCL"),
        pytest.raises(DriveInUseError, match="python"),
    ):
        reopen(record, tmp_path)
    file = find_drive(device).serial
    subprocess.run(["losetup", "--detach", device], check=True)
    with pytest.raises(TargetRefusedError, match=f"{file}.* is not attached"):
        reopen(record, tmp_path)
    attach_loop(Path(file), "--direct-io=on")
    reopen(record, tmp_path).release()


def test_run_is_not_taken_up_on_a_device_of_another_size(
    make_loop: MakeLoop, open_loop: Open, tmp_path: Path
) -> None:
    device = make_loop(512)
    target = open_loop(device)
    record = stored_record(tmp_path, target)
    target.release()
    resize_loop(device, 32 * MIB)
    with pytest.raises(DriveInUseError, match="capacity in bytes was"):
        reopen(record, tmp_path)


# A mark of ext4 and the fields that libblkid asks for, as random data may have them.
CHANCE = (0x438, b"\x53\xef")


def write_by_chance(target: BlockTarget) -> None:
    """Write as fio does, which comes to look like a file system in this case."""
    os.pwrite(target.held.descriptor, os.urandom(MIB), 8 * MIB)
    place, mark = CHANCE
    os.pwrite(target.held.descriptor, mark, place)


def test_run_goes_on_though_its_own_random_data_looks_like_a_file_system(
    make_loop: MakeLoop, open_loop: Open, tmp_path: Path
) -> None:
    device = make_loop(512)
    target = open_loop(device)
    record = stored_record(tmp_path, target)
    write_by_chance(target)
    target.release()
    assert any("file system" in words for words in find_obstacles(device))
    for _ in range(2):  # the second session is stopped before it writes
        again = reopen(record, tmp_path)
        again.release()
    again = reopen(record, tmp_path)
    assert again.purge(print).fault == ""
    again.release()
    reopen(record, tmp_path).release()


@pytest.mark.parametrize("is_noted", [False, True], ids=["killed", "written since"])
def test_run_does_not_go_on_where_what_looks_like_data_may_be_anothers(
    make_loop: MakeLoop, open_loop: Open, tmp_path: Path, *, is_noted: bool
) -> None:
    device = make_loop(512)
    target = open_loop(device)
    record = stored_record(tmp_path, target)
    write_by_chance(target)
    target.release()
    note = target.folder / "ends.json"
    assert note.exists()
    if is_noted:
        with open(device, "r+b") as file:  # noqa: PTH123 - as another program does
            file.write(b"mine")
    else:
        note.unlink()
    with pytest.raises(DriveInUseError, match="may have written that itself") as told:
        reopen(record, tmp_path)
    assert f"wipefs --all {device}" in str(told.value)
    subprocess.run(["wipefs", "--all", "--quiet", device], check=True)
    reopen(record, tmp_path).release()


def test_session_that_wrote_nothing_leaves_no_note(
    make_loop: MakeLoop, open_loop: Open
) -> None:
    target = open_loop(make_loop(512))
    target.release()
    assert list(target.folder.iterdir()) == []


def test_run_is_not_taken_up_by_a_consent_that_means_another_drive(
    make_loop: MakeLoop, open_loop: Open, tmp_path: Path
) -> None:
    target = open_loop(make_loop(512))
    record = stored_record(tmp_path, target)
    assert record.consent == Consent(text=target.drive.serial, what="serial number")
    target.release()
    other = replace(record, consent=Consent(text="/x", what="serial number"))
    with pytest.raises(ConsentError, match="its serial number /x, no longer"):
        reopen(other, tmp_path)
    place = Consent(text="/dev/disk/by-path/none", what="path")
    with pytest.raises(TargetRefusedError, match="no drive is attached at"):
        reopen(replace(record, consent=place), tmp_path)


def test_processes_that_hide_what_they_have_open_are_told_in_the_record(
    make_loop: MakeLoop, open_loop: Open
) -> None:
    target = open_loop(make_loop(512))
    found = {}
    for unseen in (0, 7):
        target.held.unseen = unseen
        found[unseen] = target.host_checks
    assert found[0] == ()
    (check,) = found[7]
    assert (check.verdict, check.check_id) == ("unknown", "programs_on_the_drive")
    assert check.read.startswith("7 processes hide from this user")


def test_run_of_an_older_version_is_taken_up(
    make_loop: MakeLoop, open_loop: Open, tmp_path: Path
) -> None:
    device = make_loop(512)
    target = open_loop(device)
    record = stored_record(tmp_path, target)
    target.release()
    old = replace(record, drive=None, purge_choice=None, consent=None)
    again = reopen(old, tmp_path)
    assert again.purge_choice.method == "discard"
    again.release()
    other = replace(old, target=replace(old.target, serial="/another/file"))
    with pytest.raises(TargetRefusedError, match=r"/another/file.* is not attached"):
        reopen(other, tmp_path)


def test_trouble_and_alarm_are_told_when_the_device_shrinks(
    make_loop: MakeLoop, open_loop: Open
) -> None:
    device = make_loop(512)
    target = open_loop(device)
    resize_loop(device, 32 * MIB)
    assert "now has 33,554,432 bytes" in target.find_trouble()
    assert target.find_alarm() == target.find_trouble()
    purged = target.purge(print)
    assert "now has 33,554,432 bytes" in purged.fault


def test_limit_to_a_temperature_that_is_not_told_is_refused(
    make_loop: MakeLoop, open_loop: Open
) -> None:
    device = make_loop(512)
    with pytest.raises(TargetRefusedError, match="does not report its temperature"):
        open_loop(device, temperature_limit_celsius=HOT)
    open_loop(device).release()  # the refusal let go of it


def test_device_without_a_health_log_has_no_readings(
    make_loop: MakeLoop, open_loop: Open
) -> None:
    target = open_loop(make_loop(512))
    assert (target.read_telemetry(), target.read_counters()) == ({}, {})
    assert target.find_doubt({}, {}) == ""


def test_record_holds_the_drive_as_it_was_opened(
    make_loop: MakeLoop, open_loop: Open, tmp_path: Path
) -> None:
    target = open_loop(make_loop(512))
    record = stored_record(tmp_path, target)
    assert record.drive == target.drive
    assert from_plain(RunRecord, json.loads(to_json(to_plain(record)))) == record


def test_sectors_of_4_kib_drop_the_cells_below(
    make_loop: MakeLoop, open_loop: Open, tmp_path: Path
) -> None:
    device = make_loop(4096)
    assert read_shape(device).sector_bytes == 4096
    target = open_loop(device)
    assert target.identity.sector_bytes == 4096
    profile = find_profile("pts-2.0-enterprise")
    fitting = fit_to_sectors(profile, target.identity.sector_bytes)
    loops = [
        phase
        for test in build_tests(fitting, ("iops", "tp", "lat"))
        for phase in test.phases
        if isinstance(phase, Rounds)
    ]
    assert [len(loop.cells) for loop in loops] == [49, 2, 2, 6]
    sizes = {cell.block_size_bytes for loop in loops for cell in loop.cells}
    assert min(sizes) == 4 * KIB
    step = cell(workload(block_size_bytes=4 * KIB), seconds=0.2, context=CONTEXT)
    outcome = run_step(step, target.fio_options, tmp_path / "steps")
    assert job_of(outcome)["write"]["total_ios"] > 0


def test_obstacles_of_a_device_are_told_in_words(make_loop: MakeLoop) -> None:
    device = make_loop(512)
    assert find_obstacles(device) == ()
    subprocess.run(["mkswap", device], check=True, capture_output=True)
    (words,) = find_obstacles(device)
    assert "swap" in words
    assert find_obstacles("virtual") == ()


@pytest.mark.parametrize("device", ["/dev/null", "/dev/no-such-device", "/dev/shm"])
def test_what_is_no_block_device_is_refused(device: str) -> None:
    for look in (read_shape, find_obstacles):
        with pytest.raises(TargetRefusedError, match=r"block device|no such device"):
            look(device)


def test_free_loop_device_is_refused() -> None:
    free = [
        device
        for device in sorted(Path("/dev").glob("loop[0-9]*"))
        if not Path("/sys/class/block", device.name, "loop", "backing_file").exists()
    ]
    if not free:
        pytest.skip("this machine has no free loop device")
    with pytest.raises(TargetRefusedError, match="losetup --find --show"):
        read_shape(str(free[0]))


def test_hostile_device_name_is_refused() -> None:
    with pytest.raises(TargetRefusedError, match="cannot contain this name"):
        read_shape("/dev/a\nb")


def test_run_is_refused_before_a_kernel_is_started_for_it(
    make_loop: MakeLoop, tmp_path: Path
) -> None:
    device = make_loop(512)
    runs = tmp_path / "runs"
    done = call("run", "--target", device, "--confirm", "another", "--runs", runs)
    assert done.returncode == 2
    assert "'another' is not its serial number" in done.stderr
    assert done.stdout == ""
    assert not runs.exists()


def test_target_that_is_no_drive_needs_no_consent(make_loop: MakeLoop) -> None:
    assert not check_target("virtual", "")
    assert not check_target("file:/nowhere/x,size=64MiB", "")
    device = make_loop(512)
    with pytest.raises(ConsentError):
        check_target(device, "")
    assert check_target(device, find_drive(device).serial)


@pytest.mark.parametrize(
    "command", [("run",), ("saturate", "--stimulus", "RND 4KiB 0/100")], ids=len
)
def test_who_confirms_at_once_is_told_how_much_data_the_drive_holds(
    make_loop: MakeLoop,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: tuple[str, ...],
) -> None:
    """As who is asked is: on stderr, before the run begins, which here it cannot."""
    device = make_loop(512)
    image = Path(find_drive(device).serial)
    with image.open("r+b") as file:
        file.write(b"raw " * (16 * MIB // 4))
    subprocess.run(["blockdev", "--flushbufs", device], check=True)
    (tmp_path / "runs").touch()
    monkeypatch.chdir(tmp_path)
    target = ("--target", device, "--confirm", str(image))
    done = call(*command, *target, "--runs", "runs/here")
    assert done.returncode == 2
    loss, error = done.stderr.splitlines()
    assert loss.startswith(f"{device}: all data on it will be destroyed (")
    assert loss.endswith("; 16 of 64 sampled places hold data).")
    assert "runs" in error


def test_note_of_a_drive_that_a_purge_left_locked_is_looked_at_when_it_is_opened(
    make_loop: MakeLoop,
    open_loop: Open,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Hdparm says nothing of a loop device, so that the note stands, and is told."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    device = make_loop(512)
    drive = find_drive(device)
    assert write_journal(drive, state_folder()) == ""
    [note] = (tmp_path / "state/ssdlab").iterdir()
    check_target(device, "")  # left to the opening, which takes the password off first
    open_loop(device)
    said = (tmp_path / "target/cleaned.txt").read_text()
    assert f"{device} still has the ATA password" in said
    assert note.exists()


def test_record_that_names_no_drive_is_refused_in_words(
    make_loop: MakeLoop, open_loop: Open, tmp_path: Path
) -> None:
    target = open_loop(make_loop(512))
    record = stored_record(tmp_path, target)
    target.release()
    identity = replace(record.target, spec="/dev/nothing", options={})
    with pytest.raises(TargetRefusedError, match="/dev/nothing"):
        reopen(replace(record, drive=None, target=identity), tmp_path)
