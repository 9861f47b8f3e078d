"""One value per round: the tracking variables of a test, or any other cell."""

from collections.abc import Hashable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ssdlab.model.errors import UnknownNameError
from ssdlab.model.spec import PTS_CRITERIA, is_saturation
from ssdlab.model.units import KIB
from ssdlab.stats.judged import JudgedWindow
from ssdlab.stats.matrix import select_cells
from ssdlab.steadiness.round_cells import is_named, list_round_series
from ssdlab.steadiness.tkperf import take_tkperf_rounds

METRICS = ("iops", "bw_bytes_per_s", "lat_mean_ns")

_TKPERF_TESTS = ("iops", "tp", "lat")
_TKPERF_MIXES = (0, 65, 100)
_TKPERF = {
    "iops": ("iops", 1.0),
    "bw_bytes_per_s": ("kib_per_s", float(KIB)),
    "lat_mean_ns": ("lat_mean_us", 1e3),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class RoundSeries:
    """A metric of one cell over the rounds of a phase.

    ``measured`` is in the metric's stored unit. If only every ``sample_every``-th round
    counts for the verdict, ``first_sample`` is the first that does. ``segment_starts``
    are the rounds that follow a gap: no window spans one. ``as_tkperf`` is what TKperf
    would have taken, in the same unit; empty if it takes none. ``window`` is the window
    that the run reports, if any; ``is_judged`` is False if the run judged no window of
    these rounds.
    """

    test: str
    phase: str
    tracking: str
    metric: str
    rounds: tuple[int, ...]
    measured: tuple[float, ...]
    as_tkperf: tuple[float, ...] = ()
    sample_every: int = 1
    first_sample: int = 1
    segment_starts: tuple[int, ...] = ()
    window: tuple[int, int] | None = None
    is_window_steady: bool = False
    is_tracked: bool = False
    is_judged: bool = True

    @property
    def starts_fresh(self) -> bool:
        """Whether the first rounds are those of a purged drive.

        Returns
        -------
        bool
            True for what directly follows the purge: write saturations, and the writes
            that precondition other tests (WDPC).
        """
        is_first = is_saturation(self.test) or self.phase == "wdpc"
        return is_first and self.rounds[:1] == (1,)

    @property
    def counted(self) -> str:
        """What the verdict counts: ``round``, or ``sample`` if they are rounds apart.

        Returns
        -------
        str
            Singular.
        """
        return "sample" if self.sample_every > 1 else "round"

    def samples(self) -> npt.NDArray[np.int64]:
        """Return the positions of the rounds that count for the verdict.

        Returns
        -------
        ndarray of int
            Positions in ``rounds``.
        """
        return np.flatnonzero(self.is_sample(np.array(self.rounds, dtype=np.int64)))

    def is_sample(self, rounds: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Return which rounds count for the verdict.

        Parameters
        ----------
        rounds : ndarray of int
            Rounds, including future ones.

        Returns
        -------
        ndarray of bool
            Whether each is a sample.
        """
        is_in_step = (rounds - self.first_sample) % self.sample_every == 0
        return np.asarray(is_in_step & (rounds >= self.first_sample))


def take_round_series(
    measurements: pd.DataFrame,
    windows: pd.DataFrame,
    steps: pd.DataFrame,
    *,
    test: str = "",
    tracking: str = "",
    metric: str = "",
) -> RoundSeries:
    """Return one metric of one cell over the rounds of a test."""
    tests = _tests_with_rounds(measurements, windows)
    if test and test not in tests:
        raise UnknownNameError(kind="test with rounds", name=test, known=tests)
    if metric and metric not in METRICS:
        raise UnknownNameError(kind="metric", name=metric, known=METRICS)
    if not tests:
        raise UnknownNameError(kind="test with rounds", name=test, known=("none",))
    chosen = test or _longest(measurements, windows)
    listed = list_round_series(measurements, windows, test=chosen)
    found = _slowest_first(listed, windows)
    if tracking.strip():
        found = found[is_named(found, tracking)]
    if found.empty:
        known = tuple(dict.fromkeys(listed["tracking"]))
        raise UnknownNameError(kind="cell", name=tracking, known=known)
    (series,) = take_listed_series(measurements, steps, found.head(1), metric=metric)
    return series


def take_tracked_series(
    measurements: pd.DataFrame,
    windows: pd.DataFrame,
    steps: pd.DataFrame,
    *,
    like: RoundSeries,
) -> tuple[RoundSeries, ...]:
    """Return all tracking variables of the phase of a series."""
    listed = list_round_series(measurements, windows, test=like.test)
    beside = listed[listed["is_tracked"] & (listed["phase"] == like.phase)]
    return take_listed_series(measurements, steps, beside) or (like,)


def _slowest_first(listed: pd.DataFrame, windows: pd.DataFrame) -> pd.DataFrame:
    """Order the cells by when they were first steady, those that never were on top."""
    of_test = windows[windows["test"] == listed["test"].iloc[0]]
    steady = of_test[of_test["is_steady"].astype(bool)]
    after = steady.groupby(["phase", "tracking"])["round"].min().to_dict()
    waited = [
        after.get((row["phase"], row["tracking"]), np.inf) if row["is_tracked"] else 0
        for _, row in listed.iterrows()
    ]
    order = np.argsort(-np.array(waited, dtype=np.float64), kind="stable")
    return listed.iloc[order]


def take_listed_series(
    measurements: pd.DataFrame,
    steps: pd.DataFrame,
    listed: pd.DataFrame,
    *,
    metric: str = "",
) -> tuple[RoundSeries, ...]:
    """Return the series of listed cells."""
    cells = [row.to_dict() for _, row in listed.iterrows()]
    return tuple(_take_cell(measurements, steps, cell, metric=metric) for cell in cells)


def _take_cell(
    measurements: pd.DataFrame,
    steps: pd.DataFrame,
    cell: dict[Hashable, Any],
    *,
    metric: str,
) -> RoundSeries:
    test = str(cell["test"])
    cells = select_cells(measurements, test)
    cells = cells[(cells["phase"] == cell["phase"]) & (cells["cell"] == cell["cell"])]
    chosen_metric = metric or str(cell["metric"])
    series = _series_of_cell(cells, cell, metric=chosen_metric)
    kept = cells.drop_duplicates("round").sort_values("round")
    kept = kept[kept[chosen_metric].notna()]
    return replace(
        series,
        as_tkperf=_as_tkperf(measurements, kept, chosen_metric),
        segment_starts=_segment_starts(steps, cell),
        is_tracked=bool(cell["is_tracked"]),
    )


def series_of_window(cells: pd.DataFrame, window: JudgedWindow) -> RoundSeries:
    """Return the rounds of a cell as judged, from its measurements.

    It has no gaps, and none of what TKperf would have taken.
    """
    return _series_of_cell(cells, asdict(window), metric=window.metric)


def _series_of_cell(
    cells: pd.DataFrame, cell: Mapping[Any, Any], *, metric: str
) -> RoundSeries:
    cells = cells.drop_duplicates("round").sort_values("round")
    cells = cells[cells[metric].notna()]
    first, last = int(cell["window_first_round"]), int(cell["window_last_round"])
    every = max(1, (last - first) // (PTS_CRITERIA.window_rounds - 1)) if last else 1
    return RoundSeries(
        test=str(cell["test"]),
        phase=str(cell["phase"]),
        tracking=str(cell["tracking"]),
        metric=metric,
        rounds=tuple(int(number) for number in cells["round"]),
        measured=tuple(float(value) for value in cells[metric]),
        sample_every=every,
        first_sample=(first - 1) % every + 1 if every > 1 else 1,
        window=(first, last) if last else None,
        is_window_steady=bool(cell["is_round_steady"]),
        is_judged=bool(last),
    )


def _tests_with_rounds(
    measurements: pd.DataFrame, windows: pd.DataFrame
) -> tuple[str, ...]:
    """Return the tests that have rounds, the judged ones first."""
    is_round = (measurements["kind"] == "cell") & measurements["round"].notna()
    names = [*windows["test"], *measurements.loc[is_round, "test"]]
    return tuple(dict.fromkeys(str(name) for name in names))


def _longest(measurements: pd.DataFrame, windows: pd.DataFrame) -> str:
    """Return the test with the most rounds; a judged one, if there is any."""
    tests = _tests_with_rounds(measurements, windows)
    judged = tuple(test for test in tests if test in set(windows["test"]))
    cells = measurements[measurements["kind"] == "cell"]
    rounds = cells.groupby("test")["round"].nunique()
    return max(judged or tests, key=lambda test: int(rounds.get(test, 0)))


def _as_tkperf(
    measurements: pd.DataFrame, cells: pd.DataFrame, metric: str
) -> tuple[float, ...]:
    """Return the series as TKperf would have taken it; empty if it takes none."""
    test, mix = cells["test"].iloc[0], cells["read_percent"].iloc[0]
    if test not in _TKPERF_TESTS or mix not in _TKPERF_MIXES:
        return ()
    column, unit = _TKPERF[metric]
    taken = take_tkperf_rounds(measurements, test)[column] * unit
    values = taken[taken.index.isin(cells["step_id"])].reindex(cells["step_id"])
    return () if values.isna().any() else tuple(float(value) for value in values)


def _segment_starts(steps: pd.DataFrame, cell: dict[Hashable, Any]) -> tuple[int, ...]:
    """Return the rounds that follow a gap; a gap inside a round invalidates it."""
    is_phase = (steps["test"] == cell["test"]) & (steps["phase"] == cell["phase"])
    cells = steps[is_phase & (steps["kind"] == "cell") & steps["round"].notna()]
    is_apart = ~cells["is_contiguous"].fillna(value=True).astype(bool)
    inside = cells.groupby("round").cumcount() > 0
    after = (cells["round"] + inside)[is_apart]
    return tuple(sorted({int(number) for number in after}))
