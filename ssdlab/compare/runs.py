"""Open several runs, and compare them."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from ssdlab.compare.cell_choice import parse_cells
from ssdlab.compare.comparison import Comparison
from ssdlab.compare.conditions import (
    barring_values,
    require_conditions,
    tabulate_conditions,
)
from ssdlab.compare.folders import open_runs
from ssdlab.compare.power import parse_watts
from ssdlab.compare.score import parse_score
from ssdlab.compare.sides import tabulate_sides
from ssdlab.compare.verdicts import CONTROLS, SAME_PERCENT, Rules
from ssdlab.model.errors import ParameterError, UnknownNameError
from ssdlab.model.io_engine import engine_of
from ssdlab.store.catalog import find_runs_folder
from ssdlab.store.run import Run

_PATTERN_OPTIONS = (
    "refill_buffers",
    "scramble_buffers",
    "zero_buffers",
    "buffer_pattern",
    "buffer_compress_percentage",
    "dedupe_percentage",
)


def compare_runs(  # noqa: PLR0913 - each is a choice of the user, by name
    runs: str | Path | Sequence[str | Path] = "",
    *,
    accept: str = "",
    least_percent: float = 0.0,
    same_percent: float = SAME_PERCENT,
    primary: str = "",
    control: str = "fwer",
    score: str = "",
    watts: str = "",
    include_virtual: bool = False,
) -> Comparison:
    """Open runs for a comparison, including those under way or without tables.

    Parameters
    ----------
    runs : str, Path or sequence of str or Path, default ""
        Run folders, folders of runs, or runs of a store, such as ``STORE:ID`` or
        ``STORE:device_firmware=A``; in one text separated by commas or lines.
        An empty text is ``data/runs`` if two of its runs have finished, and else the
        samples. Nothing is written into them.
    accept : str, default ""
        Conditions that count as equal though they differ, such as ``kernel, host``, or
        ``all``.
    least_percent : float, default 0
        What a difference must be shown to exceed to matter [%].
    same_percent : float, default 3
        Within what two sides must be shown to lie to be called the same [%].
    primary : str, default ""
        The primary cells, declared beforehand, such as ``iops 4 KiB 0/100``: they get
        half of the error of the whole table.
    control : {"fwer", "fdr"}, default "fwer"
        The error rate that is controlled over the table: that of any false verdict
        (Holm), or the share of false ones (Benjamini-Hochberg).
    score : str, default ""
        The terms of a score, such as ``iops 4 KiB 0/100: 2, lat mean: 1``.
    watts : str, default ""
        The power of each drive, such as ``Model A: 6.5, Model B: 5`` [W]; a drive is
        named by its model, serial number or label, or by the folder of its run.
    include_virtual : bool, default False
        Whether models and files are in the score.

    Returns
    -------
    Comparison
        The runs and all findings, each computed on demand.

    Raises
    ------
    RunFolderError
        If there are fewer than two runs, or a named one is damaged.
    RepeatedNameError
        If a run is there twice.
    UnknownNameError
        If ``accept`` or ``watts`` name something unknown, or ``control`` is not valid.
    SeriesError
        If ``primary``, ``score`` or ``watts`` cannot be read.
    ParameterError
        If ``least_percent`` is below 0, or ``same_percent`` not above 0.

    Examples
    --------
    >>> both = compare_runs(["data/samples/virtual-a", "data/samples/virtual-b"])
    >>> sorted(both.differences["test"].unique())
    ['iops', 'lat', 'tp', 'wsat']
    """
    if not 0 <= least_percent < float("inf"):
        raise ParameterError(
            name="least_percent", value=least_percent, asked="0 or more"
        )
    if not 0 < same_percent < float("inf"):
        raise ParameterError(name="same_percent", value=same_percent, asked="above 0")
    if control not in CONTROLS:
        raise UnknownNameError(kind="error rate", name=control, known=[*CONTROLS])
    rules = Rules(
        least_percent=least_percent,
        same_percent=same_percent,
        control=control,
        primary=parse_cells(primary),
    )
    folder, which = ("", "") if runs != "" else find_runs_folder(least=2)
    found = open_runs(folder or runs)
    opened = found.runs
    records = [run.record for run in opened]
    conditions = tabulate_conditions(
        records,
        jobs={run.record.run_id: _job_facts(run) for run in opened},
        workers=_workers(opened),
    )
    accepted = require_conditions(accept, conditions)
    sides = tabulate_sides(records, barring_values(conditions, accepted=accepted))
    made = Comparison(
        runs=opened,
        rules=replace(rules, accepted=accepted),
        terms=parse_score(score),
        watts_text=watts,
        include_virtual=include_virtual,
        conditions=conditions,
        sides=sides,
        left_out=found.left_out,
        which=which,
    )
    parse_watts(watts, made.names_of_sides)
    return made


def _job_facts(run: Run) -> dict[str, str]:
    """Return engine and data pattern from the first fio job that is kept."""
    options = run.cell_options
    if not options:
        return {}
    pattern = [f"{n}={options[n]}" for n in _PATTERN_OPTIONS if n in options]
    words = ", ".join(pattern) or "fio's own"
    return {"engine": engine_of(options), "data pattern": words}


def _workers(runs: Sequence[Run]) -> pd.DataFrame:
    names = ["run_id", "test", "threads", "queue_depth"]
    rows = pd.concat([run.measurements for run in runs], ignore_index=True)
    cells = rows[(rows["kind"] == "cell") & (rows["direction"] == "total")]
    return cells[names].drop_duplicates()
