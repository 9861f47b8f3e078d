"""A request for a run, validated before anything is touched."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ssdlab.drive.generic import require_generic
from ssdlab.drive.inventory import find_drive
from ssdlab.engine.profiles import open_profile, open_report_fields
from ssdlab.fio.installed import (
    IOLOG_FIO,
    REPLAYING_FIO,
    is_as_new,
    list_options,
    require_fio,
)
from ssdlab.fio.jobs.file_jobs import DEFAULT_ENGINE, find_overrun
from ssdlab.model.asked import Procedure, Suite
from ssdlab.model.drive import (
    AUTO_PURGE,
    PURGE_METHODS,
    DriveChoices,
    WriteCacheState,
)
from ssdlab.model.errors import (
    ProfileError,
    TargetRefusedError,
    UnknownNameError,
    UserError,
    UserFileError,
)
from ssdlab.model.io_engine import LOCAL_ENGINE, IoEngine, parse_io_engine
from ssdlab.model.report_fields import ReportFields
from ssdlab.model.spec import FileJob, PtsTest
from ssdlab.model.units import block_size_label, capacity_label
from ssdlab.pts.block_checks import (
    largest_block_bytes,
    phase_workloads,
    require_blocks_in_range,
    require_whole_sectors,
)
from ssdlab.pts.fitting import ask_suite
from ssdlab.pts.suite import choose_tests
from ssdlab.targets.opening import read_shape, require_room
from ssdlab.targets.shape import Shape

_LONGEST_TEXT = 1000
_HOTTEST_CELSIUS = 150


@dataclass(frozen=True, kw_only=True, slots=True)
class RunChoices:
    """What the user chose for a run besides its tests and its target.

    ``run_folder`` is the run's own instead of a new one in ``runs``. ``confirmed`` is
    the serial that was typed. A ``seed`` of 0 draws one. Without a temperature limit
    that of the drive applies.
    """

    runs: Path = Path("data/runs")
    run_folder: Path | None = None
    label: str = ""
    confirmed: str = ""
    seed: int = 0
    host_ceiling: bool = False
    purge: str = AUTO_PURGE
    temperature_limit_celsius: float | None = None

    @property
    def texts(self) -> dict[str, str]:
        """The user's own texts, by name."""
        return {
            "label": self.label,
            "confirmed serial": self.confirmed,
            "runs": str(self.runs),
        }

    def of_drive(self, write_cache: WriteCacheState) -> DriveChoices:
        """Return the choices that concern the drive."""
        return DriveChoices(
            confirmed=self.confirmed,
            purge=self.purge,
            write_cache=write_cache,
            temperature_limit_celsius=self.temperature_limit_celsius,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """The target, and what to measure, fitted to it.

    ``report_fields`` are those of the profile's file.
    """

    target: str
    asked: Suite | Procedure
    report_fields: ReportFields = field(default_factory=ReportFields)


def read_temperature_limit(celsius: float) -> float | None:
    """Return the limit that a user gave, where 0 means no limit."""
    if celsius == 0:
        return None
    if math.isfinite(celsius) and 0 < celsius <= _HOTTEST_CELSIUS:
        return celsius
    msg = (
        f"The temperature limit {celsius:g} is out of range. Give degrees Celsius up "
        "to "
        f"{_HOTTEST_CELSIUS}, or 0 for the drive's own limit."
    )
    raise UserError(msg)


def ask_for_suite(target: str, profile: str, tests: str) -> Suite:
    """Return tests of a profile, fitted to a target, which is not touched."""
    chosen, shape = open_profile(profile), read_shape(target)
    names = choose_tests(chosen, tests)
    require_room(target, shape.capacity_bytes)
    suite = ask_suite(
        chosen,
        names,
        capacity_bytes=shape.capacity_bytes,
        sector_bytes=shape.sector_bytes,
    )
    engine = parse_io_engine(suite.io_engine)
    if engine is not None:
        _require_reach(target, shape, engine)
        _require_depth(suite, engine)
        if engine.is_passthrough:
            _require_commands(suite, shape)
    return suite


def _require_commands(suite: Suite, shape: Shape) -> None:
    """Require blocks that an NVMe command can move: nothing splits them."""
    most = shape.command_bytes
    for test in suite.tests:
        largest = largest_block_bytes(test)
        if most is not None and largest > most:
            raise ProfileError(
                source=suite.name,
                key="io_engine",
                reason=f"{test.title} has blocks of {block_size_label(largest)}, and a "
                f"command to this drive moves {block_size_label(most)} at most",
                remedy="Leave the test out, choose smaller blocks, or choose io_uring.",
            )


def _require_reach(target: str, shape: Shape, engine: IoEngine) -> None:
    """Require a target that an engine can reach."""
    usual = shape.fio_options.get("ioengine", "")
    if usual != LOCAL_ENGINE:
        raise TargetRefusedError(
            target=target,
            reason=f"fio reaches it by {usual}, not by {engine.name}",
            remedy='Write io_engine = "auto" in the profile, or measure a drive or a '
            "file.",
        )
    if engine.is_passthrough and not shape.generic_path:
        raise TargetRefusedError(
            target=target,
            reason=f"{engine.name} sends NVMe commands, and it has no generic NVMe "
            "device (/dev/ng...)",
            remedy="Choose libaio or io_uring, or measure an NVMe drive on Linux 5.19 "
            "or newer.",
        )
    if engine.is_polled and shape.has_poll_queues is False:
        raise TargetRefusedError(
            target=target,
            reason="hipri polls for completions, and it has no poll queues "
            "(queue/io_poll is 0)",
            remedy="Load the driver with some, such as nvme.poll_queues=4, or leave "
            "hipri out.",
        )


def _require_depth(suite: Suite, engine: IoEngine) -> None:
    """Require cells that a synchronous engine can do: it ignores a queue depth."""
    if not engine.is_synchronous:
        return
    for test in suite.tests:
        loads = (load for one in test.possible_phases for load in phase_workloads(one))
        deepest = max((load.queue_depth for load in loads), default=1)
        if deepest > 1:
            raise ProfileError(
                source=suite.name,
                key="io_engine",
                reason=f"{engine.name} has one IO outstanding per thread, and "
                f"{test.title} asks for QD {deepest}",
                remedy="Choose tests at QD 1 (--tests lat), set the queue depth to 1, "
                "or choose libaio or io_uring.",
            )


def require_fit(target: str, procedure: Procedure) -> None:
    """Require a target on which a procedure can run; it is not touched."""
    shape = read_shape(target)
    require_room(target, shape.capacity_bytes)
    _require_blocks(procedure, shape)
    for job in jobs_of(procedure.tests):
        _require_sectors(procedure, job, shape)
        overrun = find_overrun(job, shape.capacity_bytes)
        if overrun:
            room = capacity_label(shape.capacity_bytes)
            reason = f"{overrun} is beyond the {room} of {target}"
            raise UserFileError(source=procedure.title, reason=reason)


def check_request(
    target: str, profile: str, tests: str, *, choices: RunChoices
) -> Request:
    """Return the request, or raise a `UserError` that says what is wrong with it."""
    _require_texts({"target": target, "profile": profile, **choices.texts})
    _require_purge(choices.purge)
    asked = ask_for_suite(target, profile, tests)
    fio, _ = require_fio()
    engine = parse_io_engine(asked.io_engine)
    if engine is not None:
        _require_engine(profile, fio, engine)
        if engine.is_passthrough:
            require_generic(find_drive(target))
    return Request(
        target=target, asked=asked, report_fields=open_report_fields(profile)
    )


def check_procedure(
    target: str, procedure: Procedure, *, choices: RunChoices
) -> Request:
    """Return the request for a procedure, or raise a `UserError`."""
    _require_texts({"target": target, **choices.texts})
    _require_purge(choices.purge)
    require_fit(target, procedure)
    fio, version = require_fio()
    _require_options(procedure, fio)
    _require_replays(procedure, version, by=read_shape(target).fio_options)
    return Request(target=target, asked=procedure)


def _require_engine(profile: str, fio: str, engine: IoEngine) -> None:
    """Require that the installed fio has an engine with its flags."""
    unknown = sorted(set(engine.flags) - list_options(fio, [engine.name]))
    if unknown:
        raise ProfileError(
            source=profile,
            key="io_engine",
            reason=f"the installed fio does not know the option {unknown[0]}",
            remedy="Leave it out, or install a newer fio.",
        )


def jobs_of(tests: Iterable[PtsTest]) -> Iterator[FileJob]:
    """Yield the jobs of a user's file, of rounds and of long runs."""
    for test in tests:
        for phase in test.phases:
            for workload in phase_workloads(phase):
                yield from workload.jobs


def _require_options(procedure: Procedure, fio: str) -> None:
    """Require that the installed fio has each option of the jobs of a user's file."""
    jobs = [dict(job.options) for job in jobs_of(procedure.tests)]
    if not jobs:
        return
    engines = {job.get("ioengine", DEFAULT_ENGINE) for job in jobs}
    known = list_options(fio, sorted(engines))
    needed = {name for job in jobs for name in job}
    phases = (phase for test in procedure.tests for phase in test.phases)
    spares = (getattr(phase, "over_provisioning", None) for phase in phases)
    if any(spare is not None for spare in spares):
        needed.add("sprandom")
    unknown = sorted(needed - known)
    if unknown:
        reason = f"the installed fio does not know the option {unknown[0]}"
        raise UserFileError(source=procedure.title, reason=reason)


def _require_replays(
    procedure: Procedure, version: str, *, by: Mapping[str, str]
) -> None:
    """Require that fio replays the logs as they are, reaching a target ``by`` options.

    Tried with 3.33 and 3.41: the first leaves out trims; while it waits for the time of
    the next IO, only libaio of the second takes completions, and its io_uring hangs.
    """
    is_new = is_as_new(version, REPLAYING_FIO)
    oldest = f"fio-{'.'.join(map(str, IOLOG_FIO))}"
    newer = f"fio-{'.'.join(map(str, REPLAYING_FIO))}"
    for job in jobs_of(procedure.tests):
        if job.replay is None:
            continue
        engine = by["ioengine"]
        if engine == LOCAL_ENGINE:
            engine = dict(job.options).get("ioengine", DEFAULT_ENGINE)
        is_timed = job.replay.span_s > 0 and job.queue_depth > 1
        if not is_as_new(version, IOLOG_FIO):
            why = f"{version} reads no log with times; {oldest} does"
        elif job.replay.has_trims and not is_new:
            why = f"{version} leaves out the trims of a log; {newer} does not"
        elif is_timed and not (is_new and engine == "libaio"):
            why = (
                f"{version} with {engine} takes no completions while it waits for the "
                "time of the next IO, so that latencies are wrong: write iodepth=1 or "
                f"replay_no_stall=1, or use libaio with {newer}"
            )
        else:
            continue
        raise UserFileError(source=procedure.title, reason=f"[{job.name}] {why}")


def _require_sectors(procedure: Procedure, job: FileJob, shape: Shape) -> None:
    """Require that a log has IOs of whole sectors."""
    if job.replay is not None and job.replay.unit_bytes % shape.sector_bytes:
        reason = (
            f"[{job.name}] {job.replay.file} has IOs that are not of whole sectors of "
            f"{shape.sector_bytes} B"
        )
        raise UserFileError(source=procedure.title, reason=reason)


def _require_blocks(procedure: Procedure, shape: Shape) -> None:
    """Require blocks of whole sectors that fit in the active range."""
    remedy = "Choose another stimulus, if the procedure takes one, or another device."
    if "capture" in procedure.given:
        remedy = "Edit the capture or lower --share."
    for test in procedure.tests:
        require_whole_sectors(procedure.title, test, shape.sector_bytes, remedy=remedy)
        require_blocks_in_range(
            procedure.title,
            test,
            shape.capacity_bytes,
            active_range_percent=procedure.active_range_percent,
            remedy=remedy,
        )


def _require_purge(name: str) -> None:
    if name not in {AUTO_PURGE, *PURGE_METHODS}:
        raise UnknownNameError(
            kind="purge method", name=name, known=(AUTO_PURGE, *PURGE_METHODS)
        )


def _require_texts(texts: Mapping[str, str]) -> None:
    for name, text in texts.items():
        _require_plain(name, text)


def _require_plain(name: str, text: str) -> None:
    """Require text that JSON, a terminal and a report can show unchanged."""
    if text.isprintable() and len(text) <= _LONGEST_TEXT:
        return
    shown = repr(text if len(text) <= 80 else f"{text[:80]}…")
    msg = (
        f"The {name} {shown} cannot be recorded. Use at most {_LONGEST_TEXT} printable "
        "characters."
    )
    raise UserError(msg)
