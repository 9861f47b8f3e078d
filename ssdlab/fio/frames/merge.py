"""Merge measurements of fio over jobs, directions, rounds, hosts or files.

IOs and bytes add; a mean is weighted by IOs, a standard deviation is pooled, bins
add and percentiles come from them. Rates add only over parts that ran at the same time;
parts that ran in turn have the mean rate over time. A number that one of the parts
lacks is missing in their sum.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ssdlab.fio.document import LATENCY_KINDS
from ssdlab.fio.frames.binframes import (
    KIND_COUNT,
    GroupedBins,
    bins_frame,
    extremes_of_histograms,
    find_overlaps,
    find_parts,
    group_bins,
    histogram_numbers,
    percentiles_frame,
)
from ssdlab.fio.frames.merge_doubts import (
    GroupDoubt,
    doubts_of_bins,
    doubts_of_latency,
    doubts_of_parts,
    doubts_of_sets,
    doubts_of_times,
    issues_frame,
)
from ssdlab.fio.frames.pooling import (
    Groups,
    Moments,
    add_counts,
    floats,
    pool_moments,
    whole_numbers,
)
from ssdlab.fio.measure import DEFAULT_LEVELS

if TYPE_CHECKING:
    import pandas as pd

Timing = Literal["together", "in turn"]

_RAN_TOGETHER = ("file", "document", "group_id")
_COUNTS = ("total_ios", "short_ios", "dropped_ios", "io_bytes")
_RATES = ("iops", "bw_bytes_per_s")
_LATENCY_COLUMNS = tuple(
    f"{kind}_{what}_ns"
    for kind in LATENCY_KINDS
    for what in ("min", "mean", "stddev", "max")
)
_EXACT = 2.0**53
_MS_PER_S = 1000.0
_UNLIKE_RATIO = 1.05
_UNLIKE_MS = 500.0
_STAMP_SLACK_S = 1.0  # some versions of fio give whole seconds


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class MergedFio:
    """Merged results, one row of ``jobs`` per group; each frame begins with its keys.

    ``jobs`` has ``parts``, the number of rows that were merged, then the columns of
    `FioResult.jobs` that can be merged. ``percentiles`` and ``bins`` are those of
    `FioResult`, with ``is_supported`` if there are enough IOs for a level.
    ``issues`` names every group whose numbers are in doubt, and why.
    """

    jobs: "pd.DataFrame"
    percentiles: "pd.DataFrame"
    bins: "pd.DataFrame"
    issues: "pd.DataFrame"


def merge_jobs(
    jobs: "pd.DataFrame",
    bins: "pd.DataFrame",
    documents: "pd.DataFrame",
    *,
    by: Sequence[str],
    timing: Timing,
    levels: Sequence[float] = DEFAULT_LEVELS,
) -> MergedFio:
    """Merge rows of ``jobs`` that agree in some columns.

    Notes
    -----
    The number of IOs of a latency is taken to be ``total_ios``.
    """
    parts = _parts(jobs, _require_keys(by, jobs))
    groups, keys = _groups(parts, by)
    latencies = _latencies(parts, groups)
    grouped, bin_doubts = _merge_bins(parts, bins, groups)
    doubts = [
        *doubts_of_parts(parts, groups, documents),
        *doubts_of_latency(parts, groups, latencies),
    ]
    sums = dict(_sums(parts, groups, timing=timing))
    if timing == "together":
        _, of_sets = _sets(parts, groups)
        doubts += doubts_of_sets(of_sets.sizes)
        is_unlike = _differ_in_time(parts, groups, documents)
        sums |= {name: np.where(is_unlike, np.nan, sums[name]) for name in _RATES}
        doubts += doubts_of_times(is_unlike)
    return MergedFio(
        jobs=keys.assign(parts=groups.sizes, **sums, **latencies),
        percentiles=percentiles_frame(
            keys, grouped, levels=levels, extremes=extremes_of_histograms(latencies)
        ),
        bins=bins_frame(keys, grouped),
        issues=issues_frame(keys, [*doubts, *bin_doubts]),
    )


def _require_keys(by: Sequence[str], jobs: "pd.DataFrame") -> Sequence[str]:
    numbers = {"parts", "runtime_ms", *_COUNTS, *_RATES, *_LATENCY_COLUMNS}
    for name in by:
        if name not in jobs.columns or name in numbers:
            msg = f"jobs cannot be merged by {name!r}, which is not a key column"
            raise ValueError(msg)
    return by


def _parts(jobs: "pd.DataFrame", by: Sequence[str]) -> "pd.DataFrame":
    """Return the rows with IOs of their own, each IO once."""
    signs = [floats(jobs[name]) > 0 for name in ("total_ios", "io_bytes", "iops")]
    keep = np.logical_or.reduce(signs) & jobs["is_result"].to_numpy(np.bool_)
    keep &= ~jobs["is_aggregate"].to_numpy(np.bool_)
    if "direction" not in by:
        keep &= (jobs["direction"] != "sync").to_numpy(np.bool_)
    kept: pd.DataFrame = jobs.loc[keep].reset_index(drop=True)
    return kept


def _groups(parts: "pd.DataFrame", by: Sequence[str]) -> tuple[Groups, "pd.DataFrame"]:
    """Return the group of each part, and the keys of each group."""
    if not by:
        count = min(len(parts), 1)
        codes = np.zeros(len(parts), np.intp)
    else:
        codes = _numbers(parts, by)
        count = int(codes.max(initial=-1)) + 1
    first = np.zeros(count, np.intp)
    first[codes[::-1]] = np.arange(len(parts))[::-1]
    keys = parts[list(by)].take(first).reset_index(drop=True)
    return Groups(codes=codes, count=count), keys


def _numbers(rows: "pd.DataFrame", by: Sequence[str]) -> NDArray[np.intp]:
    grouped = rows.groupby(list(by), sort=True, dropna=False, observed=True)
    return np.asarray(grouped.ngroup().to_numpy(), np.intp)


def _sets(parts: "pd.DataFrame", groups: Groups) -> tuple[Groups, Groups]:
    """Return the set of each part that ran together, and the group of each set."""
    marked = parts[list(_RAN_TOGETHER)].assign(merged=groups.codes)
    codes = _numbers(marked, ["merged", *_RAN_TOGETHER])
    count = int(codes.max(initial=-1)) + 1
    group_of_set = np.zeros(count, np.intp)
    group_of_set[codes] = groups.codes
    sets = Groups(codes=codes, count=count)
    return sets, Groups(codes=group_of_set, count=groups.count)


def _sums(
    parts: "pd.DataFrame", groups: Groups, *, timing: Timing
) -> Mapping[str, Any]:
    """Return the columns of counts, time and rates."""
    columns = {name: add_counts(parts[name], groups) for name in _COUNTS}
    runtime_ms = floats(parts["runtime_ms"])
    if timing == "together":
        longest = groups.greatest(runtime_ms)
        rates = {name: groups.sum(floats(parts[name])) for name in _RATES}
        return columns | {"runtime_ms": _whole(longest)} | rates
    sets, of_sets = _sets(parts, groups)
    set_ms = sets.greatest(runtime_ms)
    total_ms = of_sets.sum(set_ms)
    columns["runtime_ms"] = _whole(total_ms)
    for name in _RATES:
        rates_of_sets = sets.sum(floats(parts[name]))
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = of_sets.sum(rates_of_sets * set_ms) / total_ms
        is_alone = of_sets.sizes == 1
        columns[name] = np.where(is_alone, of_sets.sum(rates_of_sets), mean)
    return columns


def _differ_in_time(
    parts: "pd.DataFrame", groups: Groups, documents: "pd.DataFrame"
) -> NDArray[np.bool_]:
    """Mark groups whose sets ran at different times or for different durations.

    A rate over ten seconds and one over sixty have no sum.
    """
    sets, of_sets = _sets(parts, groups)
    ran_ms = sets.greatest(floats(parts["runtime_ms"]))
    shortest_ms, longest_ms = of_sets.least(ran_ms), of_sets.greatest(ran_ms)
    is_unlike = longest_ms > shortest_ms * _UNLIKE_RATIO + _UNLIKE_MS
    said = documents.set_index(["file", "document"])["timestamp_s"]
    places = [*zip(parts["file"], parts["document"], strict=True)]
    ended_s = sets.greatest(floats(said.reindex(places)))
    began_s = ended_s - ran_ms / _MS_PER_S
    is_apart = of_sets.greatest(began_s) > of_sets.least(ended_s) + _STAMP_SLACK_S
    several: NDArray[np.bool_] = of_sets.sizes > 1
    return np.asarray(several & (is_unlike | is_apart))


def _whole(values: NDArray[np.float64]) -> Any:
    is_known = np.abs(values) < _EXACT
    return whole_numbers(np.where(is_known, values, 0).astype(np.int64), ~is_known)


def _latencies(
    parts: "pd.DataFrame", groups: Groups
) -> Mapping[str, NDArray[np.float64]]:
    """Return four columns for each kind of latency."""
    counts = floats(parts["total_ios"])
    columns: dict[str, NDArray[np.float64]] = {}
    for kind in LATENCY_KINDS:
        moments = Moments(
            counts=counts,
            means=floats(parts[f"{kind}_mean_ns"]),
            stddevs=floats(parts[f"{kind}_stddev_ns"]),
        )
        pooled = pool_moments(moments, groups)
        columns |= {
            f"{kind}_min_ns": groups.least(floats(parts[f"{kind}_min_ns"])),
            f"{kind}_mean_ns": pooled.means,
            f"{kind}_stddev_ns": pooled.stddevs,
            f"{kind}_max_ns": groups.greatest(floats(parts[f"{kind}_max_ns"])),
        }
    return columns


def _merge_bins(
    parts: "pd.DataFrame", bins: "pd.DataFrame", groups: Groups
) -> tuple[GroupedBins, list[GroupDoubt]]:
    """Return the bins of groups in which all parts have bins."""
    part = find_parts(bins, parts)
    bins, part = bins[part >= 0], part[part >= 0]
    histograms = histogram_numbers(bins, groups.codes[part])
    grouped, beyond = group_bins(bins, histograms)
    with_bins = np.unique(histogram_numbers(bins, part))
    lacking = groups.sizes[:, None] - np.bincount(
        groups.codes[with_bins // KIND_COUNT] * KIND_COUNT + with_bins % KIND_COUNT,
        minlength=groups.count * KIND_COUNT,
    ).reshape(groups.count, KIND_COUNT)
    overlapping = find_overlaps(grouped)
    lost = np.concatenate([np.flatnonzero(lacking.ravel() > 0), overlapping])
    doubts = doubts_of_bins(
        groups, lacking=lacking, overlapping=overlapping, beyond=beyond
    )
    return grouped.without(lost), list(doubts)
