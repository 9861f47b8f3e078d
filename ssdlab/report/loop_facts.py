"""What a test looped over, as its steps tell: for the head of its pages."""

from typing import Any

import pandas as pd

from ssdlab.model.units import block_size_label, duration_label, mix_label
from ssdlab.report.text import NOT_RECORDED, is_missing, workers_text

Facts = list[tuple[str, str]]

_BEFORE = {"purge": "purge", "precondition": "WIPC"}


def loop_facts(cells: pd.DataFrame, steps: pd.DataFrame) -> Facts:
    """Say what the loops went over; cells of several TC/QD have no common one.

    Parameters
    ----------
    cells : DataFrame
        The cells of a test, in the order of a round.
    steps : DataFrame
        All steps of the test, in their order.

    Returns
    -------
    list of (str, str)
        Stimulus, loops and time of a cell.
    """
    first = cells.iloc[0]
    workers = cells[["threads", "queue_depth"]].drop_duplicates()
    toio = toio_text(first) if len(workers) == 1 else f"{len(workers)} pairs of TC/QD"
    access = ", ".join(str(name).upper() for name in cells["access"].unique())
    return [
        ("Test stimulus 1", f"{access}, {toio}"),
        *_loops(cells, steps),
        ("Each cell, median", seconds_text(cells["duration_s"].median())),
    ]


def _loops(cells: pd.DataFrame, steps: pd.DataFrame) -> Facts:
    """Return the R/W mixes and block sizes, each named by how it was gone over."""
    mixes = ", ".join(mix_label(int(mix)) for mix in cells["read_percent"].unique())
    is_alone = len(cells["read_percent"].unique()) == 1
    if _has_sizes_apart(cells):
        order = steps.loc[steps["phase"].isin(cells["phase"]), "block_size_bytes"]
        sizes = ", ".join(size_text(size) for size in order.dropna().unique())
        before = [
            word for kind, word in _BEFORE.items() if (steps["kind"] == kind).any()
        ]
        what = ", ".join([*before, "rounds"])
        return [
            ("Block sizes, one after the other", f"{sizes}; of each {what}"),
            ("R/W mix" if is_alone else "R/W mix (loop)", mixes),
        ]
    sizes = ", ".join(size_text(size) for size in cells["block_size_bytes"].unique())
    is_one_size = len(cells["block_size_bytes"].drop_duplicates()) == 1
    if is_alone or is_one_size:
        return [
            ("R/W mix" if is_alone else "R/W mix (loop)", mixes),
            ("Block size" if is_one_size else "Block size (loop)", sizes),
        ]
    if _changes(cells, "read_percent") <= _changes(cells, "block_size_bytes"):
        return [("R/W mix (outer loop)", mixes), ("Block size (inner loop)", sizes)]
    return [("Block size (outer loop)", sizes), ("R/W mix (inner loop)", mixes)]


def _has_sizes_apart(cells: pd.DataFrame) -> bool:
    """Tell whether each block size has phases of its own: rounds without the others."""
    each = cells.groupby("phase")["block_size_bytes"].nunique()
    return bool((each == 1).all() and len(cells["block_size_bytes"].unique()) > 1)


def _changes(cells: pd.DataFrame, column: str) -> int:
    """Return how often a column changes in the first round of the first phase."""
    own = cells[cells["phase"] == cells["phase"].iloc[0]]
    values = own[own["round"] == own["round"].min()].sort_values("cell")[column]
    return int((values != values.shift()).sum())


def sequence_facts(cells: pd.DataFrame) -> Facts:
    """Say where sequential cells begin, which the standard leaves open: decision 4.

    Nothing is said where it is not known, as of an import.
    """
    offsets = cells.loc[cells["access"] == "seq", "offset_bytes"].dropna()
    if len(offsets) < 2:
        return []
    if not (offsets > 0).any():
        return [("Sequential cells", "each begins at LBA 0")]
    words = "carry on where the last one of their direction ended, lap after lap"
    return [("Sequential cells", words)]


def size_text(size: Any) -> str:
    """Return a block size; a missing one is a composite's."""
    return "composite" if is_missing(size) else block_size_label(int(size))


def toio_text(row: "pd.Series[Any]") -> str:
    """Return the outstanding IOs of a step, and how they come about."""
    if is_missing(row["threads"]) or is_missing(row["queue_depth"]):
        return f"TC/QD {workers_text(row['threads'], row['queue_depth'])}"
    threads, depth = int(row["threads"]), int(row["queue_depth"])
    return f"TOIO {threads * depth} (TC {threads} / QD {depth})"


def seconds_text(seconds: Any) -> str:
    """Return a time in words."""
    if pd.isna(seconds):
        return NOT_RECORDED
    return duration_label(seconds) if seconds >= 60 else f"{seconds:.3g} s"
