"""The tables that any output of fio is read into, column by column.

They hold what fio said, in ssdlab's units; nothing is added up.
"""

from ssdlab.model.schema import Column, Table

_FILE = Column("file", "string", "the file, or what stands for it", is_key=True)
_DOCUMENT = Column(
    "document", "int64", "JSON document of the file, from 0", is_key=True
)
_ENTRY = Column("entry", "int64", "entry in the document's jobs, from 0", is_key=True)
_DIRECTION = Column(
    "direction", "string", "read, write, trim; mixed: fio merged them", is_key=True
)
_LATENCY = Column("latency", "string", "slat, clat or lat", is_key=True)


def _summary(kind: str, meaning: str) -> tuple[Column, ...]:
    return (
        Column(f"{kind}_min_ns", "float64", f"least {meaning} [ns]"),
        Column(f"{kind}_mean_ns", "float64", f"mean {meaning} [ns]"),
        Column(f"{kind}_stddev_ns", "float64", f"standard deviation of {meaning} [ns]"),
        Column(f"{kind}_max_ns", "float64", f"greatest {meaning} [ns]"),
    )


DOCUMENTS = Table(
    name="documents",
    row="one JSON document of fio",
    columns=(
        _FILE,
        _DOCUMENT,
        Column("is_result", "bool", "the last of its file: earlier ones are progress"),
        Column("fio_version", "string", "version, as fio says"),
        Column("timestamp_s", "float64", "when it was written, Unix time [s]"),
        Column("entries", "int64", "job entries in it"),
        Column("prefix", "string", "text before the JSON"),
        Column("suffix", "string", "text after the JSON"),
    ),
)

JOBS = Table(
    name="jobs",
    row="one direction of one job entry",
    columns=(
        _FILE,
        _DOCUMENT,
        Column("fio_version", "string", "version, as fio says"),
        _ENTRY,
        Column("job_name", "string", "name of the job"),
        Column("hostname", "string", "host of a client/server run"),
        Column("group_id", "int64", "reporting group"),
        _DIRECTION,
        Column("error", "int64", "error of the job; 0 is none"),
        Column("total_errors", "int64", "errors that were passed over"),
        Column("runtime_ms", "int64", "time under IO [ms]"),
        Column("total_ios", "int64", "IOs done"),
        Column("short_ios", "int64", "IOs that moved fewer bytes than asked"),
        Column("drop_ios", "int64", "IOs dropped"),
        Column("io_bytes", "int64", "bytes done [B]"),
        Column("iops", "float64", "IOs per second"),
        Column("bw_bytes_per_s", "float64", "data rate [B/s]"),
        *_summary("slat", "submission latency"),
        *_summary("clat", "completion latency"),
        *_summary("lat", "latency, submission to completion"),
        Column("usr_cpu_percent", "float64", "user CPU of the job [%]"),
        Column("sys_cpu_percent", "float64", "system CPU of the job [%]"),
    ),
)

PERCENTILES = Table(
    name="percentiles",
    row="one percentile, as fio printed it",
    columns=(
        _FILE,
        _DOCUMENT,
        _ENTRY,
        _DIRECTION,
        _LATENCY,
        Column("percentile", "float64", "level [%]", is_key=True),
        Column("lat_ns", "float64", "latency at that level [ns]"),
    ),
)

BINS = Table(
    name="bins",
    row="one bin of a latency histogram that holds an IO",
    columns=(
        _FILE,
        _DOCUMENT,
        _ENTRY,
        _DIRECTION,
        _LATENCY,
        Column("lat_ns", "int64", "the bin as fio names it [ns]", is_key=True),
        Column("lat_lower_ns", "int64", "lower edge, included [ns]"),
        Column("lat_upper_ns", "int64", "upper edge, excluded [ns]"),
        Column("count", "int64", "IOs in the bin"),
    ),
)

OPTIONS = Table(
    name="options",
    row="one option of one job entry",
    columns=(
        _FILE,
        _DOCUMENT,
        Column("entry", "int64", "entry in jobs; missing: all of them", is_key=True),
        Column("option", "string", "name of the option", is_key=True),
        Column("value", "string", "its value, as fio printed it"),
    ),
)

ISSUES = Table(
    name="issues",
    row="one doubt about what was read",
    columns=(
        _FILE,
        _DOCUMENT,
        Column("kind", "string", "what sort of doubt"),
        Column("place", "string", "where in the output"),
        Column("meaning", "string", "what it means for the numbers"),
    ),
)
