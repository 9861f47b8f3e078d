"""Wald's sequential test: as many trials as it takes to tell a share from a broken one.

After each trial it is known how much better a broken share explains the outcomes than a
good one. The test ends when that is beyond what chance does in one of `FALSE_ALARMS` or
`MISSES`, so that the number of trials need not be set beforehand for the worst case.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import log
from typing import Literal

FALSE_ALARMS = 0.001  # of good shares are called broken, at most
MISSES = 0.01  # of broken shares are called good, at most

Verdict = Literal["good", "broken", "open"]


@dataclass(frozen=True, kw_only=True)
class Limit:
    """A share of trials that is good, and one beyond it that is broken."""

    good: float
    broken: float

    @property
    def hit(self) -> float:
        """What a trial that holds the truth says for being broken."""
        return log(self.broken / self.good)

    @property
    def miss(self) -> float:
        """What a trial that does not says for it."""
        return log((1 - self.broken) / (1 - self.good))

    def judge(self, evidence: float) -> Verdict:
        """Return what the evidence of all trials so far comes to."""
        if evidence >= -log(FALSE_ALARMS):
            return "broken"
        return "good" if evidence <= log(MISSES) else "open"


def too_small(least: float) -> Limit:
    """Return the limit below a share: the odds of a miss are 1.8 times as great.

    An interval that ought to hold the truth in 93 of 100 is broken at 88.
    """
    return Limit(good=least, broken=_with_odds(least, 1 / 1.8))


def too_great(most: float) -> Limit:
    """Return the limit above a share: the odds of a miss are a third."""
    return Limit(good=most, broken=_with_odds(most, 3.0))


def _with_odds(share: float, times: float) -> float:
    odds = times * share / (1 - share)
    return odds / (1 + odds)


def decide(outcomes: Iterable[float], limit: Limit) -> tuple[Verdict, int]:
    """Return whether a share is good or broken, and after how many trials.

    Outcomes are 0 to 1: a share of several that were tried at once counts as such,
    which errs to the safe side of both errors.
    """
    evidence, trials = 0.0, 0
    verdict: Verdict = "open"
    for outcome in outcomes:
        trials += 1
        evidence += outcome * limit.hit + (1 - outcome) * limit.miss
        verdict = limit.judge(evidence)
        if verdict != "open":
            break
    return verdict, trials


def error_rates(
    limit: Limit, share: float, *, most: int
) -> tuple[dict[Verdict, float], float]:
    """Return how often each verdict comes of a true share, and the mean of trials.

    It is exact: the probability of every number of misses is followed from trial to
    trial, until the test has ended.
    """
    going: dict[int, float] = {0: 1.0}
    ended: dict[Verdict, float] = {"good": 0.0, "broken": 0.0, "open": 0.0}
    mean = 0.0
    for trials in range(1, most + 1):
        reached: dict[int, float] = {}
        for misses, chance in going.items():
            reached[misses] = reached.get(misses, 0.0) + share * chance
            reached[misses + 1] = reached.get(misses + 1, 0.0) + (1 - share) * chance
        going = {}
        for misses, chance in reached.items():
            evidence = misses * limit.miss + (trials - misses) * limit.hit
            verdict = limit.judge(evidence)
            if verdict == "open":
                going[misses] = chance
            else:
                ended[verdict] += chance
                mean += trials * chance
    ended["open"] = sum(going.values())
    return ended, mean + most * ended["open"]
