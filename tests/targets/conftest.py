"""Virtual SSDs, and loop devices where this machine lets us make them."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ssdlab.model.units import MIB
from tests.made_loop import attach_loop, detach_loops, require_loops

MakeLoop = Callable[[int], str]
SIZE_BYTES = 64 * MIB
_DIRECT = "--direct-io=on"


@pytest.fixture
def make_loop(tmp_path: Path) -> Iterator[MakeLoop]:
    """Make loop devices of 64 MiB with a sector size; skip where that cannot be."""
    require_loops()
    files: list[Path] = []

    def make(sector_bytes: int) -> str:
        file = tmp_path / f"backing-{len(files)}.img"
        with file.open("wb") as backing:
            backing.truncate(SIZE_BYTES)
        files.append(file)
        return attach_loop(file, f"--sector-size={sector_bytes}", _DIRECT)

    yield make
    for file in files:
        detach_loops(file)


def move_loop(device: str) -> str:
    """Give what stands on a loop device another name, and return that.

    The old name is let go last, so that nobody else can have got the new one.
    """
    file = Path(f"/sys/class/block/{Path(device).name}/loop/backing_file")
    new = attach_loop(Path(file.read_text().strip()), _DIRECT)
    subprocess.run(["losetup", "--detach", device], check=True)
    return new


def resize_loop(device: str, size_bytes: int) -> None:
    """Give a loop device another size, while it is in use."""
    file = Path(f"/sys/class/block/{Path(device).name}/loop/backing_file")
    os.truncate(file.read_text().strip(), size_bytes)
    subprocess.run(["losetup", "--set-capacity", device], check=True)
