"""Measure a store of runs: adding a run, and asking about thousands of them.

Usage: ``python -m benchmarks.fleet_store [--rounds 7] [--runs 1000 10000]``

Rows of a recorded run are moved and scaled to as many runs as wanted, of 500 drives.
Adding goes through all three tables; a store of many runs is written in packs of 2,500,
as `ssdlab store tend` leaves it, or of 250 where it has no more. Wall and CPU times are
those of one process; the ratio is that of CPU to reading the same bins from plain
Parquet files that are kept open. The memory is that of a process which asks once.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

import ssdlab
from ssdlab.fleet.delta import Writer, create_tables, open_table, schema_of
from ssdlab.fleet.files import write_file
from ssdlab.fleet.place import Place, place_of
from ssdlab.fleet.rows import rows_of_run
from ssdlab.fleet.tables import FLEET_TABLES, RunRows

SAMPLE = Path(__file__).resolve().parents[1] / "data" / "samples" / "virtual-all"
DRIVES, ADDED = 500, 30
CELL, TEST, QUANTILE = "RND 4KiB 0/100 T2/Q16", "iops", 0.9999
KEY = f"{TEST} rounds cell RND 4 KiB 0/100 T2/Q16 total"
SUMMARY = f"""select device_serial, avg(lat_p9999_ns) from cells
where cell = '{KEY}' group by 1"""
MIB = 1 << 20


@dataclass(frozen=True)
class Took:
    """Wall and CPU time of something, the median of some rounds [ms]."""

    wall_ms: float
    cpu_ms: float


def measure(call: Callable[[], object], rounds: int) -> Took:
    """Return how long a call takes."""
    call()
    walls, cpus = [], []
    for _ in range(rounds):
        wall, cpu = time.perf_counter(), time.process_time()
        call()
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    return Took(statistics.median(walls) * 1e3, statistics.median(cpus) * 1e3)


def template() -> RunRows:
    """Return the rows of the recorded run."""
    run = ssdlab.open_run(SAMPLE)
    return rows_of_run(run, record_sha256="0", manifest_sha256="", added_s=1.7e9)


def made_tables(rows: RunRows, first: int, count: int) -> dict[str, pa.Table]:
    """Return the tables of runs like one, ordered as packs are."""
    numbers = np.arange(first, first + count)
    found = {}
    for name, table in FLEET_TABLES.items():
        one = pa.Table.from_pylist(list(rows.rows[name]), schema=schema_of(table))
        if "cell" in one.column_names:
            one = one.sort_by("cell")
        places = np.repeat(np.arange(one.num_rows), count)
        many, run = one.take(places), np.tile(numbers, one.num_rows)
        found[name] = _named(many, run)
    return found


def _named(
    table: pa.Table, run: "np.ndarray[tuple[int], np.dtype[np.int64]]"
) -> pa.Table:
    texts = {
        "run_id": [f"r{number:06d}" for number in run],
        "ingest_id": [f"i{number:06d}" for number in run],
        "device_serial": [f"S{number % DRIVES:05d}" for number in run],
    }
    for name, values in texts.items():
        if name in table.column_names:
            place = table.column_names.index(name)
            table = table.set_column(place, name, pa.array(values))
    if "bin" in table.column_names:
        sizes = pc.list_value_length(table["bin"]).to_numpy()
        moved = pc.list_flatten(table["bin"]).to_numpy() + np.repeat(
            run % 13 - 6, sizes
        )
        offsets = pa.array(np.concatenate([[0], sizes.cumsum()]), pa.int32())
        lists = pa.ListArray.from_arrays(offsets, pa.array(moved, pa.int16()))
        table = table.set_column(table.column_names.index("bin"), "bin", lists)
    return table


def fill(place: Place, rows: RunRows, runs: int) -> None:
    """Write a store of many runs in packs."""
    size = min(2500, max(250, runs // 4))
    for first in range(0, runs, size):
        count = min(size, runs - first)
        for name, content in made_tables(rows, first, count).items():
            prefix = f"pack-{count:06d}"
            file = write_file(place, name, [content], prefix=prefix)
            open_table(place, name).commit([file], {f"pack:{first}": 1})


def measure_add(place: Place, rows: RunRows, first: int, rounds: int) -> Took:
    """Return how long it takes to add a run to a store."""
    numbers = iter(range(first, first + rounds + 1))
    made = {
        number: {
            name: [
                row | {"run_id": f"a{number}", "ingest_id": f"a{number}"} for row in of
            ]
            for name, of in rows.rows.items()
        }
        for number in range(first, first + rounds + 1)
    }

    writer = Writer(place)

    def add() -> None:
        number = next(numbers)
        own = RunRows(run_id=f"a{number}", ingest_id=f"a{number}", rows=made[number])
        writer.add(own)

    return measure(add, rounds)


def measure_questions(place: Place, rounds: int) -> dict[str, Took]:
    """Return how long each question takes."""
    store = ssdlab.open_store(place.url)
    files = open_table(place, "histograms").rows().files
    plain = ds.dataset(files, format="parquet", filesystem=place.files_of("histograms"))
    wanted = pc.field("cell") == KEY
    found = store.quantile(CELL, QUANTILE, test=TEST)
    assert found["runs"].sum() == len(store.runs()), "each run is asked"

    def opened() -> object:
        return ssdlab.open_store(place.url).quantile(CELL, QUANTILE, test=TEST)

    return {
        "plain Parquet, the bins read": measure(
            lambda: plain.to_table(columns=["bin", "count"], filter=wanted), rounds
        ),
        "p99.99 of each drive, kept open": measure(
            lambda: store.quantile(CELL, QUANTILE, test=TEST), rounds
        ),
        "p99.99 of each drive, opened each time": measure(opened, rounds),
        "the same from the summary, in SQL": measure(
            lambda: store.sql(SUMMARY), rounds
        ),
    }


def memory_mib(url: str) -> float:
    """Return the most memory of a process that asks a store once [MiB]."""
    code = (
        "import sys, ssdlab; store = ssdlab.open_store(sys.argv[1]); "
        f"store.quantile({CELL!r}, {QUANTILE}, test={TEST!r}); store.sql({SUMMARY!r}); "
        "print(*[one for one in open('/proc/self/status') if 'VmHWM' in one])"
    )
    line = [sys.executable, "-c", code, url]
    done = subprocess.run(line, check=True, capture_output=True, text=True)
    return int(done.stdout.split()[1]) * 1024 / MIB


def main() -> None:
    """Measure, and print a table."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--rounds", type=int, default=7)
    asked.add_argument("--runs", type=int, nargs="+", default=[1000, 10_000])
    options = asked.parse_args()
    rows = template()
    print("| runs | work | wall [ms] | CPU [ms] | ratio |")
    print("| --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for runs in options.runs:
            place = place_of(f"{folder}/{runs}", is_new=True)
            create_tables(place)
            fill(place, rows, runs)
            took = measure_questions(place, options.rounds)
            floor = next(iter(took.values())).cpu_ms
            took["a run added"] = measure_add(place, rows, runs, ADDED)
            for name, one in took.items():
                ratio = one.cpu_ms / floor
                cells = (runs, name, f"{one.wall_ms:.0f}", f"{one.cpu_ms:.0f}")
                print(f"| {' | '.join(map(str, cells))} | {ratio:.1f} |")
            memory = f"{memory_mib(place.url):.0f} MiB"
            print(f"| {runs} | memory of a process | {memory} | | |")


if __name__ == "__main__":
    main()
