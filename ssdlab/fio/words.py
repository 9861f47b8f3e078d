"""fio's messages, shortened for our own messages."""

import re
from collections import Counter
from typing import Final

_OWN_GATE: Final = re.compile(r"Saving output of (pre|post)run in ")
_NUMBERS: Final = re.compile(r"\d+")


def condense_words(text: str) -> str:
    r"""Return fio's messages, with lines that differ only in numbers merged.

    When a drive fails, fio writes such a line for each IO. Its notes about ssdlab's own
    prerun and postrun commands are left out.

    Examples
    --------
    >>> condense_words("io_u error: offset=4096\nio_u error: offset=0\nend")
    'io_u error: offset=4096 (and 1 more like it)\nend'
    """
    lines = [line for line in text.splitlines() if not _OWN_GATE.search(line)]
    counts = Counter(map(_kind, lines))
    first = {_kind(line): line for line in reversed(lines)}
    return "\n".join(
        first[kind] + (f" (and {count - 1} more like it)" if count > 1 else "")
        for kind, count in counts.items()
    ).strip()


def _kind(line: str) -> str:
    return _NUMBERS.sub("#", line.strip())
