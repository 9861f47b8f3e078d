"""The gate in a guest: all ways of being in use are refused, and nothing is written."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.vm.conftest import Boot, Disk
from tests.vm.devices import image_sha256, nvme, on_image, scsi
from tests.vm.gate import ask_gate, find_device
from tests.vm.gate_case import Case
from tests.vm.gate_data import DATA
from tests.vm.gate_holders import HOLDERS, OPENED
from tests.vm.gate_mounts import MOUNTS, SWAPS
from tests.vm.guest import Guest
from tests.vm.link import Job

CASES = (*MOUNTS, *SWAPS, *HOLDERS, *OPENED, *DATA)
SIZE_MIB = 128
# Whoever takes things apart by hand does not want udev to put them together again.
PREPARE = """
mkdir -p /mnt /boot /etc/mdadm
echo 'AUTO -all' >/etc/mdadm/mdadm.conf
mkdir -p /etc/udev/rules.d; ln -sf /dev/null /etc/udev/rules.d/69-bcache.rules
udevadm control --reload; modprobe loop; udevadm settle
"""
END = """
set -e; udevadm settle
for d in $D?* $D; do [ ! -b $d ] || wipefs --all --quiet $d; done
blkdiscard --zeroout $D; udevadm settle
"""


@pytest.fixture(scope="module")
def guest(boot: Boot, disk: Disk) -> Guest:
    guest = boot(
        nvme("main", on_image(disk("main", SIZE_MIB)), serial="MAIN-1"),
        scsi("other", on_image(disk("other")), serial="OTHER"),
    )
    guest.warm("ssdlab.drive.safety")
    guest.check(PREPARE)
    return guest


@pytest.fixture(scope="module")
def names(guest: Guest) -> dict[str, str]:
    device = find_device(guest, "MAIN-1")
    return {
        "D": device,
        "P": f"{device}p1",
        "OTHER": find_device(guest, "OTHER"),
        "C": "/sys/kernel/config",
    }


def put_in(text: str, names: dict[str, str]) -> str:
    return re.sub(r"\$(D|P|OTHER|C)\b", lambda match: names[match[1]], text)


@contextmanager
def brought_about(guest: Guest, case: Case, names: dict[str, str]) -> Iterator[None]:
    """Bring a case about, and end it and wipe the drive as its user would."""
    exports = "; ".join(f"export {name}={value}" for name, value in names.items())
    job = None
    try:
        guest.check(f"set -e; {exports}; {case.make}\nsync; udevadm settle")
        if case.runs:
            job = begin(guest, case.runs, exports, names)
        yield
    finally:
        if job is not None:
            job.stop()
            job.wait()
        guest.check(f"set -e; {exports}; {case.undo}\n{END}")


def begin(guest: Guest, what: str, exports: str, names: dict[str, str]) -> Job:
    if what.startswith("import "):
        job = guest.start_python(put_in(what, names))
    else:
        job = guest.start(f"set -e; {exports}; {what}")
    job.wait_for_output("READY", 60)
    guest.check("sync")
    return job


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.replace(" ", "-"))
def test_drive_is_refused_while(
    guest: Guest, disk: Disk, names: dict[str, str], case: Case
) -> None:
    image = disk("main")
    with brought_about(guest, case, names):
        before = image_sha256(image)
        answer = ask_gate(guest, names["D"])
        guest.check("sync")
        assert image_sha256(image) == before
        assert answer["error"] == "DriveInUseError", answer
        uses = [use for use in answer["uses"] if use["kind"] == case.kind]
        assert any(re.search(put_in(case.reason, names), use["reason"]) for use in uses)
        assert any(re.search(put_in(case.remedy, names), use["remedy"]) for use in uses)
        assert all(use["reason"] in answer["text"] for use in uses)
    assert ask_gate(guest, names["D"]) == {"error": "", "unseen": 0}
