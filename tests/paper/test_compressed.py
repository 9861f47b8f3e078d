"""What is packed once is taken from the user's cache, if it is what it should be."""

import gzip
from pathlib import Path

import pytest

from ssdlab.paper.html import compressed_once

CONTENT = b"a script of some length; " * 50


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "ssdlab"


def test_content_is_kept_packed_when_it_was_packed_once(cache: Path) -> None:
    packed = compressed_once(CONTENT)

    [kept] = cache.iterdir()
    assert kept.read_bytes() == packed
    assert gzip.decompress(packed) == CONTENT


def test_kept_content_is_used_when_it_unpacks_to_the_same(cache: Path) -> None:
    compressed_once(CONTENT)
    [kept] = cache.iterdir()
    kept.write_bytes(other := gzip.compress(CONTENT, 1))

    assert compressed_once(CONTENT) == other


@pytest.mark.parametrize(
    "found",
    [
        b"",
        b"no archive",
        gzip.compress(b"another script"),
        gzip.compress(CONTENT)[:-9],
        gzip.compress(CONTENT + b"and more"),
        gzip.compress(b"\0" * 10_000_000),
        b"\0" * 10_000_000,
    ],
    ids=["empty", "damaged", "other", "cut", "longer", "bomb", "large"],
)
def test_content_is_packed_anew_when_the_cache_holds_something_else(
    cache: Path, found: bytes
) -> None:
    packed = compressed_once(CONTENT)
    [kept] = cache.iterdir()
    kept.write_bytes(found)

    assert compressed_once(CONTENT) == packed
    assert kept.read_bytes() == packed


def test_link_in_the_cache_is_not_followed(cache: Path, tmp_path: Path) -> None:
    packed = compressed_once(CONTENT)
    [kept] = cache.iterdir()
    kept.unlink()
    kept.symlink_to(tmp_path / "elsewhere")

    assert compressed_once(CONTENT) == packed
    assert not (tmp_path / "elsewhere").exists()


def test_content_is_packed_when_there_is_no_place_for_a_cache(cache: Path) -> None:
    cache.write_text("a file where the folder should be")

    assert gzip.decompress(compressed_once(CONTENT)) == CONTENT
