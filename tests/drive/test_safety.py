"""The gate, on real loop devices: what is refused, what is held, what is caught."""

import dataclasses
import fcntl
import hashlib
import os
import shlex
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ssdlab.drive.gate.consent import find_consent
from ssdlab.drive.gate.end_digests import digest_ends, digest_ends_of
from ssdlab.drive.in_use.uses import find_openers_of, find_uses
from ssdlab.drive.inventory import find_drive
from ssdlab.drive.safety import (
    HeldDrive,
    KnownDrive,
    require_disposable,
    require_disposable_again,
    require_still_disposable,
)
from ssdlab.model.drive import Consent, Drive
from ssdlab.model.errors import (
    ConsentError,
    DriveInUseError,
    PrivilegeError,
    TargetRefusedError,
)
from tests.drive.users import as_nobody, only_root
from tests.made_loop import attach_loop, detach_loops, require_loops
from tests.made_tree import MIB
from tests.paths import require_program

Attach = Callable[[Path], str]


def run(*command: str | Path) -> str:
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.fixture
def attach(tmp_path: Path) -> Iterator[Attach]:
    """Attach loop devices to files in a folder that is there until they are gone."""
    assert tmp_path.is_dir()
    require_loops()
    files: list[Path] = []

    def attach_one(file: Path) -> str:
        files.append(file)
        return attach_loop(file)

    yield attach_one
    for file in reversed(files):
        detach_loops(file)


@pytest.fixture
def backing(tmp_path: Path) -> Path:
    path = tmp_path / "backing.img"
    with path.open("wb") as file:
        file.truncate(64 * MIB)
    return path


@pytest.fixture
def device(attach: Attach, backing: Path) -> str:
    return attach(backing)


def enter(device: str, **options: object) -> HeldDrive:
    drive = find_drive(device)
    confirmed = str(options.pop("confirmed", drive.serial))
    return require_disposable(drive, confirmed=confirmed, **options)  # type: ignore[arg-type]


def digest(path: Path) -> str:
    os.sync()
    return hashlib.sha256(path.read_bytes()).hexdigest()


def refuse(device: str, backing: Path, match: str) -> DriveInUseError:
    """Require that the gate refuses with these words, and writes nothing."""
    before = digest(backing)
    with pytest.raises(DriveInUseError, match=match) as caught:
        enter(device)
    assert digest(backing) == before
    return caught.value


def test_loop_device_passes_and_is_held_until_it_is_let_go(device: str) -> None:
    with enter(device) as held:
        assert held.is_alive() == ""
        assert held.drive == find_drive(device)
        assert not os.get_inheritable(held.descriptor)
        with pytest.raises(OSError, match="busy"):
            os.open(device, os.O_RDWR | os.O_EXCL)
        require_still_disposable(held)
    assert held.is_alive() == f"{device} was released"
    os.close(os.open(device, os.O_RDWR | os.O_EXCL))
    held.close()  # twice does no harm


@pytest.mark.parametrize("confirmed", ["", "yes", "/some/other.img"])
def test_drive_is_refused_and_let_go_unless_its_serial_was_typed(
    confirmed: str, device: str, backing: Path
) -> None:
    with pytest.raises(ConsentError) as caught:
        enter(device, confirmed=confirmed)
    assert str(caught.value).endswith(f"--confirm {shlex.quote(str(backing))}")
    os.close(os.open(device, os.O_RDWR | os.O_EXCL))


def test_nobody_is_told_to_wipe_a_drive_that_is_not_the_one_that_was_meant(
    device: str,
) -> None:
    run("mkfs.ext4", "-q", device)
    with pytest.raises(DriveInUseError, match=r"holds a file system.*wipefs"):
        enter(device, confirmed="")
    with pytest.raises(ConsentError) as of_serial:
        enter(device, confirmed="/another.img")
    meant = dataclasses.replace(find_drive(device), serial="/another.img")
    with pytest.raises(DriveInUseError, match="not the expected drive") as of_run:
        enter_again(device, meant=meant)
    for caught in (of_serial, of_run):
        assert "wipefs" not in str(caught.value)


