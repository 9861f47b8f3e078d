"""Response time histograms of runs side by side, and whether they are comparable."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

from ssdlab.analysis.confidence import summarise_confidence
from ssdlab.analysis.support_mark import UNSUPPORTED_NOTE, mark_unsupported
from ssdlab.figures.labels import number_text
from ssdlab.model.spec import stimulus_label
from ssdlab.report.blocks import Table
from ssdlab.report.context import Context
from ssdlab.report.text import NOT_MEASURED, is_missing

HISTOGRAM_TESTS = ("lat", "wsat")

_LEVELS = ("average", "99 %", "99.9 %", "99.99 %", "99.999 %", "max")
_TIME_TOLERANCE = 0.05


@dataclass(frozen=True, kw_only=True)
class ClassHistogram:
    """The histogram run of a test: its levels, and what it was taken with.

    ``stimulus`` and ``workers`` (TC/QD) are words, empty where they are not known;
    ``seconds`` is NaN then.
    """

    levels: pd.DataFrame
    total_ios: int
    stimulus: str
    workers: str
    seconds: float

    @property
    def seconds_text(self) -> str:
        """Its time [s], or that it is not known."""
        if math.isnan(self.seconds):
            return NOT_MEASURED
        whole = self.seconds >= 100
        return f"{self.seconds:,.0f}" if whole else f"{self.seconds:.3g}"

    @property
    def words(self) -> str:
        """What it was taken with, such as ``RND 4 KiB 0/100, T1/Q1, 1,200 s``."""
        stimulus = self.stimulus or "stimulus not known"
        time = (
            "time not known" if math.isnan(self.seconds) else f"{self.seconds_text} s"
        )
        return f"{stimulus}, {self.workers or 'TC/QD not known'}, {time}"


def read_class_histograms(context: Context) -> dict[str, ClassHistogram]:
    """Return the histograms of a run by test; a test without one has none."""
    totals = context.totals
    found = {}
    for test in HISTOGRAM_TESTS:
        levels = summarise_confidence(context.bins, totals, test=test)
        if levels.empty:
            continue
        steps = totals[(totals["kind"] == "histogram") & (totals["test"] == test)]
        found[test] = ClassHistogram(
            levels=levels,
            total_ios=int(steps["total_ios"].sum()),
            stimulus=_together(_stimuli(steps)),
            workers=_together(_workers(steps)),
            seconds=float(steps["runtime_s"].astype(float).sum(skipna=False)),
        )
    return found


def _together(texts: Iterable[str]) -> str:
    """Return different texts as one; empty where one of them is not known."""
    found = list(dict.fromkeys(texts))
    return ", ".join(found) if all(found) else ""


def _stimuli(steps: pd.DataFrame) -> Iterator[str]:
    for _, row in steps.iterrows():
        if is_missing(row["read_percent"]):
            yield ""
            continue
        size = row["block_size_bytes"]
        size_bytes = 0 if is_missing(size) else int(size)
        yield stimulus_label(str(row["access"]), size_bytes, int(row["read_percent"]))


def _workers(steps: pd.DataFrame) -> Iterator[str]:
    for _, row in steps.iterrows():
        pair = (row["threads"], row["queue_depth"])
        is_known = not any(is_missing(part) or int(part) == 0 for part in pair)
        yield f"T{int(pair[0])}/Q{int(pair[1])}" if is_known else ""


def find_histogram_differences(histograms: Iterable[ClassHistogram]) -> tuple[str, ...]:
    """Return in what histograms differ, so that their levels cannot be compared.

    Parameters
    ----------
    histograms : iterable of ClassHistogram
        Those of several runs.

    Returns
    -------
    tuple of str
        Of stimulus, TC/QD and seconds those that differ; what is not known does.
    """
    found = list(histograms)
    if len(found) < 2:
        return ()
    stimuli = {one.stimulus for one in found}
    workers = {one.workers for one in found}
    seconds = [one.seconds for one in found]
    differs = {
        "stimulus": len(stimuli) > 1 or "" in stimuli,
        "TC/QD": len(workers) > 1 or "" in workers,
        "seconds": not max(seconds) <= min(seconds) * (1 + _TIME_TOLERANCE)
        or any(math.isnan(one) for one in seconds),
    }
    return tuple(name for name, is_other in differs.items() if is_other)


def levels_table(histograms: Mapping[str, ClassHistogram], test: str) -> Table:
    """Return the confidence levels of the histograms of a test, by name of the run."""
    rows = tuple(
        (
            name,
            one.stimulus or NOT_MEASURED,
            one.workers or NOT_MEASURED,
            one.seconds_text,
            f"{one.total_ios:,}",
            *_level_texts(one.levels),
        )
        for name, one in histograms.items()
    )
    return Table(
        caption=f"Response times of the {test.upper()} histogram [ms], of merged bins",
        corner="Run",
        head=("Stimulus", "TC/QD", "Seconds", "IOs", *_LEVELS),
        rows=rows,
        words=(1,),
        note="Average and max are exact; a level is the middle of a bin, or the max "
        f"where that is less. {UNSUPPORTED_NOTE}",
    )


def _level_texts(levels: pd.DataFrame) -> list[str]:
    known = {str(row["marker"]): row for _, row in levels.iterrows()}
    texts = []
    for name in _LEVELS:
        text = number_text(float(known[name]["lat_ns"]) / 1e6)
        texts.append(mark_unsupported(text, known[name]["is_supported"]))
    return texts
