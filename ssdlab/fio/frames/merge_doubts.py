"""Doubts about merged numbers, in words."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ssdlab.fio.document import LATENCY_KINDS
from ssdlab.fio.frames.pooling import Groups, floats

if TYPE_CHECKING:
    import pandas as pd

_EVERYWHERE = -1


@dataclass(frozen=True, kw_only=True, slots=True)
class GroupDoubt:
    """A doubt about one group, by its number; -1 is all of them."""

    group: int
    kind: str
    meaning: str
    is_grave: bool = True


def doubts_of_parts(
    parts: "pd.DataFrame", groups: Groups, documents: "pd.DataFrame"
) -> Iterator[GroupDoubt]:
    """Yield doubts about the merged rows."""
    for group, number in _marked(groups, _is_cut_short(parts, documents)):
        meaning = f"{number} of its parts are of a truncated document"
        yield GroupDoubt(group=group, kind="cut-short", meaning=meaning)
    for group, number in _marked(groups, floats(parts["error"]) != 0):
        meaning = f"{number} of its parts ended with an error; they are partial"
        yield GroupDoubt(group=group, kind="job-error", meaning=meaning)
    for group, number in _marked(groups, floats(parts["total_errors"]) > 0):
        meaning = f"{number} of its parts have failed IOs, which count in their IOPS"
        yield GroupDoubt(group=group, kind="job-error", meaning=meaning)


def doubts_of_sets(sets_of_group: NDArray[np.int64]) -> Iterator[GroupDoubt]:
    """Yield the groups whose rates were added over several reporting groups."""
    for group in np.flatnonzero(sets_of_group > 1):
        meaning = (
            f"its parts are of {sets_of_group[group]} reporting groups or documents; "
            "their rates were added as if they had run at the same time"
        )
        yield GroupDoubt(group=int(group), kind="groups-added", meaning=meaning)


def doubts_of_times(is_unlike: NDArray[np.bool_]) -> Iterator[GroupDoubt]:
    """Yield the groups whose parts cannot have run at the same time."""
    for group in np.flatnonzero(is_unlike):
        meaning = (
            "its parts ran at different times or durations: their rates have no sum "
            "and are missing; merge them with timing='in turn'"
        )
        yield GroupDoubt(group=int(group), kind="unlike-times", meaning=meaning)


def doubts_of_latency(
    parts: "pd.DataFrame", groups: Groups, merged: Mapping[str, Any]
) -> Iterator[GroupDoubt]:
    """Yield the groups whose latency is missing although some part has one."""
    for kind in LATENCY_KINDS:
        missing = np.isnan(floats(parts[f"{kind}_mean_ns"]))
        lacking = groups.count_where(missing)
        for group in np.flatnonzero((lacking > 0) & (lacking < groups.sizes)):
            meaning = f"{lacking[group]} of {groups.sizes[group]} parts have no {kind}"
            yield GroupDoubt(group=int(group), kind="no-latency", meaning=meaning)
        is_lost = (lacking == 0) & np.isnan(merged[f"{kind}_mean_ns"])
        for group in np.flatnonzero(is_lost):
            meaning = f"the number of IOs of {kind} is unknown, so its mean is missing"
            yield GroupDoubt(group=int(group), kind="no-io-count", meaning=meaning)


def doubts_of_bins(
    groups: Groups,
    *,
    lacking: NDArray[np.int64],
    overlapping: NDArray[np.int64],
    beyond: NDArray[np.int64],
) -> Iterator[GroupDoubt]:
    """Yield the groups without bins, and so without percentiles, and why.

    ``lacking`` has the number of parts without bins by group and kind of latency.
    """
    count = len(LATENCY_KINDS)
    if groups.count and (lacking == groups.sizes[:, None]).all():
        meaning = "no part has bins, so percentiles cannot be merged; json+ has bins"
        yield GroupDoubt(
            group=_EVERYWHERE, kind="no-bins", meaning=meaning, is_grave=False
        )
        return
    is_partly = (lacking > 0) & (lacking < groups.sizes[:, None])
    for group, kind in np.argwhere(is_partly):
        parts, size = lacking[group, kind], groups.sizes[group]
        meaning = f"{parts} of {size} parts have no bins of {LATENCY_KINDS[kind]}"
        yield GroupDoubt(group=int(group), kind="no-bins", meaning=meaning)
    for group in np.flatnonzero((lacking == groups.sizes[:, None]).all(axis=1)):
        meaning = "no part has bins, so there are no percentiles"
        yield GroupDoubt(group=int(group), kind="no-bins", meaning=meaning)
    why = "bins of several layouts, which cannot be added"
    for histograms, meaning in ((overlapping, why), (beyond, "too many IOs to count")):
        for histogram in histograms:
            name = LATENCY_KINDS[histogram % count]
            yield GroupDoubt(
                group=int(histogram) // count,
                kind="bins-lost",
                meaning=f"{name}: {meaning}",
            )


def issues_frame(keys: "pd.DataFrame", doubts: Iterable[GroupDoubt]) -> "pd.DataFrame":
    """Return doubts as a frame: ``place`` names the group by its keys."""
    import pandas as pd  # noqa: PLC0415 - 0.3 s that a fio run need not pay

    rows = [
        (doubt.kind, _place(keys, doubt.group), doubt.meaning, doubt.is_grave)
        for doubt in doubts
    ]
    columns = list(zip(*rows, strict=True)) or [()] * 4
    return pd.DataFrame({
        "kind": pd.Series(columns[0], dtype="str"),
        "place": pd.Series(columns[1], dtype="str"),
        "meaning": pd.Series(columns[2], dtype="str"),
        "is_grave": pd.Series(columns[3], dtype="bool"),
    })


def _place(keys: "pd.DataFrame", group: int) -> str:
    if group == _EVERYWHERE or not keys.columns.size:
        return "everywhere"
    row = keys.iloc[group]
    return ", ".join(f"{name}={row[name]}" for name in keys.columns)


def _marked(groups: Groups, marked: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    numbers = groups.count_where(marked)
    for group in np.flatnonzero(numbers):
        yield int(group), int(numbers[group])


def _is_cut_short(
    parts: "pd.DataFrame", documents: "pd.DataFrame"
) -> NDArray[np.bool_]:
    cut = documents.loc[~documents["is_whole"], ["file", "document"]]
    places = set(cut.itertuples(index=False, name=None))
    if not places:
        return np.zeros(len(parts), np.bool_)
    pairs = zip(parts["file"], parts["document"], strict=True)
    return np.fromiter((pair in places for pair in pairs), np.bool_, len(parts))
