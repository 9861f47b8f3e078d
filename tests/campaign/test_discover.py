"""``lab.toml`` from what the hosts say of their drives."""

from pathlib import Path

import pytest

from ssdlab.campaign.discover import lab_text, make_host
from ssdlab.campaign.lab import Lab, read_lab

FREE = {
    "serial": "S 1/\x1b[2J", "path": "/dev/nvme0n1", "can_be_tested": True,
    "target": "/dev/disk/by-id/nvme-M_S1", "confirm": "S1", "model": 'M "quoted" é',
    "firmware": "F\n1", "capacity_bytes": 10**12, "uses": [],
}  # fmt: skip
IN_USE = {
    "serial": "S2", "path": "/dev/sda", "can_be_tested": False, "target": None,
    "confirm": None, "model": "N", "firmware": "G", "capacity_bytes": 10**11,
    "uses": [{"reason": "/dev/sda1 is mounted on /"}],
}  # fmt: skip


def test_drive_in_use_is_in_maintenance_and_text_of_drives_is_quoted(
    tmp_path: Path,
) -> None:
    host = make_host([FREE, IN_USE, {"serial": None}], scratch="/srv", cores=8)
    place = tmp_path / "lab.toml"
    place.write_text(lab_text(Lab(hosts={"h.example": host})), "utf-8")
    assert read_lab(place) == Lab(hosts={"h.example": host})
    free, used = host.drives.values()
    assert list(host.drives) == ["S_1_2J", "S2"]
    assert (free.state, free.model, free.firmware) == ("good", 'M "quoted" é', "F1")
    assert (used.state, used.note) == ("maintenance", "/dev/sda1 is mounted on /")


def test_drive_that_two_hosts_report_is_refused() -> None:
    host = make_host([FREE], scratch="/srv", cores=1)
    with pytest.raises(ValueError, match="is in a and in b"):
        Lab(hosts={"a": host, "b": host})
