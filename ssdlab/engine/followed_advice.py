"""Which advice of guides a run follows by itself, read from its own tests."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Literal

from ssdlab.fio.installed import OLDEST_FIO
from ssdlab.fio.jobs.jobfile import render_job
from ssdlab.fio.jobs.jobspec import parse_job_file
from ssdlab.host.checks import Habits
from ssdlab.model.io_engine import AUTO_ENGINE, parse_io_engine
from ssdlab.model.spec import Phase, Precondition, PtsTest, Purge, Stimulus, Workload
from ssdlab.model.step import Step
from ssdlab.model.units import GIB
from ssdlab.procedures.peak.spec import peak
from ssdlab.pts.block_checks import map_workloads
from ssdlab.pts.profiles import find_profile
from ssdlab.pts.suite import build_tests

_JOB = "job-"
# How a target is reached that is not open yet.
_ENGINES = {"virtual": "nbd", "file": "libaio", "block": "libaio"}
_ANY_RANGE_BYTES = GIB
_ANY_PROFILE = "demo"


def usual_habits(kind: Literal["virtual", "file", "block"]) -> Habits:
    """Return the habits of a run on a target of this kind that is not open yet."""
    profile = find_profile(_ANY_PROFILE)
    tests = build_tests(profile, profile.tests)
    options = {"ioengine": _ENGINES[kind], "filename": "TARGET"}
    # Blocks depend on the tests that will be chosen.
    return replace(read_habits(tests, options), block_sizes_bytes=())


def read_habits(
    tests: Iterable[PtsTest],
    fio_options: Mapping[str, str],
    *,
    io_engine: str = AUTO_ENGINE,
) -> Habits:
    """Return what a run of these tests does by itself."""
    tests = tuple(tests)
    jobs = {
        workload: _render(workload, fio_options, io_engine)
        for test in tests
        for phase in test.possible_phases
        for workload in _workloads(phase)
    }
    deep = {job.get("ioengine") for load, job in jobs.items() if load.queue_depth > 1}
    engine = parse_io_engine(io_engine)
    buffered = {
        load.label
        for load, job in jobs.items()
        if job.get("direct") != "1" and not (engine and engine.is_passthrough)
    }
    counts = [load.threads * load.queue_depth for load in jobs]
    sizes = {size for load in jobs for size in load.block_range_bytes}
    peak_phases = [phase.phase_id for test in peak().tests for phase in test.phases]
    return Habits(
        engines=tuple(sorted(name for name in deep if name)),
        buffered=tuple(sorted(buffered)) if jobs else None,
        most_outstanding=max(counts, default=None),
        block_sizes_bytes=tuple(sorted(sizes - {0})),
        fio_needed=".".join(map(str, OLDEST_FIO)),
        peak_jobs=tuple(name for name in peak_phases if name.startswith(_JOB)),
        unpurged=tuple(test.title for test in tests if not _begins_purged(test)),
        unwritten=tuple(test.title for test in tests if _reads_unwritten(test)),
    )


def _render(
    workload: Workload, fio_options: Mapping[str, str], io_engine: str
) -> dict[str, str | None]:
    step = Step(
        step_id="any",
        test_id="any",
        phase_id="any",
        kind="cell",
        workload=workload,
        range_bytes=_ANY_RANGE_BYTES,
        runtime_s=1.0,
        seed=1,
    )
    return parse_job_file(render_job(step, fio_options, io_engine=io_engine)).resolved(
        0
    )


def _workloads(phase: Phase) -> Iterator[Workload]:
    if isinstance(phase, Precondition):
        yield Workload(
            access="seq",
            block_size_bytes=phase.block_size_bytes,
            read_percent=0,
            threads=phase.threads,
            queue_depth=phase.queue_depth,
            fio_options=phase.fio_options,
        )
    found: list[Workload] = []

    def keep(workload: Workload) -> Workload:
        found.append(workload)
        return workload

    map_workloads(phase, keep)
    yield from found


def _begins_purged(test: PtsTest) -> bool:
    """Return whether a purge comes before the first IO."""
    return bool(test.phases) and isinstance(test.phases[0], Purge)


def _reads_unwritten(test: PtsTest) -> bool:
    """Return whether a phase reads what was not written since the purge."""
    is_written = False
    for phase in test.phases:
        if isinstance(phase, Purge):
            is_written = False
        elif _fills(phase):
            is_written = True
        elif not is_written and any(load.read_percent for load in _workloads(phase)):
            return True
    return False


def _fills(phase: Phase) -> bool:
    """Return whether a phase writes everything once, or only writes until steady.

    The standard preconditions CBW and DIRTH by the latter: PTS 2.0.2, section 13.
    """
    if isinstance(phase, Precondition):
        return phase.capacity_multiple >= 1
    return isinstance(phase, Stimulus) and phase.workload.read_percent == 0
