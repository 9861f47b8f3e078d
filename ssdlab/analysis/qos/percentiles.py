"""Quality of service: the nines of a load, each with what bounds it.

Two intervals stand beside each other. One takes every IO as independent of all
others; it is the least that can be said against a percentile. The other takes rounds
as independent, and lets the IOs of one round be as alike as they are. Where there are
three rounds or more it is the second that is claimed: decision 41.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ssdlab.analysis.inference.clusters import (
    FEWEST_ROUNDS,
    between_rounds_interval,
    effective_count,
    join_rounds,
)
from ssdlab.analysis.inference.interval import Interval
from ssdlab.analysis.inference.means import (
    FEWEST_VALUES,
    FloatArray,
    batch_means,
    mean_interval,
)
from ssdlab.analysis.inference.quantiles import (
    BinnedRounds,
    least_count,
    quantile_interval,
)
from ssdlab.analysis.qos.loads import Load

QOS_LEVELS_PERCENT = (50.0, 90.0, 99.0, 99.9, 99.99, 99.999, 99.9999)

BETWEEN_ROUNDS = "between rounds"
INDEPENDENT = "independent IOs"
BATCHES_OF_LOG = "batches of the log"
RECORDED = "recorded"
NOTHING = ""

_COARSE_RATIO = 0.02  # fio's own bins are 1/64 wide at most
_COLUMNS = [
    "marker",
    "percentile",
    "lat_ns",
    "low_ns",
    "high_ns",
    "claimed",
    "independent_low_ns",
    "independent_high_ns",
    "rounds_low_ns",
    "rounds_high_ns",
    "total_ios",
    "effective_ios",
    "is_supported",
    "is_censored",
    "confidence_percent",
    "exceedance_ratio",
    "note",
]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Parts:
    """Values whose mean is wanted, and their weights: rounds, or batches of a log."""

    values: FloatArray
    weights: FloatArray
    claimed: str

    @property
    def is_known(self) -> bool:
        """Whether they tell a spread.

        Returns
        -------
        bool
            There are two at least.
        """
        return self.values.size > 1


def summarise_qos(
    load: Load,
    *,
    series: pd.DataFrame | None = None,
    levels: Sequence[float] = QOS_LEVELS_PERCENT,
    confidence_percent: float = 95.0,
) -> pd.DataFrame:
    """Return average, percentiles and maximum of a load, with their intervals.

    Parameters
    ----------
    load : Load
        What was run, as `select_load` returns it.
    series : pandas.DataFrame, optional
        The table ``series``: it bounds the average of one long run.
    levels : sequence of float, default QOS_LEVELS_PERCENT
        Percentiles [%].
    confidence_percent : float, default 95
        The confidence of the intervals [%].

    Returns
    -------
    pandas.DataFrame
        One row for the average, each percentile and the maximum: ``marker``,
        ``percentile`` [%], ``lat_ns`` [ns]; ``low_ns`` and ``high_ns`` [ns], the
        interval that is claimed, and ``claimed``: whether it is the one between rounds
        or that of independent IOs; both of them apart; ``total_ios`` in the
        histograms; ``effective_ios``, as many independent IOs would tell as much;
        ``is_supported``: the interval has an upper end; ``is_censored``: the value
        lies in a bin beyond which fio does not tell latencies apart;
        ``confidence_percent`` and ``exceedance_ratio``, the IOs up to the marker [%]
        and beyond it; ``note``. An end that nothing bounds is infinite.

    Notes
    -----
    An interval runs from the lower edge of one bin to the upper edge of another. The
    maximum is that of these IOs and bounds nothing.

    Examples
    --------
    >>> steps = pd.DataFrame({"step_id": ["s"], "total_ios": [400], "lat_max_ns": 90.0})
    >>> bins = pd.DataFrame({"step_id": "s", "lat_ns": [10, 80], "count": [300, 100]})
    >>> bins = bins.assign(lat_lower_ns=bins["lat_ns"], lat_upper_ns=bins["lat_ns"] + 1)
    >>> load = Load(test="lat", phase="histogram", workload="", direction="total",
    ...             kind="histogram", steps=steps.assign(lat_mean_ns=27.5), bins=bins)
    >>> found = summarise_qos(load, levels=[50, 99.9])
    >>> found["lat_ns"].tolist(), found["is_supported"].tolist()
    ([27.5, 10.0, 80.0, 90.0], [True, True, False, True])
    """
    bins = load.binned()
    average = _average_row(load, series, confidence_percent)
    claims = (
        claim_of_level(bins, level, confidence_percent=confidence_percent)
        for level in levels
    )
    rows = [_level_row(load, bins, claim) for claim in claims]
    shared = {"total_ios": bins.total}
    found = [average, *rows, _greatest_row(load, bins)]
    table = pd.DataFrame([shared | row for row in found], columns=_COLUMNS)
    cut = _cut_note(load, bins)
    table["note"] = [join_notes(note, cut) for note in table["note"]]
    return table


def parts_of_mean(load: Load, series: pd.DataFrame | None, column: str) -> Parts:
    """Return what bounds the mean of a column: rounds, or batches of one run's log.

    Parameters
    ----------
    load : Load
        The load.
    series : pandas.DataFrame or None
        The table ``series``.
    column : {"iops", "lat_mean_ns"}
        What is averaged; latencies are weighted by their IOs.

    Returns
    -------
    Parts
        One value, which tells no spread, where there is neither.
    """
    steps = load.steps
    log = _log_of(load, series, column)
    if len(steps) >= FEWEST_ROUNDS:
        source, claimed = steps, BETWEEN_ROUNDS
    elif len(log) >= FEWEST_VALUES:
        source, claimed = log, BATCHES_OF_LOG
    else:
        source, claimed = steps, NOTHING
    values = source[column].to_numpy(float)
    weights = _weights_of(source, column)
    if claimed == NOTHING:
        values, weights = np.array([np.average(values, weights=weights)]), np.ones(1)
    elif values.size >= FEWEST_VALUES:
        values, weights = batch_means(values, weights)
    return Parts(values=values, weights=weights, claimed=claimed)


def _weights_of(source: pd.DataFrame, column: str) -> FloatArray:
    """Return IOs for a latency and seconds for a rate; of a log its intervals are."""
    is_log = "total_ios" not in source
    if column == "lat_mean_ns":
        weights = source["iops" if is_log else "total_ios"].astype(float).to_numpy()
    else:
        weights = (
            np.ones(len(source)) if is_log else source["runtime_s"].to_numpy(float)
        )
    return np.where(np.isfinite(weights), weights, 1.0)


def _log_of(load: Load, series: pd.DataFrame | None, column: str) -> pd.DataFrame:
    """Return the log of the one step of a load, without intervals that lack it."""
    if series is None or len(load.steps) != 1:
        return pd.DataFrame({"iops": [], "lat_mean_ns": []}, dtype=float)
    is_own = series["step_id"] == load.steps["step_id"].iloc[0]
    rows: pd.DataFrame = series[is_own & (series["direction"] == load.direction)]
    return rows.dropna(subset=list({column, "iops"})).sort_values("time_s")


def _average_row(
    load: Load, series: pd.DataFrame | None, confidence_percent: float
) -> dict[str, object]:
    steps = load.steps
    weights = _weights_of(steps, "lat_mean_ns")
    mean = float(np.average(steps["lat_mean_ns"].to_numpy(float), weights=weights))
    parts = parts_of_mean(load, series, "lat_mean_ns")
    found = mean_interval(
        parts.values, parts.weights, confidence_percent=confidence_percent
    )
    off = mean - found.estimate  # the log leaves out what came after its last line
    is_known = parts.is_known
    note = "" if is_known else "no rounds and no log: its spread is not known"
    return {
        "marker": "average",
        "lat_ns": mean,
        "low_ns": max(0.0, found.low + off) if is_known else math.nan,
        "high_ns": found.high + off if is_known else math.nan,
        "claimed": parts.claimed,
        "is_supported": True,
        "is_censored": False,
        "note": note,
    } | _place(load.binned(), mean)


def _level_row(
    load: Load, bins: BinnedRounds, claim: "LevelClaim"
) -> dict[str, object]:
    alone, level = claim.alone, claim.level
    greatest = load.greatest_ns
    lat_ns = alone.estimate
    is_last = lat_ns >= bins.names[-1]
    return {
        "marker": f"{level:.10g} %",
        "percentile": level,
        "lat_ns": min(lat_ns, greatest) if math.isfinite(greatest) else lat_ns,
        "low_ns": claim.interval.low,
        "high_ns": claim.interval.high,
        "claimed": claim.claimed,
        "independent_low_ns": alone.low,
        "independent_high_ns": alone.high,
        "rounds_low_ns": claim.interval.low if claim.is_of_rounds else math.nan,
        "rounds_high_ns": claim.interval.high if claim.is_of_rounds else math.nan,
        "effective_ios": claim.count,
        "is_supported": math.isfinite(claim.interval.high),
        "is_censored": load.is_censored and is_last,
        "confidence_percent": level,
        "exceedance_ratio": 1 - level / 100,
        "note": join_notes(
            _support_note(bins, claim),
            "in a bin beyond which fio tells no latencies apart"
            if load.is_censored and is_last
            else "",
            _coarse_note(bins, lat_ns),
        ),
    }


@dataclass(frozen=True, kw_only=True, slots=True)
class LevelClaim:
    """The interval that is claimed of a percentile, and what it rests on.

    ``count`` is how many independent IOs tell as much; ``alone`` is the interval that
    they would have if they were.
    """

    level: float
    interval: Interval
    alone: Interval
    claimed: str
    count: int
    rounds: int

    @property
    def is_of_rounds(self) -> bool:
        """Whether it is the one between rounds.

        Returns
        -------
        bool
            There were rounds enough.
        """
        return self.claimed == BETWEEN_ROUNDS


def claim_of_level(
    bins: BinnedRounds, level: float, *, confidence_percent: float = 95.0
) -> LevelClaim:
    """Return the interval that is claimed of a percentile.

    Parameters
    ----------
    bins : BinnedRounds
        The counts, one row a round.
    level : float
        The percentile [%].
    confidence_percent : float, default 95
        The confidence [%].

    Returns
    -------
    LevelClaim
        Between rounds where there are three or more, never narrower than that of
        independent IOs; else the latter.
    """
    alone = quantile_interval(bins, level, confidence_percent=confidence_percent)
    rounds = len(bins.counts)
    if rounds < FEWEST_ROUNDS:
        return LevelClaim(
            level=level,
            interval=alone,
            alone=alone,
            claimed=INDEPENDENT,
            count=bins.total,
            rounds=rounds,
        )
    joined = join_rounds(bins)
    apart = between_rounds_interval(
        joined, level, confidence_percent=confidence_percent
    )
    held = effective_count(joined, level, confidence_percent=confidence_percent)
    interval = Interval(
        estimate=alone.estimate,
        low=min(alone.low, apart.low),
        high=max(alone.high, apart.high),
        confidence_percent=confidence_percent,
        note=apart.note,
    )
    return LevelClaim(
        level=level,
        interval=interval,
        alone=alone,
        claimed=BETWEEN_ROUNDS,
        count=held.whole,
        rounds=rounds,
    )


def _support_note(bins: BinnedRounds, claim: LevelClaim) -> str:
    if math.isfinite(claim.interval.high):
        return ""
    total = bins.total
    needed = least_count(claim.level, claim.interval.confidence_percent)
    if total < needed:
        return f"not supported by {total:,} IOs: {needed:,} are needed"
    return (
        f"not supported by {claim.rounds} rounds: they differ so much that {total:,} "
        f"IOs tell as much as {claim.count:,}, and {needed:,} are needed"
    )


def _coarse_note(bins: BinnedRounds, lat_ns: float) -> str:
    place = int(np.searchsorted(bins.names, lat_ns))
    low, high = bins.lower[place], bins.upper[place]
    width = (high - low) / low if low else math.inf
    if width <= _COARSE_RATIO or high - low <= 1:
        return ""
    return f"its bin is wide: {low:,.0f} to {high:,.0f} ns"


def _greatest_row(load: Load, bins: BinnedRounds) -> dict[str, object]:
    greatest = load.greatest_ns
    is_known = math.isfinite(greatest)
    return {
        "marker": "max",
        "lat_ns": greatest if is_known else float(bins.names[-1]),
        "low_ns": greatest if is_known else float(bins.lower[-1]),
        "high_ns": math.inf,
        "claimed": RECORDED,
        "is_supported": True,
        "is_censored": not is_known,
        "confidence_percent": 100.0,
        "exceedance_ratio": 0.0,
        "note": f"the greatest of {bins.total:,} IOs; more IOs find greater ones",
    }


def _place(bins: BinnedRounds, lat_ns: float) -> dict[str, float]:
    """Return where a latency stands on the cumulative curve."""
    below = float(bins.merged[bins.lower <= lat_ns].sum()) / bins.total
    return {"confidence_percent": 100 * below, "exceedance_ratio": 1 - below}


def _cut_note(load: Load, bins: BinnedRounds) -> str:
    counted = float(load.steps["total_ios"].astype(float).sum(skipna=False))
    if math.isnan(counted) or bins.total >= counted:
        return ""
    return f"the histogram holds {bins.total:,} of {int(counted):,} IOs"


def join_notes(*notes: str) -> str:
    """Return notes in one line, without empty ones.

    Parameters
    ----------
    *notes : str
        What is to be said.

    Returns
    -------
    str
        With semicolons between.
    """
    return "; ".join(note for note in notes if note)
