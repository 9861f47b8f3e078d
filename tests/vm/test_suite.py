"""A short PTS suite on an NVMe drive, with the power cut in the middle."""

from pathlib import Path

import ssdlab
from ssdlab.report import write_report
from ssdlab.store.records import read_record
from ssdlab.virtual.options import VirtualSsdOptions
from tests.integration.lab import recorded_steps
from tests.vm.conftest import Boot, Serve
from tests.vm.devices import MIB, nvme, on_nbd
from tests.vm.runs import DEVICE, SERIAL, begin, cache_of, resume, warm

PURGE_AND_FILL = 2
# Slower than any guest, so that the drive shows; and it does not tidy up between the
# steps, for fio takes a second to start in a guest.
SLOW_SSD = VirtualSsdOptions(
    size_bytes=48 * MIB,
    over_provisioning_percent=12,
    program_us=2400,
    idle_ms=100_000,
)


def test_suite_is_gone_on_with_after_the_power_was_cut(
    boot_once: Boot, virtual_ssd: Serve, tmp_path: Path
) -> None:
    ssd = virtual_ssd(SLOW_SSD)
    drive = nvme("nv0", on_nbd(ssd.socket_path), serial=SERIAL)
    shared = tmp_path / "job"
    first = boot_once(drive, shared=shared, memory_mib=1536)
    assert cache_of(first) == "enabled"
    warm(first)
    run = begin(first, tests="iops,wsat")
    run.wait_for_steps(PURGE_AND_FILL + 3)
    assert cache_of(first) == "disabled"
    first.power_off_hard()
    before = recorded_steps(run.folder)
    record = read_record(run.folder)

    second = boot_once(drive, shared=shared, memory_mib=1536)
    assert cache_of(second) == "enabled"  # the drive's own setting came back
    warm(second)
    again = resume(second)
    again.wait_for_steps(len(before) + 1)
    assert cache_of(second) == "disabled"
    again.end(0, timeout_s=420)
    assert cache_of(second) == "enabled"
    assert not (run.folder / "target" / "write_cache.json").exists()

    after = recorded_steps(run.folder)
    assert before.items() <= after.items()
    done = ssdlab.open_run(run.folder)
    assert done.record == record
    check_papers(done)
    check_purges(done)
    check_numbers(done)
    check_report(done)


def check_papers(done: ssdlab.Run) -> None:
    record = done.record
    assert record.target.spec == DEVICE
    assert (record.target.model, record.target.serial) == ("QEMU NVMe Ctrl", SERIAL)
    assert record.drive is not None
    assert record.drive.bus == "nvme"
    assert record.purge_choice is not None
    assert record.purge_choice.method == "nvme-format-user-data"
    assert record.write_cache == "disabled"
    assert not [words for words in record.departures if "write cache" in words]
    assert len(record.host_checks) > 30
    codes = set(done.findings["code"])
    assert "resumed" in codes
    assert not codes & {"purge-none", "purge-unverified", "no-health", "write-cache"}
    assert not codes & {"virtual-target", "loop-target"}


def check_purges(done: ssdlab.Run) -> None:
    """Each says what was done, and that the marks are gone which were set before."""
    for step in done.steps.query("kind == 'purge'")["step_id"]:
        said = (done.path / "steps" / step / "purge.txt").read_text()
        assert "nvme format /dev/nvme0n1 --namespace-id=1" in said
        assert "exit code 0" in said
        assert "64 places marked with random data" in said
        assert "64 places read back: 64 zeros" in said


def check_report(done: ssdlab.Run) -> None:
    page = write_report(done).read_text()
    assert SERIAL in page
    assert "NVMe format, secure erase of the user data" in page


def check_numbers(done: ssdlab.Run) -> None:
    steps = done.steps
    assert list(steps[steps["kind"] == "purge"]["test"]) == ["iops", "wsat"]
    assert (steps["exit_code"] == 0).all()
    rounds = done.measurements.query("test == 'wsat' and direction == 'total'")
    peak, last = rounds["iops"].iloc[:3].max(), rounds["iops"].iloc[-2]
    assert last < 0.75 * peak  # the cliff of a drive that was purged before
    drive = done.telemetry.query("source == 'block'")
    assert {"temperature_celsius", "host_written_bytes", "health_read_s"} <= set(
        drive["name"]
    )
    assert drive["name"].eq("temperature_celsius").sum() > 4
    took_s = drive.query("name == 'health_read_s'")["value"]
    assert took_s.median() < 0.5
