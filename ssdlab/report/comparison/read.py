"""Several runs opened for a comparison: their frames, sides, and verdicts."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

from ssdlab.analysis.comparison.cells import tabulate_window_cells
from ssdlab.analysis.comparison.conditions import (
    barring_values,
    require_conditions,
    tabulate_conditions,
)
from ssdlab.analysis.comparison.pairs import (
    Rules,
    SideCell,
    compare_cells,
    find_cells,
    summarise_sides,
)
from ssdlab.analysis.comparison.power import find_watts, parse_watts
from ssdlab.analysis.comparison.scatter import find_cell_outliers, summarise_variance
from ssdlab.analysis.comparison.score import ScoreTerm, parse_score, score_sides
from ssdlab.analysis.comparison.sides import tabulate_sides
from ssdlab.figures.classes.looks import RunLook
from ssdlab.figures.comparison.looks import make_compared_looks, make_side_looks
from ssdlab.model.errors import RepeatedNameError, RunFolderError
from ssdlab.reference.storage_classes import read_storage_classes
from ssdlab.report.class_runs import ClassRun, read_class_runs
from ssdlab.store.catalog import list_runs
from ssdlab.store.places import find_here_or_above
from ssdlab.store.run import Run, open_run

_FEWEST = 2
_JOB_LINE = re.compile(r"^(\w+)=(.*)$", re.MULTILINE)
_PATTERN_OPTIONS = (
    "refill_buffers",
    "scramble_buffers",
    "zero_buffers",
    "buffer_pattern",
    "buffer_compress_percentage",
    "dedupe_percentage",
)


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Several runs, and what a comparison of them finds; frames come when asked for.

    Attributes
    ----------
    runs : tuple of Run
        The runs.
    rules : Rules
        What a difference must exceed, and which conditions count as equal.
    terms : tuple of ScoreTerm
        What the score is made of; empty without one.
    watts_text : str
        The power of each side, as it was given.
    include_virtual : bool
        Whether models take part in rankings.
    conditions : pandas.DataFrame
        What each run was measured under.
    sides : pandas.DataFrame
        Which runs are repetitions of one drive.
    left_out : tuple of str
        Runs of the folders that have no tables.
    """

    runs: tuple[Run, ...]
    rules: Rules
    terms: tuple[ScoreTerm, ...]
    watts_text: str
    include_virtual: bool
    conditions: pd.DataFrame
    sides: pd.DataFrame
    left_out: tuple[str, ...] = ()

    def frame(self, name: str) -> pd.DataFrame:
        """Return a table of all runs, one after the other."""
        frames: list[pd.DataFrame] = [getattr(run, name) for run in self.runs]
        return pd.concat(frames, ignore_index=True)

    @cached_property
    def totals(self) -> pd.DataFrame:
        """The measurements of all runs, directions merged."""
        rows = self.frame("measurements")
        totals: pd.DataFrame = rows[rows["direction"] == "total"]
        return totals.reset_index(drop=True)

    @cached_property
    def steps(self) -> pd.DataFrame:
        """The steps of all runs."""
        return self.frame("steps")

    @cached_property
    def windows(self) -> pd.DataFrame:
        """The steady-state judgements of all runs."""
        return self.frame("windows")

    @cached_property
    def percentiles(self) -> pd.DataFrame:
        """The percentiles of all runs."""
        return self.frame("percentiles")

    @cached_property
    def findings(self) -> pd.DataFrame:
        """What departs from the PTS, of all runs."""
        return self.frame("findings")

    @cached_property
    def cells(self) -> pd.DataFrame:
        """Every round of every cell that runs are compared by."""
        return tabulate_window_cells(
            self.totals, self.windows, percentiles=self.percentiles
        )

    @cached_property
    def found(self) -> dict[tuple[str, str, str], dict[str, SideCell]]:
        """Every cell of every side."""
        return find_cells(self.cells, self.sides, findings=self.findings)

    @cached_property
    def summary(self) -> pd.DataFrame:
        """The value of every cell of every side, with its interval."""
        return summarise_sides(self.found)

    @cached_property
    def differences(self) -> pd.DataFrame:
        """Every pair of sides in every cell, with its verdict."""
        return compare_cells(
            self.found, self.sides, conditions=self.conditions, rules=self.rules
        )

    @cached_property
    def variance(self) -> pd.DataFrame:
        """Drive-to-drive against run-to-run."""
        return summarise_variance(self.found)

    @cached_property
    def outliers(self) -> pd.DataFrame:
        """Runs and rounds far from the others."""
        return find_cell_outliers(self.cells, self.sides)

    @cached_property
    def ranked_sides(self) -> pd.DataFrame:
        """The sides that take part in rankings: models only if that was asked for."""
        is_ranked = ~self.sides["is_model"].astype(bool) | self.include_virtual
        return self.sides[is_ranked]

    @cached_property
    def scores(self) -> pd.DataFrame:
        """The score of each ranked side, and its parts."""
        return score_sides(self.found, self.ranked_sides, terms=self.terms)

    @cached_property
    def watts(self) -> dict[str, float]:
        """By side its power: as it was given, else as it was recorded [W]."""
        recorded = find_watts(self.frame("telemetry"), self.sides)
        return recorded | parse_watts(self.watts_text, self.side_names)

    @cached_property
    def classes(self) -> pd.DataFrame:
        """The published storage classes."""
        return read_storage_classes()

    @cached_property
    def class_runs(self) -> tuple[ClassRun, ...]:
        """Each run in the columns of the storage classes."""
        order = [run_by_id(self.runs, look.run_id) for look in self.run_looks]
        return read_class_runs(order, self.classes)

    @cached_property
    def run_looks(self) -> tuple[RunLook, ...]:
        """Each run as figures show it."""
        return make_compared_looks(self.sides)

    @cached_property
    def looks_by_run(self) -> dict[str, RunLook]:
        """By run how figures show it."""
        return {look.run_id: look for look in self.run_looks}

    @cached_property
    def side_looks(self) -> dict[str, RunLook]:
        """By side how figures show it."""
        return make_side_looks(self.sides)

    @property
    def side_names(self) -> list[str]:
        """The sides, in their order."""
        return [str(name) for name in dict.fromkeys(self.sides["side"])]


