"""Checks of the drive's sectors against the block sizes of the tests."""

from ssdlab.host.checks.check import (
    Check,
    Finding,
    bad,
    good,
    guide,
    not_applying,
    warn,
)
from ssdlab.host.checks.scene import Scene
from ssdlab.model.units import block_size_label

_SMALL_BYTES, _LARGE_BYTES = 512, 4096
_FORMATTED = ("nvme", "scsi")  # buses with a command for it


def _check_small(scene: Scene) -> Finding:
    size, read = _sector(scene)
    blocks = scene.habits.block_sizes_bytes
    small = tuple(block for block in blocks if block < _LARGE_BYTES)
    if size == _SMALL_BYTES:
        return good(read)
    if blocks and not small:
        return not_applying(f"no test of this run has blocks below 4 KiB; {read}")
    broken = tuple(block for block in small if block % size)
    if broken:
        return bad(
            f"{read}: blocks of {_labels(broken)} cannot be measured",
            f"Leave out these blocks{_format(scene, _SMALL_BYTES) or '.'}",
        )
    if small:
        return good(f"{read}: blocks of {_labels(small)} are whole sectors")
    return not_applying(
        f"no tests were named; {read}: ssdlab leaves out blocks below a sector, and "
        "reports that"
    )


def _check_large(scene: Scene) -> Finding:
    size, read = _sector(scene)
    blocks = scene.habits.block_sizes_bytes
    if size == _LARGE_BYTES:
        return good(read)
    if not blocks:
        return not_applying(
            f"no tests were named; {read}, as the 0.5 KiB of the PTS require. The "
            "guide has 4096 B for blocks of 4 KiB and above"
        )
    small = tuple(block for block in blocks if block < _LARGE_BYTES)
    if small:
        return not_applying(
            f"the tests also have blocks of {_labels(small)}, which 4096 B would "
            f"not allow; {read}"
        )
    remedy = _format(scene, _LARGE_BYTES)
    if not remedy:
        return not_applying(f"this drive has no other sector size; {read}")
    return warn(
        f"{read}: all blocks of these tests are of 4 KiB and above, for which the "
        "guide has 4096 B",
        f"State that in comparisons{remedy}",
    )


def _sector(scene: Scene) -> tuple[int, str]:
    size = scene.drive.logical_sector_bytes if scene.drive else 0
    return size, f"{size} B ({scene.queue}/logical_block_size)"


def _labels(sizes: tuple[int, ...]) -> str:
    return ", ".join(block_size_label(size) for size in sorted(sizes))


def _format(scene: Scene, size: int) -> str:
    """Return how the drive gets other sectors, "" if it cannot."""
    drive = scene.drive
    if drive is None:
        return ""
    if drive.bus == "loop":
        return (
            f", or attach the file again: losetup --sector-size {size} -f --show FILE"
        )
    if drive.bus not in _FORMATTED:
        return ""
    command = (
        f"ssdlab purge --lba-format {size} {drive.path}"
        if drive.bus == "nvme"
        else f"sg_format --format --size={size} {drive.path}"
    )
    return f", or format it to {size} B, if supported; this erases it: {command}"


SMALL = Check(
    check_id="sector_size_512",
    title="Sectors for blocks below 4 KiB",
    why="A block smaller than a sector cannot be read or written.",
    source=guide("4"),
    look=_check_small,
    needs="drive",
)
LARGE = Check(
    check_id="sector_size_4k",
    title="Sectors for blocks of 4 KiB and above",
    why="Many drives map by 4 KiB and have less work with sectors of that size.",
    source=guide("4"),
    look=_check_large,
    needs="drive",
)
