"""True intervals between the documents of one run: ``--status-interval``.

Every number of such a document is cumulative since the start of the job. The difference
of two documents is the measurement of the time between them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ssdlab.fio.document import LATENCY_KINDS
from ssdlab.fio.frames.binframes import (
    KIND_COUNT,
    GroupedBins,
    bins_frame,
    extremes_of_histograms,
    find_parts,
    group_bins,
    histogram_numbers,
    percentiles_frame,
)
from ssdlab.fio.frames.merge_doubts import GroupDoubt, issues_frame
from ssdlab.fio.frames.pooling import (
    Floats,
    Moments,
    floats,
    mean_slack,
    unpool_moments,
    whole_numbers,
)
from ssdlab.fio.measure import DEFAULT_LEVELS

if TYPE_CHECKING:
    import pandas as pd

_SERIES = ("file", "run", "entry", "direction")
_WHOSE = ("is_aggregate", "hostname", "job_name", "group_id")
_KEYS = ("file", "run", "document", "entry", "direction")
_COUNTERS = ("runtime_ms", "total_ios", "short_ios", "dropped_ios", "io_bytes")
_MS_PER_S = 1000.0

_Marks = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class FioIntervals:
    """The intervals of runs, each under the document that ended it.

    ``jobs`` has the columns of `FioResult.jobs` that an interval has, ``run``, and
    ``from_ms`` and ``to_ms``, the runtimes [ms] between which it lies. ``bins`` and
    ``percentiles`` are only of its IOs. The first interval begins at the start. An
    interval that cannot be computed has no numbers, and ``issues`` says why.
    """

    jobs: "pd.DataFrame"
    percentiles: "pd.DataFrame"
    bins: "pd.DataFrame"
    issues: "pd.DataFrame"


def true_intervals(
    jobs: "pd.DataFrame",
    bins: "pd.DataFrame",
    documents: "pd.DataFrame",
    *,
    levels: Sequence[float] = DEFAULT_LEVELS,
) -> FioIntervals:
    """Return the measurement of each interval of a run, from cumulative documents.

    Notes
    -----
    A counter that decreased, as at the end of ``ramp_time``, where fio resets them,
    makes the numbers of that interval missing; the next one is complete.
    """
    rows, before = _in_series(jobs, documents)
    doubts = list(_find_doubts(rows, before))
    is_known = np.ones(len(rows), np.bool_)
    is_known[[doubt.group for doubt in doubts]] = False
    grouped, bin_doubts = _interval_bins(rows, bins, before=before, is_known=is_known)
    keys = rows[list(_KEYS)]
    return FioIntervals(
        jobs=_interval_jobs(rows, before=before, is_known=is_known),
        percentiles=percentiles_frame(
            keys, grouped, levels=levels, extremes=extremes_of_histograms(rows)
        ),
        bins=bins_frame(keys, grouped),
        issues=issues_frame(keys, [*doubts, *bin_doubts]),
    )


def _in_series(
    jobs: "pd.DataFrame", documents: "pd.DataFrame"
) -> tuple["pd.DataFrame", NDArray[np.intp]]:
    """Return the rows, each run's in order, and the previous row of each, or -1."""
    of_run = documents[["file", "run", "form", "is_result", "document"]]
    forms = of_run.loc[of_run["is_result"], ["file", "run", "form"]]
    taken = of_run.drop(columns="is_result").merge(forms, on=["file", "run", "form"])
    is_io = jobs["direction"] != "sync"
    rows = jobs.loc[is_io].merge(
        taken.drop(columns="form"), on=["file", "document"], how="inner"
    )
    rows = rows.sort_values([*_SERIES, "document"], kind="stable", ignore_index=True)
    series = rows.groupby(list(_SERIES), sort=True, dropna=False, observed=True)
    number = series.ngroup().to_numpy()
    is_first = np.diff(number, prepend=-1) != 0
    places = np.arange(len(rows))
    return rows, np.where(is_first, -1, places - 1).astype(np.intp)


def _earlier(values: NDArray[Any], before: NDArray[np.intp]) -> NDArray[Any]:
    """Return the value of the previous row; 0 if there is none."""
    return np.where(before >= 0, values[before], 0)


def _find_doubts(
    rows: "pd.DataFrame", before: NDArray[np.intp]
) -> Iterator[GroupDoubt]:
    """Yield the rows that do not continue the previous row, once each."""
    is_new = (before >= 0) & _is_another_job(rows, before)
    marks: dict[str, _Marks] = {"it is not of the same job as the previous row": is_new}
    for name in _COUNTERS:
        values = floats(rows[name])
        marks[f"{name} decreased"] = values < _earlier(values, before)
    marks["latency began after the first IOs"] = _did_ramp_end(rows, before)
    named = np.zeros(len(rows), np.bool_)
    for why, mark in marks.items():
        for row in np.flatnonzero(mark & ~named):
            meaning = f"{why}: the numbers are not cumulative, and its own are missing"
            yield GroupDoubt(group=int(row), kind="counted-again", meaning=meaning)
        named |= mark


def _is_another_job(rows: "pd.DataFrame", before: NDArray[np.intp]) -> _Marks:
    differs = np.zeros(len(rows), np.bool_)
    for name in ("hostname", "job_name", "group_id"):
        values = rows[name].to_numpy(dtype=object)
        differs |= values != values[before]
    return differs


