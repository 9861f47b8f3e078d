"""Every stored column, declared once: name with unit, type, meaning.

Writers, readers, axis labels and the data dictionary come from these lines. One
row is one observation; what was not measured is missing, never 0.
"""

from dataclasses import dataclass
from typing import Literal

SCHEMA_VERSION = 7

DType = Literal["string", "int64", "float64", "bool", "list<int16>", "list<int64>"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name ends in its unit; counts and IOPS have none."""

    name: str
    dtype: DType
    meaning: str
    is_key: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """One table: the meaning of a row, and its columns in order."""

    name: str
    row: str
    columns: tuple[Column, ...]

    @property
    def column_names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(column.name for column in self.columns)


def _key(name: str, meaning: str, dtype: DType = "string") -> Column:
    return Column(name, dtype, meaning, is_key=True)


_RUN = _key("run_id", "the run")
_STEP = _key("step_id", "the step, unique in the run and sortable by time")
_DIRECTION = _key("direction", "read, write, trim, or total: all directions merged")
_WHERE = (
    Column(
        "test",
        "string",
        "iops, tp, lat, wsat, hir, xsr, cbw, dirth; wsat-oltp, wsat-vod, "
        "wsat-metadata and wsat-composite if requested; custom: imported; procedures "
        "have names of their own",
    ),
    Column("phase", "string", "phase of the test, such as rounds-1024KiB"),
    Column(
        "kind",
        "string",
        "purge, precondition, pre_write, cell, histogram, or mean: of a window whose "
        "rounds an imported result does not list",
    ),
    Column("round", "int64", "round, from 1; missing outside rounds"),
    Column("cell", "int64", "position of the cell in its round, from 1"),
)
WORKLOAD = (
    Column("access", "string", "rnd or seq"),
    Column(
        "block_size_bytes",
        "int64",
        "size of one IO [B]; missing where a stimulus has several: CBW",
    ),
    Column("read_percent", "int64", "share of reads, counted in IOs [%]"),
    Column("threads", "int64", "thread count TC: fio numjobs"),
    Column("queue_depth", "int64", "outstanding IOs per thread QD: fio iodepth"),
)


def _latency(kind: str, meaning: str) -> tuple[Column, ...]:
    return (
        Column(f"{kind}_min_ns", "float64", f"minimum {meaning} [ns]"),
        Column(f"{kind}_mean_ns", "float64", f"mean {meaning}, weighted by IOs [ns]"),
        Column(f"{kind}_stddev_ns", "float64", f"standard deviation of {meaning} [ns]"),
        Column(f"{kind}_max_ns", "float64", f"maximum {meaning} [ns]"),
    )


RUNS = Table(
    name="runs",
    row="one run",
    columns=(
        _RUN,
        Column("label", "string", "the user's name for the run"),
        Column("status", "string", "running, finished, failed or interrupted"),
        Column("started_at", "string", "start, ISO 8601 with UTC offset"),
        Column(
            "finished_at", "string", "end of the last step, ISO 8601 with UTC offset"
        ),
        Column("profile", "string", "profile, such as pts-2.0-enterprise"),
        Column("spec_version", "string", "the document that the profile follows"),
        Column("tests", "string", "requested tests, separated by commas"),
        Column("target", "string", "the target as the user wrote it"),
        Column("is_virtual", "bool", "the target is a model, not a drive"),
        Column("device_model", "string", "model, as the device reports it"),
        Column("device_serial", "string", "serial number, as the device reports it"),
        Column("device_firmware", "string", "firmware, as the device reports it"),
        Column("capacity_bytes", "int64", "user capacity [B]"),
        Column("sector_bytes", "int64", "logical sector [B]"),
        Column("purge_method", "string", "how the device was purged"),
        Column("write_cache", "string", "state of the write cache by the profile"),
        Column("active_range_percent", "float64", "active range of user capacity [%]"),
        Column("platform", "string", "manufacturer and model of the host"),
        Column("cpu", "string", "model and count of the host's processors"),
        Column("dram_bytes", "int64", "memory of the host [B]"),
        Column("operating_system", "string", "name and version of the system"),
        Column("kernel", "string", "version of the kernel"),
        Column("fio_version", "string", "version of fio"),
        Column("ssdlab_version", "string", "version of ssdlab"),
        Column("seed", "int64", "seed from which every offset seed is derived"),
        Column("interruptions", "int64", "number of times the run was resumed"),
        Column(
            "is_conformant",
            "bool",
            "the run finished, and its procedure has no departure",
        ),
        Column(
            "is_steady",
            "bool",
            "each judged test reached steady state; missing where none was judged",
        ),
        Column("departures", "string", "departures in words, one per line"),
        Column("doubts", "string", "doubts about the numbers in words, one per line"),
    ),
)

STEPS = Table(
    name="steps",
    row="one step: a purge or a fio run",
    columns=(
        _RUN,
        _STEP,
        *_WHERE,
        *WORKLOAD,
        Column("range_bytes", "int64", "span of the active range that was used [B]"),
        Column("offset_bytes", "int64", "where a sequential stream began [B]"),
        Column("seed", "int64", "fio randseed of the step"),
        Column("started_s", "float64", "first IO, Unix time [s]"),
        Column("ended_s", "float64", "last IO, Unix time [s]"),
        Column("duration_s", "float64", "first to last IO [s]"),
        Column(
            "idle_before_s", "float64", "last IO of the previous step to first IO [s]"
        ),
        Column("wait_s", "float64", "planned rest of the host before it [s]"),
        Column("was_armed", "bool", "fio was started before the previous step ended"),
        Column("released_s", "float64", "fio was let begin its IO, Unix time [s]"),
        Column("armed_for_s", "float64", "start of its fio to its release [s]"),
        Column(
            "unready_s",
            "float64",
            "release to its last thread being ready; 0 if all were waiting [s]",
        ),
        Column(
            "reports_s",
            "float64",
            "first to last report of a thread that its IO has ended [s]",
        ),
        Column("is_contiguous", "bool", "a measurement window may span the gap before"),
        Column("read_bytes", "int64", "bytes read [B]"),
        Column("written_bytes", "int64", "bytes written [B]"),
        Column(
            "total_written_bytes",
            "int64",
            "bytes written since the purge of this test, this step included; in an "
            "import since its first file [B]",
        ),
        Column("drive_fills", "float64", "total_written_bytes / user capacity"),
        Column(
            "host_user_cpu_percent",
            "float64",
            "user CPU of the whole host during the step [%]",
        ),
        Column(
            "host_system_cpu_percent",
            "float64",
            "system CPU of the whole host during the step [%]",
        ),
        Column(
            "neighbours",
            "string",
            "other runs of ssdlab on this host during the step, one line each; missing "
            "if unknown",
        ),
        Column("exit_code", "int64", "exit code of the process"),
        Column(
            "warnings",
            "string",
            "what fio wrote to stderr, one line each; of a purge, why its effect is "
            "not proven",
        ),
    ),
)

MEASUREMENTS = Table(
    name="measurements",
    row="one fio step and direction",
    columns=(
        _RUN,
        _STEP,
        _DIRECTION,
        *_WHERE,
        *WORKLOAD,
        Column("total_ios", "int64", "completed IOs"),
        Column("io_bytes", "int64", "bytes transferred [B]"),
        Column("runtime_s", "float64", "time under IO [s]"),
        Column("iops", "float64", "IOs per second; a total is the sum of directions"),
        Column("bw_bytes_per_s", "float64", "data rate [B/s]; a total is the sum"),
        *_latency("lat", "latency, submission to completion"),
        *_latency("clat", "completion latency"),
        *_latency("slat", "submission latency"),
        Column("usr_cpu_percent", "float64", "user CPU of the fio job [%]"),
        Column("sys_cpu_percent", "float64", "system CPU of the fio job [%]"),
    ),
)

PERCENTILES = Table(
    name="percentiles",
    row="one percentile of one fio step and direction, from merged bins; in an "
    "import without bins, as fio printed it",
    columns=(
        _RUN,
        _STEP,
        _DIRECTION,
        Column("percentile", "float64", "confidence level [%]", is_key=True),
        Column(
            "lat_ns",
            "float64",
            "latency at that level: the middle of its bin, within the exact minimum "
            "and maximum latency [ns]",
        ),
        Column("lat_lower_ns", "float64", "lower edge of the bin [ns]"),
        Column("lat_upper_ns", "float64", "upper edge of the bin [ns]"),
        Column(
            "is_censored", "bool", "the bin is fio's last: the value may be greater"
        ),
        Column(
            "is_supported", "bool", "enough IOs to bound it from above: decision 42"
        ),
    ),
)

BINS = Table(
    name="bins",
    row="one bin of fio's latency histogram of one fio step and direction",
    columns=(
        _RUN,
        _STEP,
        _DIRECTION,
        Column(
            "lat_ns", "int64", "the bin as fio names it: its middle [ns]", is_key=True
        ),
        Column("lat_lower_ns", "int64", "lower edge, included [ns]"),
        Column("lat_upper_ns", "int64", "upper edge, excluded [ns]"),
        Column("count", "int64", "IOs in the bin"),
    ),
)

_JOB = _key("job", "the job, by its name in the file")

JOBS = Table(
    name="jobs",
    row="one job of a fio step that runs the jobs of a file, and direction",
    columns=(_RUN, _STEP, _JOB, *MEASUREMENTS.columns[2:]),
)

JOB_BINS = Table(
    name="job_bins",
    row="one bin of fio's latency histogram of one job of such a step and direction",
    columns=(_RUN, _STEP, _JOB, *BINS.columns[2:]),
)

# Empty where no job file was run.
OF_JOB_FILES = frozenset({JOBS.name, JOB_BINS.name})

SERIES = Table(
    name="series",
    row="one interval of one fio step and direction, where a test requires it",
    columns=(
        _RUN,
        _STEP,
        _DIRECTION,
        Column(
            "time_s",
            "float64",
            "end of the interval, from the step's start [s]",
            is_key=True,
        ),
        Column("iops", "float64", "IOs per second in the interval"),
        Column("bw_bytes_per_s", "float64", "data rate in the interval [B/s]"),
        Column("lat_mean_ns", "float64", "mean latency in the interval [ns]"),
    ),
)

WINDOWS = Table(
    name="windows",
    row="one steady-state judgement: a tracking variable at the end of a round",
    columns=(
        _RUN,
        _key("test", "the test, as in steps"),
        _key("phase", "phase of the test, such as rounds-1024KiB"),
        _key("round", "the last round judged, from 1", "int64"),
        _key("tracking", "the tracking variable, such as RND 4 KiB 0/100"),
        Column("cell", "int64", "its position in a round, as in steps"),
        Column("job", "string", "the job judged; missing: all IOs of the cell"),
        Column("metric", "string", "iops, bw_bytes_per_s or lat_mean_ns"),
        Column("access", "string", "rnd or seq"),
        Column("block_size_bytes", "int64", "size of one IO [B]; missing in CBW"),
        Column("read_percent", "int64", "share of reads [%]"),
        Column("threads", "int64", "TC of the cell, where cells differ in it"),
        Column("queue_depth", "int64", "QD of the cell, where cells differ in it"),
        Column("window_first_round", "int64", "first round of the window"),
        Column("window_last_round", "int64", "last round of the window"),
        Column("average", "float64", "average in the window, in the metric's unit"),
        Column("minimum", "float64", "minimum in the window"),
        Column("maximum", "float64", "maximum in the window"),
        Column("range_ratio", "float64", "(max - min) / average; limit 0.20"),
        Column(
            "slope_per_round",
            "float64",
            "slope of the least-squares line; WSAT: per sample",
        ),
        Column(
            "intercept",
            "float64",
            "intercept of the line, rounds counted from 1 "
            "at the first round of the test; samples of WSAT count as rounds",
        ),
        Column("slope_ratio", "float64", "4 x |slope| / average; limit 0.10"),
        Column("correlation", "float64", "correlation coefficient of the fit"),
        Column("is_range_ok", "bool", "the range is within its limit"),
        Column("is_slope_ok", "bool", "the slope excursion is within its limit"),
        Column("is_steady", "bool", "this tracking variable is steady"),
        Column("is_round_steady", "bool", "all tracking variables are steady at once"),
        Column(
            "is_final",
            "bool",
            "of the reported round: the last judged; in an import the first steady one",
        ),
        Column("reason", "string", "why it is not steady; empty if it is"),
    ),
)

TELEMETRY = Table(
    name="telemetry",
    row="one reading of one sensor or counter",
    columns=(
        _RUN,
        _key("time_s", "Unix time of the reading [s]", "float64"),
        _key("source", "host, block (the drive itself), virtual or file"),
        _key("name", "what was read, with its unit, such as nand_written_bytes"),
        Column("value", "float64", "the reading"),
    ),
)

FINDINGS = Table(
    name="findings",
    row="one finding: a departure from the PTS, or a doubt about the numbers",
    columns=(
        _RUN,
        _key("number", "its position in the run, from 1", "int64"),
        Column(
            "code",
            "string",
            "what was found, such as not-steady: see findings.md",
        ),
        Column("severity", "string", "grave, major or minor"),
        Column("test", "string", "the test concerned; empty: the whole run"),
        Column("words", "string", "what was found, in words"),
        Column("clause", "string", "the section that requires it; empty: none"),
    ),
)

TABLES = {
    table.name: table
    for table in (
        RUNS,
        STEPS,
        MEASUREMENTS,
        PERCENTILES,
        BINS,
        JOBS,
        JOB_BINS,
        SERIES,
        WINDOWS,
        TELEMETRY,
        FINDINGS,
    )
}
