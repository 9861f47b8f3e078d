"""An estimate with its uncertainty."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Interval:
    """An estimate, and the interval that holds the truth with the stated confidence.

    ``low`` and ``high`` are in the unit of ``estimate``; an unbounded end is infinite.
    ``note`` says why the interval cannot be trusted, or how its end is censored;
    otherwise it is empty.
    """

    estimate: float
    low: float
    high: float
    confidence_percent: float = 95.0
    note: str = ""
