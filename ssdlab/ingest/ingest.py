"""Build the tables from raw output; repeatable at any time with equal content."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ssdlab.fio.document import FioDocument
from ssdlab.fio.from_json.parse import parse_document
from ssdlab.fio.logs.read import FioLog, LogKind, parse_log
from ssdlab.fio.logs.series import tabulate_series
from ssdlab.fio.measure import DEFAULT_LEVELS, StepMeasurement, measure
from ssdlab.ingest.findings import find_findings, gather_facts, read_frames
from ssdlab.ingest.imported import (
    printed_percentiles,
    read_measured,
    summarise_rows,
)
from ssdlab.ingest.ingested import (
    NUMBERS,
    Columns,
    IngestedStep,
    job_columns,
    known_percent,
    repeated,
    stack_steps,
    step_columns,
    tabulate_findings,
    tabulate_run,
    tabulate_steps,
)
from ssdlab.ingest.parts import find_part, read_part
from ssdlab.ingest.results import measure_file_jobs, summarise_measured
from ssdlab.ingest.wholeness import (
    hash_plan,
    refuse_loss,
    require_consecutive,
    require_telemetry,
)
from ssdlab.model.answers import find_answers
from ssdlab.model.asked import Import, Procedure, Suite
from ssdlab.model.errors import RunFolderError
from ssdlab.model.records import Extension, RunRecord
from ssdlab.model.schema import TABLES
from ssdlab.model.spec import PtsTest
from ssdlab.model.step import Step, StepResult
from ssdlab.plan.context import Judgement, PlanContext
from ssdlab.plan.extension import extend_tests
from ssdlab.plan.following import follow_plan
from ssdlab.plan.recorded import judge_recorded
from ssdlab.store.manifest import find_changes
from ssdlab.store.raw import (
    StepRecord,
    read_all_steps,
    read_compressed,
    read_raw_output,
    steps_folder,
)
from ssdlab.store.records import read_record, read_state
from ssdlab.store.swap import find_lost, replacing_tables
from ssdlab.store.tables import (
    rows_to_columns,
    write_table,
    writing_table,
)
from ssdlab.store.telemetry import read_telemetry
from ssdlab.system.folders import Folder
from ssdlab.system.unpack import MAX_INPUT_BYTES

Add = Callable[[Columns], None]
PlanInputs = tuple[Sequence[PtsTest], PlanContext]
_ROWS_WAITING = 1 << 16  # of steps whose rows are not written yet
_LARGE = ("percentiles", "bins", "job_bins", "series")  # written step by step
_SMALL = ("measurements", "jobs")
_LOG = re.compile(r"series_.*\.log\.gz")
_LOG_KINDS: dict[str, LogKind] = {"iops": "iops", "bw": "bw", "lat": "lat"}


def ingest_run(
    run: Path,
    plan: PlanInputs | None = None,
    *,
    max_input_bytes: int = MAX_INPUT_BYTES,
    drops_missing: bool = False,
) -> None:
    """Write every table of a run again from its raw output; see `build_tables`."""
    run_id = read_record(run).run_id
    ids: dict[str, set[str]] = {name: set() for name in NUMBERS}
    with replacing_tables(run) as made:
        with ExitStack() as files:
            spools = {
                name: files.enter_context(_spooling(made, name, run_id))
                for name in _LARGE
            }

            def take(name: str, rows: Columns) -> None:
                ids[name].update(rows["step_id"][:1])  # they are of one step
                if name in spools:
                    spools[name](rows)

            tables = _build(
                run,
                plan,
                take,
                max_input_bytes=max_input_bytes,
                drops_missing=drops_missing,
            )
        ids["steps"] = set(tables["steps"]["step_id"])
        readings = len(tables["telemetry"]["name"])
        lost = "" if drops_missing else find_lost(run, ids, readings=readings)
        if lost:
            refuse_loss(run, lost)
        for name, columns in tables.items():
            write_table(made, TABLES[name], columns)


@contextmanager
def _spooling(made: Folder, name: str, run_id: str) -> Iterator[Add]:
    """Write the rows of steps as they come, so that few are in memory at once."""
    waiting: list[Columns] = []
    count = 0

    def write_waiting() -> None:
        write(stack_steps(TABLES[name], waiting, run_id))
        waiting.clear()

    def add(rows: Columns) -> None:
        nonlocal count
        waiting.append(rows)
        count += len(rows["step_id"])
        if count >= _ROWS_WAITING:
            write_waiting()
            count = 0

    with writing_table(made, TABLES[name]) as write:
        yield add
        write_waiting()


def build_tables(
    run: Path,
    plan: PlanInputs | None = None,
    *,
    max_input_bytes: int = MAX_INPUT_BYTES,
    drops_missing: bool = False,
) -> dict[str, Columns]:
    """Return every table of a run as columns.

    ``plan`` is what the run was planned from, if not the profile in its record. At most
    ``max_input_bytes`` of one file are unpacked.
    """
    parts: dict[str, list[Columns]] = {name: [] for name in NUMBERS}
    tables = _build(
        run,
        plan,
        lambda name, rows: parts[name].append(rows),
        max_input_bytes=max_input_bytes,
        drops_missing=drops_missing,
    )
    run_id = read_record(run).run_id
    large = {name: stack_steps(TABLES[name], parts[name], run_id) for name in _LARGE}
    return tables | large


def _build(
    run: Path,
    plan: PlanInputs | None,
    take: Callable[[str, Columns], None],
    *,
    max_input_bytes: int,
    drops_missing: bool,
) -> dict[str, Columns]:
    """Return the small tables of a run; ``take`` takes the rows of each step."""
    record, state = read_record(run), read_state(run)
    kept_steps = list(read_all_steps(run))
    if not drops_missing:
        require_consecutive(run, [kept.step.step_id for kept in kept_steps])
    steps: list[IngestedStep] = []
    for kept in kept_steps:
        step = read_ingested_step(run, record, kept, max_input_bytes=max_input_bytes)
        for name in NUMBERS:
            take(name, step.rows[name])
        kept_rows = {name: step.rows[name] for name in _SMALL}
        steps.append(replace(step, rows=kept_rows))
    if plan is None and not record.is_imported:
        plan = plan_inputs(record, state.extensions)
    judgements, is_over = judge_steps(record, plan, steps)
    lacks_end = state.status == "finished" and not is_over
    if lacks_end and not drops_missing:
        refuse_loss(run, "the end of the run, which finished,")
    tables = {
        "steps": tabulate_steps(record, steps),
        "windows": tabulate_windows(record, judgements),
        "telemetry": _telemetry(run, record),
    }
    for name in _SMALL:
        rows = [step.rows[name] for step in steps]
        tables[name] = stack_steps(TABLES[name], rows, record.run_id)
    tests = plan[0] if plan else record.asked.tests
    percent = plan[1].active_range_percent if plan else 100
    facts = gather_facts(
        record,
        state,
        tests=tests,
        active_range_percent=percent,
        steps=kept_steps,
        lacks_end=lacks_end,
    )
    facts = replace(facts, changes=find_changes(run, kept_steps))
    frames = read_frames(tables)
    findings = find_findings(record, facts, frames)
    if not drops_missing:
        require_telemetry(run, findings.found)
    tables["findings"] = tabulate_findings(record.run_id, findings.all)
    answers = find_answers(
        findings.all,
        frames["windows"],
        tests=record.tests,
        edition=record.asked.spec_version,
        is_over=state.status == "finished",
    )
    tables["runs"] = tabulate_run(record, state, answers)
    return tables


def plan_inputs(
    record: RunRecord, extensions: Iterable[Extension] = ()
) -> tuple[tuple[PtsTest, ...], PlanContext]:
    """Return the tests and the context of a run's plan."""
    asked = require_plan(record)
    if not all(test.phases for test in asked.tests):
        raise RunFolderError(
            folder=record.run_id,
            reason="the profile in its run.json is from another version",
            remedy=f"Use ssdlab {record.host.ssdlab_version}, which started it.",
        )
    context = PlanContext(
        capacity_bytes=record.target.capacity_bytes,
        sector_bytes=record.target.sector_bytes,
        active_range_percent=asked.active_range_percent,
        seed=record.seed,
        uses_random_map=asked.uses_random_map,
    )
    return extend_tests(asked.tests, extensions), context


