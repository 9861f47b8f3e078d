"""How much of a drive holds data is told by 64 places, which are only read."""

import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.drive.gate.consent import require_consent
from ssdlab.drive.gate.samples import PLACES, count_data_places, sample_places
from ssdlab.drive.inventory import find_drive
from ssdlab.model.errors import ConsentError
from tests.drive.users import only_root
from tests.made_tree import MIB
from tests.targets.conftest import MakeLoop, make_loop

__all__ = ["make_loop"]


def made(folder: Path, content: bytes, size: int) -> Path:
    path = folder / "image"
    with path.open("wb") as file:
        file.write(content)
        file.truncate(size)
    return path


@pytest.mark.parametrize(
    ("content", "count"),
    [
        (b"", 0),
        (b"\xff" * (64 * MIB), 0),
        (b"x", 1),
        (b"\xff\0" * 2048, 1),
        (b"tar" * (64 * MIB // 3 + 1), 64),
        (b"raw " * (16 * MIB // 4), 16),
    ],
    ids=["zeros", "ones", "one byte", "both", "all", "a quarter"],
)
def test_places_that_hold_data_are_counted(
    tmp_path: Path, content: bytes, count: int
) -> None:
    path = made(tmp_path, content, 64 * MIB)
    assert count_data_places(path, 64 * MIB) == count


@given(sectors=st.integers(min_value=1, max_value=1 << 31))
def test_places_are_spread_from_end_to_end(sectors: int) -> None:
    size = sectors * 512
    read: list[int] = []

    def note(_descriptor: int, _count: int, offset: int) -> bytes:
        read.append(offset)
        return b"x"

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ssdlab.drive.gate.samples.os.pread", note)
        assert len(list(sample_places(0, size))) == PLACES == len(read)
    assert read == sorted(read)
    assert read[0] == 0
    assert max(size - 8192, 0) <= read[-1] <= max(size - 4096, 0)
    steps = {after - before for before, after in pairwise(read)}
    assert max(steps) - min(steps) <= 4096


def test_what_cannot_be_read_is_not_counted(tmp_path: Path) -> None:
    assert count_data_places(tmp_path / "none", MIB) is None
    assert count_data_places(tmp_path, MIB) is None
    assert count_data_places(made(tmp_path, b"", MIB), 2 * MIB) is None  # it is shorter


@only_root
@pytest.mark.parametrize(
    ("part", "words"),
    [
        (0, "none of 64 sampled places hold data"),
        (16, "16 of 64 sampled places hold data"),
        (64, "64 of 64 sampled places hold data"),
    ],
)
def test_consent_is_asked_for_with_what_the_drive_holds(
    make_loop: MakeLoop, tmp_path: Path, part: int, words: str
) -> None:
    device = make_loop(512)
    image = tmp_path / "backing-0.img"
    with image.open("r+b") as file:
        file.write(b"raw " * (part * MIB // 4))
    subprocess.run(["blockdev", "--flushbufs", device], check=True)
    before = image.read_bytes()
    with pytest.raises(ConsentError) as caught:
        require_consent(find_drive(device), "")
    assert f"; {words})" in str(caught.value)
    assert image.read_bytes() == before
