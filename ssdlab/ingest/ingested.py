"""The tables of a run and of its steps, from what was read for each."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ssdlab.model.answers import Answers
from ssdlab.model.finding import Finding, SharedFinding
from ssdlab.model.records import RunRecord
from ssdlab.model.schema import TABLES, Table
from ssdlab.model.spec import MIXED_PERCENT
from ssdlab.model.step import Step, StepResult
from ssdlab.store.raw import StepRecord
from ssdlab.store.records import RunState
from ssdlab.store.tables import rows_to_columns

Columns = dict[str, Any]  # a list or an array each
NUMBERS: Final = (
    *("measurements", "percentiles", "bins", "jobs", "job_bins", "series"),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class IngestedStep:
    """One step: its record, its result, and its rows of the tables of numbers."""

    record: StepRecord
    result: StepResult
    rows: dict[str, Columns] = field(default_factory=dict)


def stack_steps(table: Table, parts: Sequence[Columns], run_id: str) -> Columns:
    """Return the rows of all steps as one table.

    Arrays stay arrays: they take a tenth of the memory of lists.
    """
    filled = [part for part in parts if len(part["step_id"])]
    count = sum(len(part["step_id"]) for part in filled)
    stacked: Columns = {"run_id": repeated(run_id, count)}
    for name in table.column_names:
        if name != "run_id":
            stacked[name] = _joined([part[name] for part in filled])
    return stacked


def repeated(text: str, count: int) -> NDArray[np.object_]:
    """Return a column of one text; `numpy.full` would hold a copy for each row."""
    return np.repeat(np.array([text], dtype=object), count)


def _joined(parts: Sequence[Any]) -> Any:
    if parts and all(isinstance(part, np.ndarray) for part in parts):
        return np.concatenate(parts)
    lists = (p.tolist() if isinstance(p, np.ndarray) else p for p in parts)
    return list(chain.from_iterable(lists))


def step_columns(step: Step) -> dict[str, object]:
    """Return the columns that say what a step was."""
    where: dict[str, object] = {
        "step_id": step.step_id,
        "test": step.test_id,
        "phase": step.phase_id,
        "kind": step.kind,
        "round": step.round,
        "cell": step.cell,
    }
    if step.workload is not None:
        where |= {
            "access": step.workload.access,
            "block_size_bytes": step.workload.block_size_bytes or None,  # composite
            "read_percent": known_percent(step.workload.read_percent),
            "threads": step.workload.threads or None,  # 0: unknown for an import
            "queue_depth": step.workload.queue_depth or None,
        }
    return where


def job_columns(step: Step, name: str) -> dict[str, object]:
    """Return the columns that say what one job of a step was."""
    asked = step.workload.jobs if step.workload is not None else ()
    (job,) = (one for one in asked if one.name == name)
    sizes = job.block_sizes_bytes
    return step_columns(step) | {
        "job": name,
        "access": job.access,
        "block_size_bytes": sizes[0] if len(sizes) == 1 else None,
        "read_percent": job.read_percent,
        "threads": job.threads,
        "queue_depth": job.queue_depth,
    }


def known_percent(read_percent: int) -> int | None:
    """Return a share of reads; jobs that differ in it have none."""
    return None if read_percent == MIXED_PERCENT else read_percent


def tabulate_steps(record: RunRecord, steps: Sequence[IngestedStep]) -> Columns:
    """Return the table of steps."""
    rows = []
    written = 0
    is_foreign = record.is_imported
    test = ""
    for ingested in steps:
        step, kept = ingested.record.step, ingested.record
        begins = step.kind == "purge" or (is_foreign and step.test_id != test)
        written = ingested.result.written_bytes + (0 if begins else written)
        test = step.test_id
        row = {
            **step_columns(step),
            "run_id": record.run_id,
            "range_bytes": step.range_bytes,
            "offset_bytes": step.offset_bytes,
            "seed": step.seed,
            "started_s": kept.started_s,
            "ended_s": kept.ended_s,
            "duration_s": kept.ended_s - kept.started_s,
            "idle_before_s": kept.idle_before_s,
            "wait_s": step.wait_s,
            "was_armed": kept.was_armed,
            "is_contiguous": kept.result.is_contiguous,
            "read_bytes": ingested.result.read_bytes,
            "written_bytes": ingested.result.written_bytes,
            "total_written_bytes": written,
            "drive_fills": _fills(written, record.target.capacity_bytes),
            "exit_code": kept.exit_code,
            "warnings": kept.purge_doubt if step.kind == "purge" else kept.said,
        }
        if kept.handover is not None:
            row |= asdict(kept.handover)
        if kept.neighbours is not None:
            row["neighbours"] = "\n".join(kept.neighbours)
        if kept.host_cpu is not None:
            row["host_user_cpu_percent"] = kept.host_cpu.user_percent
            row["host_system_cpu_percent"] = kept.host_cpu.system_percent
        if is_foreign:
            row |= dict.fromkeys(_unknown_of_import(ingested))
        rows.append(row)
    return rows_to_columns(TABLES["steps"], rows)


def _fills(written_bytes: int, capacity_bytes: int) -> float | None:
    return written_bytes / capacity_bytes if capacity_bytes else None


def _unknown_of_import(step: IngestedStep) -> tuple[str, ...]:
    """Return the columns of a step that others' files do not contain."""
    never = ("range_bytes", "offset_bytes", "seed", "wait_s", "was_armed", "exit_code")
    measured = step.rows["measurements"]["io_bytes"]
    if measured and None not in measured:
        return never
    return (*never, "read_bytes", "written_bytes", "total_written_bytes", "drive_fills")


