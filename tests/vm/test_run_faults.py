"""What goes wrong in the middle of a run: it ends cleanly, and is gone on with."""

from pathlib import Path

import pytest

import ssdlab
from tests.integration.lab import recorded_steps
from tests.vm.conftest import Boot, Disk
from tests.vm.devices import image_sha256, nvme, on_image, with_bad_sectors
from tests.vm.guest import Guest
from tests.vm.runs import (
    DEVICE,
    SERIAL,
    RunInGuest,
    begin,
    cache_of,
    resume,
    wait_until,
    warm,
)

PLAN = """
import os
from ssdlab.cli import main
os.setgroups([])
os.setresgid({user}, {user}, {user})
os.setresuid({user}, {user}, {user})
main(["plan", "--target", {device!r}, "--profile", "demo", "--tests", "wsat"])
"""
BAD = range(88_000, 88_500)  # sectors where no mark or copy of a superblock may stand


@pytest.fixture(scope="module")
def guest(boot: Boot, disk: Disk) -> Guest:
    guest = boot(nvme("nv0", on_image(disk("a")), serial=SERIAL), memory_mib=1536)
    warm(guest)
    guest.warm("ssdlab.cli", "ssdlab.engine.forecast", "grp", "pwd")
    return guest


@pytest.fixture(autouse=True)
def fresh_folder(request: pytest.FixtureRequest) -> None:
    """Put the run of the test before out of the way."""
    if "guest" in request.fixturenames:
        guest: Guest = request.getfixturevalue("guest")
        guest.check(f"rm -rf /job/run && blkdiscard -f {DEVICE}")


def plan_as(guest: Guest, user: int) -> str:
    """Return what a user is told of a run, without any right to the drive."""
    return guest.check_python(PLAN.format(user=user, device=DEVICE)).stdout


def test_plan_tells_any_user_what_a_run_would_do_and_what_is_in_its_way(
    guest: Guest,
) -> None:
    said = plan_as(guest, 65534)
    assert "wsat" in said
    assert "in all" in said
    refused = said.partition("a run on it would be refused now:")[2]
    assert "is not in the group disk" in refused
    assert "sudo usermod --append --groups disk nobody" in refused
    assert "refused" not in plan_as(guest, 0)
    guest.check(f"mkfs.ext4 -q {DEVICE} && mount {DEVICE} /mnt")
    try:
        assert "/mnt" in plan_as(guest, 65534).partition("refused now:")[2]
    finally:
        guest.check("umount /mnt")


def check_stopped(run: RunInGuest, before: dict[str, str]) -> None:
    """Check that a run ended cleanly, with what was measured kept."""
    assert run.state.status == "failed"
    assert run.state.message
    assert before.items() <= recorded_steps(run.folder).items()
    assert len(ssdlab.open_run(run.folder).steps) == len(run.steps)
    assert "fio" not in run.guest.check("ps -e -o comm=").stdout.split()


def check_gone_on(run: RunInGuest, before: dict[str, str]) -> None:
    run.end(0)
    assert run.state.status == "finished"
    assert before.items() <= recorded_steps(run.folder).items()
    assert "resumed" in set(ssdlab.open_run(run.folder).findings["code"])


def test_drive_that_is_unplugged_ends_the_run_and_goes_on_when_it_is_back(
    guest: Guest,
) -> None:
    run = begin(guest)
    run.wait_for_steps(4)
    before = recorded_steps(run.folder)
    guest.unplug("nv0")
    said = run.end(1)
    assert "ssdlab resume /job/run" in said
    assert "gone" in said or "does not answer" in said
    check_stopped(run, before)
    refused = resume(guest).end(2)
    assert f"{SERIAL}) is not attached" in refused
    guest.plug("nv0")
    guest.await_nodes(SERIAL)
    check_gone_on(resume(guest), before)


def test_drive_that_warns_of_itself_ends_the_run(guest: Guest) -> None:
    run = begin(guest)
    run.wait_for_steps(3)
    before = recorded_steps(run.folder)
    guest.set_property("nv0", "smart_critical_warning", 4)
    try:
        said = run.end(1)
    finally:
        guest.set_property("nv0", "smart_critical_warning", 0)
    assert "TargetAlarmError" in said
    assert "the reliability is degraded" in said
    check_stopped(run, before)
    assert "the reliability is degraded" in run.state.message
    check_gone_on(resume(guest), before)
    assert "critical-warning" in set(ssdlab.open_run(run.folder).findings["code"])


def test_drive_that_is_too_hot_is_not_even_purged(guest: Guest, disk: Disk) -> None:
    guest.check(f"dd if=/dev/urandom of={DEVICE} bs=1M count=8 oflag=direct")
    guest.check("sync")
    before = image_sha256(disk("a"))
    run = begin(guest, temperature_limit=40)
    said = run.end(1)
    assert "above the limit of 40 °C" in said
    assert run.steps == []
    assert image_sha256(disk("a")) == before


def test_run_that_is_killed_is_gone_on_with_and_sets_the_write_cache_back(
    guest: Guest,
) -> None:
    assert cache_of(guest) == "enabled"
    run = begin(guest)
    run.wait_for_steps(3)
    before = recorded_steps(run.folder)
    run.kill()
    assert cache_of(guest) == "disabled"
    check_gone_on(resume(guest), before)
    assert run.state.sessions[0][2] == "killed"
    assert cache_of(guest) == "enabled"


def test_drive_with_bad_sectors_ends_the_run_and_goes_on_when_mended(
    boot_once: Boot, disk: Disk, tmp_path: Path
) -> None:
    shared, image = tmp_path / "job", on_image(disk("bad"))
    bad = with_bad_sectors(image, BAD, fails="read")
    first = boot_once(nvme("nv0", bad, serial=SERIAL), shared=shared, memory_mib=1536)
    warm(first)
    run = begin(first, tests="iops")
    said = run.end(1)
    assert "error" in said
    assert "ssdlab resume /job/run" in said
    before = recorded_steps(run.folder)
    assert len(before) >= 2
    check_stopped(run, before)
    first.power_off_hard()
    second = boot_once(
        nvme("nv0", image, serial=SERIAL), shared=shared, memory_mib=1536
    )
    warm(second)
    check_gone_on(resume(second, confirm_serial=SERIAL), before)


def test_full_disk_of_the_guest_ends_the_run_and_it_goes_on_when_there_is_room(
    guest: Guest,
) -> None:
    guest.check("mkdir -p /full && mount -t tmpfs -o size=200k none /full")
    try:
        run = begin(guest, runs="/full")
        said = run.end(1)
        assert "is full" in said
        assert "ssdlab resume /full/run" in said
        kept = guest.check("ls /full/run/steps").stdout.split()
        assert kept
        guest.check("mount -o remount,size=200m /full")
        resume(guest, "/full/run").end(0)
        after = guest.check("ls /full/run/steps").stdout.split()
        assert set(kept) < set(after)
        guest.check("cp -r /full/run /job/run")
    finally:
        guest.check("umount /full")
    wait_until((guest.shared / "run" / "state.json").exists, timeout_s=10)
    assert ssdlab.open_run(guest.shared / "run").state.status == "finished"
