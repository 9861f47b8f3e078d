"""Virtual SSDs, and loop devices where this machine lets us make them."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ssdlab.model.units import MIB

MakeLoop = Callable[[int], str]
SIZE_BYTES = 64 * MIB


@pytest.fixture
def make_loop(tmp_path: Path) -> Iterator[MakeLoop]:
    """Make loop devices of 64 MiB with a sector size; skip where that cannot be."""
    if os.geteuid():
        pytest.skip("only root may make loop devices")
    files: list[Path] = []

    def make(sector_bytes: int) -> str:
        file = tmp_path / f"backing-{len(files)}.img"
        with file.open("wb") as backing:
            backing.truncate(SIZE_BYTES)
        files.append(file)
        done = _attach(file, sector_bytes=sector_bytes)
        if done.returncode:
            pytest.skip(f"losetup cannot make a loop device: {done.stderr.strip()}")
        return done.stdout.strip()

    yield make
    for file in files:
        for device in _loops_on(file):
            subprocess.run(["losetup", "--detach", device], check=True)


def attach_loop(file: str) -> str:
    """Return a loop device, whichever is free, on a file."""
    done = _attach(Path(file))
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def move_loop(device: str) -> str:
    """Give what stands on a loop device another name, and return that.

    The old name is let go last, so that nobody else can have got the new one.
    """
    file = Path(f"/sys/class/block/{Path(device).name}/loop/backing_file")
    new = attach_loop(file.read_text().strip())
    subprocess.run(["losetup", "--detach", device], check=True)
    return new


def resize_loop(device: str, size_bytes: int) -> None:
    """Give a loop device another size, while it is in use."""
    file = Path(f"/sys/class/block/{Path(device).name}/loop/backing_file")
    os.truncate(file.read_text().strip(), size_bytes)
    subprocess.run(["losetup", "--set-capacity", device], check=True)


def _attach(
    file: Path, *, sector_bytes: int = 512
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [
            *("losetup", "--find", "--show", "--direct-io=on"),
            *(f"--sector-size={sector_bytes}", str(file)),
        ],
        capture_output=True,
        text=True,
        check=False,
    )


def _loops_on(file: Path) -> list[str]:
    listed = subprocess.run(
        ["losetup", "--noheadings", "--output=NAME", "--associated", str(file)],
        capture_output=True,
        text=True,
        check=True,
    )
    return listed.stdout.split()
