"""The tables of a store of runs, declared as those of a run are.

A column is added and never changed: another type or unit is another name. So a store
may hold rows of several versions of ssdlab; what one of them did not know is missing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from ssdlab.model.schema import RUNS, WORKLOAD, Column, Table

Row = dict[str, Any]

STORE_VERSION: Final = 1  # changes if a store of before can no longer be read
LEVELS: Final = MappingProxyType({
    "p50": 50.0,
    "p90": 90.0,
    "p99": 99.0,
    "p999": 99.9,
    "p9999": 99.99,
    "p99999": 99.999,
})

_INGEST = Column(
    "ingest_id",
    "string",
    "what was added: a digest of all rows of the run",
    is_key=True,
)
_ADDED = Column("added_s", "float64", "when the row was added, Unix time [s]")
_RUN = RUNS.columns[0]
_CELL = Column(
    "cell",
    "string",
    "test, phase, kind, workload and direction, by which rows are ordered",
    is_key=True,
)
_DEVICE = tuple(column for column in RUNS.columns if column.name.startswith("device_"))
_NEIGHBOURS = "other runs of ssdlab on this host meanwhile, one line each; missing if "


def _levels() -> tuple[Column, ...]:
    return tuple(
        column
        for name, level in LEVELS.items()
        for column in (
            Column(
                f"lat_{name}_ns",
                "float64",
                f"{level:g} % of the IOs took no longer, from merged bins [ns]",
            ),
            Column(
                f"lat_{name}_low_ns",
                "float64",
                "lower end of its 95 % interval [ns]",
            ),
            Column(
                f"lat_{name}_high_ns",
                "float64",
                "upper end; missing if it is unbounded [ns]",
            ),
            Column(
                f"is_{name}_supported",
                "bool",
                "its interval has an upper end: decision 42",
            ),
        )
    )


FLEET_RUNS = Table(
    name="runs",
    row="one run",
    columns=(
        _RUN,
        _INGEST,
        *RUNS.columns[1:],
        Column("folder", "string", "the run folder, when the run was added"),
        Column(
            "manifest_sha256", "string", "digest of its manifest.json, if it has one"
        ),
        Column(
            "record_sha256",
            "string",
            "digest of its record, state and manifest, and of the versions that made "
            "its rows",
        ),
        Column("schema_version", "int64", "schema of the tables it was added from"),
        Column(
            "settings",
            "string",
            "values of its profile as JSON, by the test that uses them; '' for all",
        ),
        Column("duration_s", "float64", "time of all its sessions [s]"),
        Column("neighbours", "string", f"{_NEIGHBOURS}unknown of every step"),
        Column(
            "io_engine", "string", "IO engine of its first cell, with the flags of fio"
        ),
        Column(
            "written_before_bytes",
            "float64",
            "written to the drive in its life, at the first reading [B]",
        ),
        Column("power_on_hours", "float64", "power-on hours at the first reading [h]"),
        Column("wear_percent", "float64", "rated life used at the first reading [%]"),
        Column("cells", "int64", "rows of the run in cells"),
        Column("histograms", "int64", "rows of the run in histograms"),
        _ADDED,
    ),
)

CELLS = Table(
    name="cells",
    row="one workload of a phase and one direction: its rounds of the final window",
    columns=(
        _RUN,
        _INGEST,
        _CELL,
        Column("test", "string", "the test, as in steps"),
        Column("phase", "string", "phase of the test, such as rounds-1024KiB"),
        Column("kind", "string", "cell, histogram, or mean: see steps"),
        Column("workload", "string", "the workload, such as RND 4 KiB 0/100 T2/Q16"),
        *WORKLOAD,
        Column(
            "direction", "string", "read, write, trim, or total: all directions merged"
        ),
        *_DEVICE,
        Column(
            "basis",
            "string",
            "window: rounds of the final window; rounds: all, as none of them is in a "
            "window; run: one long run; printed: a mean that another tool printed",
        ),
        Column(
            "is_steady",
            "bool",
            "all tracking variables of its phase were steady; missing where none was "
            "judged",
        ),
        Column("rounds", "int64", "rounds of the latencies: every one of the window"),
        Column(
            "sampled_rounds",
            "int64",
            "rounds of the rates: those by which the steady state is determined",
        ),
        Column("total_ios", "int64", "completed IOs in its rounds"),
        Column("iops", "float64", "mean of its sampled rounds; a total is the sum"),
        Column("iops_low", "float64", "lower end of its 95 % interval"),
        Column("iops_high", "float64", "upper end; both missing with under 3 rounds"),
        Column("bw_bytes_per_s", "float64", "mean of its sampled rounds [B/s]"),
        Column("latency", "string", "lat or clat: what the latencies are of"),
        Column("lat_min_ns", "float64", "minimum latency [ns]"),
        Column("lat_mean_ns", "float64", "mean latency, weighted by IOs [ns]"),
        Column("lat_max_ns", "float64", "maximum latency [ns]"),
        *_levels(),
        Column(
            "cpu_us_per_io",
            "float64",
            "processor time of fio's threads per IO in its rounds, of totals [us]",
        ),
        Column(
            "write_amplification",
            "float64",
            "bytes written to the media over those of the host, of its whole phase; "
            "missing where the drive does not count both",
        ),
        Column(
            "watts",
            "float64",
            "mean power in its rounds, where a meter recorded it, of totals alone [W]",
        ),
        Column("joules_per_io", "float64", "energy of an IO, likewise [J]"),
        Column("neighbours", "string", f"{_NEIGHBOURS}unknown of all its rounds"),
        _ADDED,
    ),
)

HISTOGRAMS = Table(
    name="histograms",
    row="the merged bins of one row of cells",
    columns=(
        _RUN,
        _INGEST,
        _CELL,
        Column("lat_min_ns", "float64", "minimum latency [ns]"),
        Column("lat_max_ns", "float64", "maximum latency [ns]"),
        Column(
            "bin",
            "list<int16>",
            "the bins of fio that hold IOs, counted from 0, ascending",
        ),
        Column("count", "list<int64>", "the IOs in each of them"),
        _ADDED,
    ),
)

# Those first whose rows are seen only when the run itself is there.
FLEET_TABLES = MappingProxyType({
    table.name: table for table in (HISTOGRAMS, CELLS, FLEET_RUNS)
})


@dataclass(frozen=True, kw_only=True, slots=True)
class RunRows:
    """The rows of one run, by table."""

    run_id: str
    ingest_id: str
    rows: Mapping[str, Sequence[Row]]
