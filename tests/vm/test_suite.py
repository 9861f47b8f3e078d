"""A short PTS suite on an NVMe drive, with the power cut in the middle."""

from pathlib import Path

import ssdlab
from ssdlab.pts.conformance import find_recorded_departures
from ssdlab.pts.wsat.spec import Wsat
from ssdlab.report import write_report
from ssdlab.store.records import read_record
from ssdlab.virtual.counters import PAGE_BYTES, Counters
from ssdlab.virtual.options import VirtualSsdOptions, find_write_bound
from ssdlab.virtual.server import VirtualSsd
from tests.integration.lab import recorded_steps
from tests.vm.conftest import Boot, Serve
from tests.vm.devices import MIB, nvme, on_nbd
from tests.vm.guest import Guest
from tests.vm.runs import (
    DEVICE,
    SERIAL,
    SHORT,
    RunInGuest,
    begin,
    cache_of,
    resume,
    wait_until,
    warm,
)

PURGE_AND_FILL = 2
# Slow, so that the drive shows where the host keeps up; and it does not tidy up between
# the steps, for fio takes a second to start in a guest.
SLOW_SSD = VirtualSsdOptions(
    size_bytes=48 * MIB,
    over_provisioning_percent=12,
    program_us=2400,
    idle_ms=100_000,
)
# WSAT ends by an amount and not by time: a slow host takes longer, and writes as much.
FILLS = SHORT.having(
    name="fills",
    wsat_capacity_multiple=2,
    wsat_time_limit_s=900,
    wsat_sample_every_rounds=None,
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
    run = begin(first, tests="iops,wsat", profile=FILLS)
    run.wait_for_steps(PURGE_AND_FILL + 3)
    assert cache_of(first) == "disabled"
    first.power_off_hard()
    before = recorded_steps(run.folder)
    record = read_record(run.folder)

    second = boot_once(drive, shared=shared, memory_mib=1536)
    assert cache_of(second) == "enabled"  # the drive's own setting came back
    warm(second)
    again = resume_elsewhere(second, before)
    again.wait_for_steps(len(before) + 1)
    assert cache_of(second) == "disabled"
    purged = counters_after_purge(again, ssd)
    again.end(0, timeout_s=900)
    assert cache_of(second) == "enabled"
    assert not (run.folder / "target" / "write_cache.json").exists()

    after = recorded_steps(run.folder)
    assert before.items() <= after.items()
    done = ssdlab.open_run(run.folder)
    assert done.record == record
    for check in (check_papers, check_purges, check_numbers, check_rounds):
        check(done)
    check_reached_the_drive(done, ssd)
    check_garbage_collection(purged, ssd.counters())
    check_report(done)


def resume_elsewhere(guest: Guest, before: dict[str, str]) -> RunInGuest:
    """Go on with a run of which this machine knows nothing: it is refused at first."""
    refused = resume(guest)
    assert f"--confirm {SERIAL}" in refused.end(2)
    assert recorded_steps(refused.folder) == before
    return resume(guest, confirm_serial=SERIAL)


def counters_after_purge(run: RunInGuest, ssd: VirtualSsd) -> Counters:
    """Return what the drive has counted when the purge of WSAT is recorded."""

    def is_purged() -> bool:
        return any(step.endswith("-wsat-purge") for step in run.steps)

    wait_until(lambda: is_purged() or not run.job.is_running, timeout_s=420)
    assert is_purged(), run.job.output
    return ssd.counters()


def check_papers(done: ssdlab.Run) -> None:
    record = done.record
    assert record.target.spec == DEVICE
    assert (record.target.model, record.target.serial) == ("QEMU NVMe Ctrl", SERIAL)
    assert record.drive is not None
    assert record.drive.bus == "nvme"
    assert record.purge_choice is not None
    assert record.purge_choice.method == "nvme-format-user-data"
    assert record.write_cache == "disabled"
    departures = find_recorded_departures(record)
    assert "write-cache" not in {departure.code for departure in departures}
    assert len(record.host_checks) > 30
    codes = set(done.findings["code"])
    assert "resumed" in codes
    assert not codes & {"purge-none", "purge-unverified", "no-health"}
    assert not codes & {"write-cache", "write-cache-unread"}
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
    drive = done.telemetry.query("source == 'block'")
    assert {"temperature_celsius", "host_written_bytes", "health_read_s"} <= set(
        drive["name"]
    )
    assert drive["name"].eq("temperature_celsius").sum() > 4
    assert set(drive.query("name == 'write_cache_is_on'")["value"]) == {0.0}
    took_s = drive.query("name == 'health_read_s'")["value"]
    assert took_s.median() < 0.5


def check_rounds(done: ssdlab.Run) -> None:
    """No round is faster than the dies can be, nor the last ones without a cliff.

    A slow host makes all of them slower, and so none of this wrong.
    """
    bound = find_write_bound(SLOW_SSD)
    assert bound is not None
    rounds = done.measurements.query("test == 'wsat' and direction == 'total'")
    buffered_iops = SLOW_SSD.buffer_pages / FILLS[Wsat].round_s
    assert rounds["iops"].gt(0).all()
    assert rounds["iops"].max() < 1.1 * bound / PAGE_BYTES + buffered_iops
    assert rounds["iops"].iloc[-3:].median() < 0.75 * bound / PAGE_BYTES


def check_reached_the_drive(done: ssdlab.Run, ssd: VirtualSsd) -> None:
    """The drive counted what the tables say: purges, preconditioning and writes."""
    counted, steps = ssd.counters(), done.steps
    assert counted.full_trims == steps["kind"].eq("purge").sum() == 2
    # The purge of WSAT met data everywhere: preconditioning had written every page.
    assert counted.trimmed_bytes >= SLOW_SSD.size_bytes
    assert counted.host_written_bytes >= steps["written_bytes"].sum()
    assert counted.host_read_bytes >= steps["read_bytes"].sum()
    of_wsat = steps.query("test == 'wsat'")["written_bytes"].sum()
    assert of_wsat >= FILLS[Wsat].capacity_multiple * SLOW_SSD.size_bytes
    pages = int(ssd.page_write_counts().sum())  # since the last purge
    assert pages * PAGE_BYTES == of_wsat


def check_garbage_collection(purged: Counters, ended: Counters) -> None:
    """Two drive fills on a drive without so much flash: pages had to be moved."""
    wrote = ended.host_written_bytes - purged.host_written_bytes
    programmed = ended.nand_written_bytes - purged.nand_written_bytes
    assert programmed > 1.1 * wrote
    assert ended.gc_moved_bytes - purged.gc_moved_bytes > 0.1 * wrote
