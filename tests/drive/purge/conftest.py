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
from tests.made_loop import attach_loop, require_loops


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
    require_loops()
    made: list[HeldLoop] = []

    def make(
        size_bytes: int = 8 * MIB, *, sector_bytes: int = 512, folder: Path = tmp_path
    ) -> HeldLoop:
        file = folder / f"backing-{len(made)}.img"
        with file.open("wb") as backing:
            backing.truncate(size_bytes)
        drive = find_drive(attach_loop(file, f"--sector-size={sector_bytes}"))
        descriptor = os.open(drive.path, os.O_RDWR | os.O_EXCL | os.O_CLOEXEC)
        made.append(HeldLoop(drive=drive, descriptor=descriptor))
        return made[-1]

    yield make
    for held in made:
        subprocess.run(["losetup", "--detach", held.drive.path], check=True)
        os.close(held.descriptor)
