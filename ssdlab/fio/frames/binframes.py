"""Operations on the bins of many histograms: add, subtract, find percentiles.

The number of a histogram is its group times three plus the kind of latency; the
functions here sort by it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ssdlab.fio.document import LATENCY_KINDS
from ssdlab.stats.latency import hold_within, is_supported, percentile_places

if TYPE_CHECKING:
    import pandas as pd

PART_KEYS = ("file", "document", "entry", "direction")
KIND_COUNT = len(LATENCY_KINDS)

_Integers = NDArray[np.int64]
_INT64_END = 2.0**63


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class GroupedBins:
    """The bins of many histograms, sorted by histogram and latency, each once."""

    histogram: _Integers
    lat_ns: _Integers
    lower_ns: _Integers
    upper_ns: _Integers
    counts: _Integers
    is_censored: NDArray[np.bool_]

    def without(self, histograms: _Integers) -> "GroupedBins":
        """Return the bins of the other histograms."""
        return self.where(~np.isin(self.histogram, histograms))

    def where(self, keep: NDArray[np.bool_]) -> "GroupedBins":
        """Return the bins that are marked."""
        return GroupedBins(
            histogram=self.histogram[keep],
            lat_ns=self.lat_ns[keep],
            lower_ns=self.lower_ns[keep],
            upper_ns=self.upper_ns[keep],
            counts=self.counts[keep],
            is_censored=self.is_censored[keep],
        )


def find_parts(rows: "pd.DataFrame", parts: "pd.DataFrame") -> NDArray[np.intp]:
    """Return the index in ``parts`` of each row's part, or -1.

    Both frames have the columns `PART_KEYS`; no part appears twice.
    """
    if not len(parts):
        return np.full(len(rows), -1, np.intp)
    coded = [_codes(rows[name], parts[name]) for name in PART_KEYS]
    row_codes = [in_rows for in_rows, _ in coded]
    part_codes = [in_parts for _, in_parts in coded]
    shape = [int(codes.max()) + 1 for codes in part_codes]
    known = np.ravel_multi_index(part_codes, shape)
    order = np.argsort(known, kind="stable")
    is_there = np.logical_and.reduce([codes >= 0 for codes in row_codes])
    wanted = np.ravel_multi_index(
        [np.where(is_there, codes, 0) for codes in row_codes], shape
    )
    place = np.minimum(np.searchsorted(known[order], wanted), len(parts) - 1)
    found = order[place]
    return np.where(is_there & (known[found] == wanted), found, -1)


def _codes(
    values: "pd.Series[Any]", known: "pd.Series[Any]"
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return both columns as indices in the list of known values; -1 is not in it."""
    import pandas as pd  # noqa: PLC0415 - 0.3 s that a fio run need not pay

    names = pd.Index(known.astype(object).unique())
    in_known = names.get_indexer(pd.Index(known.astype(object)))
    if isinstance(values.dtype, pd.CategoricalDtype):
        categories = names.get_indexer(values.cat.categories.astype(object))
        in_values = np.append(categories, -1)[values.cat.codes.to_numpy(np.intp)]
    else:
        in_values = names.get_indexer(pd.Index(values))
    return in_values, in_known


def histogram_numbers(
    bins: "pd.DataFrame", groups: NDArray[np.integer[Any]]
) -> _Integers:
    """Return the histogram of each row: its group and its kind of latency."""
    kind, _ = _codes(bins["latency"], _kinds())
    return groups.astype(np.int64) * KIND_COUNT + kind


def _kinds() -> "pd.Series[Any]":
    import pandas as pd  # noqa: PLC0415 - as above

    return pd.Series(LATENCY_KINDS, dtype=object)


def group_bins(
    bins: "pd.DataFrame", histograms: _Integers, *, signs: _Integers | int = 1
) -> tuple[GroupedBins, _Integers]:
    """Add bins of the same name in each histogram."""
    lat_ns = bins["lat_ns"].to_numpy(np.int64)
    order = np.lexsort((lat_ns, histograms))
    histograms, lat_ns = histograms[order], lat_ns[order]
    is_new = (np.diff(histograms, prepend=-1) != 0) | (np.diff(lat_ns, prepend=-1) != 0)
    starts = np.flatnonzero(is_new)
    if not starts.size:
        none = np.empty(0, np.int64)
        return GroupedBins(
            **dict.fromkeys(("histogram", "lat_ns", "lower_ns", "upper_ns"), none),
            counts=none,
            is_censored=np.empty(0, np.bool_),
        ), none
    counts = (bins["count"].to_numpy(np.int64) * signs)[order]
    totals = np.bincount(histograms, weights=np.abs(counts.astype(np.float64)))
    beyond = np.flatnonzero(totals >= _INT64_END)
    grouped = GroupedBins(
        histogram=histograms[starts],
        lat_ns=lat_ns[starts],
        lower_ns=np.minimum.reduceat(_column(bins, "lat_lower_ns")[order], starts),
        upper_ns=np.maximum.reduceat(_column(bins, "lat_upper_ns")[order], starts),
        counts=np.add.reduceat(counts, starts),
        is_censored=np.logical_or.reduceat(
            bins["is_censored"].to_numpy(np.bool_)[order], starts
        ),
    )
    return grouped.without(beyond) if beyond.size else grouped, beyond


