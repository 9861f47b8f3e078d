"""The interval that is claimed of a percentile: that of rounds, or of independent IOs.

Two intervals stand beside each other. One takes every IO as independent of all
others; it is the least that can be said against a percentile. The other takes rounds
as independent, and lets the IOs of one round be as alike as they are. Where there are
three rounds or more it is the second that is claimed: decision 41.
"""

from dataclasses import dataclass

from ssdlab.analysis.inference.clusters import (
    FEWEST_ROUNDS,
    between_rounds_interval,
    effective_count,
    join_rounds,
)
from ssdlab.analysis.inference.interval import Interval
from ssdlab.analysis.inference.quantiles import BinnedRounds, quantile_interval

BETWEEN_ROUNDS = "between rounds"
INDEPENDENT = "independent IOs"


@dataclass(frozen=True, kw_only=True, slots=True)
class LevelClaim:
    """The interval that is claimed of a percentile, and what it rests on.

    ``count`` is how many independent IOs tell as much; ``alone`` is the interval that
    they would have if they were.
    """

    level: float
    interval: Interval
    alone: Interval
    claimed: str
    count: int
    rounds: int

    @property
    def is_of_rounds(self) -> bool:
        """Whether it is the one between rounds.

        Returns
        -------
        bool
            There were rounds enough.
        """
        return self.claimed == BETWEEN_ROUNDS


def claim_of_level(
    bins: BinnedRounds, level: float, *, confidence_percent: float = 95.0
) -> LevelClaim:
    """Return the interval that is claimed of a percentile.

    Parameters
    ----------
    bins : BinnedRounds
        The counts, one row a round.
    level : float
        The percentile [%].
    confidence_percent : float, default 95
        The confidence [%].

    Returns
    -------
    LevelClaim
        Between rounds where there are three or more, never narrower than that of
        independent IOs; else the latter.
    """
    alone = quantile_interval(bins, level, confidence_percent=confidence_percent)
    rounds = len(bins.counts)
    if rounds < FEWEST_ROUNDS:
        return LevelClaim(
            level=level,
            interval=alone,
            alone=alone,
            claimed=INDEPENDENT,
            count=bins.total,
            rounds=rounds,
        )
    joined = join_rounds(bins)
    apart = between_rounds_interval(
        joined, level, confidence_percent=confidence_percent
    )
    held = effective_count(joined, level, confidence_percent=confidence_percent)
    interval = Interval(
        estimate=alone.estimate,
        low=min(alone.low, apart.low),
        high=max(alone.high, apart.high),
        confidence_percent=confidence_percent,
        note=apart.note,
    )
    return LevelClaim(
        level=level,
        interval=interval,
        alone=alone,
        claimed=BETWEEN_ROUNDS,
        count=held.whole,
        rounds=rounds,
    )
