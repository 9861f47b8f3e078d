"""Carry a suite out from its beginning, or take it up again."""

import contextlib
import hashlib
import json
import secrets
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

from ssdlab.campaign.backend import FioBackend
from ssdlab.campaign.conformance import find_run_departures
from ssdlab.campaign.engine import Engine
from ssdlab.campaign.ingest import ingest_run, plan_inputs
from ssdlab.campaign.lock import locked
from ssdlab.campaign.progress import Progress, Tracker
from ssdlab.campaign.raw import put_aside_unfinished
from ssdlab.campaign.request import Request, check_request
from ssdlab.campaign.sessions import begin_session, end_session, now_text
from ssdlab.campaign.telemetry import recording
from ssdlab.fio.runner import FioChain, require_fio
from ssdlab.host.inventory import read_host, read_load
from ssdlab.model.errors import (
    RunFolderError,
    RunInterruptedError,
    SsdlabError,
)
from ssdlab.model.records import HostIdentity, RunRecord, RunStatus
from ssdlab.model.spec import PtsTest
from ssdlab.plan.context import PlanContext
from ssdlab.plan.phases import plan_suite
from ssdlab.pts.profiles import (
    profile_as_dict,
)
from ssdlab.store.records import (
    RunState,
    read_record,
    read_state,
    write_record,
    write_state,
)
from ssdlab.store.run import Run, open_run
from ssdlab.targets.opening import open_target, reopen_target
from ssdlab.targets.target import Target

Tell = Callable[[Progress], None]


def run_suite(  # noqa: PLR0913 - each is a choice of the user's, by name
    target: str = "virtual",
    profile: str = "demo",
    tests: str | Sequence[str] = "iops,tp,lat,wsat",
    *,
    runs: str | Path = "data/runs",
    run_folder: str | Path = "",
    label: str = "",
    confirm_serial: str = "",
    seed: int = 0,
    tell: Tell | None = None,
) -> Run:
    """Measure a target with the tests of a profile.

    Parameters
    ----------
    target : str, default "virtual"
        ``virtual``, ``virtual:size=256MiB,op=12``, ``file:PATH,size=1GiB``, ``/dev/…``.
    profile : str, default "demo"
        The profile, such as ``pts-2.0-enterprise``, or a file: ``mine.toml``.
    tests : str or sequence of str, default "iops,tp,lat,wsat"
        The tests, in the order to be run; ``all`` are those of the profile.
    runs : str or Path, default "data/runs"
        The folder that gets the run's folder.
    run_folder : str or Path, default ""
        The folder of the run itself, instead of a new one in ``runs``.
    label : str, default ""
        A name of the user's own.
    confirm_serial : str, default ""
        The serial of a device that may be destroyed.
    seed : int, default 0
        The seed of all offsets; 0 draws one. It is recorded.
    tell : callable, optional
        Is told each `Progress`; a progress bar by default.

    Returns
    -------
    Run
        The finished run, its tables written.

    Raises
    ------
    UserError
        If the request cannot be carried out; no run was begun then.
    RunFailedError
        If a step failed; what was measured is kept.
    RunInterruptedError
        If the user stopped the run; what was measured is kept.
    """
    asked = check_request(
        target,
        profile,
        tests if isinstance(tests, str) else ",".join(tests),
        texts={"label": label, "runs": str(runs)},
    )
    seed = seed or secrets.randbelow(2**31 - 1) + 1
    fio, fio_version = require_fio()
    folder = _make_folder(Path(runs), asked, Path(run_folder) if run_folder else None)
    with locked(folder, sleep=time.sleep):
        if (folder / "run.json").exists():
            _refuse_taken(folder)
        device = _open_or_clean(
            asked, folder, cache=Path(runs) / ".cache", confirmed=confirm_serial
        )
        record = _make_record(folder, asked, device, read_host(fio_version))
        record = replace(record, label=label, seed=seed)
        record = replace(record, plan_hash=_plan_hash(*plan_inputs(record)))
        write_state(
            folder, RunState(status="running")
        )  # first: run.json makes it a run
        write_record(folder, record)
        return _carry_out(folder, record, device, fio=fio, tell=tell)


def resume_run(run: str | Path, *, tell: Tell | None = None) -> Run:
    """Take an interrupted or failed run up again.

    Steps that were finished are not measured again; a window of steady state
    begins afresh after the gap.

    Parameters
    ----------
    run : str or Path
        The run folder.
    tell : callable, optional
        Is told each `Progress`; a progress bar by default.

    Returns
    -------
    Run
        The finished run, its tables written.

    Raises
    ------
    UserError
        If the folder is damaged or in use, or the device is gone or another one.
    RunFailedError
        If a step failed; what was measured is kept.
    RunInterruptedError
        If the user stopped the run; what was measured is kept.
    """
    folder = Path(run)
    record = read_record(folder)
    fio, _ = require_fio()
    with locked(folder, sleep=time.sleep):
        if read_state(folder).status == "finished":
            ingest_run(folder)  # it may have been killed while it wrote its tables
            return open_run(folder)
        _require_same_plan(folder, record)
        device = reopen_target(record.target, folder=folder / "target")
        return _carry_out(folder, record, device, fio=fio, tell=tell)


def require_unfinished(run: Path) -> None:
    """Require that the run can be gone on with, now.

    Raises
    ------
    RunFolderError
        If it is damaged, in use or finished.
    """
    read_record(run)
    with locked(run, sleep=time.sleep):
        report = run / "report.html"
        if read_state(run).status == "finished" and report.exists():
            raise RunFolderError(
                folder=str(run),
                reason="the run is finished; there is nothing to go on with",
                remedy=f"See {report}, or write it anew: ssdlab report {run}",
            )


