"""The runs to explore; each table is read when first requested, and cached."""

from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ssdlab.explorer.cells import (
    LEVEL_COLUMNS,
    MEASURED_COLUMNS,
    WINDOW_COLUMNS,
    stack_frames,
    tabulate_cells,
)
from ssdlab.explorer.run_table import STATE, Row, run_row
from ssdlab.ingest.opening import open_run
from ssdlab.model.errors import RunFolderError
from ssdlab.model.spec import Direction
from ssdlab.store.catalog import RunEntry, list_runs
from ssdlab.store.places import split_store
from ssdlab.store.run import Run
from ssdlab.store.run_table import read_run_row

if TYPE_CHECKING:
    import pandas as pd

TableName = Literal["cells", "bins", "series", "steps"]
Wanted = tuple[str, TableName, Direction]
Tables = Mapping[str, "pd.DataFrame"]

_KEPT: Mapping[str, int] = {  # tables
    "cells": 10_000,
    "bins": 48,
    "series": 4,
    "steps": 16,
}
MOST_NUMBERS = 200  # runs whose outcome and key numbers are read for the list
_COLUMNS = {
    "measurements": MEASURED_COLUMNS,
    "percentiles": LEVEL_COLUMNS,
    "windows": WINDOW_COLUMNS,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Listed:
    """A run in the list: its name here, and the words that a search covers.

    ``row`` is how a table shows it.
    """

    name: str
    path: str
    drive: str
    words: str
    row: Row
    tests: tuple[str, ...]
    is_running: bool
    is_finished: bool
    trouble: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class FrameKey:
    """A frame as part of a key: equal to the identical frame, which it keeps alive."""

    frame: "pd.DataFrame | None"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FrameKey) and self.frame is other.frame

    def __hash__(self) -> int:
        return id(self.frame)


class RunCache:
    """Frames of runs by name. Safe to fill in one thread and to read in another.

    A table is stored whole or not at all, and never changes afterwards.
    """

    def __init__(self, runs: str | Path | Sequence[str | Path]) -> None:
        self.runs = runs
        self.listed: dict[str, Listed] = {}
        self.troubles: dict[str, str] = {}
        self._directions: dict[str, frozenset[str]] = {}
        self._read: dict[str, Tables] = {}  # of runs that have no tables on disk
        self._kept: dict[str, OrderedDict[Wanted, pd.DataFrame]] = {
            table: OrderedDict() for table in _KEPT
        }
        self._stacked: dict[Direction, tuple[Tables, pd.DataFrame]] = {}
        self.refresh()

    def refresh(self, followed: str = "") -> None:
        """List the runs again; drop those that were running, except the followed."""
        before = self.listed
        self.listed = {one.name: one for one in _name_all(_entries(self.runs))}
        for name, one in before.items():
            now = self.listed.get(name)
            is_followed = name == followed and now is not None and now.is_running
            if one.is_running and not is_followed:
                self._forget(name)

    def _forget(self, name: str) -> None:
        self._read.pop(name, None)
        self.troubles.pop(name, None)
        for kept in self._kept.values():
            for one in list(kept):
                if one[0] == name:
                    kept.pop(one, None)

    @property
    def latest(self) -> str:
        """The newest finished run, or an empty text."""
        return next((name for name, one in self.listed.items() if one.is_finished), "")

    def open(self, name: str) -> Run:
        """Open a run of the list."""
        return open_run(self.listed[name].path)

    def has(self, wanted: Wanted) -> bool:
        """Tell whether a table is cached, or cannot be read."""
        return wanted in self._kept[wanted[1]] or wanted[0] in self.troubles

    def has_put(self, name: str) -> bool:
        """Tell whether the tables of a run without tables on disk were put here."""
        return name in self._read

    def missing(self, wanted: Iterable[Wanted]) -> list[Wanted]:
        """Return the tables that are still to be read."""
        return [one for one in wanted if not self.has(one)]

    def load(self, wanted: Wanted) -> None:
        """Read and cache a table; for a run without tables, read all its raw output."""
        name = wanted[0]
        if name not in self._read:
            run = self.open(name)
            if run.make is None:
                self._make(wanted, _OnDisk(run))
                return
            tables = run.make()
            _require_steps(run, tables)
            self.put(name, tables)
        self._make(wanted, self._read[name])

    def put(self, name: str, tables: "Tables") -> None:
        """Cache the tables of a run without tables on disk, such as a running one."""
        self._read[name] = tables
        first: list[Wanted] = [(name, table, "total") for table in ("cells", "bins")]
        known = [
            one for kept in self._kept.values() for one in list(kept) if one[0] == name
        ]
        for one in {*first, *known}:
            self._make(one, tables)
        self.troubles.pop(name, None)

    def table(
        self, name: str, table: TableName, direction: Direction = "total"
    ) -> "pd.DataFrame | None":
        """Return a cached table, or None."""
        kept = self._kept[table]
        frame = kept.get((name, table, direction))
        if frame is not None:
            kept.move_to_end((name, table, direction))
        return frame

    def cells(
        self, names: Iterable[str], direction: Direction = "total"
    ) -> "pd.DataFrame":
        """Return the cells of several runs, as far as they are cached."""
        kept = self._kept["cells"]
        frames = {name: kept.get((name, "cells", direction)) for name in names}
        known = {name: frame for name, frame in frames.items() if frame is not None}
        stacked = self._stacked.get(direction)
        if stacked is None or not _are_same(stacked[0], known):
            self._stacked[direction] = stacked = known, stack_frames(known)
        return stacked[1]

    def kept_directions(self, name: str) -> frozenset[str]:
        """Return the directions for which a cached run has rows."""
        return self._directions.get(name, frozenset())

    def _make(self, wanted: Wanted, source: "Tables | _OnDisk") -> None:
        name, table, direction = wanted
        match table:
            case "cells":
                measured = source["measurements"]
                self._directions[name] = frozenset(measured["direction"].unique())
                levels = source["percentiles"]
                windows = source["windows"]
                frame = tabulate_cells(measured, levels, windows, direction=direction)
            case "bins":
                frame = _counted(source["bins"], direction)
            case "series" | "steps":
                frame = source[table]
        kept = self._kept[table]
        kept[wanted] = frame.assign(run_id=name)
        kept.move_to_end(wanted)
        while len(kept) > _KEPT[table]:
            kept.popitem(last=False)


