"""Quality of service: average, percentiles and maximum, each with its interval."""

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from ssdlab.qos.averages import parts_of_mean
from ssdlab.qos.load import Load
from ssdlab.stats.claims import QOS_LEVELS_PERCENT, LevelClaim, claim_levels
from ssdlab.stats.clusters import join_rounds
from ssdlab.stats.interval import Interval
from ssdlab.stats.latency import least_count
from ssdlab.stats.means import mean_interval
from ssdlab.stats.quantiles import BinnedRounds, bootstrap_interval

RECORDED = "recorded"

# The PTS gives rounds equal weight (LAT table of the report): another quantity.
_OF_ALL_IOS = "of all IOs; the report's is the mean of the rounds"
_CENSORED = "in fio's last bin, which does not resolve latencies"
_SEED = 2016  # arbitrary, but fixed, so that a page can be reproduced
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
    "bootstrap_low_ns",
    "bootstrap_high_ns",
    "total_ios",
    "effective_ios",
    "is_supported",
    "is_censored",
    "confidence_percent",
    "exceedance_ratio",
    "seen_rounds",
    "note",
]


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
        The table ``series``: it gives the interval of the average of one long run.
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
        or that of independent IOs; for comparison that of independent IOs, and that of
        a bootstrap of rounds, which is too narrow; ``total_ios`` in the histograms;
        ``effective_ios``, the effective sample size; ``is_supported``: the interval has
        an upper end; ``is_censored``: the value is in the last bin, in which fio does
        not resolve latencies; ``confidence_percent`` and ``exceedance_ratio``, the IOs
        up to the marker [%] and beyond it; ``seen_rounds``, the rounds behind an
        interval between rounds, which bound what it can know (`unseen_text`); ``note``.
        An unbounded end is infinite.

    Notes
    -----
    An interval runs from the lower edge of one bin to the upper edge of another, and
    its ends rise with the level. The maximum is that of these IOs and is not a bound.

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
    bins = load.binned
    average = _average_row(load, series, confidence_percent)
    claims = claim_levels(bins, levels, confidence_percent=confidence_percent)
    rows = [_level_row(load, bins, claim) for claim in claims]
    shared = {"total_ios": bins.total}
    found = [average, *rows, _greatest_row(load, bins)]
    table = pd.DataFrame([shared | row for row in found], columns=_COLUMNS)
    cut = _cut_note(load, bins)
    table["note"] = [join_notes(note, cut) for note in table["note"]]
    return table


def _average_row(
    load: Load, series: pd.DataFrame | None, confidence_percent: float
) -> dict[str, object]:
    parts = parts_of_mean(load, series, "lat_mean_ns")
    found = mean_interval(
        parts.values, parts.weights, confidence_percent=confidence_percent
    )
    is_known = parts.is_known
    note = _OF_ALL_IOS if len(load.steps) > 1 else ""
    note = note if is_known else "no rounds and no log: its spread is unknown"
    return {
        "marker": "average",
        "lat_ns": found.estimate,
        "low_ns": max(0.0, found.low) if is_known else math.nan,
        "high_ns": found.high if is_known else math.nan,
        "claimed": parts.claimed,
        "is_supported": True,
        "is_censored": False,
        "note": note,
    } | _place(load.binned, found.estimate)


def _level_row(load: Load, bins: BinnedRounds, claim: LevelClaim) -> dict[str, object]:
    alone, level = claim.alone, claim.level
    lat_ns = claim.interval.estimate
    is_censored = load.is_censored and lat_ns >= bins.lower[-1]
    drawn = _drawn_again(bins, claim)
    return {
        "marker": f"{level:.10g} %",
        "percentile": level,
        "lat_ns": lat_ns,
        "low_ns": claim.interval.low,
        "high_ns": claim.interval.high,
        "claimed": claim.claimed,
        "independent_low_ns": alone.low,
        "independent_high_ns": alone.high,
        "bootstrap_low_ns": drawn.low if drawn else math.nan,
        "bootstrap_high_ns": drawn.high if drawn else math.nan,
        "effective_ios": claim.count,
        "is_supported": claim.is_supported,
        "is_censored": is_censored,
        "confidence_percent": level,
        "exceedance_ratio": 1 - level / 100,
        "seen_rounds": claim.rounds if claim.is_of_rounds else math.nan,
        "note": join_notes(
            _support_note(bins, claim),
            _CENSORED if is_censored else "",
            _coarse_note(bins, lat_ns),
        ),
    }


def _drawn_again(bins: BinnedRounds, claim: LevelClaim) -> Interval | None:
    if not claim.is_of_rounds:
        return None
    confidence_percent = claim.interval.confidence_percent
    return bootstrap_interval(
        join_rounds(bins),
        claim.level,
        seed=_SEED,
        confidence_percent=confidence_percent,
    )


def _support_note(bins: BinnedRounds, claim: LevelClaim) -> str:
    if claim.is_supported:
        is_own = claim.bounded_by == claim.level
        return (
            "" if is_own else f"bounded by the upper end of {claim.bounded_by:.10g} %"
        )
    total = bins.total
    needed = least_count(claim.level, claim.interval.confidence_percent)
    if total < needed:
        return f"no upper bound: {total:,} IOs, {needed:,} needed"
    return (
        f"no upper bound: rounds vary (effective n = {claim.count:,} of {total:,}, "
        f"{needed:,} needed)"
    )


def _coarse_note(bins: BinnedRounds, lat_ns: float) -> str:
    place = max(0, int(np.searchsorted(bins.lower, lat_ns, side="right")) - 1)
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
        "note": f"maximum of {bins.total:,} IOs; it grows with their number",
    }


def _place(bins: BinnedRounds, lat_ns: float) -> dict[str, float]:
    """Return the position of a latency on the cumulative curve."""
    below = float(bins.merged[bins.lower <= lat_ns].sum()) / bins.total
    return {"confidence_percent": 100 * below, "exceedance_ratio": 1 - below}


def _cut_note(load: Load, bins: BinnedRounds) -> str:
    counted = float(load.steps["total_ios"].astype(float).sum(skipna=False))
    if math.isnan(counted) or bins.total >= counted:
        return ""
    return f"the histogram holds {bins.total:,} of {int(counted):,} IOs"


def join_notes(*notes: str) -> str:
    """Join the notes that are not empty in one line."""
    return "; ".join(note for note in notes if note)
