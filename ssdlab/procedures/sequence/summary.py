"""Does a stimulus give the same result again after another one? Micron, Rev. B 4/17."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from ssdlab.model.spec import stimulus_label
from ssdlab.stats.bottleneck import LEAST_FILLS
from ssdlab.stats.matrix import select_cells

STAGE_ROUNDS = 5  # the measurement window of the PTS: 2.1.24
ALIKE_RATIO = 0.10  # the slope that the PTS lets a steady window have: 2.1.24 b
CONFIDENCE_PERCENT = 95.0

Repetition = Literal["lower", "higher", "similar", "unknown"]

_STEP = ["run_id", "step_id"]
_CELL = ["access", "block_size_bytes", "read_percent", "threads", "queue_depth"]


@dataclass(frozen=True, kw_only=True, slots=True)
class RatioInterval:
    """The mean of one stage by that of another, with its interval."""

    ratio: float
    low: float
    high: float


def summarise_stages(
    measurements: pd.DataFrame, steps: pd.DataFrame, *, test: str
) -> pd.DataFrame:
    """Return every round of a sequence of stimuli, in the order of the run."""
    cells = select_cells(measurements, test).sort_values("step_id")
    names = [*_STEP, "phase", "round", *_CELL, "runtime_s"]
    rates = ["iops", "bw_bytes_per_s", "lat_mean_ns"]
    table = cells[[*names, *rates]].merge(
        steps[[*_STEP, "drive_fills", "written_bytes", "is_contiguous"]],
        on=_STEP,
        how="left",
    )
    table["is_contiguous"] = table["is_contiguous"].fillna(value=True).astype(bool)
    table["time_s"] = table["runtime_s"].cumsum()
    is_random = table["access"] == "rnd"
    table["metric"] = is_random.map({True: "iops", False: "bw_bytes_per_s"})
    table["value"] = table["iops"].where(is_random, table["bw_bytes_per_s"])
    table["stimulus"] = [_stimulus(row) for row in table.itertuples()]
    return table.drop(columns=[*_STEP, *_CELL, "runtime_s"]).reset_index(drop=True)


def _stimulus(row: Any) -> str:
    label = stimulus_label(row.access, int(row.block_size_bytes), int(row.read_percent))
    return f"{label} T{row.threads}/Q{row.queue_depth}"


def select_last_rounds(stages: pd.DataFrame, phase: str) -> "pd.Series[float]":
    """Return what the last rounds of a stage did, in the metric of its stimulus.

    The values of its last `STAGE_ROUNDS` rounds, or of as many as there are.
    """
    rounds = stages[stages["phase"] == phase].sort_values("round")
    return rounds["value"].astype("Float64").astype(float).tail(STAGE_ROUNDS)


def estimate_ratio(
    last: npt.ArrayLike,
    first: npt.ArrayLike,
    *,
    confidence_percent: float = CONFIDENCE_PERCENT,
) -> RatioInterval:
    """Return the ratio of two means, and its t-interval.

    NaN where there are too few values, or one is missing or not above zero.

    Notes
    -----
    The interval is that of the logarithm of the ratio: its variance by the delta
    method, its degrees of freedom by Welch and Satterthwaite. It assumes independent
    rounds. Those of a drive that still drifts are not, and then the interval is too
    narrow.

    >>> found = estimate_ratio([50, 51, 49, 50, 50], [100, 101, 99, 100, 100])
    >>> round(found.ratio, 3), round(found.low, 3), round(found.high, 3)
    (0.5, 0.491, 0.509)
    """
    nan = float("nan")
    after, before = _as_values(last), _as_values(first)
    if after is None or before is None:
        return RatioInterval(ratio=nan, low=nan, high=nan)
    ratio = float(after.mean() / before.mean())
    parts = [float(v.var(ddof=1) / len(v) / v.mean() ** 2) for v in (after, before)]
    variance = math.fsum(parts)
    if variance == 0:
        return RatioInterval(ratio=ratio, low=ratio, high=ratio)
    sizes = (len(after), len(before))
    weights = (part**2 / (n - 1) for part, n in zip(parts, sizes, strict=True))
    freedom = variance**2 / math.fsum(weights)
    spread = math.exp(_student(confidence_percent, freedom) * math.sqrt(variance))
    return RatioInterval(ratio=ratio, low=ratio / spread, high=ratio * spread)


def find_order_doubts(
    stages: pd.DataFrame,
    *,
    first: str,
    capacity_bytes: int,
    is_steady: Sequence[bool],
) -> tuple[str, ...]:
    """Return what besides the order may make a repetition differ, or hide a difference.

    Each reason in words: the first run had written less than `LEAST_FILLS` before
    its compared rounds, a compared run was not steady, the sequence had a break.
    """
    doubts = [_fresh_text(stages[stages["phase"] == first], capacity_bytes)]
    names = zip(("first", "second"), is_steady, strict=True)
    doubts += [f"the {n} run was not steady at its end" for n, ok in names if not ok]
    broken = stages[~stages["is_contiguous"]]
    doubts += [
        f"the sequence was interrupted, or idle too long, before round {row.round} of "
        f"{str(row.phase).replace('stage', 'stage ')}"
        for row in broken.itertuples()
    ]
    return tuple(filter(None, doubts))


def _fresh_text(rounds: pd.DataFrame, capacity_bytes: int) -> str:
    """Say that a drive may have been fresh before the compared rounds of a stage."""
    before = rounds.sort_values("round")["written_bytes"].iloc[:-STAGE_ROUNDS]
    if before.isna().any() or not capacity_bytes:
        return (
            "the amount written by the first run before its compared rounds is unknown"
        )
    fills = float(before.sum()) / capacity_bytes
    if fills >= LEAST_FILLS:
        return ""
    return (
        f"the first run wrote {fills:.2g} user capacities before its compared rounds, "
        f"and below {LEAST_FILLS:g} the drive may still have been fresh"
    )


def judge_repetition(interval: RatioInterval, doubts: Sequence[str] = ()) -> Repetition:
    """Tell whether a repetition differs from the first time because of the order.

    It differs if 1 is outside the interval and the ratio more than
    `ALIKE_RATIO` away from 1; it is similar if the whole interval is within that.
    In all other cases, and where there is any doubt, it is unknown.

    >>> judge_repetition(RatioInterval(ratio=0.7, low=0.65, high=0.75))
    'lower'
    >>> judge_repetition(RatioInterval(ratio=0.98, low=0.97, high=0.99))
    'similar'
    """
    low, high = interval.low, interval.high
    if doubts:
        return "unknown"
    if high < 1 and interval.ratio < 1 - ALIKE_RATIO:
        return "lower"
    if low > 1 and interval.ratio > 1 + ALIKE_RATIO:
        return "higher"
    if low >= 1 - ALIKE_RATIO and high <= 1 + ALIKE_RATIO:
        return "similar"
    return "unknown"


def repetition_text(
    interval: RatioInterval, *, stimulus: str, doubts: Sequence[str] = ()
) -> str:
    """Describe whether the second run of a stimulus differs from its first.

    >>> found = RatioInterval(ratio=0.7, low=0.65, high=0.75)
    >>> repetition_text(found, stimulus="SEQ 128 KiB 0/100")
    'The second run of SEQ 128 KiB 0/100 is lower than the first, by 30.0 %.'
    """
    if doubts:
        return f"The effect of the order on {stimulus} is unknown: {'; '.join(doubts)}."
    change = _change_text(interval)
    words = {
        "lower": f"is lower than the first, by {change}",
        "higher": f"is higher than the first, by {change}",
        "similar": f"matches the first: the means differ by {change}",
        "unknown": "can be called neither different from the first nor equal: its "
        "rounds scatter too much, or are too few",
    }[judge_repetition(interval)]
    return f"The second run of {stimulus} {words}."


def _change_text(interval: RatioInterval) -> str:
    """Return how far a ratio is off 1, as exact as its interval is."""
    half = (interval.high - interval.low) / 2 * 100
    decimals = 1 - math.floor(math.log10(half)) if half > 0 else 1
    return f"{abs(interval.ratio - 1) * 100:.{min(max(0, decimals), 2)}f} %"


def _as_values(values: npt.ArrayLike) -> npt.NDArray[np.float64] | None:
    """Return values that a ratio can be made of, or nothing."""
    series = np.asarray(values, dtype=np.float64)
    if len(series) < 2 or not (np.isfinite(series).all() and (series > 0).all()):
        return None
    return series


def _student(confidence_percent: float, freedom: float) -> float:
    """Return the quantile of Student's t for a two-sided interval."""
    from ssdlab.stats.special import stdtrit  # noqa: PLC0415 - loads scipy

    return float(stdtrit(freedom, 0.5 + confidence_percent / 200))
