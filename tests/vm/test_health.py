"""What drives tell of their health, read from drives that answer like real ones."""

import sys
from typing import Any

import pytest

from tests.vm.conftest import Boot, Disk
from tests.vm.devices import ata, nvme, on_image, scsi
from tests.vm.guest import Guest

READ = """
import json
from dataclasses import asdict
from ssdlab.drive.health import find_alarm, health_readings, read_health
from ssdlab.drive.inventory import find_drive
from ssdlab.model.errors import SsdlabError
try:
    drive = find_drive({path!r})
    health = read_health(drive)
except SsdlabError as error:
    print(json.dumps({{"refused": str(error)}}))
else:
    print(json.dumps(asdict(health) | {{
        "alarm": find_alarm(health, limit_celsius={limit!r}),
        "readings": health_readings(health, drive.pcie),
    }}))
"""
MODULES = ("ssdlab.drive.health", "ssdlab.drive.inventory", "ssdlab.drive.write_cache")


@pytest.fixture(scope="module")
def guest(boot: Boot, disk: Disk) -> Guest:
    guest = boot(
        nvme("nv0", on_image(disk("n")), serial="S0"),
        ata("at0", on_image(disk("a")), serial="A0"),
        scsi("sc0", on_image(disk("s")), serial="C0"),
    )
    guest.check("udevadm settle")
    guest.warm(*MODULES)
    guest.open_python()
    return guest


def read(guest: Guest, path: str, *, limit: float | None = None) -> dict[str, Any]:
    answer = guest.check_python(READ.format(path=path, limit=limit))
    said: dict[str, Any] = answer.json()
    return said


def test_an_nvme_drive_tells_what_nvme_cli_and_smartctl_read_of_it(
    guest: Guest,
) -> None:
    health = read(guest, "/dev/nvme0n1")
    log = guest.check("nvme smart-log /dev/nvme0n1 -o json").json()
    page = guest.check("smartctl -j -A /dev/nvme0n1").json()
    page = page["nvme_smart_health_information_log"]
    assert health["temperature_celsius"] == log["temperature"] - 273
    assert health["temperature_celsius"] == page["temperature"]
    assert health["warning_temperature_celsius"] == 70
    assert health["critical_temperature_celsius"] == 100
    assert health["wear_percent"] == page["percentage_used"]
    assert health["power_on_hours"] == page["power_on_hours"]
    assert health["media_errors"] == page["media_errors"] == 0
    assert health["is_failing"] is False
    assert health["warnings"] == []
    assert health["throttled_s"] is None  # this controller manages no heat
    assert health["alarm"] == ""


def test_what_is_written_is_counted_by_the_drive(guest: Guest) -> None:
    write = "dd if=/dev/urandom of=/dev/nvme0n1 bs=1M count={} oflag=direct status=none"
    guest.check(write.format(1))
    before = read(guest, "/dev/nvme0n1")["host_written_bytes"]
    guest.check(write.format(40))
    after = read(guest, "/dev/nvme0n1")["host_written_bytes"]
    unit_bytes = 512_000  # the drive counts in these, and rounds up
    assert abs(after - before - 40 * 2**20) <= unit_bytes


@pytest.mark.parametrize(
    ("bits", "words"),
    [
        (1, "the spare capacity is below its threshold"),
        (4, "the reliability is degraded by media errors or internal errors"),
        (8, "the media are read-only"),
        (16, "the volatile memory backup has failed"),
    ],
)
def test_a_critical_warning_of_the_drive_is_an_alarm(
    guest: Guest, bits: int, words: str
) -> None:
    guest.set_property("nv0", "smart_critical_warning", bits)
    health = read(guest, "/dev/nvme0n1")
    guest.set_property("nv0", "smart_critical_warning", 0)
    assert words in health["alarm"]
    assert health["is_failing"] is (bits in {4, 8})
    assert health["readings"]["critical_warnings"] == 1
    assert read(guest, "/dev/nvme0n1")["alarm"] == ""


def test_heat_past_the_warning_marks_and_past_the_limit_stops(guest: Guest) -> None:
    guest.check("nvme set-feature /dev/nvme0 -f 4 -v 300")  # kelvin; it is at 323
    warned = read(guest, "/dev/nvme0n1", limit=60)
    stopped = read(guest, "/dev/nvme0n1", limit=45)
    guest.check("nvme set-feature /dev/nvme0 -f 4 -v 343")
    assert warned["warnings"] == ["the temperature is above or below a threshold"]
    assert warned["alarm"] == ""
    assert stopped["alarm"] == "it is at 50 °C, above the limit of 45 °C"


