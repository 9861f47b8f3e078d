"""Decoding of text: fio writes UTF-8, but programs after it may not."""

from ssdlab.fio.document import Doubt

_LOOKED_AT_BYTES = 2000
_MANY_ZEROS_RATIO = 0.7
_FEW_ZEROS_RATIO = 0.1
_UTF_8 = "utf-8-sig"


def guess_encoding(head: bytes) -> str:
    """Return the encoding by its byte order mark, or by the position of zeros."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    pairs = len(head[:_LOOKED_AT_BYTES]) / 2
    even, odd = (
        head[first:_LOOKED_AT_BYTES:2].count(0) / pairs if pairs else 0.0
        for first in (0, 1)
    )
    if odd > _MANY_ZEROS_RATIO and even < _FEW_ZEROS_RATIO:
        return "utf-16-le"
    if even > _MANY_ZEROS_RATIO and odd < _FEW_ZEROS_RATIO:
        return "utf-16-be"
    return _UTF_8


def decode_output(data: bytes) -> tuple[str, tuple[Doubt, ...]]:
    """Return the text, and a doubt if it is not UTF-8."""
    encoding = guess_encoding(data)
    if encoding == _UTF_8:
        return _decode_bytes(data)
    meaning = f"it is {encoding} instead of UTF-8, as some shells write it"
    return data.decode(encoding, "replace"), (_doubt(meaning),)


def _decode_bytes(data: bytes) -> tuple[str, tuple[Doubt, ...]]:
    try:
        return data.decode(_UTF_8), ()
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data":
            return data.decode(_UTF_8, "ignore"), ()
    meaning = "it is not UTF-8 and was read as {}: non-ASCII characters may be wrong"
    try:
        return data.decode("cp1252"), (_doubt(meaning.format("cp1252")),)
    except UnicodeDecodeError:
        return data.decode("latin-1"), (_doubt(meaning.format("latin-1")),)


def _doubt(meaning: str) -> Doubt:
    return Doubt(kind="encoding", place="file", meaning=meaning)
