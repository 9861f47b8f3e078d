"""A load: one workload whose latency histogram was recorded, round after round.

It belongs to one phase of one test, in one direction. Its steps are the rounds of the
measurement window, all rounds, or the one long run of a histogram.
"""

from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from ssdlab.model.spec import label_of_test
from ssdlab.stats.binned import bin_rounds
from ssdlab.stats.latency_kind import LatencyKind
from ssdlab.stats.quantiles import BinnedRounds


@dataclass(frozen=True, kw_only=True, eq=False)
class Load:
    """Steps of one workload, and their histograms.

    Attributes
    ----------
    test, phase, workload, direction : str
        Where it ran and what it is, such as ``RND 4 KiB 0/100 T1/Q1``.
    kind : {"cell", "histogram"}
        Rounds, or the long run of a histogram.
    steps : pandas.DataFrame
        The rows of ``measurements``, oldest first, one per step.
    bins : pandas.DataFrame
        The rows of ``bins`` of these steps and this direction, by ascending latency.
    note : str
        Why these rounds were chosen; empty if they are those of the window.
    latency : {"lat", "clat"}
        The latency in the histogram, and of the means and maxima in ``steps``.
    """

    test: str
    phase: str
    workload: str
    direction: str
    kind: str
    steps: pd.DataFrame
    bins: pd.DataFrame
    note: str = ""
    latency: LatencyKind = "lat"

    @property
    def label(self) -> str:
        """Test, phase and workload in one line."""
        side = "" if self.direction == "total" else f", {self.direction}s"
        return f"{label_of_test(self.test)} {self.phase}, {self.workload}{side}"

    @property
    def what(self) -> str:
        """Whether it consists of rounds or of one run."""
        return what_text(self.kind, len(self.steps))

    @cached_property
    def binned(self) -> BinnedRounds:
        """The counts as arrays, as `bin_rounds` returns them: one row per step."""
        return bin_rounds(self.steps, self.bins)

    @property
    def greatest_ns(self) -> float:
        """The greatest latency that was recorded [ns]; NaN if none was."""
        return float(self.steps["lat_max_ns"].astype(float).max())

    @property
    def is_censored(self) -> bool:
        """Whether the greatest latency lies beyond the end of the greatest bin."""
        return bool(self.greatest_ns > float(self.bins["lat_upper_ns"].max()))


def what_text(kind: str, count: int) -> str:
    """Return a number of steps of a kind in words.

    >>> what_text("cell", 5), what_text("histogram", 1)
    ('5 rounds', 'one long run')
    """
    what = "long run" if kind == "histogram" else "round"
    return f"one {what}" if count == 1 else f"{count} {what}s"
