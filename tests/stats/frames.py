"""Small frames with the columns and types of the schema."""

from collections.abc import Sequence

import pandas as pd

from ssdlab.model.schema import BINS, MEASUREMENTS, PERCENTILES, STEPS, WINDOWS, Table

Row = dict[str, object]

_TYPES = {"string": "str", "int64": "Int64", "float64": "float64", "bool": "boolean"}


def frame(table: Table, rows: Sequence[Row]) -> pd.DataFrame:
    """Make a frame of a table; a column that a row does not name is missing."""
    for row in rows:
        assert row.keys() <= set(table.column_names), row.keys()
    types = {column.name: _TYPES[column.dtype] for column in table.columns}
    cells = [[row.get(name) for name in types] for row in rows]
    return pd.DataFrame(cells, columns=list(types), dtype=object).astype(types)


def measured(step_id: str, **values: object) -> Row:
    """One row of measurements: a round cell, all directions, unless said otherwise."""
    return {
        "run_id": "r1",
        "step_id": step_id,
        "direction": "total",
        "kind": "cell",
        "access": "rnd",
        **values,
    }


def window(phase: str, first: int, last: int, **values: object) -> Row:
    """One final judgement of a phase."""
    return {
        "run_id": "r1",
        "phase": phase,
        "round": last,
        "window_first_round": first,
        "window_last_round": last,
        "is_final": True,
        **values,
    }


def measurements(rows: Sequence[Row]) -> pd.DataFrame:
    return frame(MEASUREMENTS, rows)


def windows(rows: Sequence[Row]) -> pd.DataFrame:
    return frame(WINDOWS, rows)


def steps(rows: Sequence[Row]) -> pd.DataFrame:
    return frame(STEPS, rows)


def percentiles(rows: Sequence[Row]) -> pd.DataFrame:
    return frame(PERCENTILES, rows)


def bins(rows: Sequence[Row]) -> pd.DataFrame:
    """Bins, each 2 ns wide around its name unless a row says otherwise."""
    whole = []
    for row in rows:
        middle = row["lat_ns"]
        assert isinstance(middle, int)
        edges = {"lat_lower_ns": middle - 1, "lat_upper_ns": middle + 1}
        whole.append({"run_id": "r1", "direction": "total", **edges, **row})
    return frame(BINS, whole)
