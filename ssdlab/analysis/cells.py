"""Which rows of a table are of one cell, when what is missing equals what is missing.

A composite stimulus has no single block size: it is missing in the cell that was
judged and in its measurements alike.
"""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import pandas as pd

_SAME = ("access", "block_size_bytes", "read_percent")
_IF_TOLD = ("threads", "queue_depth")


def is_of_cell(
    frame: pd.DataFrame, cell: "Mapping[Hashable, Any] | pd.Series[Any]"
) -> "pd.Series[bool]":
    """Tell which rows are of a cell.

    Parameters
    ----------
    frame : pandas.DataFrame
        Rows with ``access``, ``block_size_bytes``, ``read_percent``, ``threads`` and
        ``queue_depth``.
    cell : mapping or pandas.Series
        The same names, such as a row of the table ``windows``. A missing block size
        is that of a composite; missing threads or queue depth are any.

    Returns
    -------
    pandas.Series of bool
        One value a row of `frame`, with its index; none is missing.

    Examples
    --------
    >>> rows = pd.DataFrame({"access": "rnd", "block_size_bytes": [None, 4096]})
    >>> rows = rows.assign(read_percent=40, threads=[32, 32], queue_depth=[32, 16])
    >>> is_of_cell(rows, rows.iloc[0]).tolist()
    [True, False]
    """
    same = pd.Series(data=True, index=frame.index)
    for name in _SAME:
        same &= _equals(frame[name], cell[name])
    for name in _IF_TOLD:
        told = cell.get(name)
        if not pd.isna(told):
            same &= _equals(frame[name], told)
    return same


def _equals(values: "pd.Series[Any]", wanted: Any) -> "pd.Series[bool]":
    if pd.isna(wanted):
        return values.isna()
    same: pd.Series[bool] = (values == wanted).fillna(value=False).astype(bool)
    return same


def named_like(names: Iterable[str], wanted: str) -> list[bool]:
    """Tell which names of cells a text means; blanks and case do not matter.

    Parameters
    ----------
    names : iterable of str
        Names such as ``RND 4 KiB 0/100 T2/Q16``.
    wanted : str
        A whole name; where none is equal, the first words of one or more.

    Returns
    -------
    list of bool
        One value a name.

    Examples
    --------
    >>> named_like(["RND 4 KiB 0/100", "RND 4 KiB 0/100 T2/Q16"], "rnd 4KiB 0/100")
    [True, False]
    >>> named_like(["RND 4 KiB 0/100 T1/Q1", "SEQ 4 KiB 0/100"], "RND 4KiB")
    [True, False]
    """
    squeezed = ["".join(name.split()).casefold() for name in names]
    text = "".join(wanted.split()).casefold()
    equal = [name == text for name in squeezed]
    return equal if any(equal) else [name.startswith(text) for name in squeezed]
