"""The most that this host can issue: the path of a run, without a device.

The IO engine of the run reads and writes ``/dev/zero``, which completes every IO at
once: decision record 112. fio's null engine, which does not enter the kernel, stands in
for nbd, which needs a server.
"""

import gzip
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from ssdlab.findings.ceiling import thread_time_us
from ssdlab.fio.faults import find_faults
from ssdlab.fio.from_json.parse import parse_document
from ssdlab.fio.installed import require_fio
from ssdlab.fio.jobs.jobfile import render_job
from ssdlab.fio.process import FIO_ARGUMENTS, FioRequest
from ssdlab.fio.runner import FioChain
from ssdlab.ingest.results import summarise_step
from ssdlab.model.errors import FioFailedError, UserError
from ssdlab.model.io_engine import LOCAL_ENGINE, IoEngine, parse_io_engine
from ssdlab.model.records import CeilingPoint
from ssdlab.model.spec import Workload
from ssdlab.model.step import Step, StepResult
from ssdlab.model.units import GIB, KIB, MIB, block_size_label, mix_label
from ssdlab.system.folders import LOG_BYTES, Folder
from ssdlab.text.table import WORKERS, column, tabulate
from ssdlab.text.terminal import table_lines

CEILING_FOLDER = "ceiling"
CEILING_SECONDS = 60.0
LEAST_POINT_S = 0.2  # below it fio's own startup outweighs its IOs
NULL_ENGINE = "null"
_ENDLESS = {"filename": "/dev/zero", "allow_file_create": "0", "direct": "0"}
_SEED = 1  # no device ever sees the offsets
_RANGE_BYTES = 64 * GIB
_GRACE_S = 60.0
_DEPTHS = ((1, 1), (1, 32), (2, 16), (4, 32), (32, 32))


def _workload(
    threads: int, queue_depth: int, *, read_percent: int, size: int = 4 * KIB
) -> Workload:
    return Workload(
        access="rnd",
        block_size_bytes=size,
        read_percent=read_percent,
        threads=threads,
        queue_depth=queue_depth,
    )


# For LAT, TP, the client and enterprise tests, and the demand variations.
# Writes have points of their own because fio generates their random data, which
# takes most of the time of long writes; so TP has such a point, too.
CEILING_WORKLOADS = (
    *(_workload(tc, qd, read_percent=mix) for mix in (100, 0) for tc, qd in _DEPTHS),
    _workload(1, 32, read_percent=0, size=MIB),
)


def measure_ceiling(
    folder: Folder | None = None,
    *,
    engine: str = LOCAL_ENGINE,
    seconds: float = CEILING_SECONDS,
    workloads: Sequence[Workload] = CEILING_WORKLOADS,
    tell: Callable[[str], None] | None = None,
) -> tuple[CeilingPoint, ...]:
    """Measure the most that this host can issue by an IO engine, or the null one.

    Polling needs the queues of a device: interrupts stand in for it.
    """
    path = None if engine == NULL_ENGINE else _read_path(engine)
    workloads = _fitting(workloads, path)
    each_s = seconds / len(workloads)
    if each_s < LEAST_POINT_S:
        msg = (
            f"{seconds:g} s are too short for {len(workloads)} points of "
            f"{LEAST_POINT_S:g} s. Give more seconds."
        )
        raise UserError(msg)
    fio, _ = require_fio()
    place = folder or Folder(Path(tempfile.mkdtemp(prefix="ssdlab-")))
    try:
        with FioChain(fio, clock=time.monotonic, tick=lambda: None) as chain:
            return tuple(
                _measure(chain, workload, each_s, place=place, path=path, tell=tell)
                for workload in workloads
            )
    finally:
        if folder is None:
            place.remove_tree()


def ceiling_lines(points: Sequence[CeilingPoint]) -> list[str]:
    """Return the points as a readable table."""
    columns = (
        WORKERS,
        column("IO engine", "engine", is_words=True),
        column("stimulus", _stimulus, is_words=True),
        column("IOPS", "iops", "{:,.0f}".format),
        column("µs per IO of a thread", thread_time_us, "{:.3f}".format),  # noqa: RUF001 - the SI prefix
    )
    return table_lines(tabulate(points, columns, caption=""))