def require_plan(record: RunRecord) -> Suite | Procedure:
    """Return what was requested of a planned run, which an import is not."""
    if isinstance(record.asked, Import):
        raise RunFolderError(
            folder=record.run_id,
            reason="it was imported, so there is no plan to continue",
            remedy="Open it, or rebuild its tables: ssdlab ingest.",
        )
    return record.asked


def read_ingested_step(
    run: Path,
    record: RunRecord,
    kept: StepRecord,
    *,
    max_input_bytes: int = MAX_INPUT_BYTES,
) -> IngestedStep:
    """Return one finished step of a run, which may still be under way."""
    folder = steps_folder(run) / kept.step.step_id
    raw = _Raw(folder=folder, is_imported=record.is_imported, max_bytes=max_input_bytes)
    return _read_step(raw, kept)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Raw:
    """The raw output of one step: its origin, and how much of one file is read."""

    folder: Folder
    is_imported: bool
    max_bytes: int

    def document(self, step: Step) -> FioDocument:
        """Return the output of fio."""
        said = read_raw_output(self.folder, max_bytes=self.max_bytes)
        if self.is_imported:
            return read_part(said, find_part(self.folder), source=step.step_id)
        return parse_document(said, source=step.step_id)

    def text(self, name: str) -> str:
        """Return the text of a log."""
        packed = read_compressed(self.folder, name, max_bytes=self.max_bytes)
        return packed.decode("ascii", "replace")


