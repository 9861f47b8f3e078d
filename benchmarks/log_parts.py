"""A log of every IO in little memory: its histogram and its seconds, by three readers.

Usage: ``python -m benchmarks.log_parts [--scale 0.3] [--rounds 3] [--folder FOLDER]``

Each reader is a process of its own that does the same work: a histogram of bins of 1 %
and the sum of each second, by direction. DuckDB has its limit of 300 MB; polars streams
and has none. Times are processor times, of all threads and children, and the ratio
is that to ssdlab; the memory is the largest of any of its processes. A reader that
is not installed is left out.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from benchmarks.parse.make_log import NAME, write_log

LIMIT = "300MB"
_BIN = "(value >> greatest(log2(value)::int - 7, 0)) + (log2(value)::int << 20)"
_DUCKDB = f"""
import duckdb, sys
base = duckdb.connect(config={{"memory_limit": "{LIMIT}"}})
names = {{"time": "BIGINT", "value": "BIGINT", "direction": "TINYINT",
  "size": "INTEGER", "offset": "BIGINT", "priority": "VARCHAR"}}
base.execute(f\"\"\"create temp table found as select direction, time // 1000 as second,
  {_BIN} as bin, count(*) as ios, sum(value) as total
  from read_csv('{{sys.argv[1]}}', header=false, delim=', ', columns={{names}})
  group by all\"\"\")
base.execute("select direction, bin, sum(ios) from found group by all").fetchall()
base.execute("select direction, second, sum(total) from found group by all").fetchall()
print(base.execute("select sum(ios) from found").fetchone()[0])
"""
_POLARS = """
import polars as pl, sys
names = ["time", "value", "direction", "size", "offset", "priority"]
rows = pl.scan_csv(sys.argv[1], has_header=False, new_columns=names,
  schema_overrides=dict.fromkeys(names, pl.String))
number = lambda name: pl.col(name).str.strip_chars().cast(pl.Int64)
rows = rows.select(number("time") // 1000, number("value"), number("direction"))
bins = (pl.col("value").log(1.01)).floor().cast(pl.Int32).alias("bin")
found = rows.group_by("direction", "time", bins).agg(
  pl.len().alias("ios"), pl.col("value").sum().alias("total")
).collect(engine="streaming")
found.group_by("direction", "bin").agg(pl.col("ios").sum())
found.group_by("direction", "time").agg(pl.col("total").sum())
print(found["ios"].sum())
"""


@dataclass(frozen=True)
class Took:
    """Processor time [s] and memory [MiB] of a process and its children."""

    cpu_s: float
    peak_mib: float


def readers(log: Path, folder: Path) -> dict[str, list[str]]:
    """Return the command of each reader that is installed."""
    summary = [sys.executable, "-m", "ssdlab", "parse", "--summary", str(log)]
    ours = ["--table", "bins", "-o", str(folder / "bins.csv"), "--overwrite"]
    found = {
        "ssdlab": [*summary, *ours],
        "ssdlab, 4 parts": [*summary, *ours, "--parts", "4"],
    }
    for name, text in (("duckdb", _DUCKDB), ("polars", _POLARS)):
        if find_spec(name) is None:
            print(f"{name} is not installed: left out")
        else:
            found[name] = [sys.executable, "-c", text, str(log)]
    return found


def run(command: Sequence[str]) -> Took:
    """Run a reader; one that fails ends the benchmark."""
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    said = process.stderr.read() if process.stderr else ""
    _, status, used = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status):
        raise SystemExit(said)
    return Took(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the log, run every reader in turn, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=0.3)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(dir=given.folder) as made:
        folder = Path(made)
        write_log(folder, given.scale)
        log = folder / NAME
        print(f"a log of {log.stat().st_size / 1e6:.0f} MB")
        commands = readers(log, folder)
        took: dict[str, list[Took]] = {name: [] for name in commands}
        for _ in range(given.rounds):
            for name, command in commands.items():
                took[name].append(run(command))
    unit_s = statistics.median(one.cpu_s for one in took["ssdlab"])
    print("\n| reader | CPU [s] | ratio | memory [MiB] |\n| --- | --- | --- | --- |")
    for name, some in took.items():
        cpu_s = statistics.median(one.cpu_s for one in some)
        peak = max(one.peak_mib for one in some)
        print(f"| {name} | {cpu_s:.2f} | {cpu_s / unit_s:.1f} | {peak:.0f} |")


if __name__ == "__main__":
    main()
