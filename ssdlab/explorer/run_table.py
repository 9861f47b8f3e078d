"""A table of runs that sorts by a click on a head and selects by one on a row."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anywidget
import traitlets

from ssdlab.explorer.style import STYLE
from ssdlab.paper.blocks import Note
from ssdlab.report.display import is_in_notebook, show_blocks
from ssdlab.store.catalog import RunEntry, find_runs_folder
from ssdlab.store.run_table import NUMBERS, summarise_runs
from ssdlab.text.numbers import NOT_MEASURED, metric_text, when_text

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    "Run",
    "Label",
    "State",
    "Random write 4 KiB",
    "Seq. write 1 MiB",
    "Write latency 4 KiB",
    "Saturated 4 KiB",
    "Started",
    "Tests",
    "Profile",
    "Drive",
)
_WIDE = ("Drive", "Profile", "Tests", "Started")  # not in a still picture
STATE = COLUMNS.index("State")
_METRICS = dict(
    zip(NUMBERS, ("iops", "bw_bytes_per_s", "lat_mean_ns", "iops"), strict=True)
)
_STATES = {True: "✓ steady", False: "✗ not steady", None: "finished"}

Row = dict[str, Any]


class RunTable(anywidget.AnyWidget):
    """Runs in rows; ``value`` are the names of those that are selected."""

    _esm = Path(__file__).parent / "run_table.js"
    columns = traitlets.List(list(COLUMNS)).tag(sync=True)
    rows: Any = traitlets.List().tag(sync=True)
    value: Any = traitlets.List().tag(sync=True)
    is_selectable = traitlets.Bool(default_value=True).tag(sync=True)
    _css = STYLE.removeprefix("<style>").removesuffix("</style>")

    def __repr__(self) -> str:
        """Return what a place without widgets shows."""
        return "Table of runs: run this cell to sort it"


def run_row(
    name: str,
    entry: RunEntry,
    *,
    is_steady: bool | None = None,
    numbers: Mapping[str, float] | None = None,
) -> Row:
    """Return a run as a row: the text of each cell, and what it is sorted by."""
    known = numbers or {}
    state = state_text(entry, is_steady=is_steady)
    started = when_text(entry.started_at) if entry.started_at else ""
    about = (", ".join(entry.tests), entry.profile, entry.device)
    texts = [
        metric_text(known[column], metric) if column in known else NOT_MEASURED
        for column, metric in _METRICS.items()
    ]
    first = (name, entry.label, state)
    keys = [*first, *map(known.get, _METRICS), entry.started_at, *about]
    return {"name": name, "cells": [*first, *texts, started, *about], "keys": keys}


def state_text(entry: RunEntry, *, is_steady: bool | None) -> str:
    """Return whether a run got steady; of one that did not finish, its status."""
    if entry.trouble:
        return "damaged"
    if entry.status != "finished":
        return {"interrupted": "stopped"}.get(entry.status, entry.status)
    return _STATES[is_steady]


def table_html(rows: Iterable[Row]) -> str:
    """Return the table as HTML, which a saved notebook keeps, without what is wide."""
    kept = [place for place, name in enumerate(COLUMNS) if name not in _WIDE]

    def cells(texts: Sequence[str], tag: str) -> str:
        return "".join(
            f'<{tag} class="{_kind_of(place)}">{escape(texts[place])}</{tag}>'
            for place in kept
        )

    heads = cells(COLUMNS, "th")
    body = "".join(f"<tr>{cells(row['cells'], 'td')}</tr>" for row in rows)
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="ssdlab-runs">{table}</div>'


def _kind_of(place: int) -> str:
    return "number" if 0 <= place - STATE - 1 < len(_METRICS) else "words"


def still(html: str) -> str:
    """Return HTML that is seen only where the widget beside it does not live.

    The widget hides it by its style; a saved notebook without a kernel has only this.
    """
    return f'<div class="ssdlab-still">{html}</div>'


def show_runs(folder: str | Path | None = None) -> "pd.DataFrame":
    """Show the runs of a folder as a table that sorts by a click, newest first.

    The table is shown in a notebook; elsewhere nothing is shown.

    Parameters
    ----------
    folder : str or Path, optional
        The folder of runs, as for `list_runs`: by default ``data/runs``. An empty
        text is ``data/runs`` if a run in it has finished, and else the samples.

    Returns
    -------
    pandas.DataFrame
        One row per run, with its label, device, profile, tests, start, status, whether
        it got steady, and key numbers in stored units.

    Raises
    ------
    RunFolderError
        If the given folder does not exist or cannot be read.

    Examples
    --------
    >>> import ssdlab
    >>> ssdlab.show_runs("data/samples")["profile"].unique().tolist()
    ['demo', 'imported']
    """
    which = ""
    if folder == "":
        folder, which = find_runs_folder(least=1)
    frame = summarise_runs(folder)
    if is_in_notebook():
        from IPython.display import HTML, display  # noqa: PLC0415 - notebooks alone

        if which:
            show_blocks([Note(text=f"{which}.")])
        rows = [_frame_row(row) for row in frame.to_dict("records")]
        display(HTML(still(table_html(rows))))  # type: ignore[no-untyped-call] # IPython has no types
        display(RunTable(rows=rows, is_selectable=False))  # type: ignore[no-untyped-call] # as above
    return frame


def _frame_row(row: Mapping[Any, Any]) -> Row:
    entry = RunEntry(
        path=str(row["path"]),
        tests=tuple(filter(None, str(row["tests"]).split(", "))),
        label=str(row["label"]),
        device=str(row["device"]),
        profile=str(row["profile"]),
        started_at=str(row["started_at"]),
        status=str(row["status"]),
        trouble=str(row["trouble"]),
    )
    steady = row["is_steady"]
    return run_row(
        str(row["run"]),
        entry,
        is_steady=bool(steady) if steady in {True, False} else None,
        numbers={name: row[name] for name in NUMBERS if row[name] == row[name]},
    )
