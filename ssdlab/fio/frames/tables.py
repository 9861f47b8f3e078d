"""The tables for any output of fio, column by column.

They hold fio's values in ssdlab's units; nothing is summed.
"""

from ssdlab.model.schema import Column, Table

_FILE = Column("file", "string", "the file, or a name for it", is_key=True)
_DOCUMENT = Column("document", "int64", "document of the file, from 0", is_key=True)
_ENTRY = Column("entry", "int64", "entry in the document's jobs, from 0", is_key=True)
_DIRECTION = Column(
    "direction",
    "string",
    "read, write, trim; mixed: fio merged them; sync: fsyncs, which are not IOs",
    is_key=True,
)
_LATENCY = Column("latency", "string", "slat, clat or lat", is_key=True)


def _summary(kind: str, meaning: str) -> tuple[Column, ...]:
    return (
        Column(f"{kind}_min_ns", "float64", f"minimum {meaning} [ns]"),
        Column(f"{kind}_mean_ns", "float64", f"mean {meaning} [ns]"),
        Column(f"{kind}_stddev_ns", "float64", f"standard deviation of {meaning} [ns]"),
        Column(f"{kind}_max_ns", "float64", f"maximum {meaning} [ns]"),
    )


def _sampled(name: str, unit: str, meaning: str) -> tuple[Column, ...]:
    return (
        Column(f"{name}_min{unit}", "float64", f"minimum {meaning} of fio's samples"),
        Column(f"{name}_mean{unit}", "float64", f"mean {meaning} of fio's samples"),
        Column(
            f"{name}_stddev{unit}",
            "float64",
            f"standard deviation of {meaning} of fio's samples",
        ),
        Column(f"{name}_max{unit}", "float64", f"maximum {meaning} of fio's samples"),
    )


DOCUMENTS = Table(
    name="documents",
    row="one document of fio: a JSON document, or a run in text",
    columns=(
        _FILE,
        _DOCUMENT,
        Column("run", "int64", "run of the file, from 0; its documents are cumulative"),
        Column("is_result", "bool", "the last and most exact document of its run"),
        Column("is_whole", "bool", "the document was not truncated"),
        Column("form", "string", "json, terse or normal"),
        Column("fio_version", "string", "version, as fio reports it"),
        Column("timestamp_s", "float64", "when it was written, Unix time [s]"),
        Column("entries", "int64", "job entries in it"),
        Column("prefix", "string", "text before the document"),
        Column("suffix", "string", "text after the document"),
    ),
)

JOBS = Table(
    name="jobs",
    row="one direction of one job entry",
    columns=(
        _FILE,
        _DOCUMENT,
        Column("fio_version", "string", "version, as fio reports it"),
        _ENTRY,
        Column("is_result", "bool", "its document is the result of its run"),
        Column("is_whole", "bool", "its document was not truncated"),
        Column("is_aggregate", "bool", "the sum of other rows: do not add it"),
        Column("hostname", "string", "host of a client/server run"),
        Column("job_name", "string", "name of the job"),
        Column("group_id", "int64", "reporting group"),
        _DIRECTION,
        Column("error", "int64", "error of the job; 0 is none"),
        Column("total_errors", "int64", "ignored IO errors of all directions"),
        Column("started_s", "float64", "start of the job, Unix time [s]"),
        Column("elapsed_s", "float64", "time since fio started [s]"),
        Column("runtime_ms", "int64", "time under IO [ms]"),
        Column("total_ios", "int64", "completed IOs"),
        Column("short_ios", "int64", "IOs with fewer bytes than requested"),
        Column("dropped_ios", "int64", "IOs dropped"),
        Column("failed_ios", "int64", "of total_ios, those that failed"),
        Column("io_bytes", "int64", "bytes transferred [B]"),
        Column("iops", "float64", "IOs per second"),
        Column("bw_bytes_per_s", "float64", "data rate [B/s]"),
        *_summary("slat", "submission latency"),
        *_summary("clat", "completion latency"),
        *_summary("lat", "latency, submission to completion"),
        *_sampled("sampled_iops", "", "IOPS"),
        *_sampled("sampled_bw", "_bytes_per_s", "data rate [B/s]"),
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
        Column("lat_lower_ns", "float64", "lower edge of its bin, included [ns]"),
        Column("lat_upper_ns", "float64", "upper edge of its bin, excluded [ns]"),
        Column("is_censored", "bool", "fio's last bin: the value may be greater"),
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
        Column("is_censored", "bool", "fio's last bin: it has no upper end"),
    ),
)

OPTIONS = Table(
    name="options",
    row="one option of one job entry, or of all of them",
    columns=(
        _FILE,
        _DOCUMENT,
        Column("entry", "int64", "entry in jobs; missing: all of them", is_key=True),
        Column("hostname", "string", "host that it applies to; empty: all"),
        Column("option", "string", "name of the option", is_key=True),
        Column("place", "int64", "position among these options, from 0", is_key=True),
        Column("value", "string", "its value, as fio printed it"),
    ),
)

DISKS = Table(
    name="disks",
    row="the kernel's counters of one disk",
    columns=(
        _FILE,
        _DOCUMENT,
        Column("hostname", "string", "host, in client/server runs", is_key=True),
        Column("disk", "string", "name of the disk", is_key=True),
        Column("is_of_members", "bool", "of the disks below it, by fio", is_key=True),
        Column("read_ios", "int64", "reads"),
        Column("write_ios", "int64", "writes"),
        Column("read_merges", "int64", "reads merged"),
        Column("write_merges", "int64", "writes merged"),
        Column("read_ticks_ms", "int64", "time under reads [ms]"),
        Column("write_ticks_ms", "int64", "time under writes [ms]"),
        Column("in_queue_ms", "int64", "time in the queue [ms]"),
        Column("util_percent", "float64", "share of the time with IO [%]"),
    ),
)

STEADYSTATE = Table(
    name="steadystate",
    row="one sample of fio's own steady-state rule, or only the rule",
    columns=(
        _FILE,
        _DOCUMENT,
        _ENTRY,
        Column("sample", "int64", "sample, from 0; missing: fio kept none"),
        Column("iops", "float64", "IOs per second in it"),
        Column("bw_bytes_per_s", "float64", "data rate in it [B/s]"),
        Column("lat_ns", "float64", "mean latency in it [ns], if the rule is on it"),
        Column("criterion", "string", "the requested rule, such as iops_slope:0.5%"),
        Column("duration_s", "float64", "length of the rule's window [s]"),
        Column("is_attained", "bool", "the rule was met"),
        Column("found", "string", "the value that fio compared with the limit"),
        Column("max_deviation", "float64", "maximum deviation from the mean"),
        Column("slope", "float64", "slope of the line, per second"),
        Column("iops_mean", "float64", "mean IOPS of the window"),
        Column("bw_mean_bytes_per_s", "float64", "mean data rate of the window [B/s]"),
        Column("lat_mean_ns", "float64", "mean latency of the window [ns]"),
    ),
)

ISSUES = Table(
    name="issues",
    row="one doubt about the data",
    columns=(
        _FILE,
        Column("document", "int64", "document of the file; missing: the file"),
        Column("kind", "string", "kind of the doubt"),
        Column("place", "string", "where in the output"),
        Column("meaning", "string", "what it means for the numbers"),
        Column(
            "is_grave",
            "bool",
            "a number that results depend on is missing or may be wrong",
        ),
    ),
)