def _stimulus(point: CeilingPoint) -> str:
    size, mix = block_size_label(point.block_size_bytes), mix_label(point.read_percent)
    return f"RND {size} {mix}"


def _measure(
    chain: FioChain,
    workload: Workload,
    seconds: float,
    *,
    place: Folder,
    path: IoEngine | None,
    tell: Callable[[str], None] | None,
) -> CeilingPoint:
    """Run one point and keep the output of fio."""
    step = _step(workload, seconds)
    if tell is not None:
        tell(
            f"host ceiling: {workload.label} T{workload.threads}/"
            f"Q{workload.queue_depth} for {seconds:.3g} s"
        )
    request = FioRequest(
        step_id=step.step_id,
        folder=place / step.step_id,
        job=render_job(step, {"ioengine": NULL_ENGINE})
        if path is None
        else render_job(step, _ENDLESS, io_engine=path.text),
        gated_threads=workload.threads,
        overdue_s=_GRACE_S + 2 * seconds,
    )
    outcome = chain.run(request)
    result = _read(step, request.folder, outcome.exit_code)
    return CeilingPoint(
        threads=workload.threads,
        queue_depth=workload.queue_depth,
        block_size_bytes=workload.block_size_bytes,
        iops=float(result.iops or 0.0),
        read_percent=workload.read_percent,
        engine=path.text if path else NULL_ENGINE,
    )


def _read_path(engine: str) -> IoEngine:
    """Return the engine that a user named, or raise a `UserError`."""
    try:
        found = parse_io_engine(engine) or IoEngine(LOCAL_ENGINE)
    except ValueError as error:
        msg = f"No host ceiling by this IO engine: {error}, {NULL_ENGINE}."
        raise UserError(msg) from None
    return found.without_device


def _fitting(
    workloads: Sequence[Workload], path: IoEngine | None
) -> tuple[Workload, ...]:
    """Return the points that an engine can have: a synchronous one only QD 1."""
    if path is None or not path.is_synchronous:
        return tuple(workloads)
    return tuple(dict.fromkeys(replace(one, queue_depth=1) for one in workloads))


def _step(workload: Workload, seconds: float) -> Step:
    size = block_size_label(workload.block_size_bytes).replace(" ", "")
    name = f"T{workload.threads}-Q{workload.queue_depth}-{size}"
    return Step(
        step_id=f"{name}-r{workload.read_percent}",
        test_id=CEILING_FOLDER,
        phase_id=CEILING_FOLDER,
        kind="cell",
        workload=workload,
        range_bytes=_RANGE_BYTES,
        runtime_s=seconds,
        seed=_SEED,
    )


def _read(step: Step, folder: Folder, exit_code: int) -> StepResult:
    """Return the output of fio, and keep it compressed."""
    said = folder.has_file("fio.json")
    content = folder.read("fio.json", limit=LOG_BYTES) if said else b""
    folder.write("fio.json.gz", gzip.compress(content, 3, mtime=0))
    folder.remove("fio.json")
    folder.write("exitcode", f"{exit_code}\n".encode())
    folder.write("command.txt", " ".join(("fio", *FIO_ARGUMENTS, "job.fio\n")).encode())
    try:
        document = parse_document(content, source=step.step_id)
    except UserError as error:
        _fail(step, str(error))
    work = step.workload
    faults = find_faults(
        document,
        exit_code=exit_code,
        block_sizes_bytes=work.block_range_bytes if work else (0, 0),
        outstanding=work.threads * work.queue_depth if work else 0,
        runtime_s=step.runtime_s,
    )
    result, _ = summarise_step(step, document)
    if faults or not result.iops:
        _fail(step, "; ".join(faults) or "fio did no IO")
    return result


def _fail(step: Step, reason: str) -> NoReturn:
    raise FioFailedError(
        step_id=f"{CEILING_FOLDER}/{step.step_id}",
        reason=reason,
        remedy="Check whether the job.fio beside its output runs, or skip the host "
        "ceiling.",
    )