def _column(bins: "pd.DataFrame", name: str) -> _Integers:
    return bins[name].to_numpy(np.int64)


def find_overlaps(bins: GroupedBins) -> _Integers:
    """Return the histograms whose bins overlap: they have several layouts."""
    is_same = bins.histogram[1:] == bins.histogram[:-1]
    is_twin = (bins.lower_ns[1:] == bins.lower_ns[:-1]) & (
        bins.upper_ns[1:] == bins.upper_ns[:-1]
    )
    overlaps = is_same & ~is_twin & (bins.lower_ns[1:] < bins.upper_ns[:-1])
    return np.unique(bins.histogram[1:][overlaps])


def extremes_of_histograms(
    columns: "Mapping[str, Any] | pd.DataFrame",
) -> NDArray[np.float64]:
    """Return the least and the greatest latency of each histogram [ns]."""
    ends = [
        np.stack(
            [
                np.asarray(columns[f"{kind}_{end}_ns"], np.float64)
                for kind in LATENCY_KINDS
            ],
            axis=1,
        ).ravel()
        for end in ("min", "max")
    ]
    return np.stack(ends, axis=1)


def walk_percentiles(
    bins: GroupedBins, levels: Sequence[float], extremes: NDArray[np.float64]
) -> tuple[_Integers, dict[str, NDArray[Any]]]:
    """Return the percentiles of each histogram at every level, by fio's rule.

    ``extremes`` are from `extremes_of_histograms`; percentiles are clipped to them.
    """
    bins = bins.where(bins.counts > 0)
    starts = np.flatnonzero(np.diff(bins.histogram, prepend=-1))
    ends = np.append(starts[1:], bins.histogram.size)[: starts.size]
    rows = np.empty((starts.size, len(levels)), np.intp)
    supported = np.empty((starts.size, len(levels)), np.bool_)
    for place, (start, end) in enumerate(zip(starts, ends, strict=True)):
        counts = bins.counts[start:end]
        rows[place] = start + percentile_places(counts, levels)
        supported[place] = is_supported(levels, int(counts.sum()))
    at = rows.ravel()
    histograms = np.repeat(bins.histogram[starts], len(levels))
    least, greatest = extremes[histograms].T
    return histograms, {
        "percentile": np.tile(np.asarray(levels, np.float64), starts.size),
        "lat_ns": hold_within(bins.lat_ns[at], (least, greatest)),
        "lat_lower_ns": bins.lower_ns[at].astype(np.float64),
        "lat_upper_ns": bins.upper_ns[at].astype(np.float64),
        "is_censored": bins.is_censored[at],
        "is_supported": supported.ravel(),
    }


def bins_frame(keys: "pd.DataFrame", bins: GroupedBins) -> "pd.DataFrame":
    """Return bins as a frame, under the keys of their groups."""
    return _under(keys, bins.histogram).assign(
        lat_ns=bins.lat_ns,
        lat_lower_ns=bins.lower_ns,
        lat_upper_ns=bins.upper_ns,
        count=bins.counts,
        is_censored=bins.is_censored,
    )


def percentiles_frame(
    keys: "pd.DataFrame",
    bins: GroupedBins,
    *,
    levels: Sequence[float],
    extremes: NDArray[np.float64],
) -> "pd.DataFrame":
    """Return the percentiles of bins as a frame, under the keys of their groups."""
    histograms, columns = walk_percentiles(bins, levels, extremes)
    return _under(keys, histograms).assign(**columns)


def _under(keys: "pd.DataFrame", histograms: _Integers) -> "pd.DataFrame":
    rows = keys.take(histograms // KIND_COUNT).reset_index(drop=True)
    names = np.array(LATENCY_KINDS, dtype=object)[histograms % KIND_COUNT]
    return rows.assign(latency=names).astype({"latency": "str"})
