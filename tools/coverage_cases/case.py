"""A case: how one trial is simulated, and the coverage it must have."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

Trial = Callable[[np.random.Generator], float | None]

_TRIES_A_TRIAL = 20


@dataclass(frozen=True, kw_only=True)
class CoverageRow:
    """The measured coverage of a case, as ratios, and its bounds."""

    statistic: str
    case: str
    n: int
    trials: int
    nominal: float
    covered: float
    low: float
    high: float
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class CoverageCase:
    """A known truth, and an interval that should hold it.

    ``trial`` draws a series and tells whether its interval held the truth, or the share
    of several intervals that did; None if the series has no interval, such as a
    forecast of what has already happened. ``low`` and ``high`` bound the coverage; if
    they are wider than 0.93 to 0.97, ``note`` says why. A slow trial runs at most
    ``most_trials`` times.
    """

    statistic: str
    case: str
    n: int
    trial: Trial
    nominal: float = 0.95
    low: float = 0.93
    high: float = 0.97
    note: str = ""
    most_trials: int | None = None

    def measure(self, trials: int, *, seed: int) -> CoverageRow:
        """Return the share of trials whose interval held the truth."""
        trials = min(trials, self.most_trials or trials)
        held = list(self.outcomes(trials, seed=seed))
        return self.row(trials=len(held), covered=sum(held) / len(held))

    def outcomes(self, trials: int, *, seed: int) -> Iterator[float]:
        """Yield for each trial whether the interval held the truth."""
        rng = np.random.default_rng([
            seed,
            *map(ord, self.statistic + self.case),
            self.n,
        ])
        drawn = (self.trial(rng) for _ in range(_TRIES_A_TRIAL * trials))
        return islice((held for held in drawn if held is not None), trials)

    def row(self, *, trials: int, covered: float) -> CoverageRow:
        """Return the result with its bounds."""
        return CoverageRow(
            statistic=self.statistic,
            case=self.case,
            n=self.n,
            trials=trials,
            nominal=self.nominal,
            covered=covered,
            low=self.low,
            high=self.high,
            note=self.note,
        )


def draw_noise(
    rng: np.random.Generator, count: int, autocorrelation: float
) -> npt.NDArray[np.float64]:
    """Draw AR(1) noise of unit variance."""
    noise = rng.standard_normal(count)
    fresh = (1 - autocorrelation**2) ** 0.5
    for place in range(1, count):
        noise[place] = autocorrelation * noise[place - 1] + fresh * noise[place]
    return noise
