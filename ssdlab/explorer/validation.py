"""Validates requested names, and reports what is shown instead of missing parts."""

from collections.abc import Collection, Mapping
from typing import get_args

from ssdlab.explorer.cell_map import axis_label
from ssdlab.explorer.cells import CELL_METRICS
from ssdlab.explorer.run_cache import Listed
from ssdlab.explorer.selection import Choices, Over, Selection
from ssdlab.model.errors import UnknownNameError
from ssdlab.model.spec import DIRECTIONS
from ssdlab.text.quantities import metric_quantity

AXIS_NAMES: Mapping[str, str] = {
    "read_percent": "R/W mix",
    "block_size_bytes": "block size",
    "threads": "threads",
    "queue_depth": "queue depth",
}


def require_known(
    asked: Selection, fields: Collection[str], listed: Mapping[str, Listed]
) -> None:
    """Require that the names in these fields of a selection exist."""
    runs = [listed[name] for name in asked.runs if name in listed]
    known: dict[str, Collection[str]] = {
        "runs": listed,
        "run": listed,
        "test": dict.fromkeys(test for run in runs for test in run.tests),
        "metric": CELL_METRICS,
        "direction": DIRECTIONS,
        "over": get_args(Over),
    }
    for field in [field for field in fields if field in known]:
        names = asked.runs if field == "runs" else (getattr(asked, field),)
        for name in names:
            if name and name not in known[field]:
                kind = {"runs": "run", "over": "view"}.get(field, field)
                raise UnknownNameError(kind=kind, name=name, known=[*known[field]])


def require_measured(asked: Selection, choices: Choices) -> None:
    """Require that the selected cell is on the axes of the matrix."""
    for axis, value in asked.cell:
        places = dict(zip(choices.axes, (choices.downs, choices.acrosses), strict=True))
        if axis not in places:
            raise UnknownNameError(kind="axis", name=axis, known=choices.axes)
        if value not in places[axis]:
            raise UnknownNameError(
                kind=AXIS_NAMES[axis],
                name=axis_label(axis, value),
                known=[axis_label(axis, one) for one in places[axis]],
            )


def fallback_lines(asked: Selection, shown: Selection) -> list[str]:
    """Return a line for each part that the runs lack, with what is shown instead."""
    lines = []
    if asked.test and shown.test and asked.test != shown.test:
        lines.append(f"{asked.test} was not measured; showing {shown.test}.")
    if shown.metric and asked.metric != shown.metric:
        missing, there = (metric_quantity(one.metric).name for one in (asked, shown))
        lines.append(f"This test has no {missing}; showing {there}.")
    return lines
