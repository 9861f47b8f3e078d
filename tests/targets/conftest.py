"""Virtual SSDs, and loop devices where this machine lets us make them."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ssdlab.model.units import MIB
from tests.virtual.conftest import plugin_cache

__all__ = ["plugin_cache"]

MakeLoop = Callable[[int], str]


@pytest.fixture
def make_loop(tmp_path: Path) -> Iterator[MakeLoop]:
    """Make loop devices of 64 MiB with a sector size; skip where that cannot be."""
    if os.geteuid():
        pytest.skip("only root may make loop devices")
    made: list[str] = []

    def make(sector_bytes: int) -> str:
        file = tmp_path / f"backing-{len(made)}.img"
        with file.open("wb") as backing:
            backing.truncate(64 * MIB)
        done = subprocess.run(
            [
                *("losetup", "--find", "--show", "--direct-io=on"),
                *(f"--sector-size={sector_bytes}", str(file)),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            pytest.skip(f"losetup cannot make a loop device: {done.stderr.strip()}")
        made.append(done.stdout.strip())
        return made[-1]

    yield make
    for device in made:
        subprocess.run(["losetup", "--detach", device], check=True)
