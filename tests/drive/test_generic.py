"""The generic device of a namespace: of the same drive, or none."""

from dataclasses import replace
from pathlib import Path

import pytest

from ssdlab.drive import generic
from ssdlab.drive.generic import find_generic, find_most_bytes, require_generic
from ssdlab.model.drive import Drive
from ssdlab.model.errors import TargetRefusedError
from tests.drive.recorded import a_drive


def system(root: Path, *, owner: str = "nvme0") -> Path:
    """Return a root whose nvme0n1 belongs to nvme0, and ng0n1 to an owner."""
    of_pci = root / "sys/devices/pci0000:00"
    places = {"class/block/nvme0n1": "nvme0", "class/nvme-generic/ng0n1": owner}
    for place, controller in places.items():
        (of_pci / controller).mkdir(parents=True, exist_ok=True)
        folder = root / "sys" / place
        folder.mkdir(parents=True)
        (folder / "device").symlink_to(of_pci / controller)
    return root


DRIVE = replace(a_drive("nvme", "nvme0n1"), path="/dev/nvme0n1")


def test_generic_device_of_the_same_controller_is_found(tmp_path: Path) -> None:
    assert find_generic(DRIVE, root=system(tmp_path)) == "/dev/ng0n1"


@pytest.mark.parametrize(
    ("drive", "owner"),
    [
        (DRIVE, "nvme1"),
        (replace(DRIVE, name="nvme0n2", path="/dev/nvme0n2"), "nvme0"),
        (replace(DRIVE, name="sda", path="/dev/sda", bus="ata"), "nvme0"),
        (replace(DRIVE, bus="scsi"), "nvme0"),
    ],
    ids=["another controller", "another namespace", "no NVMe", "named alike"],
)
def test_what_is_not_of_the_drive_is_none(
    drive: Drive, owner: str, tmp_path: Path
) -> None:
    assert find_generic(drive, root=system(tmp_path, owner=owner)) == ""


def test_node_that_is_another_device_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = system(tmp_path)
    monkeypatch.setattr(generic, "ROOT", root)
    monkeypatch.setattr(generic, "find_generic", lambda _drive: "/dev/null")
    folder = root / "sys/class/nvme-generic/null"
    folder.mkdir()
    (folder / "dev").write_text("1:3\n")
    require_generic(DRIVE)  # /dev/null is 1:3
    (folder / "dev").write_text("1:5\n")
    with pytest.raises(TargetRefusedError, match="not the node"):
        require_generic(DRIVE)
    monkeypatch.setattr(generic, "find_generic", lambda _drive: str(tmp_path / "none"))
    with pytest.raises(TargetRefusedError, match="not the node"):
        require_generic(DRIVE)
    monkeypatch.setattr(generic, "find_generic", lambda _drive: "")
    with pytest.raises(TargetRefusedError, match="no generic NVMe device"):
        require_generic(DRIVE)


def test_command_moves_what_the_queue_and_its_segments_allow(tmp_path: Path) -> None:
    queue = system(tmp_path) / "sys/class/block/nvme0n1/queue"
    assert find_most_bytes(DRIVE, root=tmp_path) is None
    queue.mkdir()
    (queue / "max_hw_sectors_kb").write_text("1024\n")
    (queue / "max_segments").write_text("127\n")
    assert find_most_bytes(DRIVE, root=tmp_path) == 126 * 4096
    (queue / "max_hw_sectors_kb").write_text("128\n")
    assert find_most_bytes(DRIVE, root=tmp_path) == 128 * 1024