def test_file_system_is_refused_until_it_is_wiped(device: str, backing: Path) -> None:
    run("mkfs.ext4", "-q", device)
    error = refuse(device, backing, r"holds a file system \(ext4\)")
    follow(error)
    follow(refuse(device, backing, "holds copies of a superblock"))
    enter(device).close()


def follow(error: DriveInUseError) -> None:
    """Do what a refusal asks for."""
    (use,) = error.uses
    command = use.remedy.partition(": ")[2].removesuffix(".").partition(" (")[0]
    run("sh", "-c", command)


@pytest.fixture
def mounted(device: str, tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "place of it"
    place.mkdir()
    run("mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", device)
    try:
        run("mount", device, place)
    except subprocess.CalledProcessError as error:
        pytest.skip(f"this machine mounts no loop device: {error.stderr.strip()}")
    yield place
    subprocess.run(["umount", place], capture_output=True, check=False)


def test_mounted_device_is_refused_with_its_place(
    mounted: Path, device: str, backing: Path
) -> None:
    error = refuse(device, backing, "is mounted at")
    assert error.uses[0].remedy == f"Unmount it: umount '{mounted}'."
    run(*shlex.split(error.uses[0].remedy.partition(": ")[2].removesuffix(".")))
    refuse(device, backing, "holds a file system")


def test_device_unmounted_lazily_is_refused_while_a_file_is_open(
    mounted: Path, device: str, backing: Path
) -> None:
    with subprocess.Popen(["tail", "-f", "/dev/null"], cwd=mounted) as process:
        try:
            time.sleep(0.2)
            run("umount", "--lazy", mounted)
            refuse(device, backing, rf"tail \(process {process.pid}\) has files of it")
        finally:
            process.kill()


@pytest.fixture
def unseen_mount(device: str, tmp_path: Path) -> Iterator[None]:
    """The device is mounted in a mount namespace that has no process."""
    spaces = tmp_path / "spaces"
    spaces.mkdir()
    (spaces / "one").touch()
    run("mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", device)
    run("mount", "--bind", spaces, spaces)
    try:
        run("mount", "--make-private", spaces)
        run("unshare", f"--mount={spaces / 'one'}", "mount", device, "/mnt")
    except subprocess.CalledProcessError as error:
        pytest.skip(f"this machine keeps no mount namespace: {error.stderr.strip()}")
    else:
        yield
    finally:
        subprocess.run(["umount", spaces / "one"], capture_output=True, check=False)
        run("umount", spaces)


@pytest.mark.usefixtures("unseen_mount")
def test_claim_by_what_cannot_be_seen_is_told_and_not_how_to_wipe_the_drive(
    device: str, backing: Path
) -> None:
    error = refuse(device, backing, "is claimed, by a holder that is not visible")
    assert "wipefs" not in str(error)


def test_device_as_swap_is_refused(device: str, backing: Path) -> None:
    backing.chmod(0o600)
    run("mkswap", "-q", device)
    try:
        run("swapon", device)
    except subprocess.CalledProcessError as error:
        pytest.skip(f"this machine takes no swap: {error.stderr.strip()}")
    try:  # no checksum here: the machine may swap
        with pytest.raises(DriveInUseError, match=f"{device} is used as swap"):
            enter(device)
    finally:
        run("swapoff", device)
    refuse(device, backing, "is formatted as swap")


def test_device_under_a_loop_device_is_refused(
    device: str, backing: Path, attach: Attach
) -> None:
    upper = attach(Path(device))
    os.close(os.open(device, os.O_RDWR | os.O_EXCL))  # the kernel does not mind
    refuse(device, backing, rf"{upper} \(a loop device on .*\) uses {device}")
    with pytest.raises(
        DriveInUseError, match=f"is backed by the block device {device}"
    ):
        enter(upper)


@pytest.mark.parametrize("confirmed", ["", "as its serial"])
def test_loop_devices_that_are_alike_are_refused_for_what_makes_them_so(
    confirmed: str, device: str, backing: Path, attach: Attach
) -> None:
    other = attach(backing)
    with pytest.raises(DriveInUseError, match="is backed by the same file") as caught:
        enter(device, confirmed=confirmed and str(backing))
    assert f"losetup --detach {other}" in caught.value.uses[0].remedy
    run("losetup", "--detach", other)
    enter(device).close()


def test_two_loop_devices_on_one_file_are_refused(
    device: str, backing: Path, attach: Attach, tmp_path: Path
) -> None:
    alias = tmp_path / "another name of it"
    alias.hardlink_to(backing)
    other = attach(alias)
    refuse(device, backing, f"{other} is backed by the same file as {device}")


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ("os.O_RDWR", "is open for writing by"),
        ("os.O_EXCL", "is held exclusively, probably by"),
    ],
    ids=["to write", "exclusively"],
)
def test_device_open_in_another_process_is_refused_with_its_name(
    flags: str, words: str, device: str, backing: Path
) -> None:
    with other_process(device, flags) as process:
        number = f"(process {process.pid})"
        error = refuse(device, backing, words)
        assert number in error.uses[0].reason
    enter(device).close()