def new_run_id(profile: str) -> str:
    """Return a name for a run that sorts by time and that no other run has."""
    stamp = datetime.now(tz=UTC).strftime("%Y%m%d-%H%M%S")
    return f"{stamp}-{profile}-{secrets.token_hex(2)}"


def _make_folder(runs: Path, asked: Request, run_folder: Path | None) -> Path:
    folder = run_folder or runs / new_run_id(asked.profile.name)
    if (folder / "run.json").exists():
        _refuse_taken(folder)
    try:
        (folder / "steps").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunFolderError(
            folder=str(folder),
            reason=f"the folder cannot be made ({error.strerror})",
            remedy="Name a folder that can be written.",
        ) from None
    return folder


def _refuse_taken(folder: Path) -> NoReturn:
    raise RunFolderError(
        folder=str(folder),
        reason="there is a run in it already",
        remedy=f"Go on with it (ssdlab resume {folder}) or name another folder.",
    )


def _open_or_clean(
    asked: Request, folder: Path, *, cache: Path, confirmed: str
) -> Target:
    """Open the target; leave no empty run folder behind when it is refused."""
    try:
        return open_target(
            asked.target,
            folder=folder / "target",
            cache=cache,
            confirmed=confirmed,
        )
    except BaseException:
        for name in ("lock", "steps", "target"):
            path = folder / name
            with contextlib.suppress(OSError):
                path.rmdir() if path.is_dir() else path.unlink()
        with contextlib.suppress(OSError):
            folder.rmdir()
        raise


def _make_record(  # noqa: PLR0917 - one call, in run_suite
    folder: Path, asked: Request, device: Target, host: HostIdentity
) -> RunRecord:
    """Return the record of a run that has no label, seed and plan yet."""
    profile = asked.profile
    return RunRecord(
        run_id=folder.resolve().name,
        label="",
        started_at=now_text(),
        tests=asked.tests,
        profile=profile_as_dict(profile),
        seed=0,
        plan_hash="",
        target=device.identity,
        host=host,
        purge_method=device.purge_method,
        departures=find_run_departures(
            profile,
            asked.tests,
            target_departures=device.departures,
            capacity_bytes=device.identity.capacity_bytes,
            sector_bytes=device.identity.sector_bytes,
        ),
    )


def _plan_hash(tests: Sequence[PtsTest], context: PlanContext) -> str:
    plan = [[asdict(test) for test in tests], asdict(context)]
    return hashlib.sha256(json.dumps(plan, sort_keys=True).encode()).hexdigest()


def _require_same_plan(folder: Path, record: RunRecord) -> None:
    if _plan_hash(*plan_inputs(record)) != record.plan_hash:
        raise RunFolderError(
            folder=str(folder),
            reason=f"this version of ssdlab plans the run otherwise than "
            f"{record.host.ssdlab_version}, which began it",
            remedy="Resume it with the version that began it, or begin a new run.",
        )


def _carry_out(
    folder: Path, record: RunRecord, device: Target, *, fio: str, tell: Tell | None
) -> Run:
    put_aside_unfinished(folder)
    begin_session(folder)
    try:
        with _terminated_like_interrupted():
            _drive(folder, record, device, fio=fio, tell=tell)
    except KeyboardInterrupt:
        _end_after_trouble(folder, "interrupted", "stopped by the user")
        raise RunInterruptedError(folder=str(folder)) from None
    except SsdlabError as error:
        _end_after_trouble(folder, "failed", str(error))
        raise
    except BaseException as error:
        _end_after_trouble(folder, "failed", repr(error))
        raise
    end_session(folder, "finished", "")
    device.close()  # after the note: without its device the run could not go on
    ingest_run(folder)
    return open_run(folder)


def _drive(
    folder: Path, record: RunRecord, device: Target, *, fio: str, tell: Tell | None
) -> None:
    tests, context = plan_inputs(record)
    clock = _make_clock()
    tracker = Tracker(
        run=folder, tests=tests, context=context, tell=tell or (lambda _progress: None)
    )
    session = len(read_state(folder).sessions)
    with (
        recording(
            folder / "telemetry" / f"session-{session:03d}.jsonl",
            lambda: {
                "host": read_load(),
                record.target.kind: device.read_counters(),
            },
            clock=clock,
        ),
        FioChain(fio, clock=clock, tick=lambda: None) as chain,
    ):
        engine = Engine(
            run=folder,
            backend=FioBackend(folder, device, chain=chain, clock=clock),
            listener=tracker,
            max_idle_s=float(str(record.profile["max_idle_s"])),
        )
        engine.drive(plan_suite(tests, context, tracker.judged))
        tracker.finished()


def _make_clock() -> Callable[[], float]:
    """Return Unix time that no correction of the system's clock makes jump."""
    offset = time.time() - time.monotonic()  # noqa: TID251 - here clocks are made
    return lambda: offset + time.monotonic()


@contextlib.contextmanager
def _terminated_like_interrupted() -> Iterator[None]:
    """Let SIGTERM stop a run as cleanly as Ctrl-C does."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _end_after_trouble(folder: Path, status: RunStatus, message: str) -> None:
    """Note how the session ended and bring the tables up to date, if that can be.

    A full disk may forbid both; the raw output is what counts.
    """
    with contextlib.suppress(OSError):
        end_session(folder, status, message)
    with contextlib.suppress(Exception):  # whatever it is, it is not why the run ended
        ingest_run(folder)