def tabulate_findings(run_id: str, findings: Sequence[Finding]) -> Columns:
    """Return the table of findings, in their order."""
    rows = [
        {"run_id": run_id, "number": number, **asdict(found)}
        for number, found in enumerate(findings, start=1)
    ]
    return rows_to_columns(TABLES["findings"], rows)


def tabulate_run(record: RunRecord, state: RunState, answers: Answers) -> Columns:
    """Return the table of the run, one row, with the answers to the three questions."""
    asked, target, host = record.asked, record.target, record.host
    row = {
        "run_id": record.run_id,
        "label": record.label,
        "status": state.status,
        "started_at": record.started_at or None,
        "finished_at": state.finished_at or None,
        "profile": asked.name,
        "spec_version": asked.spec_version,
        "tests": ",".join(record.tests),
        "target": target.spec,
        "is_virtual": target.is_virtual,
        "device_model": target.model,
        "device_serial": target.serial,
        "device_firmware": target.firmware,
        "capacity_bytes": target.capacity_bytes or None,
        "sector_bytes": target.sector_bytes or None,
        "purge_method": record.purge_method,
        "write_cache": asked.write_cache,
        "active_range_percent": asked.active_range_percent,
        "platform": host.platform,
        "cpu": host.cpu,
        "dram_bytes": host.dram_bytes or None,
        "operating_system": host.operating_system,
        "kernel": host.kernel,
        "fio_version": host.fio_version,
        "ssdlab_version": host.ssdlab_version,
        "seed": record.seed or None,
        "interruptions": max(0, len(state.sessions) - 1),
        "is_conformant": answers.conforms,
        "is_steady": answers.is_steady,
        "departures": lines_of(answers.found("procedure")),
        "doubts": lines_of(answers.found("numbers")),
    }
    return rows_to_columns(TABLES["runs"], [row])


def lines_of(shared: Sequence[SharedFinding]) -> str:
    """Return each finding in words, after the tests that it concerns, one per line."""
    return "\n".join(
        ": ".join(filter(None, (", ".join(found.tests), found.words)))
        for found in shared
    )