class other_process:  # noqa: N801 - reads as what it is
    """Another process that has a path open."""

    def __init__(self, path: str, flags: str) -> None:
        code = (
            f"import os, sys; os.open(sys.argv[1], {flags}); print(1, flush=True); "
            "sys.stdin.read()"
        )
        self.command = [sys.executable, "-c", code, path]

    def __enter__(self) -> subprocess.Popen[str]:
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout
        assert self.process.stdout.readline()
        return self.process

    def __exit__(self, *_: object) -> None:
        self.process.communicate("")


def test_process_that_is_soon_done_is_waited_for(device: str) -> None:
    code = "import os, sys, time; os.open(sys.argv[1], os.O_RDWR); time.sleep(0.7)"
    with subprocess.Popen([sys.executable, "-c", code, device]):
        time.sleep(0.3)
        enter(device).close()


def test_drive_is_locked_as_long_as_it_is_held(device: str) -> None:
    """So udev, which asks for a lock to share, leaves it alone."""
    with enter(device):
        descriptor = os.open(device, os.O_RDONLY)
        with pytest.raises(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    os.close(descriptor)


@contextmanager
def locked_by_another(device: str, seconds: float) -> Iterator[None]:
    code = (
        "import fcntl, os, sys, time; f = os.open(sys.argv[1], os.O_RDONLY); "
        "fcntl.flock(f, fcntl.LOCK_SH); print(1, flush=True); "
        "time.sleep(float(sys.argv[2]))"
    )
    words = [sys.executable, "-c", code, device, str(seconds)]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stdout.readline()
        yield
        process.kill()


def test_lock_of_udev_is_waited_for_and_a_lasting_one_refused(device: str) -> None:
    with locked_by_another(device, 0.9):
        enter(device).close()
    with (
        locked_by_another(device, 60),
        pytest.raises(DriveInUseError, match=r"has locked .*\(flock\)"),
    ):
        enter(device)
    enter(device).close()


def test_backing_file_open_to_write_is_refused(device: str, backing: Path) -> None:
    with other_process(str(backing), "os.O_RDWR"):
        refuse(device, backing, f"{backing} is open for writing by")


def test_read_only_device_is_refused(device: str, backing: Path) -> None:
    run("blockdev", "--setro", device)
    try:
        error = refuse(device, backing, f"{device} is read-only")
        assert f"blockdev --setrw {device}" in error.uses[0].remedy
    finally:
        run("blockdev", "--setrw", device)


def put_file_system(device: str, folder: Path) -> None:
    """Write one as a program does that asks nobody: mkfs itself is kept out."""
    made = folder / "made.img"
    made.write_bytes(b"")
    os.truncate(made, 8 * MIB)
    run("mkfs.ext4", "-q", "-F", made)
    run("dd", f"if={made}", f"of={device}", "bs=1M", "conv=fsync")


def test_nothing_can_be_mounted_while_the_drive_is_held(
    device: str, tmp_path: Path
) -> None:
    with enter(device):
        put_file_system(device, tmp_path)
        done = subprocess.run(
            ["mount", device, tmp_path], capture_output=True, text=True, check=False
        )
        assert done.returncode
        assert "busy" in done.stderr or "already mounted" in done.stderr


def test_what_came_after_the_gate_is_caught_before_the_purge(
    device: str, attach: Attach, tmp_path: Path
) -> None:
    with enter(device) as held:
        require_still_disposable(held)
        upper = attach(Path(device))
        with pytest.raises(DriveInUseError, match=f"{upper} .* uses {device}"):
            require_still_disposable(held)
        run("losetup", "--detach", upper)
        require_still_disposable(held)
        put_file_system(device, tmp_path)
        require_still_disposable(held)  # nobody else can have: it is held
        run("addpart", device, "1", "2048", "8192")
        with pytest.raises(DriveInUseError, match="still has partitions of") as caught:
            require_still_disposable(held)
        assert caught.value.uses[0].remedy.endswith(f"partx --delete {device}.")
        run("partx", "--delete", device)


def partitioned(folder: Path) -> Path:
    """Make a file with a partition on which there is nothing."""
    path = folder / "partitioned.img"
    path.touch()
    os.truncate(path, 64 * MIB)
    script = "label: gpt\n,16M,L\n"
    require_program("sfdisk")
    subprocess.run(["sfdisk", "--quiet", path], input=script, text=True, check=True)
    return path


def test_empty_partitions_leave_the_table_alone_to_be_wiped(
    attach: Attach, tmp_path: Path
) -> None:
    device = attach(partitioned(tmp_path))
    run("partx", "--add", device)
    part = Path(f"{device}p1")
    number = Path(f"/sys/class/block/{part.name}/dev").read_text().strip()
    made = not part.exists()
    if made:  # no udev here
        os.mknod(part, 0o600 | stat.S_IFBLK, os.makedev(*map(int, number.split(":"))))
    try:
        with pytest.raises(DriveInUseError) as caught:
            enter(device)
        (use,) = caught.value.uses
        assert (use.kind, use.device) == ("partition-table", device)
        run("partx", "--delete", device)
    finally:
        if made:
            part.unlink()
    run(*use.remedy.partition(": ")[2].removesuffix(".").split())
    enter(device).close()


# --- A run that goes on -------------------------------------------------------


def enter_again(
    device: str, ends: str = "", *, serial: str = "", meant: Drive | None = None
) -> HeldDrive:
    drive = find_drive(device)
    consent = Consent(text=serial or drive.serial, what="serial number")
    known = KnownDrive(drive=meant or drive, consent=consent, ends=ends)
    return require_disposable_again(drive, known)


def test_what_a_run_left_itself_does_not_stop_it_from_going_on(
    device: str, tmp_path: Path
) -> None:
    with enter(device) as held:
        assert held.consent == find_consent(held.drive)
        put_file_system(device, tmp_path)  # as random data may look
        left = digest_ends(held.descriptor, held.drive.capacity_bytes)
    with enter_again(device, left) as again:
        assert again.consent == held.consent
        require_still_disposable(again)
    with pytest.raises(DriveInUseError, match="holds a file system"):
        enter(device)  # another run


@pytest.mark.parametrize("noted", ["", "of another time"])
def test_marks_count_when_it_is_not_known_that_the_run_left_them(
    noted: str, device: str, backing: Path, tmp_path: Path
) -> None:
    put_file_system(device, tmp_path)
    before = digest(backing)
    with pytest.raises(DriveInUseError, match="may have written that itself") as caught:
        enter_again(device, noted)
    assert digest(backing) == before
    follow(caught.value)
    enter_again(device, noted).close()


def test_use_of_now_stops_a_run_from_going_on_whatever_it_left(
    device: str, attach: Attach
) -> None:
    drive = find_drive(device)
    left = digest_ends_of(Path(device), drive.capacity_bytes)
    upper = attach(Path(device))
    with pytest.raises(DriveInUseError, match=f"{upper} .* uses {device}"):
        enter_again(device, left)


def test_run_does_not_go_on_by_what_means_another_drive(device: str) -> None:
    with pytest.raises(ConsentError, match="its serial number /x, no longer"):
        enter_again(device, "", serial="/x")


def test_processes_that_could_not_be_looked_at_are_counted(
    device: str, tmp_path: Path
) -> None:
    node = Path(device)
    mode = node.stat().st_mode
    with enter(device) as held:
        seen = held.unseen
    node.chmod(0o666)
    try:
        with as_nobody(tmp_path):
            drive = find_drive(device)
            unseen = find_openers_of(drive).unread
    finally:
        node.chmod(mode & 0o777)
    assert unseen > seen


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"serial": "S9"}, "the serial number was 'S9' and is"),
        ({"capacity_bytes": 5}, "the capacity in bytes was 5 and is 67108864"),
        (
            {"logical_sector_bytes": 4096},
            "the sector size in bytes was 4096 and is 512",
        ),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_another_drive_than_the_run_began_with_is_refused(
    changes: dict[str, object], words: str, device: str
) -> None:
    expected = dataclasses.replace(find_drive(device), **changes)  # type: ignore[arg-type]
    with pytest.raises(DriveInUseError, match=words) as caught:
        enter_again(device, meant=expected)
    assert caught.value.uses[0].kind == "identity"
    enter_again(device, meant=find_drive(device)).close()


