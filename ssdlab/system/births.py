"""The birth time of a file, the one timestamp that no program can set."""

import ctypes
import os
import sys
from typing import Final

_EMPTY_PATH: Final = 0x1000  # AT_EMPTY_PATH: the descriptor itself is meant
_BIRTH: Final = 0x800  # STATX_BTIME
_ANSWER_BYTES: Final = 256  # struct statx of linux/stat.h
_NS: Final = 1_000_000_000


class _Statx(ctypes.Structure):
    """The beginning of ``struct statx``, up to the birth time."""

    _fields_ = (
        ("mask", ctypes.c_uint32),
        ("_before", ctypes.c_uint8 * 76),
        ("birth_s", ctypes.c_int64),
        ("birth_ns", ctypes.c_uint32),
        ("_after", ctypes.c_uint8 * (_ANSWER_BYTES - 92)),
    )


def read_birth_ns(descriptor: int) -> int | None:
    """Return the birth time of an open file [Unix ns]; ``None`` if it has none."""
    if not sys.platform.startswith("linux"):
        birth_s = getattr(os.fstat(descriptor), "st_birthtime", None)
        return None if birth_s is None else round(birth_s * _NS)
    statx = getattr(ctypes.CDLL(None), "statx", None)
    if statx is None:
        return None
    answer = _Statx()
    failed = statx(descriptor, b"", _EMPTY_PATH, _BIRTH, ctypes.byref(answer))
    if failed or not answer.mask & _BIRTH:
        return None
    return int(answer.birth_s) * _NS + int(answer.birth_ns)
