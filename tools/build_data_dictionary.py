"""Build ``docs/data-dictionary.md`` from the declarations of all tables.

Usage: ``python -m tools.build_data_dictionary [--check]``
"""

import sys
from collections.abc import Iterable
from pathlib import Path

from ssdlab.fio.frames.tables import (
    BINS,
    DISKS,
    DOCUMENTS,
    ISSUES,
    JOBS,
    OPTIONS,
    PERCENTILES,
    STEADYSTATE,
)
from ssdlab.fio.histlogs.read import HISTOGRAM
from ssdlab.fleet.tables import CELLS, FLEET_RUNS, HISTOGRAMS
from ssdlab.model.schema import SCHEMA_VERSION, TABLES, Column, Table
from ssdlab.model.telemetry import READINGS, Reading
from tools import generated

ROOT = Path(__file__).resolve().parents[1]
INTRODUCTION = f"""\
# Data dictionary

Built from `ssdlab/model/schema.py`, `ssdlab/fleet/` and the tables of `ssdlab/fio/`, by
`python -m tools.build_data_dictionary`; edit those files, not this one. Version of the
tables of a run: {SCHEMA_VERSION}.

A run folder holds each table as `tables/NAME.parquet`. The tables are derived: they
can be rebuilt at any time from the raw output of fio in `steps/`. A name ends in its
unit, except for counts and IOPS. What was not measured is missing, never 0. The columns
marked *key* together identify a row.
"""

READINGS_INTRODUCTION = """\
### The readings of `telemetry`

Built from `ssdlab/model/telemetry.py`. A counter rises until it is reset, a gauge goes
up and down; a state is 1 or 0, and a limit is the threshold of a gauge. What a drive
does not report has no rows.

| `source` | `name` | Unit | Kind | Meaning | Reported by |
| --- | --- | --- | --- | --- | --- |
"""
FLEET_INTRODUCTION = """\
# A store of runs

Built from `ssdlab/fleet/tables.py`: the tables of `ssdlab store`, in Delta Lake. They
are made from run folders, and can be made anew from them. Columns are added and never
changed; what an earlier version did not store is missing.
"""
FLEET_TABLES = (FLEET_RUNS, CELLS, HISTOGRAMS)
FIO_INTRODUCTION = """\
# What `read_fio()` and `ssdlab parse` give

Frames of any fio output, as reported by fio, in ns, bytes and bytes per second; nothing
is summed.
"""
FIO_TABLES = (
    DOCUMENTS,
    JOBS,
    PERCENTILES,
    BINS,
    OPTIONS,
    DISKS,
    STEADYSTATE,
    ISSUES,
    HISTOGRAM,
)


def render_page() -> str:
    """Return the page: the tables of a run, then those of any output of fio."""
    return "\n".join([
        INTRODUCTION,
        render_tables(TABLES.values()),
        READINGS_INTRODUCTION + "".join(map(_reading, READINGS)),
        FLEET_INTRODUCTION,
        render_tables(FLEET_TABLES),
        FIO_INTRODUCTION,
        render_tables(FIO_TABLES),
    ])


def render_tables(tables: Iterable[Table]) -> str:
    """Return one section per table, one line per column."""
    return "\n".join(map(_section, tables))


def _section(table: Table) -> str:
    rows = "\n".join(map(_row, table.columns))
    return (
        f"## `{table.name}`\n\nOne row is {table.row}.\n\n"
        f"| Column | Type | Key | Meaning |\n| --- | --- | --- | --- |\n{rows}\n"
    )


def _row(column: Column) -> str:
    key = "key" if column.is_key else ""
    meaning = column.meaning.replace("|", "\\|")
    return f"| `{column.name}` | {column.dtype} | {key} | {meaning} |"


def _reading(one: Reading) -> str:
    cells = (
        f"`{one.source}`", f"`{one.name}`", one.unit, one.kind, one.words, one.origin
    )  # fmt: skip
    return f"| {' | '.join(cells)} |\n"


def main(argv: list[str]) -> int:
    """Build or check the data dictionary of this repository."""
    page = {ROOT / "docs" / "data-dictionary.md": render_page()}
    return generated.run(argv, page, command="tools.build_data_dictionary")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
