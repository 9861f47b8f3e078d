"""Power and energy of each stimulus, and what a drive does for them.

A meter counts energy from when it began; between two readings the power is taken as
constant. How far the clocks of meter and run may be apart is tried out: the span of a
step is shifted both ways, and what that changes is part of the result.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from ssdlab.model.telemetry import CLOCK_ERROR, ENERGY, METER
from ssdlab.stats.matrix import choose_rounds, mark_window
from ssdlab.telemetry.stimulus import STIMULUS

if TYPE_CHECKING:
    import pandas as pd

FloatArray = npt.NDArray[np.float64]

_LEAST_ROUNDS: Final = 3
_HELD_RATIO: Final = 1.5
_MOST_GAP_RATIO: Final = 3.5  # of the usual time between two readings
_OF_POWER: Final = (
    *("steps", "seconds", "joules", "watts", "watts_low", "watts_high"),
    *("watts_shifted", "iops_per_watt", "joules_per_io", "bytes_per_joule"),
)


@dataclass(frozen=True, kw_only=True, eq=False)
class EnergyCount:
    """The energy that a meter counted, in order of time.

    ``times_s`` are Unix times [s], ``joules`` the energy up to each [J], and
    ``apart_s`` how far its clock may be from that of the run [s].
    """

    times_s: FloatArray
    joules: FloatArray
    apart_s: float

    def within(self, begin_s: float, end_s: float) -> float:
        """Return the energy of a span [J]; NaN where it was not metered throughout.

        The power of the last reading holds a little longer: a run ends, and its tables
        are written, before the meter is read again.
        """
        gaps = np.diff(self.times_s)
        usual = float(np.median(gaps))
        over_s = end_s - float(self.times_s[-1])
        if begin_s < self.times_s[0] or over_s > _HELD_RATIO * usual:
            return math.nan
        first = int(np.searchsorted(self.times_s, begin_s, side="right")) - 1
        last = int(np.searchsorted(self.times_s, end_s, side="left"))
        if (gaps[first:last] > _MOST_GAP_RATIO * usual).any():
            return math.nan
        ends = np.interp([begin_s, end_s], self.times_s, self.joules)
        power = (self.joules[-1] - self.joules[-2]) / gaps[-1]
        return float(ends[1] - ends[0] + power * max(0.0, over_s))


def read_energy(telemetry: "pd.DataFrame") -> EnergyCount | None:
    """Return what a meter counted in a run; ``None`` without one.

    A count that began anew, as after a resume, goes on from where it was.
    """
    own = telemetry[(telemetry["source"] == METER) & telemetry["value"].notna()]
    own = own.sort_values("time_s", kind="stable")
    counted = own[own["name"] == ENERGY].drop_duplicates("time_s")
    if len(counted) < 2:
        return None
    times = counted["time_s"].to_numpy(np.float64)
    rises = np.diff(counted["value"].to_numpy(np.float64), prepend=np.nan)
    rises[~(rises > 0)] = 0.0
    stated = own[own["name"] == CLOCK_ERROR]["value"]
    apart_s = float(stated.max()) if len(stated) else float(np.median(np.diff(times)))
    return EnergyCount(times_s=times, joules=np.cumsum(rises), apart_s=apart_s)


def summarise_energy(  # noqa: PLR0917 - the tables of a run
    telemetry: "pd.DataFrame",
    steps: "pd.DataFrame",
    measurements: "pd.DataFrame",
    windows: "pd.DataFrame",
) -> "pd.DataFrame":
    """Return power and energy of each stimulus, and of what is no measurement.

    Parameters
    ----------
    telemetry, steps, measurements, windows : pandas.DataFrame
        Tables of a run.

    Returns
    -------
    pandas.DataFrame
        A row a stimulus, over the rounds of its window or all its rounds where there is
        none, and one a purge, preconditioning (their ``kind``) and ``rest`` of a phase:
        ``steps`` that were metered throughout, their ``seconds`` [s] and ``joules``
        [J], mean ``watts`` [W] with its 95 % interval from round to round (missing with
        under 3 rounds), ``watts_shifted``, how much it changes at most if the clocks
        are as far apart as they may be [W]; ``iops_per_watt``, ``joules_per_io`` [J]
        and ``bytes_per_joule`` [B/J]. Empty without a meter.

    Notes
    -----
    A rest is the planned pause of the host before a step, of 1 s or more.
    """
    import pandas as pd  # noqa: PLC0415 - 0.3 s before a run begins

    columns = [*STIMULUS, *_OF_POWER]
    count = read_energy(telemetry)
    if count is None:
        return pd.DataFrame(columns=columns)
    marked = mark_window(measurements[measurements["direction"] == "total"], windows)
    names = ["step_id", "is_in_window", "total_ios", "io_bytes", "iops"]
    known = steps.merge(marked[names], on="step_id", how="left")
    rows = [
        dict(zip(STIMULUS, key, strict=True)) | found
        for key, own in known.groupby(list(STIMULUS), sort=False, dropna=False)
        if (found := _of_steps(own, count))
    ]
    rows += list(_rests(steps, count))
    return pd.DataFrame(rows, columns=columns)


def _of_steps(rows: "pd.DataFrame", count: EnergyCount) -> dict[str, float]:
    """Return power and energy of the steps of a stimulus that were metered."""
    kept = choose_rounds(rows, "is_in_window")
    spans = kept[["started_s", "ended_s"]].to_numpy(np.float64)
    joules = np.array([count.within(*span) for span in spans])
    is_metered = np.isfinite(joules)
    if not is_metered.any():
        return {}
    own, spans, joules = kept[is_metered], spans[is_metered], joules[is_metered]
    found = _power(spans, joules, count)
    ios, moved = (own[one].astype(float).sum() for one in ("total_ios", "io_bytes"))
    if ios > 0:
        found |= {
            "iops_per_watt": ios / found["joules"] if found["joules"] else math.nan,
            "joules_per_io": found["joules"] / ios,
            "bytes_per_joule": moved / found["joules"] if found["joules"] else math.nan,
        }
    return found


def _power(
    spans: FloatArray, joules: FloatArray, count: EnergyCount
) -> dict[str, float]:
    """Return the mean power over spans, its interval, and what a shift changes."""
    seconds = spans[:, 1] - spans[:, 0]
    watts = float(joules.sum() / seconds.sum())
    shifted = [_shifted(spans, count, by_s) for by_s in (-count.apart_s, count.apart_s)]
    low = high = math.nan
    if len(joules) >= _LEAST_ROUNDS:
        from ssdlab.stats.special import stdtrit  # noqa: PLC0415 - loads scipy

        means = joules / seconds
        error = float(means.std(ddof=1)) / math.sqrt(len(means))
        reach = float(stdtrit(len(means) - 1, 0.975)) * error
        low, high = watts - reach, watts + reach
    return {
        "steps": len(joules),
        "seconds": float(seconds.sum()),
        "joules": float(joules.sum()),
        "watts": watts,
        "watts_low": low,
        "watts_high": high,
        "watts_shifted": max(
            (abs(one - watts) for one in shifted if math.isfinite(one)),
            default=math.nan,
        ),
    }


def _shifted(spans: FloatArray, count: EnergyCount, by_s: float) -> float:
    joules = np.array([count.within(a + by_s, b + by_s) for a, b in spans])
    is_known = np.isfinite(joules)
    if not is_known.any():
        return math.nan
    seconds = (spans[:, 1] - spans[:, 0])[is_known]
    return float(joules[is_known].sum() / seconds.sum())


def _rests(steps: "pd.DataFrame", count: EnergyCount) -> Iterator[dict[str, Any]]:
    """Yield the power of the planned rests of each phase."""
    resting = steps[(steps["wait_s"] >= 1) & steps["started_s"].notna()]
    for (test, phase), own in resting.groupby(["test", "phase"], sort=False):
        ends = own["started_s"].to_numpy(np.float64)
        spans = np.column_stack([ends - own["wait_s"].to_numpy(np.float64), ends])
        joules = np.array([count.within(*span) for span in spans])
        is_metered = np.isfinite(joules)
        if is_metered.any():
            found = _power(spans[is_metered], joules[is_metered], count)
            yield {"test": test, "phase": phase, "kind": "rest", **found}
