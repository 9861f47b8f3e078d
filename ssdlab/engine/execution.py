"""Execute the plan of a run in one session, from its start to its end."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from ssdlab.drive.generic import require_generic
from ssdlab.engine.backend import FioBackend
from ssdlab.engine.engine import Engine
from ssdlab.engine.more_rounds import take_request
from ssdlab.engine.progress import Progress, Tracker
from ssdlab.engine.sessions import begin_session, end_session, note_extension
from ssdlab.fio.runner import FioChain
from ssdlab.host.inventory import read_load
from ssdlab.host.neighbours import Look, NeighbourWatch
from ssdlab.ingest.ingest import ingest_run, plan_inputs, require_plan
from ssdlab.model.errors import (
    RunFolderError,
    RunInterruptedError,
    SsdlabError,
    TargetAlarmError,
)
from ssdlab.model.io_engine import parse_io_engine
from ssdlab.model.records import RunRecord, RunStatus
from ssdlab.plan.phases import plan_suite
from ssdlab.plan.protocol import Plan
from ssdlab.store.raw import put_aside_unfinished
from ssdlab.store.records import read_state
from ssdlab.store.run import Run, open_tables
from ssdlab.store.telemetry import Source, recording
from ssdlab.system.clocks import RunClock
from ssdlab.system.folders import Folder
from ssdlab.targets.target import Target
from ssdlab.targets.virtual import waiting_words

_INTERVAL_S = 0.2
Tell = Callable[[Progress], None]
_STOPPED = "stopped by the user"


class AlarmWatch:
    """Polls a target for alarms, at most a few times a second.

    Parameters
    ----------
    target : Target
        The target to poll.
    run : Path
        The run folder, named in the remedy.
    clock : callable
        Unix time [s].
    """

    def __init__(
        self, target: Target, *, run: Path, clock: Callable[[], float]
    ) -> None:
        self._target = target
        self._run = run
        self._clock = clock
        self._looked_s = 0.0

    def tick(self) -> None:
        """Poll, unless that was done just now."""
        if self._clock() - self._looked_s >= _INTERVAL_S:
            self.look()

    def look(self) -> None:
        """Poll now."""
        self._looked_s = self._clock()
        alarm = self._target.find_alarm()
        if alarm:
            raise TargetAlarmError(
                target=self._target.identity.spec,
                reason=alarm,
                remedy="What was measured is kept. When the problem is fixed: ssdlab "
                "resume "
                f"{self._run}",
            )


def carry_out(  # noqa: PLR0913 - by name, from two places
    folder: Path,
    record: RunRecord,
    device: Target,
    *,
    fio: str,
    tell: Tell | None,
    look_around: Look,
    host_changes: Sequence[str] = (),
) -> Run:
    """Run the steps that remain; record how the session ended, and write the tables.

    ``look_around`` lists the other runs on this host.
    """
    Folder(folder).sweep()
    put_aside_unfinished(folder)
    take_request(folder)  # from a session that ended before it saw the request
    begin_session(folder, host_changes)
    try:
        _drive(folder, record, device, fio=fio, tell=tell, look_around=look_around)
    except KeyboardInterrupt:
        purge = device.stopping_words
        how = f"stopped by the user in a purge. {purge}" if purge else _STOPPED
        _end_after_trouble(folder, "interrupted", _with_rest(how, device))
        waits = waiting_words(record.target)
        raise RunInterruptedError(
            folder=str(folder), purge=purge, waits=waits
        ) from None
    except SsdlabError as error:
        _end_after_trouble(folder, "failed", _with_rest(str(error), device))
        raise
    except BaseException as error:
        _end_after_trouble(folder, "failed", _with_rest(repr(error), device))
        raise
    end_session(folder, "finished", device.release())
    device.close()  # after the note: without its device the run could not continue
    return write_tables(folder)


def write_tables(folder: Path) -> Run:
    """Write the tables of a finished run, and open it."""
    try:
        ingest_run(folder)
    except OSError as error:
        raise RunFolderError(
            folder=str(folder),
            reason=f"everything was measured, but its tables cannot be written "
            f"({error})",
            remedy=f"Free disk space. Then: ssdlab resume {folder}",
        ) from None
    return open_tables(folder)


@contextlib.contextmanager
def released(device: Target) -> Iterator[Target]:
    """Release a target when the block ends, however it ends."""
    try:
        yield device
    finally:
        device.release()


def _with_rest(message: str, device: Target) -> str:
    """Release the target, and add to a message what could not be undone."""
    return " ".join(filter(None, (message, device.release())))


def _drive(
    folder: Path,
    record: RunRecord,
    device: Target,
    *,
    fio: str,
    tell: Tell | None,
    look_around: Look,
) -> None:
    state = read_state(folder)
    tests, context = plan_inputs(record, state.extensions)
    _require_path(record, device)
    clock = RunClock()
    tracker = Tracker(
        run=folder, tests=tests, context=context, tell=tell or (lambda _progress: None)
    )
    session = len(state.sessions)
    watch = AlarmWatch(device, run=folder, clock=clock)
    neighbours = NeighbourWatch(look_around, clock)

    def tick() -> None:
        watch.tick()
        neighbours.tick()

    with (
        recording(
            Folder(folder) / "telemetry",
            f"session-{session:03d}.jsonl",
            _sources(record, device),
            clock=clock,
        ),
        FioChain(fio, clock=clock, tick=tick) as chain,
    ):
        engine = Engine(
            run=folder,
            backend=FioBackend(
                folder,
                device,
                io_engine=require_plan(record).io_engine,
                chain=chain,
                clock=clock,
                watch=watch.look,
                listener=tracker,
            ),
            listener=tracker,
            max_idle_s=require_plan(record).max_idle_s,
            take_neighbours=neighbours.take,
        )
        engine.drive(
            plan_suite(tests, context, tracker.judged),
            partial(renew_plan, folder, record, tracker),
        )
        tracker.finished()


def _require_path(record: RunRecord, device: Target) -> None:
    """Require the generic device of the drive that is held, where commands go to it."""
    engine = parse_io_engine(require_plan(record).io_engine)
    if engine is not None and engine.is_passthrough and device.drive is not None:
        require_generic(device.drive)


def renew_plan(folder: Path, record: RunRecord, tracker: Tracker) -> Plan | None:
    """Return the extended plan of a run if more rounds were requested meanwhile."""
    asked = take_request(folder)
    if asked is None:
        return None
    test, phase = tracker.phase
    note_extension(folder, replace(asked, test=test, phase=phase))
    tracker.tests, context = plan_inputs(record, read_state(folder).extensions)
    return plan_suite(tracker.tests, context, tracker.judged)


def _sources(record: RunRecord, device: Target) -> tuple[Source, ...]:
    return (
        Source(name="host", read=read_load),
        Source(
            name=record.target.kind,
            read=device.read_telemetry,
            interval_s=device.telemetry_interval_s,
        ),
    )


def _end_after_trouble(folder: Path, status: RunStatus, message: str) -> None:
    """Record how the session ended and update the tables, if possible.

    A full disk may prevent both; the raw output is what counts.
    """
    with contextlib.suppress(OSError):
        end_session(folder, status, message)
    with contextlib.suppress(Exception):  # not why the run ended
        ingest_run(folder)
