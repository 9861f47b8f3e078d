"""Response time histograms of runs side by side, and whether they are comparable."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import pandas as pd

from ssdlab.model.spec import stimulus_label
from ssdlab.paper.context import Context
from ssdlab.qos.confidence import summarise_confidence
from ssdlab.text.numbers import NOT_MEASURED, number_text
from ssdlab.text.quantities import is_missing
from ssdlab.text.table import (
    UNSUPPORTED_NOTE,
    Table,
    column,
    mark_unsupported,
    tabulate,
)

HISTOGRAM_TESTS = ("lat", "wsat")

_LEVELS = ("average", "99 %", "99.9 %", "99.99 %", "99.999 %", "max")
_TIME_TOLERANCE = 0.05


@dataclass(frozen=True, kw_only=True)
class ClassHistogram:
    """The histogram run of a test: its levels, and its conditions.

    ``stimulus`` and ``workers`` (TC/QD) are words, empty where they are not known;
    ``seconds`` is NaN then.
    """

    levels: pd.DataFrame
    total_ios: int
    stimulus: str
    workers: str
    seconds: float

    @property
    def iops(self) -> float:
        """How many IOs it did per second; NaN where its time is not known."""
        return self.total_ios / self.seconds if self.seconds > 0 else math.nan

    @property
    def seconds_text(self) -> str:
        """Its time [s], or that it is not known."""
        if math.isnan(self.seconds):
            return NOT_MEASURED
        whole = self.seconds >= 100
        return f"{self.seconds:,.0f}" if whole else f"{self.seconds:.3g}"

    @property
    def words(self) -> str:
        """Its conditions, such as ``RND 4 KiB 0/100, T1/Q1, 1,200 s``."""
        stimulus = self.stimulus or "stimulus not known"
        time = (
            "time not known" if math.isnan(self.seconds) else f"{self.seconds_text} s"
        )
        return f"{stimulus}, {self.workers or 'TC/QD not known'}, {time}"


def read_class_histograms(context: Context) -> dict[str, ClassHistogram]:
    """Return the histograms of a run by test; a test without one has none."""
    found = {}
    for test in HISTOGRAM_TESTS:
        own = context.of_test(test)
        levels = summarise_confidence(own.bins, own.totals, test=test)
        if levels.empty:
            continue
        steps = own.totals[own.totals["kind"] == "histogram"]
        found[test] = ClassHistogram(
            levels=levels,
            total_ios=int(steps["total_ios"].sum()),
            stimulus=_together(_stimuli(steps)),
            workers=_together(_workers(steps)),
            seconds=float(steps["runtime_s"].astype(float).sum(skipna=False)),
        )
    return found


def _together(texts: Iterable[str]) -> str:
    """Return different texts as one; empty if any is unknown."""
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
    """Return the conditions in which histograms differ, which bars a comparison."""
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
    return tabulate(
        histograms.items(),
        (
            column("Run", lambda pair: pair[0]),
            column("Stimulus", lambda pair: pair[1].stimulus or None, is_words=True),
            column("TC/QD", lambda pair: pair[1].workers or None),
            column("Seconds", lambda pair: pair[1].seconds_text),
            column("IOs", lambda pair: f"{pair[1].total_ios:,}"),
            *(
                column(head, partial(_level_text, name=name))
                for head, name in zip(
                    ("ART", *_LEVELS[1:-1], "MRT"), _LEVELS, strict=True
                )
            ),
        ),
        caption=f"Response times of the {test.upper()} histogram [ms], merged bins",
        note="ART and MRT, average and maximum, are exact; a level is the middle of a "
        f"bin, or the MRT if less. {UNSUPPORTED_NOTE}",
    )


def _level_text(pair: tuple[str, ClassHistogram], *, name: str) -> str:
    levels = pair[1].levels
    known = levels[levels["marker"] == name].iloc[0]
    text = number_text(float(known["lat_ns"]) / 1e6)
    return mark_unsupported(text, known["is_supported"])
