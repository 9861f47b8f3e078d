"""Tables as a notebook and its page show them: plain, or folded away."""

from collections.abc import Hashable
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd
    from pandas.io.formats.style import Styler

_SEVERAL_LINES, _LONG = 16, 30  # letters: may be broken; needs room of its own


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FoldedTable:
    """A table that shows its summary, and its rows when that is opened."""

    frame: "pd.DataFrame"
    summary: str

    def __repr__(self) -> str:
        """Return the summary: what a terminal shows."""
        return self.summary

    def _repr_html_(self) -> str:
        """Return the table as HTML; Jupyter asks for it by this name."""
        rows = plain_table(self.frame).to_html()
        return f"<details><summary>{escape(self.summary)}</summary>{rows}</details>"


def plain_table(frame: "pd.DataFrame") -> "Styler":
    """Show a table without its index: words to the left, long ones in several lines.

    Parameters
    ----------
    frame : pandas.DataFrame
        What is shown, in its own words; integers get commas at their thousands.

    Returns
    -------
    pandas.io.formats.style.Styler
        What a notebook shows as HTML when it is the last value of a cell.

    Examples
    --------
    >>> import pandas as pd
    >>> "1,000" in plain_table(pd.DataFrame({"IOs": [1000]})).to_html()
    True
    """
    words: list[Hashable] = [name for name in frame.columns if _is_words(frame[name])]
    longest = {name: frame[name].astype(str).str.len().max() for name in words}
    broken: list[Hashable] = [name for name in words if longest[name] > _SEVERAL_LINES]
    long: list[Hashable] = [name for name in words if longest[name] > _LONG]
    return (
        frame.style
        .format(escape="html", thousands=",")
        .hide()
        .set_properties(subset=words, **{"text-align": "left", "white-space": "nowrap"})
        .set_properties(subset=broken, **{"white-space": "normal", "min-width": "7em"})
        .set_properties(subset=long, **{"min-width": "8em"})
        .set_table_styles([{"selector": "th", "props": "white-space: normal"}])
        .set_table_styles(
            {name: [{"selector": "th", "props": "text-align: left"}] for name in words},
            overwrite=False,
        )
    )


def _is_words(column: "pd.Series[str]") -> bool:
    """Return whether a column has words, and not numbers written as text."""
    return any(any(map(str.isalpha, str(value))) for value in column)


def folded_table(frame: "pd.DataFrame", summary: str) -> FoldedTable:
    """Fold a table away behind a line that opens it.

    Parameters
    ----------
    frame : pandas.DataFrame
        What is shown when it is opened.
    summary : str
        The line that is always shown.

    Returns
    -------
    FoldedTable
        What a notebook shows as HTML when it is the last value of a cell.

    Examples
    --------
    >>> import pandas as pd
    >>> folded_table(pd.DataFrame({"IOs": [1000]}), "1 load")
    1 load
    """
    return FoldedTable(frame, summary)
