"""Stalls and periods of the series of a run, and what coincides with the stalls."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from ssdlab.model.telemetry import (
    DRIVE,
    MEDIA_WRITTEN,
    NAND_WRITTEN,
    READING_TOOK,
    SLOW_COMMANDS,
    THROTTLED,
    VIRTUAL,
    WRITTEN,
)
from ssdlab.stats.holm import adjust_by_holm
from ssdlab.stats.periods import Period, find_period
from ssdlab.stats.stalls import find_stalls, rate_stalls
from ssdlab.telemetry.readings import Readings, split_readings
from ssdlab.telemetry.stimulus import MEASURED_KINDS, STIMULUS

if TYPE_CHECKING:
    import pandas as pd

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

SIGNIFICANCE: Final = 0.05
_HOUR_S: Final = 3600.0
_MOST_SHIFTS: Final = 999
_PAUSE_RATIO: Final = 1.5  # of the median time between two steps
_BUSY_RATIO: Final = 0.9  # of all processors
_WAF_RATIO: Final = 1.5  # of the median write amplification
CONDITIONS: Final[Mapping[str, str]] = {
    "throttled": "thermal throttling",
    "slow": "the drive's latency monitor counted slow commands",
    "collecting": "write amplification above 1.5 times its median",
    "busy": "processors of the host over 90 % busy",
    "reading": "the drive's health was being read",
}


@dataclass(frozen=True, kw_only=True, eq=False)
class Timeline:
    """IOs of each interval of a stimulus, in order of time.

    ``end_s`` are the ends of the intervals in Unix time [s], ``rates`` the IOPS,
    ``interval_s`` their length [s], and ``step_s`` the time from the start of a step to
    that of the next [s], None of one alone.
    """

    names: Mapping[str, Any]
    end_s: FloatArray
    rates: FloatArray
    interval_s: float
    step_s: float | None = None

    @property
    def hours(self) -> float:
        """How long was looked [h]."""
        return len(self.rates) * self.interval_s / _HOUR_S


def timelines(series: "pd.DataFrame", steps: "pd.DataFrame") -> tuple[Timeline, ...]:
    """Return the intervals of each stimulus that has a series, by its frames."""
    own = steps[steps["kind"].isin(MEASURED_KINDS) & steps["started_s"].notna()]
    by_step = _split(series[series["direction"] == "total"])
    kept = own[own["step_id"].isin(list(by_step))]
    found = []
    for key, rows in kept.groupby(list(STIMULUS), sort=False, dropna=False):
        begun = zip(rows["step_id"], rows["started_s"], strict=True)
        parts = [by_step[step].begun_at(begin_s) for step, begin_s in begun]
        found.append(
            Timeline(
                names=dict(zip(STIMULUS, key, strict=True)),
                end_s=np.concatenate([part[0] for part in parts]),
                rates=np.concatenate([part[1] for part in parts]),
                interval_s=by_step[rows["step_id"].iloc[0]].interval_s,
                step_s=_step_s(rows["started_s"].to_numpy(np.float64)),
            )
        )
    return tuple(line for line in found if len(line.rates))


def _step_s(starts: FloatArray) -> float | None:
    """Return the mean time between two steps, without pauses as before a resume."""
    if len(starts) < 2:
        return None
    apart = np.diff(starts)
    return float(apart[apart <= _PAUSE_RATIO * np.median(apart)].mean())


@dataclass(frozen=True, kw_only=True, eq=False)
class _Logged:
    """The intervals of a step that fio logged: their ends, rates and latencies."""

    end_s: FloatArray
    rates: FloatArray
    lat_ns: FloatArray

    @property
    def interval_s(self) -> float:
        """The length of an interval [s]."""
        return float(np.median(np.diff(self.end_s)))

    def begun_at(self, begin_s: float) -> tuple[FloatArray, FloatArray]:
        """Return ends [s] and rates of all intervals in which the queues were full.

        fio leaves out intervals without IO, which have 0 here. Queues take a response
        time to fill, and one to drain; these intervals do not count, and at least the
        first and the last with IO.
        """
        interval_s = self.interval_s
        places = np.rint(self.end_s / interval_s).astype(np.int64)
        response_s = float(np.nanmedian(self.lat_ns)) / 1e9
        ends = max(1, math.ceil(response_s / interval_s))
        rates = np.zeros(int(places[-1] - places[0]) + 1)
        rates[places - places[0]] = self.rates
        at_s = begin_s + interval_s * np.arange(places[0], places[-1] + 1, dtype=float)
        return np.asarray(at_s[ends:-ends], np.float64), rates[ends:-ends]


def _split(totals: "pd.DataFrame") -> dict[str, _Logged]:
    """Return the intervals of each step that has two or more."""
    import pandas as pd  # noqa: PLC0415 - 0.3 s before a run begins

    ordered = totals.sort_values(["step_id", "time_s"], kind="stable")
    codes, names = pd.factorize(ordered["step_id"])
    edges = np.flatnonzero(np.diff(codes)) + 1
    parts = [
        np.split(ordered[name].to_numpy(np.float64), edges)
        for name in ("time_s", "iops", "lat_mean_ns")
    ]
    found = zip(map(str, names), *parts, strict=True) if len(names) else ()
    return {
        name: _Logged(end_s=ends, rates=rates, lat_ns=latencies)
        for name, ends, rates, latencies in found
        if len(ends) > 1 and np.isfinite(latencies).any()
    }


def summarise_stalls(
    lines: Sequence[Timeline], telemetry: "pd.DataFrame"
) -> "pd.DataFrame":
    """Return how often each stimulus stalled, and what coincides with it.

    Parameters
    ----------
    lines : sequence of Timeline
        The intervals of each stimulus of a run: `timelines`.
    telemetry : pandas.DataFrame
        The table of the run.

    Returns
    -------
    pandas.DataFrame
        A row a stimulus: ``interval_s`` [s], ``hours`` [h], ``stalls``, ``per_hour``
        with ``low`` and ``high`` of its 95 % interval [1/h], ``longest_s`` and
        ``quiet_s``, the longest stall and the longest time without any [s]. For each
        of `CONDITIONS`: its share of the time (``throttled_share``), of the stalls
        (``throttled_stalls``), NaN where it is not known, and ``throttled_p``, how
        probable so many are if stalls and condition do not depend on each other, for
        the whole table.

    Notes
    -----
    The p-value is that of all shifts of the stalls in time, around the end, against the
    condition: so neither need be independent from moment to moment.
    """
    import pandas as pd  # noqa: PLC0415 - 0.3 s before a run begins

    conditions = find_conditions(telemetry)
    rows = []
    for line in lines:
        held = {name: holds(line) for name, holds in conditions.items()}
        counts = np.rint(line.rates * line.interval_s)
        first, last = find_stalls(counts)
        rate = rate_stalls(len(first), line.hours)
        lengths = (last - first + 1) * line.interval_s
        stalled = np.column_stack([first, last]).ravel()
        edges = np.concatenate([[-1], stalled, [len(counts)]])
        rows.append({
            **line.names,
            "interval_s": line.interval_s,
            "hours": line.hours,
            "stalls": rate.stalls,
            "per_hour": rate.per_hour,
            "low": rate.low,
            "high": rate.high,
            "longest_s": float(lengths.max(initial=0.0)),
            "quiet_s": float((np.diff(edges)[::2] - 1).max()) * line.interval_s,
            **_coincidences(first, held),
        })
    columns = [*STIMULUS, "interval_s", "hours", "stalls", "per_hour", "low", "high"]
    columns += ["longest_s", "quiet_s"]
    columns += [
        f"{name}_{of}" for name in CONDITIONS for of in ("share", "stalls", "p")
    ]
    found = pd.DataFrame(rows, columns=columns)
    places = [f"{name}_p" for name in CONDITIONS]
    raw = found[places].to_numpy(np.float64)
    found[places] = adjust_by_holm(raw.ravel()).reshape(raw.shape)
    return found


def summarise_periods(
    lines: Sequence[Timeline], steps: "pd.DataFrame"
) -> "pd.DataFrame":
    """Return whether the rate of each stimulus rises and falls regularly.

    Parameters
    ----------
    lines : sequence of Timeline
        The intervals of each stimulus of a run: `timelines`.
    steps : pandas.DataFrame
        The table of the run.

    Returns
    -------
    pandas.DataFrame
        A row a stimulus: ``values`` of its series, their ``interval_s`` [s] and
        ``mean`` [IOPS]; ``period_s`` [s], ``amplitude_percent`` of the mean,
        ``p_value`` for the whole table, ``is_periodic``; ``cell_s`` of the test's cells
        [s], how many cycles one holds (``cycles``), and how far its mean may be off by
        where in a cycle it began (``phase_percent``). Missing where the series is too
        short. Periods of the steps themselves, which begin anew each time, do not
        count.
    """
    import pandas as pd  # noqa: PLC0415 - 0.3 s before a run begins

    cells = steps[steps["kind"] == "cell"].groupby("test")["duration_s"].median()
    rows = []
    for line in lines:
        found = find_period(line.end_s, line.rates, own_s=line.step_s)
        rows.append({
            **line.names,
            "values": len(line.rates),
            "interval_s": line.interval_s,
            "mean": float(line.rates.mean()),
            "cell_s": float(cells.get(line.names["test"], np.nan)),
            **_period_values(found),
        })
    columns = [*STIMULUS, "values", "interval_s", "mean", "cell_s"]
    columns += ["period_s", "amplitude", "p_value"]
    frame = pd.DataFrame(rows, columns=columns)
    frame["p_value"] = adjust_by_holm(frame["p_value"].to_numpy(np.float64))
    frame["is_periodic"] = frame["p_value"] < SIGNIFICANCE
    frame["amplitude_percent"] = 100 * frame["amplitude"] / frame["mean"]
    frame["cycles"] = frame["cell_s"] / frame["period_s"]
    frame["phase_percent"] = [
        100 * wave.phase_effect(row["cell_s"]) / row["mean"]
        if (wave := _wave_of(row)) is not None
        else np.nan
        for row in frame.to_dict("records")
    ]
    return frame


def _period_values(found: Period | None) -> dict[str, float]:
    if found is None:
        return {}
    return {
        "period_s": found.period_s,
        "amplitude": found.amplitude,
        "p_value": found.p_value,
    }


def _wave_of(row: Mapping[Any, Any]) -> Period | None:
    values = (row["period_s"], row["amplitude"], row["cell_s"], row["mean"])
    if not all(np.isfinite(values)) or row["mean"] <= 0:
        return None
    return Period(period_s=values[0], amplitude=values[1], p_value=0.0)


def find_conditions(
    telemetry: "pd.DataFrame",
) -> dict[str, Callable[[Timeline], BoolArray]]:
    """Return what tells in which intervals each condition held.

    One that is not told is left out. A counter is told at its readings, so a rise lasts
    from one reading to the next.
    """
    told = split_readings(telemetry)
    rises = {key: _rises(readings) for key, readings in told.items()}
    found: dict[str, Callable[[Timeline], BoolArray]] = {}
    for name, counter in (("throttled", THROTTLED), ("slow", SLOW_COMMANDS)):
        rise = rises.get((DRIVE, counter))
        if rise is not None:
            found[name] = partial(_is_above, told=rise, limit=0.0)
    for source, media in ((DRIVE, MEDIA_WRITTEN), (VIRTUAL, NAND_WRITTEN)):
        ratio = _ratio(rises.get((source, media)), rises.get((source, WRITTEN)))
        if ratio is not None and np.isfinite(ratio.value).any():
            limit = _WAF_RATIO * float(np.nanmedian(ratio.value))
            found["collecting"] = partial(_is_above, told=ratio, limit=limit)
    busy = _ratio(rises.get(("host", "cpu_busy_s")), rises.get(("host", "cpu_all_s")))
    if busy is not None:
        found["busy"] = partial(_is_above, told=busy, limit=_BUSY_RATIO)
    took = told.get((DRIVE, READING_TOOK))
    if took is not None and len(took.value) > 1:
        found["reading"] = partial(_is_within, took=took)
    return found


def _ratio(part: Readings | None, whole: Readings | None) -> Readings | None:
    """Return the ratio of the rises of two counters that are read together."""
    if part is None or whole is None or len(part.value) != len(whole.value):
        return None
    has_risen = whole.value > 0
    ratio = np.full(len(whole.value), np.nan)
    np.divide(part.value, whole.value, out=ratio, where=has_risen)
    return replace(part, value=ratio)


def _rises(counted: Readings | None) -> Readings | None:
    """Return the times of the readings of a counter, and the rise up to each."""
    if counted is None or len(counted.value) < 2:
        return None
    rises = np.diff(counted.value, prepend=counted.value[0])
    return replace(counted, value=rises)


def _is_above(line: Timeline, told: Readings, limit: float) -> BoolArray:
    """Return the intervals of which the first reading after their end is above."""
    place = np.searchsorted(told.time_s, line.end_s, side="left")
    is_known = place < len(told.time_s)
    held = np.zeros(len(line.end_s), bool)
    held[is_known] = told.value[place[is_known]] > limit
    return held


def _is_within(line: Timeline, took: Readings) -> BoolArray:
    """Return the intervals in which a reading that ended at its time was under way."""
    held = np.zeros(len(line.end_s), bool)
    for end, took_s in zip(took.time_s, took.value, strict=True):
        first = np.searchsorted(line.end_s, end - took_s, side="left")
        last = np.searchsorted(line.end_s - line.interval_s, end, side="right")
        held[first:last] = True
    return held


def _coincidences(
    stalls: npt.NDArray[np.int64], held: Mapping[str, BoolArray]
) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, condition in held.items():
        found[f"{name}_share"] = float(condition.mean())
        if len(stalls):
            found[f"{name}_stalls"] = float(condition[stalls].mean())
            found[f"{name}_p"] = shifted_p_value(condition, stalls)
    return found


def shifted_p_value(condition: npt.ArrayLike, stalls: npt.ArrayLike) -> float:
    """Return how probable so many stalls in a condition are, if they are independent.

    Parameters
    ----------
    condition : array_like of bool
        Whether it held in each interval, shape (n,).
    stalls : array_like of int
        The intervals in which stalls began.

    Examples
    --------
    >>> hot = [False] * 500 + [True] * 20 + [False] * 480
    >>> shifted_p_value(hot, [503, 507, 512]) < 0.05
    True
    >>> shifted_p_value(hot, [3, 507, 900]) < 0.05
    False
    """
    known, places = np.asarray(condition, bool), np.asarray(stalls, np.int64)
    count = len(known)
    shifts = np.unique(np.linspace(1, count - 1, _MOST_SHIFTS).astype(np.int64))
    seen = int(known[places].sum())
    shifted = known[(places[None, :] + shifts[:, None]) % count].sum(axis=1)
    return float((1 + (shifted >= seen).sum()) / (1 + len(shifts)))
