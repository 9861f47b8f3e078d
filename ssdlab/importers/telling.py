"""How far an import is, in words for who waits for it."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

Tell = Callable[[str], None]
_Item = TypeVar("_Item")


def be_silent(_words: str) -> None:
    """Say nothing."""


def counted(items: Sequence[_Item], words: str, tell: Tell) -> Iterator[_Item]:
    """Yield items, and tell before each how many there are.

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
