"""A loop device on a file of a test's own: the one real block device to be had here."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def attached_loop(image: Path, *, size_bytes: int) -> Iterator[str]:
    """Make a sparse file and yield the loop device on it, or skip the test."""
    if os.geteuid():
        pytest.skip("only root attaches loop devices")
    image.touch()
    os.truncate(image, size_bytes)
    made = subprocess.run(
        ["losetup", "--find", "--show", image],
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode:
        pytest.skip(f"no loop device can be had: {made.stderr.strip()}")
    device = made.stdout.strip()
    try:
        yield device
    finally:
        subprocess.run(["losetup", "--detach", device], check=True)
