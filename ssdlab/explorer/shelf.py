"""The runs that can be looked at, each table read when first asked for and kept."""

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ssdlab.analysis.exploration import stack_frames, tabulate_cells
from ssdlab.store.catalog import RunEntry, list_runs
from ssdlab.store.run import Run, open_run

if TYPE_CHECKING:
    import pandas as pd

TableName = Literal["cells", "bins", "series", "steps"]
Wanted = tuple[str, TableName]

_KEPT: Mapping[str, int] = {
    "cells": 10_000,
    "bins": 16,
    "series": 4,
    "steps": 16,
}  # runs


@dataclass(frozen=True, kw_only=True, slots=True)
class Listed:
    """A run in the list: what it is called here, and what a search looks through.

    ``is_bare``: it has no tables, as one that goes on has none.
    """

    name: str
    path: str
    drive: str
    words: str
    is_running: bool
    is_bare: bool = False
    trouble: str = ""


class Shelf:
    """Frames of runs by name. Safe to fill from one thread and to look at in another.

    A table is put in whole or not at all, and never changed after it.
    """

    def __init__(self, runs: str | Path | Sequence[str | Path]) -> None:
        self.runs = runs
        self.listed: dict[str, Listed] = {}
        self.troubles: dict[str, str] = {}
        self._tables: dict[str, OrderedDict[str, pd.DataFrame]] = {
            name: OrderedDict() for name in _KEPT
        }
        self._stacked: tuple[tuple[tuple[str, int], ...], pd.DataFrame] | None = None
        self.look_again()

    def look_again(self) -> None:
        """List the runs anew; what was read of them stays."""
        self.listed = {one.name: one for one in _name_all(_entries(self.runs))}

    def open(self, name: str) -> Run:
        """Open a run of the list."""
        return open_run(self.listed[name].path)

    def has(self, wanted: Wanted) -> bool:
        """Tell whether a table lies ready, or cannot be had."""
        name, table = wanted
        return name in self._tables[table] or name in self.troubles

    def missing(self, wanted: Iterable[Wanted]) -> list[Wanted]:
        """Return which tables have still to be read."""
        return [one for one in wanted if not self.has(one)]

    def load(self, wanted: Wanted) -> None:
        """Read a table and keep it."""
        name, table = wanted
        run = self.open(name)
        match table:
            case "cells":
                frame = tabulate_cells(run.measurements, run.percentiles)
            case "bins":
                frame = _totals(run.bins)
            case "series":
                frame = run.series
            case "steps":
                frame = run.steps
        self._keep(name, table, frame.assign(run_id=name))

    def put(self, name: str, tables: "Mapping[str, pd.DataFrame]") -> None:
        """Keep the tables of a run that still goes on."""
        cells = tabulate_cells(tables["measurements"], tables["percentiles"])
        self._keep(name, "cells", cells.assign(run_id=name))
        self._keep(name, "bins", _totals(tables["bins"]).assign(run_id=name))
        for table in ("series", "steps"):
            self._keep(name, table, tables[table].assign(run_id=name))
        self.troubles.pop(name, None)

    def forget(self, name: str) -> None:
        """Let go of what was read of a run, so that it is read anew."""
        for kept in self._tables.values():
            kept.pop(name, None)
        self.troubles.pop(name, None)

    def table(self, name: str, table: TableName) -> "pd.DataFrame | None":
        """Return a table that was read, or nothing."""
        kept = self._tables[table]
        frame = kept.get(name)
        if frame is not None:
            kept.move_to_end(name)
        return frame

    def cells(self, names: Iterable[str]) -> "pd.DataFrame":
        """Return the cells of several runs, of those that were read."""
        frames = {name: self._tables["cells"].get(name) for name in names}
        known = {name: frame for name, frame in frames.items() if frame is not None}
        key = tuple((name, id(frame)) for name, frame in known.items())
        if self._stacked is None or self._stacked[0] != key:
            self._stacked = key, stack_frames(known)
        return self._stacked[1]

    def _keep(self, name: str, table: TableName, frame: "pd.DataFrame") -> None:
        kept = self._tables[table]
        kept[name] = frame
        kept.move_to_end(name)
        while len(kept) > _KEPT[table]:
            kept.popitem(last=False)


def _totals(bins: "pd.DataFrame") -> "pd.DataFrame":
    chosen = (bins["direction"] == "total") & (bins["count"] > 0)
    return bins[chosen.astype(bool)].reset_index(drop=True)


def _entries(runs: str | Path | Sequence[str | Path]) -> list[RunEntry]:
    if isinstance(runs, str | Path):
        return list(list_runs(runs))
    folders = {Path(run).resolve() for run in runs}
    return [
        entry
        for parent in sorted({folder.parent for folder in folders})
        for entry in list_runs(parent)
        if Path(entry.path).resolve() in folders
    ]


def _name_all(entries: Sequence[RunEntry]) -> list[Listed]:
    folders = [Path(entry.path).name for entry in entries]
    return [
        Listed(
            name=folder if folders.count(folder) == 1 else entry.path,
            path=entry.path,
            drive=entry.device or "unnamed drive",
            words=" ".join((
                folder, entry.run_id, entry.label, entry.device, entry.profile,
                entry.status, entry.started_at, *entry.tests,
            )),
            is_running=entry.status == "running",
            is_bare=not (Path(entry.path) / "tables" / "runs.parquet").is_file(),
            trouble=entry.trouble,
        )
        for entry, folder in zip(entries, folders, strict=True)
    ][::-1]  # fmt: skip


def search(listed: Iterable[Listed], words: str) -> list[Listed]:
    """Return the runs in whose words each of these is found, whatever its case."""
    asked = words.casefold().split()
    return [
        one for one in listed if all(word in one.words.casefold() for word in asked)
    ]
