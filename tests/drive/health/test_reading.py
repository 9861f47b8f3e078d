"""One reading: by which way, and what is left when it gives nothing."""

import errno
from pathlib import Path

import pytest

from ssdlab.drive.health import read_health, require_health_access
from ssdlab.drive.nvme_admin import AdminAnswer, AdminCommand
from ssdlab.drive.tools import TIMED_OUT, Answer
from ssdlab.model.drive import Bus, Drive, DriveHealth
from ssdlab.model.errors import MissingToolError, PrivilegeError, TargetRefusedError
from tests.drive.recorded import DRIVES, Controller, a_drive, node, saying
from tests.drive.users import only_root


def add_sensor(root: Path, drive: Drive, **files: int) -> None:
    device = root / "sys/devices/some/where"
    device.mkdir(parents=True)
    block = root / "sys/class/block" / drive.name
    block.mkdir(parents=True)
    (block / "device").symlink_to(device)
    sensor = root / "sys/class/hwmon/hwmon3"
    sensor.mkdir(parents=True)
    (sensor / "device").symlink_to(device)
    for name, value in files.items():
        (sensor / name).write_text(f"{value}\n")


def refusing(number: int, *, filename: str | None = None) -> "Refusing":
    return Refusing(number, filename)


class Refusing:
    def __init__(self, number: int, filename: str | None) -> None:
        self.number, self.filename = number, filename

    def __call__(self, path: str, command: AdminCommand) -> AdminAnswer:
        del path, command
        raise OSError(self.number, errno.errorcode[self.number], self.filename)


def test_without_rights_the_kernels_sensor_tells_the_temperature(
    tmp_path: Path,
) -> None:
    drive = a_drive("nvme", "nvme0n1")
    node(tmp_path, drive)
    add_sensor(tmp_path, drive, temp1_input=49850, temp1_crit=99850)
    health = read_health(drive, send=refusing(errno.EACCES), root=tmp_path)
    assert health == DriveHealth(
        temperature_celsius=50, critical_temperature_celsius=100
    )


def test_sensor_of_one_controller_of_several_tells_for_the_drive(
    tmp_path: Path,
) -> None:
    drive = a_drive("nvme", "nvme0n1")
    node(tmp_path, drive)
    add_sensor(tmp_path, drive, temp1_input=40850)
    subsystem = tmp_path / "sys/devices/nvme-subsys0"
    subsystem.mkdir()
    (subsystem / "nvme1").symlink_to(tmp_path / "sys/devices/some/where")
    link = tmp_path / "sys/class/block" / drive.name / "device"
    link.unlink()
    link.symlink_to(subsystem)
    health = read_health(drive, send=refusing(errno.EACCES), root=tmp_path)
    assert health == DriveHealth(temperature_celsius=41)


def test_an_ata_sensor_is_in_thousandths_of_a_degree(tmp_path: Path) -> None:
    drive = a_drive("ata")
    node(tmp_path, drive)
    add_sensor(tmp_path, drive, temp1_input=31500)
    health = read_health(drive, ask=saying("{}"), root=tmp_path)
    assert health == DriveHealth(temperature_celsius=31.5)


def test_a_drive_without_log_and_sensor_tells_nothing(tmp_path: Path) -> None:
    buses: tuple[Bus, ...] = ("virtio", "loop", "other")
    for bus in buses:
        drive = a_drive(bus)
        ask = saying("never asked")
        health = read_health(drive, ask=ask, root=node(tmp_path, drive))
        assert health == DriveHealth()
        require_health_access(drive, ask=ask, root=tmp_path)
        assert ask.asked == []


def test_a_tool_that_is_not_there_leaves_the_health_untold(tmp_path: Path) -> None:
    def missing(command: object, *, timeout_s: float) -> Answer:
        del command, timeout_s
        raise MissingToolError(tool="smartctl", needed_for="this", remedy="Install it.")

    drive = a_drive("ata")
    root = node(tmp_path, drive)
    assert read_health(drive, ask=missing, root=root) == DriveHealth()
    with pytest.raises(MissingToolError, match="smartctl"):
        require_health_access(drive, ask=missing, root=root)


