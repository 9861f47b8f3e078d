"""Loop devices on files of a test's own: the one real block device to be had here.

The name of one that was detached is soon another's, as tests run side by side: what a
test leaves is found by its file, never by its name.
"""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def require_loops() -> None:
    """Skip the test of a user who may make no loop devices."""
    if os.geteuid():
        pytest.skip("only root may make loop devices")


def attach_loop(file: Path, *options: str) -> str:
    """Return a loop device, whichever is free, on a file, or skip the test."""
    made = subprocess.run(
        ["losetup", "--find", "--show", *options, file],
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode:
        pytest.skip(f"losetup cannot make a loop device: {made.stderr.strip()}")
    return made.stdout.strip()


def detach_loops(file: Path) -> None:
    """Detach every loop device that is on a file, which has to be there still."""
    assert file.exists()
    listed = subprocess.run(
        ["losetup", "--noheadings", "--output=NAME", "--associated", file],
        capture_output=True,
        text=True,
        check=True,
    )
    for device in listed.stdout.split():
        subprocess.run(["losetup", "--detach", device], check=True)


@contextmanager
def attached_loop(image: Path, *, size_bytes: int) -> Iterator[str]:
    """Make a sparse file and yield the loop device on it, or skip the test."""
    require_loops()
    image.touch()
    os.truncate(image, size_bytes)
    try:
        yield attach_loop(image)
    finally:
        detach_loops(image)
