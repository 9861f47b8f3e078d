"""A loop device as a target: refused unless unused, confirmed, and a loop."""

import os
import subprocess
from pathlib import Path

import pytest

from ssdlab.drive.purge import discard_all, find_written_sample
from ssdlab.model.errors import MissingToolError, TargetRefusedError
from ssdlab.model.spec import Rounds
from ssdlab.model.units import KIB, MIB
from ssdlab.pts import build_tests, find_profile
from ssdlab.pts.fitting import fit_to_sectors
from ssdlab.targets import Target, open_target, reopen_target
from ssdlab.targets.opening import read_shape
from tests.fio.jobs import CONTEXT, cell, job_of, run_step, workload
from tests.targets.conftest import MakeLoop


def open_loop(device: str, confirmed: str) -> Target:
    return open_target(device, folder=Path("/n"), cache=Path("/n"), confirmed=confirmed)


def backing(device: str) -> str:
    name = Path(device).name
    return Path(f"/sys/class/block/{name}/loop/backing_file").read_text().strip()


def test_loop_device_is_opened_when_its_owner_confirmed_it(make_loop: MakeLoop) -> None:
    device = make_loop(512)
    target = open_loop(device, backing(device))
    identity = target.identity
    assert (identity.kind, identity.is_virtual) == ("block", False)
    assert (identity.capacity_bytes, identity.sector_bytes) == (64 * MIB, 512)
    assert identity.serial == backing(device)
    assert not target.find_trouble()
    assert read_shape(device).capacity_bytes == 64 * MIB
    again = reopen_target(identity, folder=Path("/n"))
    assert again.identity == identity


@pytest.mark.parametrize("confirmed", ["", "yes", "/some/other.img"])
def test_loop_device_is_refused_unless_confirmed(
    make_loop: MakeLoop, confirmed: str
) -> None:
    device = make_loop(512)
    with pytest.raises(TargetRefusedError, match=rf"--confirm {backing(device)}"):
        open_loop(device, confirmed)


def test_loop_device_is_refused_while_another_holds_it(make_loop: MakeLoop) -> None:
    device = make_loop(512)
    target = open_loop(device, backing(device))
    holder = os.open(device, os.O_RDWR | os.O_EXCL)
    try:
        with pytest.raises(TargetRefusedError, match=r"it is in use.*Unmount it"):
            open_loop(device, backing(device))
        with pytest.raises(TargetRefusedError, match="it is in use"):
            target.purge()
    finally:
        os.close(holder)
    open_loop(device, backing(device))


def test_loop_device_is_refused_while_it_is_mounted(
    make_loop: MakeLoop, tmp_path: Path
) -> None:
    device, folder = make_loop(512), tmp_path / "mounted"
    folder.mkdir()
    subprocess.run(["mkfs.ext4", "-q", device], check=True)
    done = subprocess.run(
        ["mount", device, str(folder)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip(f"this machine mounts no loop device: {done.stderr.strip()}")
    try:
        with pytest.raises(TargetRefusedError, match="it is in use"):
            open_loop(device, backing(device))
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.fio
def test_purge_discards_what_fio_wrote_and_proves_it(
    make_loop: MakeLoop, tmp_path: Path
) -> None:
    device = make_loop(512)
    target = open_loop(device, backing(device))
    step = cell(workload("seq", MIB, queue_depth=4), seconds=0.5)
    outcome = run_step(step, target.fio_options, tmp_path / "steps")
    assert job_of(outcome)["write"]["io_bytes"] > 0
    assert target.find_purge_fault().startswith("there is still data at byte ")
    assert target.purge_job() is None
    assert device in target.purge()
    assert target.find_purge_fault() == ""


def test_sample_finds_data_at_both_ends(make_loop: MakeLoop) -> None:
    device = make_loop(512)
    assert find_written_sample(device, 64 * MIB) is None
    for place in (64 * MIB - 4096, 0):
        with Path(device).open("r+b") as file:
            file.seek(place)
            file.write(b"x")
        assert find_written_sample(device, 64 * MIB) == place


def test_trouble_is_told_when_the_device_is_gone(make_loop: MakeLoop) -> None:
    device = make_loop(512)
    target = open_loop(device, backing(device))
    subprocess.run(["losetup", "--detach", device], check=True)
    try:
        assert f"{device} now stands on nothing" in target.find_trouble()
        with pytest.raises(TargetRefusedError, match="loop devices only"):
            reopen_target(target.identity, folder=Path("/n"))
    finally:
        subprocess.run(["losetup", device, target.identity.serial], check=True)


def test_sectors_of_4_kib_drop_the_cells_below(
    make_loop: MakeLoop, tmp_path: Path
) -> None:
    device = make_loop(4096)
    assert read_shape(device).sector_bytes == 4096
    target = open_loop(device, backing(device))
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


@pytest.mark.parametrize("device", ["/dev/null", "/dev/no-such-device", "/dev/shm"])
def test_what_is_no_block_device_is_refused(device: str) -> None:
    with pytest.raises(TargetRefusedError, match="this is no block device"):
        open_loop(device, "")
    with pytest.raises(TargetRefusedError, match="this is no block device"):
        read_shape(device)


def test_real_drive_is_refused() -> None:
    drives = [
        device
        for device in sorted(Path("/sys/class/block").iterdir())
        if not (device / "loop").exists()
        and Path("/dev", device.name).is_block_device()
    ]
    if not drives:
        pytest.skip("this machine shows no other block device")
    device = f"/dev/{drives[0].name}"
    with pytest.raises(TargetRefusedError, match="measures loop devices only"):
        open_loop(device, "")


def test_free_loop_device_is_refused() -> None:
    free = [
        device
        for device in sorted(Path("/dev").glob("loop[0-9]*"))
        if not Path("/sys/class/block", device.name, "loop", "backing_file").exists()
    ]
    if not free:
        pytest.skip("this machine has no free loop device")
    with pytest.raises(TargetRefusedError, match="losetup --find --show"):
        open_loop(str(free[0]), "")


def test_hostile_device_name_is_refused() -> None:
    with pytest.raises(TargetRefusedError, match="cannot hold this name"):
        open_loop("/dev/a\nb", "")


def test_discard_says_why_it_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"")
    with pytest.raises(TargetRefusedError, match=r"blkdiscard failed: .*block device"):
        discard_all(str(file))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingToolError, match="apt-get install util-linux"):
        discard_all(str(file))