def test_removable_drive_is_refused_by_a_name_that_may_change(device: str) -> None:
    drive = dataclasses.replace(find_drive(device), is_removable=True)
    with pytest.raises(DriveInUseError, match="is removable") as caught:
        require_disposable(drive, confirmed=drive.serial, named=device)
    assert caught.value.uses[0].kind == "removable"


def test_device_that_grew_is_not_the_same(device: str, backing: Path) -> None:
    with enter(device) as held:
        os.truncate(backing, 80 * MIB)
        run("losetup", "--set-capacity", device)
        words = f"{device} now has {80 * MIB:,} bytes instead of {64 * MIB:,}"
        assert held.is_alive() == words
        with pytest.raises(TargetRefusedError, match="bytes instead of"):
            require_still_disposable(held)


def test_device_that_became_read_only_is_told(device: str) -> None:
    with enter(device) as held:
        run("blockdev", "--setro", device)
        try:
            assert held.is_alive() == f"{device} has become read-only"
        finally:
            run("blockdev", "--setrw", device)
        assert held.is_alive() == ""


def test_device_of_another_time_is_refused(backing: Path, tmp_path: Path) -> None:
    require_loops()
    device = "/dev/loop1917"  # a name that nobody gets who asks for one that is free
    other = tmp_path / "other.img"
    other.write_bytes(bytes(64 * MIB))
    try:
        run("losetup", device, backing)
        before = find_drive(device)
        run("losetup", "--detach", device)
        with pytest.raises(TargetRefusedError):
            require_disposable(before, confirmed=before.serial)
        run("losetup", device, other)
        with pytest.raises(DriveInUseError, match="not the expected drive"):
            require_disposable(before, confirmed=before.serial)
        assert digest(other) == hashlib.sha256(bytes(64 * MIB)).hexdigest()
        run("losetup", "--detach", device)
        run("losetup", device, backing)
        with pytest.raises(TargetRefusedError, match="another disk has its name"):
            require_disposable(before, confirmed=before.serial)
    finally:
        detach_loops(other)
        detach_loops(backing)


