"""The tables that histogram logs are read into, column by column."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ssdlab.model.schema import Column, Table

if TYPE_CHECKING:
    import pandas as pd

_DIRECTION = Column("direction", "string", "read, write or trim", is_key=True)
_LATENCY = (
    Column("lat_ns", "int64", "the bin as fio names it: its middle [ns]"),
    Column("lat_lower_ns", "int64", "lower edge, included [ns]"),
    Column("lat_upper_ns", "int64", "upper edge, excluded [ns]"),
)
_IS_CENSORED = Column("is_censored", "bool", "fio's last bin: it has no upper end")
_COUNT = Column("count", "int64", "IOs in the bin")

HISTOGRAM = Table(
    name="histogram",
    row="one bin of one record of a histogram log that holds an IO",
    columns=(
        Column("file", "string", "the log, or what stands for it", is_key=True),
        Column("record", "int64", "the record's line in the log, from 1", is_key=True),
        Column("time_ms", "int64", "end of the record, since the job began [ms]"),
        Column("direction", "string", "read, write or trim"),
        Column("block_size_bytes", "int64", "size of the record's last IO [B]"),
        *_LATENCY,
        _COUNT,
        _IS_CENSORED,
    ),
)

HISTOGRAM_PERCENTILES = Table(
    name="histogram_percentiles",
    row="one percentile of one interval, of all logs pooled",
    columns=(
        Column(
            "direction",
            "string",
            "read, write, trim, or total: all directions merged",
            is_key=True,
        ),
        Column("time_s", "float64", "end of the interval [s]", is_key=True),
        Column("total_ios", "int64", "IOs in it"),
        Column("percentile", "float64", "level [%]", is_key=True),
        *_LATENCY,
        _IS_CENSORED,
    ),
)

HISTOGRAM_BINS = Table(
    name="histogram_bins",
    row="one bin that holds an IO, of all logs and records merged",
    columns=(_DIRECTION, *_LATENCY, _COUNT, _IS_CENSORED),
)


def frame_of(table: Table, columns: Mapping[str, Any]) -> "pd.DataFrame":
    """Return a frame with the columns of a table, each in its type."""
    import pandas as pd  # noqa: PLC0415 - 0.3 s that a fio run need not pay

    return pd.DataFrame({
        column.name: pd.Series(columns[column.name], dtype=column.dtype)
        for column in table.columns
    })


def pick(names: tuple[str, ...], numbers: Any) -> "pd.Series[str]":
    """Return the names that have the numbers."""
    import pandas as pd  # noqa: PLC0415 - as in frame_of

    return pd.Series(names, dtype="string").take(numbers).reset_index(drop=True)
