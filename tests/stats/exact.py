"""The rule of the PTS in exact fractions: slow, short, and plainly the definition."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

RANGE_LIMIT = Fraction(20, 100)  # PTS 2.0.2, 2.1.24 a
SLOPE_LIMIT = Fraction(10, 100)  # PTS 2.0.2, 2.1.24 b


@dataclass(frozen=True, kw_only=True, slots=True)
class ExactVerdict:
    average: Fraction
    range_ratio: Fraction
    slope: Fraction
    slope_ratio: Fraction
    correlation_squared: Fraction | None

    @property
    def is_steady(self) -> bool:
        return self.range_ratio <= RANGE_LIMIT and self.slope_ratio <= SLOPE_LIMIT


def judge_exactly(values: Sequence[str | int]) -> ExactVerdict:
    """Judge five values, given as decimal text or whole numbers."""
    y = [Fraction(value) for value in values]
    average = sum(y, Fraction(0)) / 5
    slope = (-2 * y[0] - y[1] + y[3] + 2 * y[4]) / 10  # PTS 2.1.24
    scatter = sum(((value - average) ** 2 for value in y), Fraction(0))
    return ExactVerdict(
        average=average,
        range_ratio=(max(y) - min(y)) / average,
        slope=slope,
        slope_ratio=4 * abs(slope) / average,
        correlation_squared=slope**2 * 10 / scatter if scatter else None,
    )
