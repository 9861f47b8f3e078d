"""The selection as frozen data, and the choices for it. Pure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from ssdlab.explorer.cells import (
    CELL_METRICS,
    PERCENTILE_METRICS,
    Rounds,
    find_cell_axes,
    select_rounds,
)
from ssdlab.model.spec import DIRECTIONS, Direction
from ssdlab.procedures.saturate.spec import ATTEMPTS

if TYPE_CHECKING:
    import pandas as pd

Over = Literal["rounds", "time"]

_FIRST_CELL = {"read_percent": 0, "block_size_bytes": 4096}  # what the PTS tracks


@dataclass(frozen=True, kw_only=True, slots=True)
class Selection:
    """What is on screen.

    ``runs`` are compared; ``run`` is the one whose matrix, job and raw output are
    shown. ``cell`` has the values on both axes of the matrix, by name. ``rounds`` are
    those of the measurement window where there is one, as in the report; None for all.
    ``point`` is the round whose job is shown, None for the last.
    """

    runs: tuple[str, ...] = ()
    run: str = ""
    test: str = ""
    phase: str = ""
    metric: str = "iops"
    direction: Direction = "total"
    cell: tuple[tuple[str, int], ...] = ()
    rounds: tuple[int, int] | Literal["window"] | None = "window"
    over: Over = "rounds"
    point: int | None = None

    @property
    def shown(self) -> str:
        """The run that is shown, one of those compared."""
        return _one(self.run, self.runs)

    @property
    def counted(self) -> Rounds | None:
        """The rounds that the value of a cell covers; a mean covers the samples."""
        is_mean = self.metric not in {*PERCENTILE_METRICS, "lat_max_ns"}
        return "samples" if self.rounds == "window" and is_mean else self.rounds

    @property
    def axes(self) -> tuple[str, ...]:
        """The table columns on the rows and columns of the matrix."""
        return tuple(name for name, _ in self.cell)


@dataclass(frozen=True, kw_only=True, slots=True)
class Choices:
    """The choices for each part of a selection, given the parts before it.

    ``known`` are the measured cells, by the values of both axes.
    """

    tests: tuple[str, ...] = ()
    phases: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    directions: tuple[Direction, ...] = ("total",)
    axes: tuple[str, str] = ("read_percent", "block_size_bytes")
    known: frozenset[tuple[int, int]] = frozenset()
    rounds: tuple[int, int] | None = None

    @property
    def downs(self) -> tuple[int, ...]:
        """The values on the rows of the matrix."""
        return tuple(sorted({down for down, _ in self.known}))

    @property
    def acrosses(self) -> tuple[int, ...]:
        """The values on its columns."""
        return tuple(sorted({across for _, across in self.known}))


def find_choices(
    cells: "pd.DataFrame", *, test: str, phase: str, kept: Collection[str] = ()
) -> Choices:
    """Return the choices for these runs, in a test and phase if they have it.

    ``kept`` are the directions for which the runs have rows.
    """
    if cells.empty:
        return Choices()
    tests = tuple(str(name) for name in cells["test"].unique())
    of_test = select_rounds(cells, test=_one(test, tests))
    phases = _phases(of_test)
    phase = _one(phase, phases)
    here = of_test[of_test["phase"] == phase] if phase else of_test
    axes = find_cell_axes(here)
    placed = here[list(axes)].dropna().drop_duplicates().astype(int)
    known = frozenset(placed.itertuples(index=False, name=None))
    numbers = here["round"].dropna()
    return Choices(
        tests=tests,
        phases=phases,
        metrics=tuple(name for name in CELL_METRICS if here[name].notna().any()),
        directions=_directions(of_test, kept),
        axes=axes,
        known=known,
        rounds=(int(numbers.min()), int(numbers.max())) if len(numbers) else None,
    )


def fit_selection(wanted: Selection, choices: Choices) -> Selection:
    """Return the part of a requested selection that can be shown.

    A part that the runs lack becomes the first that they have; the others stay.
    """
    return replace(
        wanted,
        run=wanted.shown,
        test=_one(wanted.test, choices.tests),
        phase=_one(wanted.phase, choices.phases),
        metric=_one(wanted.metric, choices.metrics),
        direction=wanted.direction
        if wanted.direction in choices.directions
        else "total",
        cell=_cell(dict(wanted.cell), choices),
        rounds="window"
        if wanted.rounds == "window"
        else _within(wanted.rounds, choices.rounds),
    )


def _one(wanted: str, known: Sequence[str]) -> str:
    return wanted if wanted in known else next(iter(known), "")


def _directions(cells: "pd.DataFrame", kept: Collection[str]) -> tuple[Direction, ...]:
    """Return the directions to select from: all if reads and writes were mixed."""
    is_mixed = bool(cells["read_percent"].between(1, 99).any())
    if is_mixed and {"read", "write"} <= set(kept):
        return tuple(name for name in DIRECTIONS if name in kept)
    return ("total",)


def _phases(cells: "pd.DataFrame") -> tuple[str, ...]:
    """Return the phases to select from; one, empty, if one matrix holds them all.

    It does if its two axes identify every cell.
    """
    in_rounds = cells[cells["round"].notna()]
    axes = list(find_cell_axes(in_rounds))
    keys = ["phase", "block_size_bytes", "read_percent", "threads", "queue_depth"]
    once = in_rounds[keys].drop_duplicates()
    is_one = once[axes].notna().all(axis=None) and not once.duplicated(axes).any()
    phases = tuple(cells["phase"].unique())
    if is_one or len(phases) == 1:
        return ("",)
    # A saturation that was tried again ended with its last attempt: it is shown first.
    return tuple(sorted(phases, key=lambda phase: -_attempt(str(phase))))


def _attempt(phase: str) -> int:
    return ATTEMPTS.index(phase) if phase in ATTEMPTS else 0


def _cell(wanted: dict[str, int], choices: Choices) -> tuple[tuple[str, int], ...]:
    """Return a measured cell: the requested, the tracked, or the first."""
    down, across = choices.axes
    tracked = (_FIRST_CELL.get(down), _FIRST_CELL.get(across))
    known = choices.known
    for pair in ((wanted.get(down), wanted.get(across)), tracked, *sorted(known)[:1]):
        if pair in known:
            return ((down, int(pair[0] or 0)), (across, int(pair[1] or 0)))
    return ()


def _within(
    wanted: tuple[int, int] | None, span: tuple[int, int] | None
) -> tuple[int, int] | None:
    """Return the part of the requested rounds that exists; None if it is all."""
    if wanted is None or span is None:
        return None
    first, last = max(wanted[0], span[0]), min(wanted[1], span[1])
    return (first, last) if first <= last and (first, last) != span else None
