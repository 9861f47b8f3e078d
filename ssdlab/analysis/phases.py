"""Which phases of a test are judged together, and which are of single cells."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


def group_name(test: str, phase: str) -> str:
    """Return what the PTS judges together: in TP a block size, else all rounds.

    Parameters
    ----------
    test : str
        The test: iops, tp, lat, wsat or custom.
    phase : str
        A phase of it, such as ``rounds`` or, of one cell, ``rounds-4KiB-r0``.

    Returns
    -------
    str
        The name that the phases of its cells begin with.

    Examples
    --------
    >>> group_name("tp", "rounds-128KiB-r0"), group_name("iops", "rounds-4KiB-r0")
    ('rounds-128KiB', 'rounds')
    """
    return "-".join(phase.split("-")[: 2 if test == "tp" else 1])


def is_cell_by_cell(test: str, phases: "pd.Series[str]") -> bool:
    """Tell whether phases are those of single cells, each with its own window.

    Parameters
    ----------
    test : str
        The test.
    phases : pandas.Series of str
        Its phases that have rounds.

    Returns
    -------
    bool
        Whether there are more phases than the PTS judges together.
    """
    names = {str(name) for name in phases}
    return len(names) > len({group_name(test, name) for name in names})
