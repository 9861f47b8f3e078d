"""What a session leaves at both ends of a drive."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdlab.drive.gate.end_digests import (
    digest_ends,
    digest_ends_of,
    keep_ends,
    read_kept_ends,
)
from tests.made_tree import MIB

SIZE = 16 * MIB
END = 4 * MIB


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ends") / "disk.img"
    path.touch()
    os.truncate(path, SIZE)
    return path


def change(path: Path, place: int) -> None:
    with path.open("r+b") as file:
        file.seek(place)
        byte = file.read(1)
        file.seek(place)
        file.write(bytes([byte[0] ^ 1]))


@settings(max_examples=25)
@given(st.integers(0, SIZE - 1))
def test_every_byte_of_both_ends_counts_and_no_other(image: Path, place: int) -> None:
    before = digest_ends_of(image, SIZE)
    change(image, place)
    after = digest_ends_of(image, SIZE)
    change(image, place)
    assert (after != before) == (place < END or place >= SIZE - END)
    assert digest_ends_of(image, SIZE) == before != ""


def test_small_device_is_read_whole_and_a_cut_one_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "small.img"
    path.write_bytes(bytes(MIB))
    assert digest_ends_of(path, MIB)
    assert digest_ends_of(path, 2 * MIB) == ""
    assert digest_ends_of(tmp_path / "none", MIB) == ""
    with path.open("rb") as file, pytest.raises(OSError, match="ended too early"):
        digest_ends(file.fileno(), 2 * MIB)


def test_note_is_read_as_it_was_kept_and_a_broken_one_is_none(tmp_path: Path) -> None:
    assert read_kept_ends(tmp_path) == ""
    keep_ends("abc", tmp_path)
    assert read_kept_ends(tmp_path) == "abc"
    (file,) = tmp_path.iterdir()
    for text in ("", "{", "[]", "3", "{}"):
        file.write_text(text)
        assert read_kept_ends(tmp_path) == ""