def test_a_drive_that_is_gone_is_told_in_one_line(tmp_path: Path) -> None:
    for bus in ("nvme", "ata", "loop"):
        with pytest.raises(TargetRefusedError, match="/dev/sdz: it is gone"):
            read_health(a_drive(bus), root=tmp_path)


@pytest.mark.parametrize("number", [errno.ENODEV, errno.EIO])
def test_a_drive_that_does_not_answer_is_told_in_one_line(
    tmp_path: Path, number: int
) -> None:
    drive = a_drive("nvme")
    with pytest.raises(TargetRefusedError, match="health log cannot be read"):
        read_health(drive, send=refusing(number), root=node(tmp_path, drive))


def test_a_drive_that_hangs_is_told_in_one_line(tmp_path: Path) -> None:
    drive = a_drive("ata")
    ask = saying("", exit_code=TIMED_OUT)
    with pytest.raises(TargetRefusedError, match="no answer within 60 s"):
        read_health(drive, ask=ask, root=node(tmp_path, drive))


def test_access_to_a_drive_that_answers_is_there(tmp_path: Path) -> None:
    require_health_access(a_drive("nvme"), send=Controller(), root=tmp_path)
    text = (DRIVES / "smartctl-7.3-ata-ssd-made.json").read_text()
    require_health_access(a_drive("ata"), ask=saying(text), root=tmp_path)


def test_a_drive_that_fails_is_no_question_of_rights(tmp_path: Path) -> None:
    require_health_access(a_drive("nvme"), send=refusing(errno.EIO), root=tmp_path)


@pytest.mark.parametrize(
    ("bus", "capability"), [("nvme", "CAP_SYS_ADMIN"), ("ata", "CAP_SYS_RAWIO")]
)
@only_root
def test_the_capability_that_roots_container_lacks_is_named(
    tmp_path: Path, bus: Bus, capability: str
) -> None:
    drive = a_drive(bus)
    root = node(tmp_path, drive)
    text = (DRIVES / "smartctl-7.3-ata-qemu-without-rawio.json").read_text()
    with pytest.raises(PrivilegeError, match=capability) as caught:
        require_health_access(
            drive, ask=saying(text), send=refusing(errno.EACCES), root=root
        )
    assert "nothing of it is known" in str(caught.value)


def test_a_scsi_drive_that_may_not_be_opened_is_a_question_of_rights(
    tmp_path: Path,
) -> None:
    text = (DRIVES / "smartctl-7.3-qemu-denied.json").read_text()
    with pytest.raises(PrivilegeError, match="/dev/sdz"):
        require_health_access(a_drive("scsi"), ask=saying(text), root=tmp_path)


def test_an_ata_drive_in_the_disguise_of_scsi_tells_nothing(tmp_path: Path) -> None:
    drive = a_drive("ata")
    text = (DRIVES / "smartctl-7.3-ata-qemu-without-rawio.json").read_text()
    health = read_health(drive, ask=saying(text), root=node(tmp_path, drive))
    assert health == DriveHealth()


def test_recorded_drives_of_a_guest_are_read(tmp_path: Path) -> None:
    drive = a_drive("ata")
    text = (DRIVES / "smartctl-7.3-ata-qemu.json").read_text()
    health = read_health(
        drive, ask=saying(text, exit_code=4), root=node(tmp_path, drive)
    )
    assert (health.temperature_celsius, health.is_failing) == (31, False)
    scsi = a_drive("scsi")
    text = (DRIVES / "smartctl-7.3-scsi-qemu.json").read_text()
    health = read_health(scsi, ask=saying(text), root=tmp_path)
    assert health == DriveHealth()