def test_ata_and_scsi_drives_tell_what_they_know(guest: Guest) -> None:
    disk_of_ata = read(guest, "/dev/disk/by-id/ata-LABATA_A0")
    assert disk_of_ata["temperature_celsius"] == 31
    assert disk_of_ata["is_failing"] is False
    assert disk_of_ata["power_on_hours"] == 1
    assert disk_of_ata["wear_percent"] is None
    scsi_path = guest.check("readlink -f /dev/disk/by-id/scsi-*C0").stdout.strip()
    disk_of_scsi = read(guest, scsi_path)
    assert disk_of_scsi["temperature_celsius"] is None  # smartctl says 0 °C of it
    assert disk_of_scsi["is_failing"] is None
    assert "critical_warnings" not in disk_of_scsi["readings"]


def test_the_pcie_link_is_among_the_readings(guest: Guest) -> None:
    readings = read(guest, "/dev/nvme0n1")["readings"]
    assert readings["pcie_link_width"] >= 1
    assert readings["pcie_link_speed_gt_s"] > 0


ACCESS = """
import json, sys
from ssdlab.drive.health import read_health, require_health_access
from ssdlab.drive.inventory import find_drive
from ssdlab.model.errors import PrivilegeError
drive = find_drive(sys.argv[1])
try:
    require_health_access(drive)
    refused = ""
except PrivilegeError as error:
    refused = str(error)
print(json.dumps([refused, read_health(drive).temperature_celsius]))
"""


NOBODY = """
import os, sys
os.setgroups({groups})
os.setgid(65534)
os.setuid(65534)
sys.argv = ["", {path!r}]
"""
DISK = "[__import__('grp').getgrnam('disk').gr_gid]"


def as_nobody(guest: Guest, groups: str, path: str) -> tuple[str, float | None]:
    start = NOBODY.format(groups=groups, path=path)
    refused, celsius = guest.check_python(start + ACCESS).json()
    return refused, celsius


def test_without_the_capability_only_the_temperature_of_nvme_is_read(
    guest: Guest,
) -> None:
    refused, celsius = as_nobody(guest, DISK, "/dev/nvme0n1")
    assert "only its temperature is known" in refused
    assert "may not run nvme as root" in refused
    assert "nobody ALL=(root) NOPASSWD: " in refused
    assert celsius == 50


def test_without_the_capability_an_ata_drive_is_not_taken_for_one_that_tells_nothing(
    guest: Guest,
) -> None:
    refused, _ = as_nobody(guest, DISK, "/dev/disk/by-id/ata-LABATA_A0")
    assert "may not run smartctl as root" in refused


def test_without_the_group_the_program_alone_is_asked_for(guest: Guest) -> None:
    refused, celsius = as_nobody(guest, "[]", "/dev/nvme0n1")
    assert "may not run nvme as root" in refused
    assert "group disk" not in refused
    assert celsius == 50


@pytest.mark.parametrize(
    ("path", "capability"),
    [("/dev/nvme0n1", "sys_admin"), ("/dev/disk/by-id/ata-LABATA_A0", "sys_rawio")],
)
def test_the_capability_gives_the_right_where_there_is_no_sudo(
    guest: Guest, path: str, capability: str
) -> None:
    (guest.shared / "access.py").write_text(ACCESS)
    user = "setpriv --reuid=65534 --regid=65534 --groups=disk"
    rights = f"--inh-caps=+{capability} --ambient-caps=+{capability}"
    answer = guest.check(f"{user} {rights} {sys.executable} /job/access.py {path}")
    refused, celsius = answer.json()
    assert refused == ""
    assert celsius in {31, 50}


def test_a_drive_that_is_gone_is_one_clear_line(guest: Guest) -> None:
    code = """
import json
from ssdlab.drive.health import read_health
from ssdlab.drive.inventory import find_drive
from ssdlab.model.errors import TargetRefusedError
drive = find_drive("/dev/nvme0n1")
print("found", flush=True)
import os, time
while not os.path.exists("/job/unplugged"):
    time.sleep(0.1)
try:
    print(read_health(drive))
except TargetRefusedError as error:
    print(error)
"""
    job = guest.start_python(code)
    job.wait_for_output("found")
    guest.unplug("nv0")
    guest.check("while test -e /dev/nvme0n1; do sleep 0.1; done")
    (guest.shared / "unplugged").touch()
    said = job.wait().stdout
    guest.plug("nv0")
    guest.await_nodes("S0")
    assert "/dev/nvme0n1: it is gone" in said
