"""Measure how long it takes to build the tables of a run whose steps have series.

Run from the root of the checkout: ``python -m benchmarks.ingest [--steps 1000]``

Makes runs of a model, one with a tenth of the steps of the other, in a temporary
folder, and gives each step the logs that fio would have written. Each is ingested in a
process of its own. The floor is to unpack the same bytes, decode documents by orjson
and split the logs at their separators. Times are of the processor.
"""

import argparse
import json
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import orjson

from ssdlab.engine.ports import StepOutcome
from ssdlab.ingest.ingest import ingest_run
from ssdlab.model.step import Step
from ssdlab.store.raw import read_all_steps, read_compressed, steps_folder
from ssdlab.system.folders import Folder
from ssdlab.testing import ModelDrive
from ssdlab.testing.backend import ModelBackend
from ssdlab.testing.made import MODEL_TARGET, make_record, measure_made

_SHARE = 10  # the small run has one step for this many of the large one
_SCALES = {"iops": 1, "bw": 4, "lat": 1000}  # a log's values by those of iops
_DRIVE = replace(MODEL_TARGET, capacity_bytes=64 * MODEL_TARGET.capacity_bytes)
_READ_CODE, _WRITE_CODE = 0, 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Cost:
    """What a piece of work took: time of the processor, and memory it added."""

    cpu_s: float
    added_bytes: int


class LoggingBackend(ModelBackend):
    """A model whose steps have the logs of fio: a line a thread, direction and second.

    A thread's mean is off by noise that is the same for every step.
    """

    def run(
        self, step: Step, folder: Folder, following: Step | None, *, hold: bool
    ) -> StepOutcome:
        """Answer one step, and write its logs."""
        outcome = super().run(step, folder, following, hold=hold)
        if step.workload is not None and step.series_interval_ms:
            for kind, scale in _SCALES.items():
                folder.write(f"series_{kind}.log", log_of(step, scale=scale))
        return outcome


def log_of(step: Step, *, scale: int) -> bytes:
    """Return a log of a step, thread after thread, as per_job_logs=0 writes it."""
    assert step.workload is not None
    assert step.series_interval_ms is not None
    count = round((step.runtime_s or 0) * 1000 / step.series_interval_ms)
    share = step.workload.read_percent
    codes = [_READ_CODE] * (share > 0) + [_WRITE_CODE] * (share < 100)
    random = np.random.default_rng(len(codes))
    lines = [
        f"{number * step.series_interval_ms + late}, {value * scale}, {code}, 0, 0\n"
        for _ in range(step.workload.threads)
        for number, (late, value) in enumerate(
            zip(
                random.integers(0, 9, count).tolist(),
                random.integers(9000, 11000, count).tolist(),
                strict=True,
            ),
            start=1,
        )
        for code in codes
    ]
    return "".join(lines).encode()


def make_logged_run(folder: Path, steps: int) -> None:
    """Make the raw output of a write saturation that never gets steady."""
    record = make_record("pts-2.0-enterprise", tests=["wsat"], target=_DRIVE)
    backend = LoggingBackend(drive=ModelDrive(noise_ratio=0.5), steps=steps)
    measure_made(folder, record, backend)


def read_bare(run: Path) -> None:
    """Read what the tables are built from, and do nothing with it."""
    for kept in read_all_steps(run):
        folder = steps_folder(run) / kept.step.step_id
        if folder.has("fio.json.gz"):
            orjson.loads(read_compressed(folder, "fio.json.gz"))
        for name in (f"series_{kind}.log.gz" for kind in _SCALES):
            log = read_compressed(folder, name) if folder.has(name) else b""
            [line.split(b", ") for line in log.split(b"\n")]


def cost_of(work: Callable[[Path], None], run: Path) -> Cost:
    """Return what work on a run takes in a process of its own, once it is imported."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)

    def measure() -> None:
        before, began = _peak_bytes(), time.process_time()
        work(run)
        sender.send((time.process_time() - began, _peak_bytes() - before))

    process = context.Process(target=measure)
    process.start()
    sender.close()
    cpu_s, added_bytes = receiver.recv()
    process.join()
    return Cost(cpu_s=cpu_s, added_bytes=added_bytes)


def _peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def measure_ingest(steps: int) -> dict[str, float]:
    """Make both runs, and return what the tables of the large one cost, as ratios."""
    with tempfile.TemporaryDirectory() as place:
        small, large = Path(place) / "small", Path(place) / "large"
        make_logged_run(small, max(2, steps // _SHARE))
        make_logged_run(large, steps)
        ingest_run(small)  # what is imported then is not measured
        first = cost_of(ingest_run, small)
        floor, whole = cost_of(read_bare, large), cost_of(ingest_run, large)
        done = sum(1 for _ in read_all_steps(large))
        few = sum(1 for _ in read_all_steps(small))
    return {
        "steps": done,
        "ms_per_step": 1000 * whole.cpu_s / done,
        "ratio_to_reading": whole.cpu_s / floor.cpu_s,
        "ratio_to_small_per_step": whole.cpu_s / done / (first.cpu_s / few),
        "added_mb": whole.added_bytes / 1e6,
        "added_kb_per_step": (whole.added_bytes - first.added_bytes)
        / 1e3
        / (done - few),
    }


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--steps", type=int, default=1000)
    print(json.dumps(measure_ingest(asked.parse_args().steps), indent=1))


if __name__ == "__main__":
    main()
