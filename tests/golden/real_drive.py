"""The recorded runs of a real drive, as their author took them, and what he published.

He brought every cell to a steady state of its own, by a stricter rule of the range and
a looser one of the slope than the standard's (PTS 2.1.24, LJ). Names are his:
``KB`` means KiB.
"""

import csv
import json
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ssdlab.ingest.ingest import ingest_run
from ssdlab.model.spec import (
    Access,
    Metric,
    Phase,
    Precondition,
    PtsTest,
    Rounds,
    SteadyStateCriteria,
    Tracking,
    Workload,
)
from ssdlab.plan.context import PlanContext
from ssdlab.store.run import Run, open_tables
from ssdlab.testing.carry_out import carry_out
from ssdlab.testing.replay import (
    Recording,
    ReplayBackend,
    Stimulus,
    read_recorded_files,
)
from tests.engine.plans import write_papers
from tests.paths import FIO_SAMPLES, require_folder

KIB = 1024
CAPACITY_BYTES = 128_035_676_160
CONTEXT = PlanContext(
    capacity_bytes=CAPACITY_BYTES, sector_bytes=512, active_range_percent=75, seed=101
)
AUTHORS_RULE = SteadyStateCriteria(
    max_range_ratio=None,
    max_slope_ratio=None,
    max_value_deviation_ratio=0.10,
    max_fit_deviation_ratio=0.10,
)
NAME = "wdpc_bs{block_size}_read{read_percent}_round{round}.json"
MIXES = (100, 95, 65, 50, 35, 5, 0)
SIZES = tuple(round(size * KIB) for size in (1024, 128, 64, 32, 16, 8, 4, 0.5))

Cell = tuple[int, int]


def authors_size(block_size_bytes: int) -> str:
    """Return the author's word for a block size."""
    if block_size_bytes < KIB:
        return f"{block_size_bytes}B"
    return f"{block_size_bytes // KIB}KB"


def size_in_bytes(word: str) -> int:
    number = int(re.findall(r"\d+", word)[0])
    return number * KIB if "KB" in word else number


def as_test(test_id: str, phases: Sequence[Phase]) -> PtsTest:
    return PtsTest(
        test_id=test_id, title=test_id, pts_section="none", phases=tuple(phases)
    )


def fill(block_size_bytes: int, *, threads: int = 1, queue_depth: int) -> Precondition:
    return Precondition(
        phase_id=f"wipc-{block_size_bytes}",
        block_size_bytes=block_size_bytes,
        threads=threads,
        queue_depth=queue_depth,
        capacity_multiple=2 / threads,
    )


def workload(cell: Cell, access: Access, *, threads: int, queue_depth: int) -> Workload:
    return Workload(
        access=access,
        block_size_bytes=cell[0],
        read_percent=cell[1],
        threads=threads,
        queue_depth=queue_depth,
    )


def tracking(stimulus: Workload, metric: Metric) -> Tracking:
    return Tracking(
        access=stimulus.access,
        block_size_bytes=stimulus.block_size_bytes,
        read_percent=stimulus.read_percent,
        metric=metric,
    )


def own_steady_state(
    stimulus: Workload, metric: Metric, criteria: SteadyStateCriteria = AUTHORS_RULE
) -> Rounds:
    """Return the rounds of one cell until it is steady itself."""
    return Rounds(
        phase_id=f"{authors_size(stimulus.block_size_bytes)}-{stimulus.read_percent}",
        cells=(stimulus,),
        cell_seconds=60,
        tracking=(tracking(stimulus, metric),),
        criteria=criteria,
    )


def recording_of(
    test_id: str, folder: Path, *, access: Access, fills: dict[str, int]
) -> Recording:
    """Find a recorded run; ``fills`` names each fill and the block size it had.

    Two fills are named after the first block size tested and not after their own.
    """
    cells = Stimulus(test_id=test_id, kind="cell", access=access)
    found = read_recorded_files(folder, NAME, like=cells)
    for name, block_size_bytes in fills.items():
        like = Stimulus(
            test_id=test_id,
            kind="precondition",
            access="seq",
            block_size_bytes=block_size_bytes,
        )
        found |= read_recorded_files(folder, name, like=like)
    return found


def replay(
    run: Path, recording: Recording, test: PtsTest, *, max_idle_s: float = 5
) -> Run:
    """Let a test go through plan, engine and ingest over a recording."""
    write_papers(run, capacity_bytes=CAPACITY_BYTES, label=test.test_id)
    drive_recording(run, recording, test, max_idle_s=max_idle_s)
    ingest_run(run, ((test,), CONTEXT))
    return open_tables(run)


def drive_recording(
    run: Path, recording: Recording, test: PtsTest, *, max_idle_s: float
) -> None:
    (run / "steps").mkdir(parents=True, exist_ok=True)
    backend = ReplayBackend(recording=recording)
    carry_out(run, backend, ((test,), CONTEXT), max_idle_s=max_idle_s)


def recorded_rounds(folder: Path) -> dict[Cell, int]:
    """Count the files of each cell."""
    rounds: dict[Cell, int] = {}
    for path in folder.glob("wdpc_*.json"):
        size, read_percent = re.findall(r"bs(\w+?)_read(\d+)_", path.name)[0]
        cell = size_in_bytes(size), int(read_percent)
        rounds[cell] = rounds.get(cell, 0) + 1
    return rounds


def raw_sides(folder: Path, cell: Cell) -> Iterator[list[dict[str, Any]]]:
    """Yield the busy sides of each round of a cell, read the short way."""
    for number in range(1, recorded_rounds(folder)[cell] + 1):
        name = NAME.format(
            block_size=authors_size(cell[0]), read_percent=cell[1], round=number
        )
        (job,) = json.loads((folder / name).read_bytes())["jobs"]
        yield [job[side] for side in ("read", "write") if job[side]["total_ios"]]


def raw_iops(folder: Path, cell: Cell) -> list[float]:
    return [
        math.fsum(side["iops"] for side in busy) for busy in raw_sides(folder, cell)
    ]


def published(name: str) -> list[dict[str, str]]:
    folder = require_folder(FIO_SAMPLES / "ssspt_published")
    with (folder / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def numbers_in(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+\.\d+", text)]
