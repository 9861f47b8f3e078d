"""The drive of an interrupted run is found by what it is, and by place if need be."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ssdlab.model.drive import Consent, Drive
from ssdlab.model.errors import TargetRefusedError
from ssdlab.targets.block_opening import find_again, require_name

BY_ID = "/dev/disk/by-id"
MINE = Drive(
    path="/dev/nvme0n1",
    name="nvme0n1",
    model="A Drive",
    serial="S1",
    firmware="1",
    wwn="eui.01",
    bus="nvme",
    capacity_bytes=10**9,
    logical_sector_bytes=512,
    physical_sector_bytes=512,
    device_number="259:0",
    stable_paths=(f"{BY_ID}/nvme-A_Drive_S1",),
    namespace_id=1,
)
SERIAL = Consent(text="S1", what="serial number")
OTHER = replace(MINE, path="/dev/sda", name="sda", serial="S2", wwn="", bus="ata")


def moved(drive: Drive, name: str, **changes: Any) -> Drive:
    return replace(drive, path=f"/dev/{name}", name=name, **changes)


@pytest.mark.parametrize(
    "now",
    [
        MINE,
        moved(MINE, "nvme1n1"),
        moved(MINE, "nvme1n1", stable_paths=()),
        moved(MINE, "nvme1n1", capacity_bytes=5, firmware="2"),  # the gate refuses it
    ],
    ids=["in place", "moved", "without udev", "changed"],
)
def test_drive_is_found_by_its_own_names(now: Drive) -> None:
    impostor = replace(OTHER, path=MINE.path, name=MINE.name)
    assert find_again(MINE, (impostor, now), SERIAL) == now


@pytest.mark.parametrize(
    "now",
    [
        moved(MINE, "nvme0n1", serial="S3"),
        moved(MINE, "nvme0n1", wwn="eui.02"),
        moved(MINE, "nvme0n1", model="B Drive"),
        moved(MINE, "nvme0n2", namespace_id=2),
    ],
    ids=["serial", "wwn", "model", "namespace"],
)
def test_another_drive_in_its_place_is_not_taken_for_it(now: Drive) -> None:
    with pytest.raises(TargetRefusedError, match=r"\(A Drive S1\) is not attached"):
        find_again(MINE, (now, OTHER), SERIAL)


def test_drives_that_cannot_be_told_apart_are_refused() -> None:
    twins = tuple(moved(MINE, f"nvme{n}n1", stable_paths=()) for n in (1, 2))
    words = r"/dev/nvme1n1, /dev/nvme2n1 have the same identity \(A Drive S1\)"
    with pytest.raises(TargetRefusedError, match=words):
        find_again(MINE, twins, SERIAL)


def test_twin_that_has_the_name_of_the_kernel_or_the_link_is_not_taken() -> None:
    twin = moved(MINE, "nvme1n1", stable_paths=())  # udev leads the link to one of them
    for drives in ((MINE, twin), (twin, MINE)):
        with pytest.raises(TargetRefusedError, match="have the same identity"):
            find_again(MINE, drives, SERIAL)


def test_drive_without_names_is_not_found_by_the_name_that_the_kernel_gave_it() -> None:
    nameless = replace(MINE, model="", serial="", wwn=" ", stable_paths=())
    with pytest.raises(TargetRefusedError, match="neither a serial number nor a WWN"):
        require_name(nameless)
    assert require_name(MINE) == SERIAL
    by_wwn = Consent(text="eui.01", what="WWN")
    assert require_name(replace(MINE, serial="")) == by_wwn


# --- Confirmed by the place where it is attached ------------------------------

PLACE = "/dev/disk/by-path/pci-0000:00:04.0-nvme-1"
BY_PLACE = Consent(text=PLACE, what="path")
TWIN = moved(MINE, "nvme1n1")


def attach(root: Path, name: str, path: str = PLACE) -> Path:
    """Let a path lead to a drive, as udev does."""
    node, link = root / "dev" / name, root / path.lstrip("/")
    for place in (node, link):
        place.parent.mkdir(parents=True, exist_ok=True)
    node.touch()
    link.unlink(missing_ok=True)
    link.symlink_to(node)
    return root


@pytest.mark.parametrize("now", [MINE, TWIN], ids=["in place", "names swapped"])
def test_of_twins_the_one_at_the_place_that_was_confirmed_is_taken(
    now: Drive, tmp_path: Path
) -> None:
    root = attach(tmp_path, now.name)
    for drives in ((MINE, TWIN), (TWIN, MINE), (now,)):
        assert find_again(MINE, drives, BY_PLACE, root=root) == now


def test_twin_elsewhere_is_not_taken_where_the_place_is_empty(tmp_path: Path) -> None:
    with pytest.raises(TargetRefusedError, match=f"no drive is attached at {PLACE}"):
        find_again(MINE, (MINE, TWIN), BY_PLACE, root=tmp_path)


def test_link_of_a_name_that_twins_share_is_no_place(tmp_path: Path) -> None:
    path = f"{BY_ID}/nvme-A_Drive_S1"
    root = attach(tmp_path, TWIN.name, path)
    shared = Consent(text=path, what="path")
    with pytest.raises(
        TargetRefusedError, match="names that another drive also had"
    ) as told:
        find_again(MINE, (TWIN,), shared, root=root)
    assert "begin a new run" in str(told.value)