def _read_step(raw: _Raw, record: StepRecord) -> IngestedStep:
    empty: dict[str, Columns] = {
        name: {column: [] for column in TABLES[name].column_names} for name in NUMBERS
    }
    if record.step.workload is None:
        return IngestedStep(record=record, result=record.result, rows=empty)
    result, rows = _read_numbers(raw, record.step)
    return IngestedStep(
        record=record,
        result=replace(
            result,
            idle_before_s=record.idle_before_s,
            is_contiguous=record.result.is_contiguous,
        ),
        rows=empty | rows,
    )


def _read_numbers(raw: _Raw, step: Step) -> tuple[StepResult, dict[str, Columns]]:
    """Read the numbers of a step from the output of fio, or the only ones known."""
    known = read_measured(raw.folder)
    if known is not None:
        result = summarise_rows(step, known)
        return result, {"measurements": _measurements(step, known)}
    document = raw.document(step)
    measured = measure(document, levels=DEFAULT_LEVELS)
    percentiles: Mapping[str, Any] = measured.percentiles
    if measured.bins_of is None:
        percentiles = printed_percentiles(document)
    of_jobs = measure_file_jobs(step, document)
    result, _ = summarise_measured(step, measured.measurements, of_jobs)
    return result, {
        **_rows_of_jobs(step, of_jobs),
        "measurements": _measurements(step, measured.measurements),
        "percentiles": _with_step(percentiles, step),
        "bins": _with_step(measured.bins, step),
        "series": _series(raw, step),
    }


def _measurements(step: Step, rows: Sequence[Mapping[str, Any]]) -> Columns:
    where = step_columns(step)
    return rows_to_columns(TABLES["measurements"], [{**where, **row} for row in rows])


