"""From the output of fio to the results of a plan, and to rows of the tables."""

from collections.abc import Iterable, Mapping
from typing import Any

from ssdlab.fio.document import FioDocument
from ssdlab.fio.measure import measure
from ssdlab.model.step import Step, StepResult

_NO_LEVELS: tuple[float, ...] = (99.0,)


def summarise_step(step: Step, document: FioDocument) -> tuple[StepResult, float]:
    """Return a step's result and its time under IO [s]."""
    return summarise_measured(step, measure(document, levels=_NO_LEVELS).measurements)


def summarise_measured(
    step: Step, measurements: Iterable[Mapping[str, Any]]
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
    )
    return result, float(total["runtime_s"])


def _number(value: float) -> float | None:
    return None if value != value else float(value)  # noqa: PLR0124 - NaN is missing
