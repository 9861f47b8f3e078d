"""Writes an import as a run folder: steps, record, tables, and its report last."""

import math
import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from ssdlab.engine.sessions import now_text
from ssdlab.fio.read import read_output
from ssdlab.importers.arrange import ArrangedTest, number_steps
from ssdlab.importers.departures import Gap, find_import_departures
from ssdlab.importers.progress import Tell, counted, ignore_progress
from ssdlab.importers.published import Published, find_published_departures
from ssdlab.importers.readings import Reading
from ssdlab.importers.record import ImportRecord, LostRound, write_import_record
from ssdlab.importers.rounds import cell_text
from ssdlab.importers.sources import LeftOut
from ssdlab.importers.tkperf import TkperfFile
from ssdlab.ingest.imported import MEASURED_FILE
from ssdlab.ingest.ingest import ingest_run
from ssdlab.ingest.parts import write_part
from ssdlab.model.asked import Import
from ssdlab.model.departure import Departure
from ssdlab.model.editions import PTS_2, PTS_E_1
from ssdlab.model.records import HostIdentity, RunRecord, TargetIdentity
from ssdlab.model.step import Step
from ssdlab.model.version import VERSION
from ssdlab.report import write_report
from ssdlab.store.manifest import seal_run
from ssdlab.store.raw import (
    UNKNOWN_EXIT_CODE,
    StepRecord,
    commit_step,
    working_folder,
)
from ssdlab.store.records import RunState, to_json, write_record, write_state
from ssdlab.store.run import open_tables
from ssdlab.system.folders import Folder
from ssdlab.system.unpack import MAX_INPUT_BYTES

