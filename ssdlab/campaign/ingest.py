"""Build the tables from raw output; do it again at any time with equal content."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ssdlab.campaign.raw import (
    StepRecord,
    read_all_steps,
    read_compressed,
    read_raw_output,
)
from ssdlab.campaign.results import summarise_step
from ssdlab.campaign.telemetry import read_telemetry
from ssdlab.fio.logs import FioLog, LogKind, parse_log, tabulate_series
from ssdlab.fio.measure import DEFAULT_LEVELS, measure
from ssdlab.fio.parse import parse_document
from ssdlab.model.errors import RunFolderError
from ssdlab.model.records import RunRecord
from ssdlab.model.schema import TABLES, Table
from ssdlab.model.spec import PtsTest, Step, StepResult
from ssdlab.model.units import duration_label
from ssdlab.plan.context import Judgement, PlanContext
from ssdlab.plan.phases import plan_suite
from ssdlab.pts.profiles import fit_to_sectors, profile_from_dict
from ssdlab.pts.suite import build_tests
from ssdlab.store.records import read_record, read_state
from ssdlab.store.tables import rows_to_columns, write_table

Columns = dict[str, list[Any]]
PlanInputs = tuple[Sequence[PtsTest], PlanContext]
_LOG_KINDS: dict[str, LogKind] = {"iops": "iops", "bw": "bw", "lat": "lat"}


def ingest_run(run: Path, plan: PlanInputs | None = None) -> None:
    """Write every table of a run anew from its raw output; see `build_tables`."""
    folder = run / "tables"
    folder.mkdir(exist_ok=True)
    for name, columns in build_tables(run, plan).items():
        write_table(folder, TABLES[name], columns)


def build_tables(run: Path, plan: PlanInputs | None = None) -> dict[str, Columns]:
    """Return every table of a run as columns.

    ``plan`` is what the run was planned from, if not from the profile in its record.
    """
    record = read_record(run)
    steps = [_read_step(run, step_record) for step_record in read_all_steps(run)]
    tables = {
        "runs": _runs(run, record, steps),
        "steps": _steps(record, steps),
        "windows": _windows(record, plan or plan_inputs(record), steps),
        "telemetry": _telemetry(run, record),
    }
    for name in ("measurements", "percentiles", "bins", "series"):
        tables[name] = _stack(TABLES[name], (step.rows[name] for step in steps))
        tables[name]["run_id"] = [record.run_id] * len(tables[name]["step_id"])
    return tables


def plan_inputs(record: RunRecord) -> tuple[tuple[PtsTest, ...], PlanContext]:
    """Return the tests and the context that a run's plan was made from.

    Raises
    ------
    RunFolderError
        If the profile in the record is not of this version.
    """
    try:
        profile = profile_from_dict(record.profile)
    except (KeyError, TypeError) as error:
        raise RunFolderError(
            folder=record.run_id,
            reason=f"the profile in its run.json is not of this version ({error})",
            remedy=f"Use ssdlab {record.host.ssdlab_version}, which began it.",
        ) from error
    context = PlanContext(
        capacity_bytes=record.target.capacity_bytes,
        sector_bytes=record.target.sector_bytes,
        active_range_percent=profile.active_range_percent,
        seed=record.seed,
        uses_random_map=profile.uses_random_map,
    )
    fitting = fit_to_sectors(profile, context.sector_bytes)
    return build_tests(fitting, record.tests), context


@dataclass(frozen=True, kw_only=True, slots=True)
class _IngestedStep:
    record: StepRecord
    result: StepResult
    rows: dict[str, Columns] = field(default_factory=dict)


def _read_step(run: Path, record: StepRecord) -> _IngestedStep:
    folder = run / "steps" / record.step.step_id
    empty: dict[str, Columns] = {
        name: {column: [] for column in TABLES[name].column_names}
        for name in ("measurements", "percentiles", "bins", "series")
    }
    if record.step.workload is None:
        return _IngestedStep(record=record, result=record.result, rows=empty)
    document = parse_document(read_raw_output(folder), source=record.step.step_id)
    measured = measure(document, levels=DEFAULT_LEVELS)
    result, _ = summarise_step(record.step, document)
    where = _where(record.step)
    rows = {
        "measurements": rows_to_columns(
            TABLES["measurements"], [{**where, **row} for row in measured.measurements]
        ),
        "percentiles": _with_step(measured.percentiles, record.step),
        "bins": _with_step(measured.bins, record.step),
        "series": _series(folder, record.step),
    }
    return _IngestedStep(
        record=record,
        result=replace(
            result,
            idle_before_s=record.idle_before_s,
            is_contiguous=record.result.is_contiguous,
        ),
        rows=empty | rows,
    )


def _where(step: Step) -> dict[str, object]:
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
            "block_size_bytes": step.workload.block_size_bytes,
            "read_percent": step.workload.read_percent,
            "threads": step.workload.threads,
            "queue_depth": step.workload.queue_depth,
        }
    return where


def _with_step(columns: Mapping[str, Any], step: Step) -> Columns:
    plain = {name: np.asarray(values).tolist() for name, values in columns.items()}
    count = len(next(iter(plain.values())))
    return {**plain, "step_id": [step.step_id] * count, "run_id": [None] * count}


def _series(folder: Path, step: Step) -> Columns:
    threads: dict[str, list[FioLog]] = {}
    for path in sorted(folder.glob("series_*.log.gz")):
        kind, _, thread = path.name.removeprefix("series_").partition(".")
        if kind not in _LOG_KINDS:
            continue  # fio adds clat and slat to every lat log
        text = read_compressed(path).decode("ascii")
        log = parse_log(
            text, kind=_LOG_KINDS[kind], source=f"{step.step_id}/{path.name}"
        )
        threads.setdefault(thread, []).append(log)
    if step.series_interval_ms is None or not threads:
        return {name: [] for name in TABLES["series"].column_names}
    frame = tabulate_series(list(threads.values()), interval_ms=step.series_interval_ms)
    return _with_step({str(name): frame[name] for name in frame}, step)


def _stack(table: Table, parts: Iterator[Columns]) -> Columns:
    stacked: Columns = {name: [] for name in table.column_names}
    for part in parts:
        for name, values in stacked.items():
            values.extend(part[name])
    return stacked


def _steps(record: RunRecord, steps: Sequence[_IngestedStep]) -> Columns:
    rows = []
    written = 0
    for ingested in steps:
        step, kept = ingested.record.step, ingested.record
        written = 0 if step.kind == "purge" else written + ingested.result.written_bytes
        rows.append({
            **_where(step),
            "run_id": record.run_id,
            "range_bytes": step.range_bytes,
            "offset_bytes": step.offset_bytes,
            "seed": step.seed,
            "started_s": kept.started_s,
            "ended_s": kept.ended_s,
            "duration_s": kept.ended_s - kept.started_s,
            "idle_before_s": kept.idle_before_s,
            "was_armed": kept.was_armed,
            "is_contiguous": kept.result.is_contiguous,
            "read_bytes": ingested.result.read_bytes,
            "written_bytes": ingested.result.written_bytes,
            "total_written_bytes": written,
            "drive_fills": written / record.target.capacity_bytes,
            "exit_code": kept.exit_code,
            "warnings": "" if step.kind == "purge" else kept.said,
        })
    return rows_to_columns(TABLES["steps"], rows)


def _windows(
    record: RunRecord, inputs: PlanInputs, steps: Sequence[_IngestedStep]
) -> Columns:
    """Replay the plan over the results and keep every judgement it made."""
    judgements: list[Judgement] = []
    results = {step.record.step.step_id: step.result for step in steps}
    plan = plan_suite(*inputs, judgements.append)
    try:
        batch = next(plan)
        while all(step.step_id in results for step in batch.steps):
            batch = plan.send(tuple(results[step.step_id] for step in batch.steps))
    except StopIteration:
        pass
    last = {(j.test_id, j.phase_id): j.round for j in judgements}
    return rows_to_columns(
        TABLES["windows"],
        [
            _window_row(
                record.run_id, j, is_final=last[j.test_id, j.phase_id] == j.round
            )
            for j in judgements
        ],
    )


def _window_row(
    run_id: str, judgement: Judgement, *, is_final: bool
) -> dict[str, object]:
    verdict, tracking = judgement.verdict, judgement.tracking
    return {
        "run_id": run_id,
        "test": judgement.test_id,
        "phase": judgement.phase_id,
        "round": judgement.round,
        "tracking": tracking.label,
        "metric": tracking.metric,
        "access": tracking.access,
        "block_size_bytes": tracking.block_size_bytes,
        "read_percent": tracking.read_percent,
        "window_first_round": judgement.rounds[0],
        "window_last_round": judgement.rounds[-1],
        "average": verdict.average,
        "minimum": verdict.minimum,
        "maximum": verdict.maximum,
        "range_ratio": verdict.range_ratio,
        "slope_per_round": verdict.slope_per_round,
        "intercept": verdict.intercept,
        "slope_ratio": verdict.slope_ratio,
        "correlation": verdict.correlation,
        "is_range_ok": verdict.is_range_ok,
        "is_slope_ok": verdict.is_slope_ok,
        "is_steady": verdict.is_steady,
        "is_round_steady": judgement.is_round_steady,
        "is_final": is_final,
        "reason": verdict.reason,
    }


def _telemetry(run: Path, record: RunRecord) -> Columns:
    rows = [
        {
            "run_id": record.run_id,
            "time_s": time_s,
            "source": source,
            "name": name,
            "value": value,
        }
        for time_s, source, name, value in read_telemetry(run / "telemetry")
    ]
    return rows_to_columns(TABLES["telemetry"], rows)


def _found_departures(steps: Sequence[_IngestedStep]) -> Iterator[str]:
    """Say what departed while the run was going on: gaps and doubts."""
    gaps = [step.record for step in steps if not step.result.is_contiguous]
    if gaps:
        longest = max(record.idle_before_s or 0.0 for record in gaps)
        yield (
            f"gaps: {len(gaps)} in which the device rested, the longest "
            f"{duration_label(longest)}; windows begin afresh after each"
        )
    doubtful = sum(
        bool(step.record.said) for step in steps if step.record.step.kind != "purge"
    )
    if doubtful:
        yield (
            f"doubts: fio or the target complained in {doubtful} of {len(steps)} "
            "steps; see the column warnings of the table steps"
        )


def _runs(run: Path, record: RunRecord, steps: Sequence[_IngestedStep]) -> Columns:
    state = read_state(run)
    departures = (*record.departures, *_found_departures(steps))
    profile, target, host = record.profile, record.target, record.host
    row = {
        "run_id": record.run_id,
        "label": record.label,
        "status": state.status,
        "started_at": record.started_at,
        "finished_at": state.finished_at or None,
        "profile": profile["name"],
        "spec_version": profile["spec_version"],
        "tests": ",".join(record.tests),
        "target": target.spec,
        "is_virtual": target.is_virtual,
        "device_model": target.model,
        "device_serial": target.serial,
        "device_firmware": target.firmware,
        "capacity_bytes": target.capacity_bytes,
        "sector_bytes": target.sector_bytes,
        "purge_method": record.purge_method,
        "write_cache": profile["write_cache"],
        "active_range_percent": profile["active_range_percent"],
        "platform": host.platform,
        "cpu": host.cpu,
        "dram_bytes": host.dram_bytes,
        "operating_system": host.operating_system,
        "kernel": host.kernel,
        "fio_version": host.fio_version,
        "ssdlab_version": host.ssdlab_version,
        "seed": record.seed,
        "interruptions": max(0, len(state.sessions) - 1),
        "is_conformant": not departures,
        "departures": "\n".join(departures),
    }
    return rows_to_columns(TABLES["runs"], [row])
