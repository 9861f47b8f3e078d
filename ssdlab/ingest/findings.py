"""All findings of a run: what its record says, and what its frames show."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from ssdlab.findings.ceiling import find_near_ceiling
from ssdlab.findings.conformance import (
    RunFacts,
    Suspend,
    find_changed_files,
    find_fill_faults,
    find_host_changes,
    find_missing_points,
    find_missing_steps,
    find_purge_faults,
    find_unfinished,
    find_unsteady,
)
from ssdlab.findings.doubts import (
    find_buffered_io,
    find_cache_changes,
    find_clock_jumps,
    find_complaints,
    find_fio_faults,
    find_link_downgrades,
    find_neighbours,
    find_throttling,
    find_unread_cache,
)
from ssdlab.findings.health import (
    find_bad_settings,
    find_health_faults,
    find_miscounts,
    find_unread_health,
)
from ssdlab.findings.telemetry import find_missing_telemetry
from ssdlab.findings.timing import (
    find_few_ios,
    find_gaps,
    find_suspends,
    find_time_faults,
)
from ssdlab.model.finding import (
    WHOLE_RUN,
    Finding,
)
from ssdlab.model.records import RunRecord
from ssdlab.model.schema import TABLES
from ssdlab.model.spec import PtsTest
from ssdlab.model.step import SUSPEND_S
from ssdlab.pts.conformance import find_recorded_findings
from ssdlab.store.raw import StepRecord
from ssdlab.store.records import RunState
from ssdlab.store.tables import columns_to_frame

if TYPE_CHECKING:
    import pandas as pd

Frames = Mapping[str, "pd.DataFrame"]
_READ = ("steps", "measurements", "windows", "telemetry")


@dataclass(frozen=True, kw_only=True, slots=True)
class Findings:
    """The findings from the record of a run, and the others, in order."""

    recorded: tuple[Finding, ...]
    found: tuple[Finding, ...]

    @property
    def all(self) -> tuple[Finding, ...]:
        """All findings, those of the record first."""
        return (*self.recorded, *self.found)


def read_frames(tables: Mapping[str, Mapping[str, Sequence[object]]]) -> Frames:
    """Return the tables from which findings are derived, as frames."""
    return {name: columns_to_frame(TABLES[name], tables[name]) for name in _READ}


def find_findings(record: RunRecord, facts: RunFacts, frames: Frames) -> Findings:
    """Return all findings of a run.

    For an import little more is known than its record says: errors and versions.
    """
    recorded = find_recorded_findings(record)
    found = (
        *find_changed_files(facts),
        *find_missing_steps(frames["steps"], facts),
        *find_complaints(frames["steps"]),
        *find_fio_faults(record.host.fio_version),
    )
    if not record.is_imported:
        found = (*_of_measured(record, facts, frames), *found)
    told = {(f.code, f.test) for f in recorded if f.test == WHOLE_RUN}
    return Findings(
        recorded=recorded,
        found=tuple(f for f in found if (f.code, f.test) not in told),
    )


def _of_measured(
    record: RunRecord, facts: RunFacts, frames: Frames
) -> tuple[Finding, ...]:
    steps, measured = frames["steps"], frames["measurements"]
    totals = measured[measured["direction"] == "total"]
    return (
        *find_unfinished(steps, facts),
        *find_purge_faults(steps, facts),
        *find_fill_faults(steps, facts),
        *find_time_faults(steps, totals, facts),
        *find_gaps(steps, facts),
        *find_few_ios(totals),
        *find_suspends(facts),
        *find_unsteady(frames["windows"], steps, facts),
        *find_missing_points(measured, facts.tests),
        *(find_buffered_io(facts.tests) if _has_page_cache(record) else ()),
        *find_missing_telemetry(frames["telemetry"], steps, facts),
        *find_throttling(frames["telemetry"], steps),
        *find_link_downgrades(frames["telemetry"], steps),
        *_of_write_cache(record, frames),
        *_of_health(record, facts, frames),
        *find_near_ceiling(totals, record.host_ceiling),
        *find_neighbours(steps),
        *find_clock_jumps(steps, facts),
        *find_bad_settings(record.host_checks),
        *find_host_changes(facts),
    )


def _of_health(
    record: RunRecord, facts: RunFacts, frames: Frames
) -> tuple[Finding, ...]:
    steps, telemetry = frames["steps"], frames["telemetry"]
    return (
        *find_health_faults(telemetry, steps),
        *find_miscounts(telemetry, steps, tests=facts.tests),
        *(find_unread_health(telemetry) if _is_real_drive(record) else ()),
    )


def _of_write_cache(record: RunRecord, frames: Frames) -> tuple[Finding, ...]:
    telemetry, steps = frames["telemetry"], frames["steps"]
    if record.write_cache_fault or record.write_cache == "as found":
        return find_cache_changes(telemetry, steps, asked="as found")
    return (
        *find_cache_changes(telemetry, steps, asked=record.write_cache),
        *(find_unread_cache(telemetry, steps) if _is_real_drive(record) else ()),
    )


def _is_real_drive(record: RunRecord) -> bool:
    """Return whether the target has a health log: a loop device has none."""
    return record.drive is not None and record.drive.bus != "loop"


def _has_page_cache(record: RunRecord) -> bool:
    """Return whether IO that is not direct would stay in the memory of the host."""
    return record.target.kind in {"file", "block"}


def gather_facts(
    record: RunRecord,
    state: RunState,
    *,
    tests: Sequence[PtsTest],
    active_range_percent: float,
    steps: Iterable[StepRecord] = (),
    lacks_end: bool = False,
) -> RunFacts:
    """Return the plain facts from which findings are derived, besides the frames."""
    return RunFacts(
        tests=tuple(tests),
        capacity_bytes=record.target.capacity_bytes,
        active_range_percent=active_range_percent,
        purge=record.purge_choice.method if record.purge_choice else None,
        purge_words=record.purge_method,
        is_model=record.target.kind == "virtual",
        status=state.status,
        sessions=_sessions(state),
        host_changes=state.host_changes,
        lacks_end=lacks_end,
        suspends=tuple(
            Suspend(
                test=kept.step.test_id,
                step_id=kept.step.step_id,
                seconds=kept.suspended_s,
            )
            for kept in steps
            if kept.suspended_s > SUSPEND_S
        ),
    )


def _sessions(state: RunState) -> tuple[tuple[float, float | None], ...]:
    """Return when a run was worked on; nothing if the times are not recorded."""
    try:
        return tuple(
            (_unix_time(start), _unix_time(end) if end else None)
            for start, end, _ in state.sessions
        )
    except ValueError:
        return ()


def _unix_time(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()
