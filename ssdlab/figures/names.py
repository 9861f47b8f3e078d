"""Text of devices, files and users as figures may show it."""

import re
from html import escape

_LONGEST_NAME = 28


def figure_text(text: str, *, longest: int = _LONGEST_NAME) -> str:
    """Return untrusted text as plotly may show it, shortened in the middle.

    Plotly reads some HTML in every text. What stands in brackets at the end says that
    a run is a model, and is kept.

    >>> figure_text("<b>x</b> & y")
    '&lt;b&gt;x&lt;/b&gt; &amp; y'
    >>> figure_text("A drive with a name that never ends 7 (virtual)")
    'A drive with …ds 7 (virtual)'
    """
    return escape(shortened(text, longest=longest), quote=False)


def shortened(text: str, *, longest: int) -> str:
    """Return text on one line, without its middle where it is too long.

    >>> shortened("A name that never ends", longest=12)
    'A name t…nds'
    """
    plain = "".join(sign if sign.isprintable() else " " for sign in text)
    kind = re.search(r" \([a-z]+\)$", plain)
    end = kind.group() if kind and len(kind.group()) < longest else ""
    name, room = plain.removesuffix(end), longest - len(end)
    if len(name) > room:
        tail = room // 4
        name = f"{name[: room - tail - 1]}…{name[len(name) - tail :]}"
    return name + end