def _rows_of_jobs(
    step: Step, of_jobs: Mapping[str, StepMeasurement]
) -> dict[str, Columns]:
    """Return the rows of the jobs of a file, if the step ran one."""
    if not of_jobs:
        return {}
    where = {name: job_columns(step, name) for name in of_jobs}
    rows = [
        {**where[name], **row}
        for name, measured in of_jobs.items()
        for row in measured.measurements
    ]
    parts = [
        {**_with_step(one.bins, step), "job": repeated(name, len(one.bins["lat_ns"]))}
        for name, one in of_jobs.items()
    ]
    return {
        "jobs": rows_to_columns(TABLES["jobs"], rows),
        "job_bins": {
            name: np.concatenate([part[name] for part in parts]) for name in parts[0]
        },
    }


def _with_step(columns: Mapping[str, Any], step: Step) -> Columns:
    count = len(columns["direction"])
    return {**columns, "step_id": repeated(step.step_id, count)}


def _series(raw: _Raw, step: Step) -> Columns:
    threads: dict[str, list[FioLog]] = {}
    logs = (name for name in raw.folder.names() if _LOG.fullmatch(name))
    for name in logs:
        kind, _, thread = name.removeprefix("series_").partition(".")
        if kind not in _LOG_KINDS:
            continue  # fio adds clat and slat to every lat log
        log = parse_log(
            raw.text(name), kind=_LOG_KINDS[kind], source=f"{step.step_id}/{name}"
        )
        threads.setdefault(thread, []).append(log)
    if step.series_interval_ms is None or not threads:
        return {name: [] for name in TABLES["series"].column_names}
    series = tabulate_series(
        list(threads.values()), interval_ms=step.series_interval_ms
    )
    return _with_step(series, step)


def judge_steps(
    record: RunRecord, inputs: PlanInputs | None, steps: Sequence[IngestedStep]
) -> tuple[list[Judgement], bool]:
    """Return every judgement: of the plan, replayed over the results, or of an import.

    And whether the steps reach the end of the plan. If this version plans the run
    differently from the one that started it, that is unknown, and taken as true.
    """
    if inputs is None:
        pairs = [(step.record.step, step.result) for step in steps]
        return list(judge_recorded(record.asked.tests, pairs)), True
    results = {step.record.step.step_id: step.result for step in steps}
    judgements, is_over = follow_plan(*inputs, results)
    return judgements, is_over or hash_plan(*plan_inputs(record)) != record.plan_hash


def tabulate_windows(record: RunRecord, judgements: Sequence[Judgement]) -> Columns:
    """Return the rows of ``windows``, one per judgement, as columns."""
    reported = _reported_rounds(judgements, is_imported=record.is_imported)
    return rows_to_columns(
        TABLES["windows"],
        [
            _window_row(
                record.run_id,
                j,
                is_final=reported[j.test_id, j.phase_id] == j.round,
            )
            for j in judgements
        ],
    )


def _reported_rounds(
    judgements: Sequence[Judgement], *, is_imported: bool
) -> dict[tuple[str, str], int]:
    """Return the round whose window a phase reports: the last one judged.

    A plan ends a phase as the standard requires. Others may have continued: for theirs
    the first steady round counts, with which the standard ends, if there is one.
    """
    rounds: dict[tuple[str, str], int] = {}
    ended: set[tuple[str, str]] = set()
    for judgement in judgements:
        place = judgement.test_id, judgement.phase_id
        if place not in ended or rounds[place] == judgement.round:
            rounds[place] = judgement.round
        if is_imported and judgement.is_round_steady:
            ended.add(place)
    return rounds


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
        "cell": judgement.cell,
        "job": tracking.job or None,
        "metric": tracking.metric,
        "access": tracking.access,
        "block_size_bytes": tracking.block_size_bytes or None,
        "read_percent": known_percent(tracking.read_percent),
        "threads": tracking.threads or None,
        "queue_depth": tracking.queue_depth or None,
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
    readings = read_telemetry(Folder(run) / "telemetry")
    columns: Columns = {name: [] for name in TABLES["telemetry"].column_names}
    for time_s, source, name, value in readings:
        columns["run_id"].append(record.run_id)
        columns["time_s"].append(time_s)
        columns["source"].append(source)
        columns["name"].append(name)
        columns["value"].append(value)
    return columns
