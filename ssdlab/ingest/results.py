"""From the output of fio to the results of a plan, and to rows of the tables."""

from collections.abc import Iterable, Mapping
from typing import Any

from ssdlab.fio.document import FioDocument
from ssdlab.fio.measure import StepMeasurement, measure, measure_jobs
from ssdlab.model.step import JobResult, Step, StepResult

_NO_LEVELS: tuple[float, ...] = (99.0,)


def summarise_step(step: Step, document: FioDocument) -> tuple[StepResult, float]:
    """Return a step's result and its time under IO [s]."""
    measured = measure(document, levels=_NO_LEVELS).measurements
    return summarise_measured(step, measured, measure_file_jobs(step, document))


def measure_file_jobs(
    step: Step, document: FioDocument
) -> Mapping[str, StepMeasurement]:
    """Return the results of each job of a step that runs the jobs of a file."""
    has_jobs = step.workload is not None and bool(step.workload.jobs)
    return measure_jobs(document) if has_jobs else {}


def summarise_measured(
    step: Step,
    measurements: Iterable[Mapping[str, Any]],
    of_jobs: Mapping[str, StepMeasurement],
) -> tuple[StepResult, float]:
    """Return the same for existing measurements: one row per direction."""
    rows = {row["direction"]: row for row in measurements}
    total = rows["total"]
    result = StepResult(
        step_id=step.step_id,
        read_bytes=int(rows["read"]["io_bytes"]) if "read" in rows else 0,
        written_bytes=int(rows["write"]["io_bytes"]) if "write" in rows else 0,
        iops=_number(total["iops"]),
        bw_bytes_per_s=_number(total["bw_bytes_per_s"]),
        lat_mean_ns=_number(total["lat_mean_ns"]),
        jobs=tuple(_job_result(name, one) for name, one in of_jobs.items()),
    )
    return result, float(total["runtime_s"])


def _job_result(name: str, measured: StepMeasurement) -> JobResult:
    total = next(
        (row for row in measured.measurements if row["direction"] == "total"), None
    )
    if total is None:
        return JobResult(job=name)
    return JobResult(
        job=name,
        iops=_number(total["iops"]),
        bw_bytes_per_s=_number(total["bw_bytes_per_s"]),
        lat_mean_ns=_number(total["lat_mean_ns"]),
    )


def _number(value: float) -> float | None:
    return None if value != value else float(value)  # noqa: PLR0124 - NaN is missing
