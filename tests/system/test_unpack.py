import gzip
import io
from collections.abc import Callable

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.system.unpack import (
    DamagedArchiveError,
    InputTooLargeError,
    gunzip,
    read_held,
    read_pieces,
)


def zstd(data: bytes) -> bytes:
    return bytes(pa.Codec("zstd").compress(data))


def plain(data: bytes) -> bytes:
    return data


FORMS = [plain, gzip.compress, zstd]


@pytest.mark.parametrize("pack", FORMS)
def test_content_is_whole_when_it_is_as_large_as_the_bound(
    pack: Callable[[bytes], bytes],
) -> None:
    data = bytes(3_000_000)
    read = b"".join(read_pieces(io.BytesIO(pack(data)), max_bytes=len(data)))
    assert read == data


@pytest.mark.parametrize("pack", FORMS)
def test_a_byte_more_than_the_bound_is_an_error(pack: Callable[[bytes], bytes]) -> None:
    data = bytes(3_000_000)
    pieces = read_pieces(io.BytesIO(pack(data)), max_bytes=len(data) - 1)
    with pytest.raises(InputTooLargeError, match="more than 2,999,999 B"):
        b"".join(pieces)


@given(data=st.binary(max_size=300), most=st.integers(0, 300))
@pytest.mark.parametrize("pack", FORMS)
def test_never_more_than_the_bound_comes_out(
    pack: Callable[[bytes], bytes], data: bytes, most: int
) -> None:
    held = bytearray()
    try:
        for piece in read_pieces(io.BytesIO(pack(data)), max_bytes=most):
            held += piece
    except InputTooLargeError:
        assert len(data) > most
    except DamagedArchiveError:
        assert pack is plain
    assert len(held) <= most
    assert data.startswith(held)


@given(data=st.binary(max_size=300), most=st.integers(0, 300))
def test_a_gzip_archive_is_unpacked_whole_or_not_at_all(data: bytes, most: int) -> None:
    packed = io.BytesIO(gzip.compress(data))
    if len(data) > most:
        with pytest.raises(InputTooLargeError):
            gunzip(packed, max_bytes=most)
    else:
        assert gunzip(packed, max_bytes=most) == data


@pytest.mark.parametrize(
    "data",
    [b"", b"plain", gzip.compress(b"cut")[:-1], gzip.compress(b"a") + b"more"],
    ids=["empty", "plain", "cut", "more"],
)
def test_what_is_no_whole_gzip_archive_is_an_error(data: bytes) -> None:
    with pytest.raises(DamagedArchiveError):
        gunzip(io.BytesIO(data))


def test_many_members_are_bounded_together() -> None:
    packed = gzip.compress(bytes(1000)) * 20
    assert gunzip(io.BytesIO(packed), max_bytes=20_000) == bytes(20_000)
    with pytest.raises(InputTooLargeError):
        gunzip(io.BytesIO(packed), max_bytes=19_999)


def test_a_file_that_never_ends_is_left_at_the_bound() -> None:
    with open("/dev/zero", "rb") as endless, pytest.raises(InputTooLargeError):  # noqa: PTH123
        read_held(endless, max_bytes=1 << 20)
