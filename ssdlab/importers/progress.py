"""Progress of an import as text."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

Tell = Callable[[str], None]
_Item = TypeVar("_Item")


def ignore_progress(_words: str) -> None:
    """Ignore progress."""


def counted(items: Sequence[_Item], words: str, tell: Tell) -> Iterator[_Item]:
    """Yield items, and report the number of each.

    Examples
    --------
    >>> list(counted("ab", "file", print))
    file 1 of 2
    file 2 of 2
    ['a', 'b']
    """
    for number, item in enumerate(items, 1):
        tell(f"{words} {number:,} of {len(items):,}")
        yield item
