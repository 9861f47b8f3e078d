"""Faults that fio tells little or nothing of, and drives that come back elsewhere."""

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import ssdlab
from ssdlab.pts.shared.settings import MatrixRounds
from tests.integration.lab import recorded_steps
from tests.vm.conftest import Boot, Disk
from tests.vm.devices import image_sha256, nvme, on_image, on_nbd
from tests.vm.guest import Guest
from tests.vm.image import find_program
from tests.vm.runs import SERIAL, SHORT, begin, resume, wait_until, warm

OTHER, FAULTY = "ANOTHER1", "FAULTY01"
FIRST, SECOND = "/dev/nvme0n1", "/dev/nvme1n1"
PURGE_AND_FILL = 2
LONG_READS = SHORT.having(name="reads", iops_mixes=(100, 0), cell_s=120)


@pytest.fixture(scope="module")
def faulty(
    disk: Disk, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Path, Path]]:
    """Serve a disk whose IOs all fail while a file is there: its socket, that file."""
    folder = tmp_path_factory.mktemp("nbd")
    socket, switch = folder / "nbd.sock", folder / "fails"
    errors = ("error=EIO", "error-rate=100%", f"error-file={switch}")
    program = (str(find_program("nbdkit")), "--foreground", "--unix", str(socket))
    server = subprocess.Popen(
        [*program, "--filter=error", "file", str(disk("faulty")), *errors],
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until(socket.exists, timeout_s=10)
        yield socket, switch
    finally:
        server.terminate()
        server.wait(10)


@pytest.fixture(scope="module")
def guest(faulty: tuple[Path, Path], boot: Boot, disk: Disk) -> Guest:
    guest = boot(
        nvme("nv0", on_image(disk("a")), serial=SERIAL),
        nvme("nv1", on_image(disk("other")), serial=OTHER),
        nvme("nv2", on_nbd(faulty[0]), serial=FAULTY),
        memory_mib=1536,
    )
    warm(guest)
    for name in ("nv0", "nv1", "nv2"):
        guest.unplug(name)
    plug(guest, "nv0", SERIAL, at=FIRST)
    return guest


@pytest.fixture(autouse=True)
def fresh_folder(guest: Guest) -> None:
    """Put the run of the test before out of the way, and what it wrote."""
    guest.check(f"rm -rf /job/run; blkdiscard --force {FIRST}")


def plug(guest: Guest, device_id: str, serial: str, *, at: str) -> None:
    """Plug a drive in; a name is free when the last that held it has let go."""
    for _ in range(5):
        guest.plug(device_id)
        if guest.await_nodes(serial) == [at]:
            return
        guest.unplug(device_id)
        time.sleep(2)
    pytest.fail(f"drive {serial} did not come back as {at}")


def await_reads(guest: Guest, more: int = 1000) -> None:
    """Wait until the drive has answered so many reads from now on."""
    count = "awk '{print $1}' /sys/block/nvme0n1/stat"
    before = int(guest.check(count).stdout)
    wait_until(
        lambda: int(guest.check(count).stdout) > before + more,
        timeout_s=60,
    )


def test_drive_that_is_unplugged_while_it_is_read_gives_no_number(guest: Guest) -> None:
    """Asynchronous reads of a drive that is gone end well at once, says fio."""
    run = begin(guest, tests="iops", profile=LONG_READS)
    run.wait_for_steps(PURGE_AND_FILL)
    await_reads(guest)
    before = recorded_steps(run.folder)
    assert len(before) == PURGE_AND_FILL
    guest.unplug("nv0")
    unplugged_s = time.monotonic()
    said = run.end(1)
    assert time.monotonic() - unplugged_s < LONG_READS[MatrixRounds].cell_s
    assert FIRST in said
    assert "gone" in said or "does not answer" in said
    assert run.state.status == "failed"
    assert recorded_steps(run.folder) == before
    measured = ssdlab.open_run(run.folder).measurements
    assert set(measured["step_id"]) <= set(run.steps)
    assert not guest.run("pidof fio").stdout
    plug(guest, "nv0", SERIAL, at=FIRST)


def test_fio_that_is_killed_ends_the_run_and_it_goes_on(guest: Guest) -> None:
    run = begin(guest, temperature_limit=60)  # it is at 50 °C
    run.wait_for_steps(4)
    guest.check("until kill -KILL $(pidof fio); do sleep 0.1; done")
    said = run.end(1)
    assert "fio was killed by signal 9 from outside" in said
    assert "ssdlab resume /job/run" in said
    assert run.state.status == "failed"
    before = recorded_steps(run.folder)
    resume(guest).end(0)
    assert before.items() <= recorded_steps(run.folder).items()
    done = ssdlab.open_run(run.folder)
    assert done.state.status == "finished"
    assert done.record.temperature_limit_celsius == 60


def test_drive_that_turns_read_only_ends_the_run_and_it_goes_on(guest: Guest) -> None:
    run = begin(guest)
    run.wait_for_steps(4)
    guest.check(f"blockdev --setro {FIRST}")
    try:
        said = run.end(1)
        before = recorded_steps(run.folder)
        refused = resume(guest).end(2)
    finally:
        guest.check(f"blockdev --setrw {FIRST}")
    assert f"{FIRST} has become read-only" in said
    assert f"{FIRST} is read-only" in refused
    assert recorded_steps(run.folder) == before
    resume(guest).end(0)
    assert before.items() <= recorded_steps(run.folder).items()


def test_run_finds_its_drive_at_another_place_and_spares_the_one_in_its_place(
    guest: Guest, disk: Disk
) -> None:
    run = begin(guest)
    run.wait_for_steps(4)
    run.interrupt()
    run.end(130)
    before = recorded_steps(run.folder)
    guest.unplug("nv0")
    plug(guest, "nv1", OTHER, at=FIRST)
    guest.check(f"dd if=/dev/urandom of={FIRST} bs=1M count=2 oflag=direct; sync")
    secret = image_sha256(disk("other"))
    refused = resume(guest).end(2)
    assert f"{SERIAL}) is not attached" in refused
    plug(guest, "nv0", SERIAL, at=SECOND)
    resume(guest).end(0)
    assert image_sha256(disk("other")) == secret
    assert before.items() <= recorded_steps(run.folder).items()
    jobs = [(path / "job.fio").read_text() for path in fio_steps(run.folder)]
    assert f"filename={FIRST}\n" in jobs[0]
    assert f"filename={SECOND}\n" in jobs[-1]
    for name in ("nv0", "nv1"):
        guest.unplug(name)
    plug(guest, "nv0", SERIAL, at=FIRST)


def fio_steps(run: Path) -> list[Path]:
    return [path.parent for path in sorted((run / "steps").glob("*/job.fio"))]


def test_drive_whose_every_io_fails_ends_the_run_and_goes_on_when_mended(
    guest: Guest, faulty: tuple[Path, Path]
) -> None:
    plug(guest, "nv2", FAULTY, at=SECOND)
    run = begin(guest, tests="iops", device=SECOND, confirm_serial=FAULTY)
    run.wait_for_steps(PURGE_AND_FILL + 3)
    before = recorded_steps(run.folder)
    _, switch = faulty
    switch.touch()
    said = run.end(1)
    assert f"io_u error on file {SECOND}: No data available" in said  # EIO of NVMe
    assert "a media error of an NVMe drive" in said
    assert "ssdlab resume /job/run" in said
    assert len(said.splitlines()) < 6
    assert run.state.status == "failed"
    assert before.items() <= recorded_steps(run.folder).items()
    still = resume(guest).end(2)
    assert f"whether {SECOND} holds data is unknown" in still
    switch.unlink()
    resume(guest).end(0)
    assert before.items() <= recorded_steps(run.folder).items()
    assert ssdlab.open_run(run.folder).state.status == "finished"
    guest.unplug("nv2")