def _did_ramp_end(rows: "pd.DataFrame", before: NDArray[np.intp]) -> _Marks:
    """Mark rows with latency after one with IOs but none: fio was reset.

    During ``ramp_time`` fio counts IOs without latency, and then discards them.
    """
    has_latency = np.zeros(len(rows), np.bool_)
    for kind in LATENCY_KINDS:
        has_latency |= ~np.isnan(floats(rows[f"{kind}_mean_ns"]))
    has_ios = floats(rows["total_ios"]) > 0
    had_ios_alone = (has_ios & ~has_latency)[before] & (before >= 0)
    return np.asarray(has_latency & had_ios_alone)


def _interval_jobs(
    rows: "pd.DataFrame", *, before: NDArray[np.intp], is_known: _Marks
) -> "pd.DataFrame":
    counts = {
        name: _difference(rows[name], before, is_known=is_known) for name in _COUNTERS
    }
    passed_ms, is_timeless = counts["runtime_ms"]
    seconds = np.where(
        is_timeless | (passed_ms <= 0), np.nan, passed_ms.astype(np.float64) / _MS_PER_S
    )
    to_ms = floats(rows["runtime_ms"])
    columns: dict[str, Any] = {
        "from_ms": _earlier(to_ms, before),
        "to_ms": to_ms,
        **{name: whole_numbers(*pair) for name, pair in counts.items()},
        "iops": _rate(counts["total_ios"], seconds),
        "bw_bytes_per_s": _rate(counts["io_bytes"], seconds),
    }
    for kind in LATENCY_KINDS:
        latency = _latency(rows, kind, before=before)
        for name, values in latency.items():
            columns[name] = np.where(is_known, values, np.nan)
    return rows[[*_KEYS, *_WHOSE]].assign(**columns)


def _difference(
    column: "pd.Series[Any]", before: NDArray[np.intp], *, is_known: _Marks
) -> tuple[NDArray[np.int64], _Marks]:
    missing = column.isna().to_numpy(np.bool_)
    values = column.to_numpy(np.int64, na_value=0)
    is_missing = ~is_known | missing | (missing[before] & (before >= 0))
    return np.where(is_missing, 0, values - _earlier(values, before)), is_missing


def _rate(counted: tuple[NDArray[np.int64], _Marks], seconds: Floats) -> Floats:
    values, missing = counted
    return np.where(missing, np.nan, values / seconds)


def _latency(
    rows: "pd.DataFrame", kind: str, *, before: NDArray[np.intp]
) -> dict[str, Floats]:
    """Return four columns; the mean is missing if outside the range of all IOs."""
    counts = floats(rows["total_ios"])
    whole = Moments(
        counts=counts,
        means=floats(rows[f"{kind}_mean_ns"]),
        stddevs=floats(rows[f"{kind}_stddev_ns"]),
    )
    had_ios = (before >= 0) & (counts[before] != 0)  # or unknown
    first = Moments(
        counts=np.where(had_ios, counts[before], 0),
        means=np.where(had_ios, whole.means[before], 0),
        stddevs=np.where(had_ios, whole.stddevs[before], 0),
    )
    added = unpool_moments(whole, first)
    least, greatest = floats(rows[f"{kind}_min_ns"]), floats(rows[f"{kind}_max_ns"])
    is_there = added.counts >= 1
    is_first = is_there & ~had_ios
    slack = mean_slack(whole, first)
    is_sane = (added.means >= least - slack) & (added.means <= greatest + slack)
    spread = np.where(is_first, whole.stddevs, added.stddevs)
    return {
        f"{kind}_min_ns": np.where(is_first | (least < least[before]), least, np.nan),
        f"{kind}_mean_ns": np.where(
            is_first, whole.means, np.where(is_sane, added.means, np.nan)
        ),
        f"{kind}_stddev_ns": np.where(is_first | is_sane, spread, np.nan),
        f"{kind}_max_ns": np.where(
            is_first | (greatest > greatest[before]), greatest, np.nan
        ),
    }


def _interval_bins(
    rows: "pd.DataFrame",
    bins: "pd.DataFrame",
    *,
    before: NDArray[np.intp],
    is_known: _Marks,
) -> tuple[GroupedBins, list[GroupDoubt]]:
    """Return the bins of each interval: those of its row minus the previous row's.

    The bins of a row are subtracted from the row after it, the next in order.
    """
    import pandas as pd  # noqa: PLC0415 - 0.3 s that a fio run need not pay

    row = find_parts(bins, rows)
    bins, row = bins.loc[row >= 0], row[row >= 0]
    has_next = np.append(before[1:] >= 0, np.zeros(min(len(rows), 1), np.bool_))[row]
    signs = np.repeat([1, -1], [len(row), int(has_next.sum())])
    grouped, beyond = group_bins(
        pd.concat([bins, bins.loc[has_next]], ignore_index=True),
        np.concatenate([
            histogram_numbers(bins, row),
            histogram_numbers(bins.loc[has_next], row[has_next] + 1),
        ]),
        signs=signs,
    )
    lost = np.union1d(grouped.histogram[grouped.counts < 0], beyond)
    unknown = np.flatnonzero(~is_known)[:, None] * KIND_COUNT + np.arange(KIND_COUNT)
    doubts = [
        GroupDoubt(
            group=int(histogram) // KIND_COUNT,
            kind="bins-lost",
            meaning=f"a bin of {LATENCY_KINDS[histogram % KIND_COUNT]} decreased",
        )
        for histogram in np.setdiff1d(lost, unknown)
    ]
    kept = grouped.without(np.union1d(lost, unknown.ravel()))
    return kept.where(kept.counts > 0), doubts
