"""Series of rounds whose truth is known."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ssdlab.steadiness.onsets import summarise_onsets
from ssdlab.steadiness.series import RoundSeries

MX200 = [9000.0, 5776, 5865, 6022, 6160, 6181]


def make_rounds(
    measured: "Sequence[float] | np.ndarray[Any, Any]", **more: object
) -> RoundSeries:
    """Return a series of rounds from 1, of 4 KiB random writes."""
    known: dict[str, object] = {
        "test": "iops",
        "phase": "rounds",
        "tracking": "RND 4 KiB 0/100",
        "metric": "iops",
        "rounds": tuple(range(1, len(measured) + 1)),
        "measured": tuple(float(value) for value in measured),
    }
    return RoundSeries(**(known | more))  # type: ignore[arg-type] # fields by name


def onsets_of(series: RoundSeries) -> Any:
    """Return the onsets of a series by the names of the rules."""
    return summarise_onsets(series).set_index("rule")


def settled(count: int, rounds: int = 3, noise: float = 0.5) -> "np.ndarray[Any, Any]":
    """Return a decay to 100 with noise."""
    rng = np.random.default_rng(count)
    decay = np.exp(-np.arange(count) / rounds)
    return 100 * (1 + 1.5 * decay) + noise * rng.standard_normal(count)