_MB = 1_000_000
_WRITE_CACHES: Mapping[bool | None, Literal["enabled", "disabled", "not known"]] = {
    True: "enabled",
    False: "disabled",
    None: "not known",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """What to write as a run; at most ``max_input_bytes`` are read from one file."""

    tests: tuple[ArrangedTest, ...]
    left_out: tuple[LeftOut, ...] = ()
    tkperf: TkperfFile | None = None
    published: Published | None = None
    fingerprint: str = ""
    max_input_bytes: int = MAX_INPUT_BYTES


def write_import(
    folder: Path,
    found: Found,
    paths: Sequence[str | Path],
    *,
    name: str,
    label: str,
    tell: Tell = ignore_progress,
) -> None:
    """Write the run; it is valid once its record is written."""
    steps = number_steps(found.tests)
    records = list(_records(steps))
    pairs = list(zip(steps, records, strict=True))
    for (_, reading), record in counted(pairs, "writing step", tell):
        _write_step(folder, reading, record, max_bytes=found.max_input_bytes)
    _keep_sources(folder, found, paths)
    begun, ended = _span(records)
    if found.published is not None:
        begun = str(found.published.report.setup.test_date or "")
    now = now_text()
    state = RunState(
        status="finished", finished_at=ended, sessions=((now, now, "finished"),)
    )
    write_state(folder, state)
    run_record = RunRecord(
        run_id=folder.resolve().name,
        label=label,
        started_at=begun,
        asked=_asked(found),
        seed=0,
        plan_hash="",
        target=_target(found, name, paths),
        host=_host(found, [reading for _, reading in steps]),
        purge_method="not known",
        departures=_departures(found, records),
    )
    write_record(folder, run_record)
    seal_run(folder)
    tell("writing the tables")
    ingest_run(folder, max_input_bytes=found.max_input_bytes)
    tell("writing the report")
    write_report(open_tables(folder))


def _keep_sources(folder: Path, found: Found, paths: Sequence[str | Path]) -> None:
    """Record where the files came from, and keep a file of a whole run unchanged."""
    source = Folder(folder) / "source"
    if found.tkperf is not None:
        source.make().write(found.tkperf.path.name, found.tkperf.path.read_bytes())
    if found.published is not None:
        source.make().write(found.published.file_name, found.published.data)
    record = ImportRecord(
        paths=tuple(str(path) for path in paths),
        left_out=found.left_out,
        missing_rounds=tuple(
            LostRound(
                test=arranged.test.test_id,
                cell=cell_text(gap.workload),
                round=gap.round,
                file=gap.file,
                why=gap.why,
            )
            for arranged in found.tests
            for gap in arranged.series.missing
        ),
        fingerprint=found.fingerprint,
    )
    write_import_record(folder, record)


def _span(records: Sequence[StepRecord]) -> tuple[str, str]:
    """Return when the first IO began and the last ended, as far as known."""
    times = [time for r in records for time in (max(r.started_s, 0.0), r.ended_s)]
    known = [time for time in times if not math.isnan(time)]
    return (_when(min(known)), _when(max(known))) if known else ("", "")


def _when(time_s: float) -> str:
    return datetime.fromtimestamp(time_s, tz=UTC).isoformat(timespec="seconds")


def _records(steps: Iterable[tuple[Step, Reading]]) -> Iterator[StepRecord]:
    last_s = math.nan
    for step, reading in steps:
        ended_s = math.nan if reading.ended_s is None else reading.ended_s
        started_s = math.nan if reading.started_s is None else reading.started_s
        idle_s = started_s - last_s
        idle = idle_s if idle_s >= 0 else None
        yield StepRecord(
            step=step,
            started_s=started_s,
            ended_s=ended_s,
            idle_before_s=idle,
            was_armed=False,
            exit_code=UNKNOWN_EXIT_CODE,
            said=reading.said,
            result=replace(reading.result, step_id=step.step_id, idle_before_s=idle),
        )
        last_s = ended_s


def _write_step(
    run: Path, reading: Reading, record: StepRecord, *, max_bytes: int
) -> None:
    folder = working_folder(run, record.step.step_id)
    folder.make_new()
    if reading.rows:
        rows = {"rows": [dict(row) for row in reading.rows]}
        folder.write(MEASURED_FILE, to_json(rows))
    else:
        data, _ = read_output(reading.path, max_bytes=max_bytes)
        folder.write("fio.json", data)
        write_part(folder, reading.part)
    is_part = bool(reading.rows) or reading.part is not None
    where = f"{reading.path} {reading.name}" if is_part else f"{reading.path}"
    folder.write("source.txt", f"{where}\n".encode("utf-8", "replace"))
    commit_step(run, folder, record)


def _departures(found: Found, records: Sequence[StepRecord]) -> tuple[Departure, ...]:
    if found.published is not None:
        return find_published_departures(found.published, found.tests)
    more = found.tkperf.departures if found.tkperf is not None else ()
    known = find_import_departures(found.tests, found.left_out, list(_gaps(records)))
    return (*known, *more)


def _asked(found: Found) -> Import:
    is_tkperf = found.tkperf is not None or found.published is not None
    setup = found.published.report.setup if found.published else None
    return Import(
        title="results of TKperf" if is_tkperf else "results of fio",
        tool="tkperf" if is_tkperf else "fio",
        spec_version=PTS_E_1 if is_tkperf else PTS_2,
        write_cache=_WRITE_CACHES[setup.write_cache if setup else None],
        tests=tuple(arranged.test for arranged in found.tests),
    )


def _target(found: Found, name: str, paths: Sequence[str | Path]) -> TargetIdentity:
    target = TargetIdentity(
        kind="imported",
        spec=", ".join(str(path) for path in paths),
        model=name,
        serial="",
        firmware="",
        capacity_bytes=0,
        sector_bytes=0,
    )
    if found.published is None:
        return target
    setup = found.published.report.setup
    return replace(
        target,
        serial=setup.device_serial,
        firmware=setup.firmware,
        capacity_bytes=setup.capacity_mb * _MB,
    )


def _host(found: Found, readings: Sequence[Reading]) -> HostIdentity:
    versions = sorted({reading.fio_version for reading in readings} - {""})
    hosts = sorted({host for reading in readings for host in reading.hostnames})
    setup = None if found.published is None else found.published.report.setup
    return HostIdentity(
        platform=", ".join(hosts),
        cpu="",
        dram_bytes=0,
        operating_system=setup.operating_system if setup else "",
        kernel=setup.kernel if setup else "",
        python_version=platform.python_version(),
        fio_version=", ".join(versions),
        ssdlab_version=VERSION,
    )


def _gaps(records: Sequence[StepRecord]) -> Iterator[Gap]:
    """Yield each known idle time between two cells of a phase."""
    before = None
    for record in records:
        place = (record.step.test_id, record.step.phase_id)
        if place == before and record.idle_before_s is not None:
            yield record.step, record.idle_before_s
        before = place
