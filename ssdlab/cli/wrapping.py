"""Text in lines as wide as the terminal, and no wider than one reads."""

import re
import shutil
import textwrap

from ssdlab.cli.group import printable

_LEAST_WIDTH, _MOST_WIDTH = 40, 100
_SOLID = "\N{NO-BREAK SPACE}"
_NOTHING = re.compile(r"(?!)")


def wrapped(
    text: str, *, first: str = "", rest: str = "", whole: re.Pattern[str] = _NOTHING
) -> list[str]:
    """Return text in lines, broken at blanks alone, and not in what stays whole."""
    terminal = shutil.get_terminal_size(fallback=(_MOST_WIDTH, 1))
    width = min(terminal.columns, _MOST_WIDTH)
    lines = textwrap.wrap(
        whole.sub(lambda found: found[0].replace(" ", _SOLID), printable(text)),
        width=max(width, _LEAST_WIDTH),
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace(_SOLID, " ") for line in lines]
