"""`ssdlab doctor` on a real kernel: what it sets, and that it undoes exactly that."""

import json
from typing import Any

import pytest

from tests.vm.conftest import Boot, Disk
from tests.vm.devices import ata, nvme, on_image
from tests.vm.guest import Guest
from tests.vm.link import Answer

QUEUE = "/sys/block/nvme0n1/queue"
FILES = (
    f"{QUEUE}/scheduler",
    f"{QUEUE}/nr_requests",
    f"{QUEUE}/rq_affinity",
    "/sys/module/pcie_aspm/parameters/policy",
    "/proc/sys/fs/aio-max-nr",
)
DOCTOR = "python -m ssdlab.cli doctor --journal /job/{journal}.json"
# Nobody may not read the environment of the tests: all is loaded before.
AS_NOBODY = """
import os
import ssdlab.engine.followed_advice
import ssdlab.drive.inventory
import ssdlab.host.tuning
import ssdlab.targets.opening
from ssdlab.cli import main
from ssdlab.procedures.peak.spec import peak
peak()
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
main(["doctor", *{arguments}], prog_name="ssdlab")
"""
NOTHING_NEW = "Nothing to revert"


@pytest.fixture(scope="module")
def guest(boot: Boot, disk: Disk) -> Guest:
    return boot(
        nvme("nv0", on_image(disk("n")), serial="S0"),
        ata("at0", on_image(disk("a")), serial="A0"),
    )


def disturb(guest: Guest) -> dict[str, str]:
    """Set what is wrong, and return what all files read then."""
    guest.check(
        f"echo mq-deadline > {QUEUE}/scheduler && echo 77 > {QUEUE}/nr_requests && "
        f"echo 0 > {QUEUE}/rq_affinity && echo 1999 > /proc/sys/fs/aio-max-nr"
    )
    return read(guest)


def read(guest: Guest) -> dict[str, str]:
    lines = guest.check(f"cat {' '.join(FILES)}").stdout.splitlines()
    return dict(zip(FILES, lines, strict=True))


def doctor(guest: Guest, *arguments: str, journal: str) -> Answer:
    command = f"{DOCTOR.format(journal=journal)} {' '.join(arguments)}"
    return guest.run(command, timeout_s=180)


def test_what_is_applied_shows_in_the_kernel_and_is_undone_exactly(
    guest: Guest,
) -> None:
    before = disturb(guest)
    assert "[mq-deadline]" in before[f"{QUEUE}/scheduler"]
    done = doctor(guest, "--apply --target /dev/nvme0n1", journal="one")
    assert done.exit_code == 0, done.output
    now = read(guest)
    assert now[f"{QUEUE}/scheduler"].startswith("[none]")
    assert now[f"{QUEUE}/nr_requests"] == "1023"  # the kernel's, with that scheduler
    assert now[f"{QUEUE}/rq_affinity"] == "2"
    assert now["/proc/sys/fs/aio-max-nr"] == "1048576"
    assert f"{QUEUE}/scheduler: mq-deadline → none" in done.stdout
    assert f"{QUEUE}/nr_requests: 77 → 1023" in done.stdout
    undone = doctor(guest, "--revert", journal="one")
    assert undone.exit_code == 0, undone.output
    assert read(guest) == before
    assert f"{QUEUE}/nr_requests: 1023 → 77" in undone.stdout
    assert NOTHING_NEW in doctor(guest, "--revert", journal="one").stdout


def test_journal_outlives_a_second_apply_and_leaves_what_others_changed(
    guest: Guest,
) -> None:
    before = disturb(guest)
    doctor(guest, "--apply --target /dev/nvme0n1", journal="two")
    guest.check(f"echo 1 > {QUEUE}/rq_affinity")
    doctor(guest, "--apply --target /dev/nvme0n1", journal="two")
    undone = doctor(guest, "--revert", journal="two")
    assert undone.exit_code == 1
    assert "it was changed since, from 2 to 1; left as it is" in undone.stdout
    now = read(guest)
    assert now.pop(f"{QUEUE}/rq_affinity") == "1"
    del before[f"{QUEUE}/rq_affinity"]
    assert now == before


def test_user_without_rights_is_told_the_one_command(guest: Guest) -> None:
    guest.check("mkdir -p /job/free && chmod 777 /job/free")
    before = disturb(guest)
    target = ["--target", "/dev/nvme0n1"]
    looked = guest.python(AS_NOBODY.format(arguments=target), timeout_s=180)
    assert looked.exit_code == 0, looked.output
    assert "IO scheduler" in looked.stdout
    arguments = ["--apply", *target, "--journal", "/job/free/x.json"]
    done = guest.python(AS_NOBODY.format(arguments=arguments), timeout_s=180)
    assert done.exit_code == 1, done.output
    assert f"{QUEUE}/scheduler: mq-deadline, not permitted" in done.stdout
    command = "sudo $(command -v ssdlab) doctor --apply /dev/nvme0n1"
    assert f"Run: {command}" in done.stderr
    assert read(guest) == before
    assert not (guest.shared / "free/x.json").exists()


def test_drives_of_the_guest_are_examined(guest: Guest) -> None:
    nvme_checks = examined(guest, "/dev/nvme0n1")
    for name in ("io_poll", "nomerges", "sector_size_512", "write_cache"):
        assert nvme_checks[name]["verdict"] != "unknown", nvme_checks[name]
    assert "interrupt" in nvme_checks["irq_affinity"]["read"]
    assert nvme_checks["irq_affinity"]["verdict"] == "good"
    assert nvme_checks["hypervisor"]["verdict"] == "warn"
    (path,) = guest.nodes("A0")
    ata_checks = examined(guest, path)
    assert ata_checks["write_cache"]["verdict"] == "good"
    guest.check(f"hdparm -q -W0 {path}")
    assert examined(guest, path)["write_cache"]["verdict"] == "warn"
    guest.check(f"hdparm -q -W1 {path}")


def examined(guest: Guest, path: str) -> dict[str, Any]:
    answer = doctor(guest, "--json --target", path, journal="none")
    assert answer.exit_code == 0, answer.output
    return {check["check_id"]: check for check in json.loads(answer.stdout)}
