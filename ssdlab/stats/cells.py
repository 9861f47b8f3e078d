"""Which cells a text means."""

from collections.abc import Iterable


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
