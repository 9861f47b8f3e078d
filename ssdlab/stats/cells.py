"""Cells in words, and which cells a text means."""

from collections.abc import Iterable
from typing import Any

from ssdlab.model.spec import MIXED_PERCENT, stimulus_label


def cell_stimulus(access: Any, block_size_bytes: Any, read_percent: Any) -> str:
    """Return the stimulus of a row of a frame, of which sizes and mix may be missing.

    >>> cell_stimulus("rnd", 4096, 65), cell_stimulus("rnd", None, None)
    ('RND 4 KiB 65/35', 'RND composite several R/W')
    """
    return stimulus_label(
        str(access), _whole(block_size_bytes, 0), _whole(read_percent, MIXED_PERCENT)
    )


def _whole(value: Any, unknown: int) -> int:
    return unknown if value is None or str(value) in {"<NA>", "nan"} else int(value)


def named_like(names: Iterable[str], wanted: str) -> list[bool]:
    """Return which names of cells a text means; blanks and case do not matter.

    >>> named_like(["RND 4 KiB 0/100", "RND 4 KiB 0/100 T2/Q16"], "rnd 4KiB 0/100")
    [True, False]
    >>> named_like(["RND 4 KiB 0/100 T1/Q1", "SEQ 4 KiB 0/100"], "RND 4KiB")
    [True, False]
    """
    known, text = list(map(squeeze, names)), squeeze(wanted)
    equal = [name == text for name in known]
    return equal if any(equal) else [name.startswith(text) for name in known]


def squeeze(name: str) -> str:
    """Return a name without what does not matter: blanks and case.

    >>> squeeze("RND 4 KiB 0/100")
    'rnd4kib0/100'
    """
    return "".join(name.split()).casefold()