class _OnDisk:
    """The tables of a run folder, each read when requested."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def __getitem__(self, name: str) -> "pd.DataFrame":
        return self._run.read(name, _COLUMNS.get(name))


def _require_steps(run: Run, tables: "Tables") -> None:
    """Require that a run without tables on disk has finished a step."""
    if not len(tables["steps"]):
        raise RunFolderError(
            folder=str(run.path),
            reason="no step has finished",
            remedy="Select another run.",
        )


def _are_same(one: "Tables", other: "Tables") -> bool:
    return list(one) == list(other) and all(one[name] is other[name] for name in one)


def _counted(bins: "pd.DataFrame", direction: Direction) -> "pd.DataFrame":
    chosen = (bins["direction"] == direction) & (bins["count"] > 0)
    return bins[chosen.astype(bool)].reset_index(drop=True)


def _entries(runs: str | Path | Sequence[str | Path]) -> list[RunEntry]:
    if isinstance(runs, str | Path):
        named = split_store(runs)
        return _stored(*named) if named else list(list_runs(runs))
    folders = {Path(run).resolve() for run in runs}
    found = [
        entry
        for parent in sorted({folder.parent for folder in folders})
        for entry in list_runs(parent)
        if Path(entry.path).resolve() in folders
    ]
    return sorted(found, key=lambda entry: entry.started_at, reverse=True)


def _stored(url: str, named: str) -> list[RunEntry]:
    """Return runs of a store; one whose folder is gone is in trouble."""
    from ssdlab.fleet.listing import find_stored, folder_of  # noqa: PLC0415 - pyarrow

    found = []
    for one in find_stored(url, named):
        trouble = ""
        try:
            folder_of(one)
        except RunFolderError as error:
            trouble = f"{error.reason}. {error.remedy}"
        known = {name: one[name] for name in _OF_ENTRY}
        found.append(RunEntry(**known, trouble=trouble))
    return found


_OF_ENTRY = (
    *("path", "run_id", "label", "started_at", "status", "profile", "tests", "device"),
    "duration_s",
)


def _name_all(entries: Sequence[RunEntry]) -> Iterator[Listed]:
    folders = Counter(Path(entry.path).name for entry in entries)
    for place, entry in enumerate(entries):
        folder = Path(entry.path).name
        name = folder if folders[folder] == 1 else entry.path
        if place < MOST_NUMBERS:
            known = read_run_row(entry)
            row = run_row(name, entry, is_steady=known.is_steady, numbers=known.numbers)
        else:
            row = run_row(name, entry)
        yield Listed(
            name=name,
            path=entry.path,
            row=row,
            drive=entry.device or "unnamed drive",
            words=" ".join((
                folder, entry.run_id, entry.label, entry.device, entry.profile,
                entry.status, entry.started_at, row["cells"][STATE], *entry.tests,
            )),
            tests=entry.tests,
            is_running=entry.status == "running",
            is_finished=entry.status == "finished",
            trouble=entry.trouble,
        )  # fmt: skip


def search(listed: Iterable[Listed], words: str) -> list[Listed]:
    """Return the runs whose words contain each of these, ignoring case."""
    asked = words.casefold().split()
    return [
        one for one in listed if all(word in one.words.casefold() for word in asked)
    ]