def test_node_that_leads_elsewhere_is_refused(device: str, tmp_path: Path) -> None:
    node = tmp_path / "alias"
    os.mknod(node, 0o600 | 0o060000, os.makedev(7, 250))
    drive = dataclasses.replace(find_drive(device), path=str(node))
    with pytest.raises(TargetRefusedError):
        require_disposable(drive, confirmed=drive.serial)


@only_root
def test_user_without_rights_is_told_the_one_command(
    device: str, tmp_path: Path
) -> None:
    drive = find_drive(device)
    with as_nobody(tmp_path), pytest.raises(PrivilegeError) as caught:
        require_disposable(drive, confirmed=drive.serial)
    text = str(caught.value)
    assert text.startswith(f"{device}: the user nobody ")
    assert text.count("sudo ") == 1


@pytest.mark.timed
def test_look_is_quick_on_a_machine_with_many_processes(device: str) -> None:
    drive = find_drive(device)
    sleepers = [subprocess.Popen(["sleep", "60"]) for _ in range(150)]
    try:
        took_s = []
        for _ in range(3):
            began_s = time.monotonic()
            assert find_uses(drive) == ()
            took_s.append(time.monotonic() - began_s)
        print(f"find_uses took {min(took_s):.3f} s")
        assert min(took_s) < 0.6  # 0.1 s alone; others may run here
    finally:
        for sleeper in sleepers:
            sleeper.kill()
            sleeper.wait()
