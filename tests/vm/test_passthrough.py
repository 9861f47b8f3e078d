"""NVMe commands past the block layer, to a drive that the gate holds all the while."""

from pathlib import Path

import ssdlab
from ssdlab.fio.jobs.jobspec import parse_job_file
from ssdlab.virtual.counters import PAGE_BYTES
from ssdlab.virtual.options import VirtualSsdOptions
from tests.vm.conftest import Boot, Serve
from tests.vm.devices import MIB, nvme, on_nbd
from tests.vm.runs import SERIAL, SHORT, begin, warm

SSD = VirtualSsdOptions(size_bytes=48 * MIB, idle_ms=100_000)
COMMANDS = SHORT.having(name="commands", io_engine="io_uring_cmd fixedbufs", cell_s=1)


def test_run_by_commands_reaches_the_drive_that_is_held(
    boot_once: Boot, virtual_ssd: Serve, tmp_path: Path
) -> None:
    ssd = virtual_ssd(SSD)
    drive = nvme("nv0", on_nbd(ssd.socket_path), serial=SERIAL)
    guest = boot_once(drive, shared=tmp_path / "job", memory_mib=1536)
    warm(guest)
    run = begin(guest, tests="iops", profile=COMMANDS)
    run.wait_for_steps(3)
    held = guest.run("mkfs.ext4 -F /dev/nvme0n1")  # by whoever asks the kernel
    assert held.exit_code != 0
    run.end(0, timeout_s=600)

    done = ssdlab.open_run(run.folder)
    job = max(run.folder.glob("steps/*-iops-rounds-*/job.fio")).read_text()
    options = parse_job_file(job, source="job.fio").resolved(0)
    assert options["filename"] == "/dev/ng0n1"
    assert options["ioengine"] == "io_uring_cmd"
    assert not {"buffered-io"} & set(done.findings["code"])
    cells = done.measurements.query("kind == 'cell' and direction == 'total'")
    assert len(cells) >= 8
    assert cells["iops"].gt(0).all()
    steps = done.steps
    assert ssd.counters().host_read_bytes >= steps["read_bytes"].sum()
    pages = int(ssd.page_write_counts().sum())  # since the last purge
    assert pages * PAGE_BYTES == steps["written_bytes"].sum()
