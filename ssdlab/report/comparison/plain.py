"""A comparison as plain data, and as lines of a terminal."""

import math
from typing import Any

import pandas as pd

from ssdlab.report.comparison.read import Comparison


def comparison_as_dict(comparison: Comparison) -> dict[str, object]:
    """Return a comparison as plain data; what is missing is ``None``.

    Parameters
    ----------
    comparison : Comparison
        What `compare_runs` returned.

    Returns
    -------
    dict
        ``sides``, ``conditions``, ``accepted``, ``values``, ``differences``,
        ``variance``, ``outliers`` and ``scores``, ready for JSON.
    """
    return {
        "sides": _plain(comparison.sides),
        "conditions": _plain(comparison.conditions),
        "accepted": list(comparison.rules.accepted),
        "values": _plain(comparison.summary),
        "differences": _plain(comparison.differences),
        "variance": _plain(comparison.variance),
        "outliers": _plain(comparison.outliers),
        "scores": _plain(comparison.scores) if comparison.terms else [],
    }


def _plain(frame: pd.DataFrame) -> list[dict[str, object]]:
    return [
        {str(name): _value(value) for name, value in row.items()}
        for row in frame.astype(object).to_dict("records")
    ]


def _value(value: Any) -> object:
    if value is None or value is pd.NA:
        return None
    plain = value.item() if hasattr(value, "item") else value
    return None if isinstance(plain, float) and not math.isfinite(plain) else plain
