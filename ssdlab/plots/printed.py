"""Text that a notebook prints, in lines that fit."""

from textwrap import fill


def wrapped(text: str, width: int = 72) -> str:
    r"""Return text in lines that are broken at spaces.

    JupyterLab breaks a line that is too long for its window within a word.

    Parameters
    ----------
    text : str
        Any text; its own lines stay separate, each with its indent.
    width : int, default 72
        The most characters in a line, unless a word is longer.

    Returns
    -------
    str
        The text; continuation lines are indented by two more.

    Examples
    --------
    >>> print(wrapped("Steady in rounds 1 - 5.\n  Nothing to add to it.", width=20))
    Steady in rounds 1 -
      5.
      Nothing to add to
        it.
    """
    return "\n".join(_wrapped_line(line, width) for line in text.split("\n"))


def _wrapped_line(line: str, width: int) -> str:
    words = line.lstrip(" ")
    indent = " " * (len(line) - len(words))
    return fill(
        words,
        width,
        initial_indent=indent,
        subsequent_indent=f"{indent}  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
