"""Frames and results as plain data that JSON can hold."""

import math
from typing import Any

import pandas as pd


def plain_rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a frame by column name, each value as `plain_value` does."""
    return [
        {str(name): plain_value(value) for name, value in row.items()}
        for row in frame.astype(object).to_dict("records")
    ]


def plain_value(value: Any) -> Any:
    """Return a value without numpy types; missing or infinite becomes ``None``.

    >>> plain_value({"low": 1.5, "high": float("inf")})
    {'low': 1.5, 'high': None}
    """
    if isinstance(value, dict):
        return {name: plain_value(part) for name, part in value.items()}
    if value is None or value is pd.NA:
        return None
    plain = value.item() if hasattr(value, "item") else value
    return None if isinstance(plain, float) and not math.isfinite(plain) else plain
