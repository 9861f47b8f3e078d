"""Loop devices, where this machine lets us make them, held as the gate holds drives."""

import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from ssdlab.drive.inventory import find_drive
from ssdlab.model.drive import Drive
from ssdlab.model.units import MIB


@dataclass
class HeldLoop:
    """A loop device that is held: what `purge_drive` wants of a drive."""

    drive: Drive
    descriptor: int
    trouble: str = ""

    def is_alive(self) -> str:
        return self.trouble


HoldLoop = Callable[..., HeldLoop]


@pytest.fixture
def hold_loop(tmp_path: Path) -> Iterator[HoldLoop]:
    """Make loop devices on files and hold them; skip where that cannot be."""
    if os.geteuid():
        pytest.skip("only root may make loop devices")
    made: list[HeldLoop] = []

    def make(
        size_bytes: int = 8 * MIB, *, sector_bytes: int = 512, folder: Path = tmp_path
    ) -> HeldLoop:
        file = folder / f"backing-{len(made)}.img"
        with file.open("wb") as backing:
            backing.truncate(size_bytes)
        words = ("losetup", "--find", "--show", f"--sector-size={sector_bytes}")
        done = subprocess.run(
            [*words, str(file)], capture_output=True, text=True, check=False
        )
        if done.returncode:
            pytest.skip(f"losetup cannot make a loop device: {done.stderr.strip()}")
        drive = find_drive(done.stdout.strip())
        descriptor = os.open(drive.path, os.O_RDWR | os.O_EXCL | os.O_CLOEXEC)
        made.append(HeldLoop(drive=drive, descriptor=descriptor))
        return made[-1]

    yield make
    for held in made:
        os.close(held.descriptor)
        subprocess.run(["losetup", "--detach", held.drive.path], check=True)