def run_by_id(runs: Iterable[Run], run_id: str) -> Run:
    """Return the run of that name."""
    return next(run for run in runs if run.record.run_id == run_id)


def compare_runs(
    runs: str | Path | Sequence[str | Path],
    *,
    accept: str = "",
    least_percent: float = 0.0,
    score: str = "",
    watts: str = "",
    include_virtual: bool = False,
) -> Comparison:
    """Open runs for a comparison.

    Parameters
    ----------
    runs : str, Path or sequence of str or Path
        Run folders, or folders of runs; in one text separated by commas or lines.
    accept : str, default ""
        Conditions that count as equal though they differ, such as ``kernel, host``, or
        ``all``.
    least_percent : float, default 0
        What a difference must surely exceed to matter [%].
    score : str, default ""
        What a score is made of, such as ``iops 4 KiB 0/100: 2, lat mean: 1``.
    watts : str, default ""
        The power of each drive, such as ``Model A: 6.5, Model B: 5`` [W].
    include_virtual : bool, default False
        Whether models and files take part in rankings.

    Returns
    -------
    Comparison
        The runs and everything that is found, each part made when it is asked for.

    Raises
    ------
    RunFolderError
        If there are fewer than two runs, or one is damaged.
    RepeatedNameError
        If a run is there twice.
    UnknownNameError
        If ``accept`` or ``watts`` name what is not there.
    SeriesError
        If ``score`` or ``watts`` cannot be read.
    ValueError
        If ``least_percent`` is below 0.
    """
    if not 0 <= least_percent < float("inf"):
        msg = f"least_percent is {least_percent}, and must be 0 or more"
        raise ValueError(msg)
    opened = _open(tuple(_run_folders(runs)))
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
        rules=Rules(least_percent=least_percent, accepted=accepted),
        terms=parse_score(score),
        watts_text=watts,
        include_virtual=include_virtual,
        conditions=conditions,
        sides=sides,
        left_out=find_left_out(runs),
    )
    parse_watts(watts, made.side_names)
    return made


def _named(runs: str | Path | Sequence[str | Path]) -> list[Path]:
    named = re.split(r"[,\n]", runs) if isinstance(runs, str) else runs
    several = [named] if isinstance(named, Path) else named
    words = (str(name).strip() for name in several)
    return [find_here_or_above(word) for word in words if word]


def _run_folders(runs: str | Path | Sequence[str | Path]) -> Iterator[Path]:
    """Yield run folders; a folder of runs stands for those that have tables.

    Raises
    ------
    RunFolderError
        If a folder holds neither a run nor runs.
    """
    for path in _named(runs):
        if (path / "run.json").is_file():
            yield path
            continue
        inside = [Path(entry.path) for entry in list_runs(path)]
        inside = [folder for folder in inside if _has_tables(folder)]
        if not inside:
            raise RunFolderError(
                folder=str(path),
                reason="it is no run and holds none",
                remedy="Name run folders, or a folder of runs; ssdlab list shows them.",
            )
        yield from inside


def _has_tables(folder: Path) -> bool:
    return (folder / "tables" / "measurements.parquet").is_file()


def find_left_out(runs: str | Path | Sequence[str | Path]) -> tuple[str, ...]:
    """Return the runs in folders of runs that have no tables, and so take no part."""
    entries = (
        entry
        for path in _named(runs)
        if path.is_dir() and not (path / "run.json").is_file()
        for entry in list_runs(path)
    )
    return tuple(e.path for e in entries if not _has_tables(Path(e.path)))


def _open(folders: Sequence[Path]) -> tuple[Run, ...]:
    """Open two or more different runs.

    Raises
    ------
    RunFolderError
        If there are fewer than two, or one has no tables.
    RepeatedNameError
        If a run is there twice.
    """
    if len(folders) < _FEWEST:
        raise RunFolderError(
            folder=", ".join(map(str, folders)) or "no folder",
            reason=f"a comparison needs two runs or more, and this is {len(folders)}",
            remedy="Name another run, or a folder that holds several.",
        )
    opened = tuple(open_run(folder) for folder in folders)
    ids = [run.record.run_id for run in opened]
    for run_id in ids:
        if ids.count(run_id) > 1:
            text = ", ".join(map(str, folders))
            raise RepeatedNameError(kind="run", name=run_id, text=text)
    return opened


def _job_facts(run: Run) -> dict[str, str]:
    """Return engine and data pattern, as the first fio job of a round says them."""
    cells = run.steps[run.steps["kind"] == "cell"]["step_id"]
    job = run.job_file(str(cells.iloc[0])) if len(cells) else ""
    options = dict(_JOB_LINE.findall(job))
    if not options:
        return {}
    pattern = [f"{n}={options[n]}" for n in _PATTERN_OPTIONS if n in options]
    words = ", ".join(pattern) or "fio's own"
    return {"engine": options.get("ioengine", ""), "data pattern": words}


def _workers(runs: Sequence[Run]) -> pd.DataFrame:
    names = ["run_id", "test", "threads", "queue_depth"]
    rows = pd.concat([run.measurements for run in runs], ignore_index=True)
    cells = rows[(rows["kind"] == "cell") & (rows["direction"] == "total")]
    return cells[names].drop_duplicates()
