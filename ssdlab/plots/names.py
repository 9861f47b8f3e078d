"""Text of devices, files and users as figures may show it."""

import re
from collections.abc import Iterable
from html import escape
from itertools import accumulate, takewhile

_LONGEST_NAME = 28
_LONGEST_HOVER = 90
_GAP = " … "
_LEAST_ROOM = 8  # of a name beside what stands in brackets
_WORD = re.compile(r"[^\s\-_/;|]*[\s\-_/;|]*")
_BETWEEN = " -_/,;:|"


def figure_text(text: str, *, longest: int = _LONGEST_NAME) -> str:
    """Return untrusted text as plotly may show it, shortened in the middle.

    Plotly reads some HTML in every text. What stands in brackets at the end says that
    a run is a model, and is kept.

    >>> figure_text("<b>x</b> & y")
    '&lt;b&gt;x&lt;/b&gt; &amp; y'
    >>> figure_text("A drive with a name that never ends 7 (virtual)")
    'A drive … ends 7 (virtual)'
    """
    return escape(shortened(text, longest=longest), quote=False)


def full_text(text: str) -> str:
    """Return untrusted text as a hover may show it: all of it, up to a limit."""
    return figure_text(text, longest=_LONGEST_HOVER)


def distinct_texts(
    texts: Iterable[str], *, longest: int = _LONGEST_NAME
) -> dict[str, str]:
    """Return by text its shortened form; two that differ never become equal.

    >>> names = ["A drive of lot 1 in a tray", "A drive of lot 2 in a tray"]
    >>> list(distinct_texts(names, longest=20).values())
    ['A drive … a tray #1', 'A drive … a tray #2']
    """
    shown = {text: shortened(text, longest=longest) for text in texts}
    groups: dict[str, list[str]] = {}
    for text, short in shown.items():
        groups.setdefault(short, []).append(text)
    for own in groups.values():
        for place, text in enumerate(own if len(own) > 1 else (), start=1):
            mark = f" #{place}"
            shown[text] = shortened(text, longest=longest - len(mark)) + mark
    return shown


def brief_texts(
    texts: Iterable[str], *, longest: int = _LONGEST_NAME, kept: int = 2
) -> dict[str, str]:
    """Return by text its form without the first words that all share, and shortened.

    So many words of each are kept. Two texts that differ never become equal.

    >>> list(brief_texts(["virtual SSD make A", "virtual SSD make B"]).values())
    ['make A', 'make B']
    >>> list(brief_texts(["Maker 980 PRO", "Other 990"]).values())
    ['Maker 980 PRO', 'Other 990']
    """
    known = list(dict.fromkeys(texts))
    words = [text.split() for text in known]
    shared = 0
    if len(known) > 1:
        heads = zip(*(own[:-kept] for own in words), strict=False)
        shared = sum(1 for _ in takewhile(lambda head: len(set(head)) == 1, heads))
    brief = {
        text: " ".join(own[shared:]) or text
        for text, own in zip(known, words, strict=True)
    }
    if len(set(brief.values())) < len(known):
        return distinct_texts(known, longest=longest)
    shown = distinct_texts(brief.values(), longest=longest)
    return {text: shown[own] for text, own in brief.items()}


def shortened(text: str, *, longest: int) -> str:
    """Return text on one line, without words of its middle where it is too long.

    >>> shortened("A name that never ends", longest=16)
    'A name … ends'
    >>> shortened("20261122-120000-imported-09ff", longest=24)
    '20261122-120000 … 09ff'
    >>> shortened("Endlessnameofonewordalone", longest=12)
    'Endlessn…one'
    """
    plain = "".join(sign if sign.isprintable() else " " for sign in text)
    if len(plain) <= longest:
        return plain
    kind = re.search(r" \([a-z]+\)$", plain)
    end = kind.group() if kind and longest - len(kind.group()) >= _LEAST_ROOM else ""
    return _without_middle(plain.removesuffix(end), longest - len(end)) + end


def _without_middle(name: str, room: int) -> str:
    """Return the first and the last words of a name that is longer than the room.

    A word without an end that fits is cut.
    """
    words = [word for word in _WORD.findall(name) if word]
    free = room - len(_GAP)
    last = _count_within(map(len, reversed(words)), free // 2)
    if not last and len(words[-1]) <= free:
        last = 1
    tail = "".join(words[len(words) - last :]).strip(_BETWEEN)
    whole = words[: len(words) - last]
    first = _count_within(map(len, whole), free - len(tail) + 1)
    head = "".join(whole[:first]).rstrip(_BETWEEN)[: free - len(tail)]
    if head or tail:
        return f"{head}{_GAP}{tail}".strip()
    return f"{name[: room - room // 4 - 1]}…{name[len(name) - room // 4 :]}"


def _count_within(lengths: Iterable[int], room: int) -> int:
    """Return how many of the first lengths fit together."""
    return sum(1 for total in accumulate(lengths) if total <= room)
