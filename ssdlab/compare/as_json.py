"""A comparison as plain data, and as lines of a terminal."""

from ssdlab.compare.comparison import Comparison
from ssdlab.stats.plain_rows import plain_rows


def comparison_as_dict(comparison: Comparison) -> dict[str, object]:
    """Return a comparison as plain data; missing values are ``None``."""
    return {
        "sides": plain_rows(comparison.sides),
        "conditions": plain_rows(comparison.conditions),
        "accepted": list(comparison.rules.accepted),
        "values": plain_rows(comparison.summary),
        "differences": plain_rows(comparison.differences),
        "variance": plain_rows(comparison.variance),
        "repeats": plain_rows(comparison.repeats),
        "amplification": plain_rows(comparison.amplification),
        "outliers": plain_rows(comparison.outliers),
        "scores": plain_rows(comparison.scores) if comparison.terms else [],
    }
