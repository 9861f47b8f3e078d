"""The key results of a test: the few numbers that a reader looks for first."""

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

import pandas as pd

from ssdlab.model.spec import is_saturation
from ssdlab.model.units import KIB, block_size_label
from ssdlab.paper.context import Context, is_of_phase
from ssdlab.pts.shared.phases import WDPC
from ssdlab.stats.binned import bin_rounds
from ssdlab.stats.claims import claim_of_level
from ssdlab.stats.interval import Interval
from ssdlab.stats.matrix import select_window
from ssdlab.stats.phases import range_name
from ssdlab.stats.trend import (
    estimate_nonnegative_mean,
    expect_round,
    open_interval,
)
from ssdlab.text.numbers import metric_text, workers_text
from ssdlab.text.quantities import is_missing

_USUAL_SIZE = 4 * KIB
_FEWEST_FOR_INTERVAL = 3
_TAIL_PERCENT, _TAIL = 99.9, "lat_p999_ns"
_LATENCIES = {"lat_mean_ns": "Latency", _TAIL: "p99.9 latency"}
_ACCESS = {"rnd": "random", "seq": "sequential"}
_DIRECTION = {0: "write", 100: "read"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Headline:
    """One key result of a test, under one load.

    ``value`` and the 95 % interval from ``low`` to ``high`` are in the stored unit of
    ``metric``; an end of None is unknown or unbounded. ``fresh`` is the first round on
    a purged drive, and ``is_change_shown`` whether it lies where no round of the window
    is expected, with 95 % confidence. ``series`` has all rounds of the load.
    ``is_steady`` is None where no steady state was judged.
    """

    test: str
    metric: str
    access: str
    block_size_bytes: int | None
    read_percent: int | None
    threads: int | None
    queue_depth: int | None
    value: float
    low: float | None = None
    high: float | None = None
    part: str = ""
    rounds: tuple[int, int] | None = None
    is_steady: bool | None = None
    fresh: float | None = None
    is_change_shown: bool = False
    series: tuple[float, ...] = ()

    @property
    def name(self) -> str:
        """What was measured, such as ``Random write`` or ``Latency, random read``."""
        mix = self.read_percent
        share = "" if mix is None else _DIRECTION.get(mix, f"{mix}/{100 - mix}")
        load = (
            " ".join(filter(None, (_ACCESS.get(self.access, ""), share))) or "all IOs"
        )
        if self.metric.startswith("lat_"):
            return f"{_LATENCIES[self.metric]}, {load}"
        return load.capitalize()

    @property
    def load(self) -> str:
        """Its block size and outstanding IOs, such as ``4 KiB T2/Q16``."""
        size = self.block_size_bytes
        label = "mixed sizes" if size is None else block_size_label(size)
        workers = workers_text(self.threads, self.queue_depth)
        return " ".join(filter(None, (label, workers, self.part)))

    def as_dict(self) -> dict[str, Any]:
        """Return its facts in stored units, and its names."""
        return {**asdict(self), "name": self.name, "load": self.load}

    @property
    def value_text(self) -> str:
        """The value with its unit."""
        return metric_text(self.value, self.metric)

    @property
    def interval_text(self) -> str:
        """The interval, with its unit if that is not the value's; empty if unknown."""
        texts = [
            metric_text(end, self.metric) if end is not None else ""
            for end in (self.low, self.high)
        ]
        unit = self.value_text.rpartition(" ")[2]
        if all(not text or text.endswith(f" {unit}") for text in texts):
            texts = [text.removesuffix(f" {unit}") for text in texts]
        low, high = texts
        if low and high:
            return f"{low} to {high}"
        return f"at least {low}" if low else f"at most {high}" if high else ""

    @property
    def change_ratio(self) -> float | None:
        """The change from fresh to steady, as a ratio of the fresh value."""
        return (self.value - self.fresh) / self.fresh if self.fresh else None


def window_headlines(context: Context, test: str) -> Iterator[Headline]:
    """Yield the tracking variables of a test; those of its preconditioning are none."""
    rows = select_window(context.totals, context.windows, test)
    for window in context.final_windows(test):
        if window.phase != WDPC:
            own = rows[(rows["phase"] == window.phase) & (rows["cell"] == window.cell)]
            yield from cell_headline(context, own, window.metric)


def matrix_headlines(context: Context, test: str, *, metric: str) -> Iterator[Headline]:
    """Yield reads and writes of 4 KiB, or else of the smallest block size."""
    rows = _first_group(context, test)
    for mix in (100, 0):
        yield from cell_headline(context, _usual_cell(rows, mix), metric)


def largest_headlines(
    context: Context, test: str, *, metric: str
) -> Iterator[Headline]:
    """Yield reads and writes of the largest block size, which has its own phase."""
    rows = select_window(context.totals, context.windows, test)
    for mix in (100, 0):
        cells = rows[rows["read_percent"] == mix]
        sizes = cells["block_size_bytes"]
        yield from cell_headline(context, cells[sizes == sizes.max()], metric)


def latency_headlines(context: Context, test: str) -> Iterator[Headline]:
    """Yield average latencies of reads and writes, and 99.9 % of the writes."""
    yield from matrix_headlines(context, test, metric="lat_mean_ns")
    own = _usual_cell(_first_group(context, test), 0)
    bins = context.bins[
        (context.bins["direction"] == "total")
        & (context.bins["count"] > 0)
        & context.bins["step_id"].isin(own["step_id"])
    ]
    held = own[own["step_id"].isin(bins["step_id"])]
    if len(held):
        claim = claim_of_level(bin_rounds(held, bins), _TAIL_PERCENT)
        yield _of_rows(context, held, metric=_TAIL, found=claim.interval)


def _first_group(context: Context, test: str) -> pd.DataFrame:
    """Return the window of a test in its first active range."""
    rows = select_window(context.totals, context.windows, test)
    return rows[is_of_phase(rows["phase"], context.round_groups(test)[0])]


def _usual_cell(rows: pd.DataFrame, mix: int) -> pd.DataFrame:
    """Return the rounds of a R/W mix at 4 KiB, or else the smallest block size."""
    cells = rows[rows["read_percent"] == mix]
    sizes = cells["block_size_bytes"]
    size = _USUAL_SIZE if (sizes == _USUAL_SIZE).any() else sizes.min()
    return cells[sizes == size]


def cell_headline(
    context: Context, rows: pd.DataFrame, metric: str
) -> Iterator[Headline]:
    """Yield the mean of a cell over its window, if it was measured."""
    values = rows[metric].astype(float)
    by_round = values[rows["kind"] != "mean"].dropna()
    value = (by_round if len(by_round) else values).mean()
    if math.isnan(value):
        return
    has_interval = len(by_round) >= _FEWEST_FOR_INTERVAL
    found = open_interval(value)
    if has_interval:
        found = estimate_nonnegative_mean(by_round.to_numpy())
    line = _of_rows(context, rows, metric=metric, found=found)
    if has_interval and line.fresh is not None:
        expected = expect_round(by_round.to_numpy())
        is_shown = not expected.low <= line.fresh <= expected.high
        line = replace(line, is_change_shown=is_shown)
    yield line


def _of_rows(
    context: Context, rows: pd.DataFrame, *, metric: str, found: Interval
) -> Headline:
    cell = rows.iloc[0]
    test, phase = str(cell["test"]), str(cell["phase"])
    judged = context.final_windows(test, phase)
    rounds = rows["round"].dropna().astype(int)
    of_all = context.totals
    known = of_all[
        (of_all["test"] == test)
        & (of_all["phase"] == phase)
        & (of_all["kind"] == "cell")
        & (of_all["cell"] == cell["cell"])
    ].sort_values("round")
    series = known[metric].astype(float).dropna() if metric in known else pd.Series()
    is_fresh = is_saturation(test) and context.is_first(test, phase)
    has_first = is_fresh and len(series) and bool((known["round"] == 1).any())
    return Headline(
        test=test,
        metric=metric,
        access=str(cell["access"]),
        block_size_bytes=_whole(cell["block_size_bytes"]),
        read_percent=_whole(cell["read_percent"]),
        threads=_whole(cell["threads"]),
        queue_depth=_whole(cell["queue_depth"]),
        value=float(found.estimate),
        low=found.low if math.isfinite(found.low) else None,
        high=found.high if math.isfinite(found.high) else None,
        part="saturated" if is_saturation(test) else range_name(phase),
        rounds=(int(rounds.min()), int(rounds.max())) if len(rounds) else None,
        is_steady=all(one.is_round_steady for one in judged) if judged else None,
        fresh=float(series.iloc[0]) if has_first else None,
        series=tuple(series),
    )


def _whole(value: object) -> int | None:
    return None if is_missing(value) else int(str(value).partition(".")[0])
