"""Run a suite or a procedure from its start, or resume it.

The confirmation of a drive is in ``run.json``, which anybody can write. On resume it
counts only with a witness outside the folder: a random mark in the folder, recorded in
the user's state folder with the record, the folder and the drive for which it was
made. A folder that was copied, passed on or changed has no such witness.
"""

import hashlib
import json
import os
import secrets
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Final

from ssdlab.engine.execution import (
    Tell,
    carry_out,
    released,
    write_tables,
)
from ssdlab.engine.extending import find_extension
from ssdlab.engine.folders import (
    examine_for,
    make_folder,
    make_record,
    open_or_clean,
    refuse_taken,
    require_logs,
    require_same_plan,
    take_ceiling,
    target_folder,
    write_papers,
)
from ssdlab.engine.request import (
    Request,
    RunChoices,
    check_procedure,
    check_request,
    read_temperature_limit,
)
from ssdlab.engine.sessions import note_extension
from ssdlab.fio.installed import require_fio
from ssdlab.host.changes import compare_checks
from ssdlab.host.inventory import read_host
from ssdlab.host.neighbours import announced
from ssdlab.ingest.ingest import plan_inputs
from ssdlab.ingest.wholeness import hash_plan
from ssdlab.model.asked import Procedure
from ssdlab.model.drive import AUTO_PURGE
from ssdlab.model.errors import RunFolderError
from ssdlab.model.records import CeilingPoint, RunRecord
from ssdlab.store.lock import locked
from ssdlab.store.records import read_record, read_state
from ssdlab.store.run import Run
from ssdlab.system.folders import Folder
from ssdlab.system.signals import interrupt, stopped_by
from ssdlab.system.state import state_folder
from ssdlab.targets.block_opening import check_block_again
from ssdlab.targets.opening import (
    read_left_ends,
    reopen_target,
    require_as_left,
)

_WRITTEN_FOLDERS = ("steps", "tables", "target", "telemetry")  # by a run under way
_WRITTEN_FILES = ("notebook.ipynb", "progress.json")
_MARK: Final = "mark"
_RECORD: Final = "run.json"
_MARK_BYTES: Final = 32

Note = dict[str, str | int]


def run_suite(  # noqa: PLR0913 - each is a choice of the user, by name
    target: str = "virtual",
    profile: str = "demo",
    tests: str | Sequence[str] = "iops,tp,lat,wsat",
    *,
    runs: str | Path = "data/runs",
    run_folder: str | Path = "",
    label: str = "",
    confirm_serial: str = "",
    seed: int = 0,
    host_ceiling: bool = False,
    purge: str = AUTO_PURGE,
    temperature_limit: float = 0,
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
        The tests, in the order to run; ``all`` means those of the profile.
    runs : str or Path, default "data/runs"
        The folder in which the run's folder is created.
    run_folder : str or Path, default ""
        The folder of the run itself, instead of a new one in ``runs``.
    label : str, default ""
        A name chosen by the user.
    confirm_serial : str, default ""
        The serial of a device that may be destroyed.
    seed : int, default 0
        The seed of all offsets; 0 draws one. It is recorded.
    host_ceiling : bool, default False
        Whether to measure first, for a minute, the most that this host can issue.
    purge : str, default "auto"
        How a drive is purged: one of the methods that ``ssdlab purge --list`` shows, or
        ``none``; ``auto`` is the first that the drive says it supports.
    temperature_limit : float, default 0
        The run stops when the drive gets hotter [°C]; 0 is the drive's own limit.
    tell : callable, optional
        Called with each `Progress`.

    Returns
    -------
    Run
        The finished run, its tables written.

    Raises
    ------
    UserError
        If the request cannot be carried out; no run was started then.
    RunFailedError
        If a step failed; what was measured is kept.
    RunInterruptedError
        If the user stopped the run; what was measured is kept.

    Examples
    --------
    >>> run = ssdlab.run_suite("virtual", "demo", "iops")  # doctest: +SKIP
    """
    choices = RunChoices(
        runs=Path(runs),
        run_folder=Path(run_folder) if run_folder else None,
        label=label,
        confirmed=confirm_serial,
        seed=seed,
        host_ceiling=host_ceiling,
        purge=purge,
        temperature_limit_celsius=read_temperature_limit(temperature_limit),
    )
    named = tests if isinstance(tests, str) else ",".join(tests)
    return _begin(check_request(target, profile, named, choices=choices), choices, tell)


def run_procedure(
    procedure: Procedure,
    target: str,
    choices: RunChoices,
    *,
    tell: Tell | None = None,
) -> Run:
    """Measure a target by a published procedure, as `run_suite` does by the PTS."""
    return _begin(check_procedure(target, procedure, choices=choices), choices, tell)


def _begin(request: Request, choices: RunChoices, tell: Tell | None) -> Run:
    """Create the run's folder and record, and run it."""
    fio, fio_version = require_fio()
    folder = make_folder(choices.runs, request, choices.run_folder)
    with locked(folder, sleep=time.sleep), stopped_by(interrupt):
        if Folder(folder).has("run.json"):
            refuse_taken(folder)
        with (
            released(open_or_clean(request, folder, choices)) as device,
            announced(device.identity, folder, sleep=time.sleep) as look_around,
        ):
            ceiling: tuple[CeilingPoint, ...] = ()
            if choices.host_ceiling:
                engine = request.asked.io_engine
                ceiling = take_ceiling(folder, device, io_engine=engine)
            record = make_record(folder, request, device, read_host(fio_version))
            record = replace(
                record,
                label=choices.label,
                seed=choices.seed or secrets.randbelow(2**31 - 1) + 1,
                temperature_limit_celsius=choices.temperature_limit_celsius,
                host_ceiling=ceiling,
            )
            record = replace(
                record,
                plan_hash=hash_plan(*plan_inputs(record)),
                host_checks=examine_for(record, device),
            )
            write_papers(folder, record, getattr(request.asked, "logs", {}))
            if record.target.kind == "block":
                vouch_for(folder, record)
            done = carry_out(
                folder, record, device, fio=fio, tell=tell, look_around=look_around
            )
        forget(folder)
        return done


def resume_run(
    run: str | Path,
    *,
    more_rounds: int = 0,
    confirm_serial: str = "",
    tell: Tell | None = None,
) -> Run:
    """Resume an interrupted or failed run, or continue a run after its last round.

    Steps that were finished are not measured again; the steady-state window starts anew
    after the gap.

    Parameters
    ----------
    run : str or Path
        The run folder.
    more_rounds : int, default 0
        How many more rounds than before its unfinished loops may take: a run that
        finished with rounds that were not steady continues after the last of them.
    confirm_serial : str, default ""
        The serial of a drive that may be destroyed. It is needed where the folder is
        not as this user made it on this machine, such as a copy.
    tell : callable, optional
        Called with each `Progress`.

    Returns
    -------
    Run
        The finished run, its tables written.

    Raises
    ------
    UserError
        If the folder is damaged or in use, the device is gone, replaced or not
        confirmed, or no rounds of the run can continue.
    RunFailedError
        If a step failed; what was measured is kept.
    RunInterruptedError
        If the user stopped the run; what was measured is kept.

    Examples
    --------
    >>> run = ssdlab.resume_run("data/runs/20261121-120000-demo-c289")  # doctest: +SKIP
    """
    folder = Path(run)
    record = read_record(folder)
    fio, _ = require_fio()
    with locked(folder, sleep=time.sleep), stopped_by(interrupt):
        state = read_state(folder)
        if state.status == "finished" and not more_rounds:
            return write_tables(folder)  # it may have been killed while writing them
        require_same_plan(folder, record)
        require_logs(folder, record)
        extension = (
            find_extension(folder, record, state, more_rounds=more_rounds)
            if more_rounds
            else None
        )
        target = target_folder(folder)
        confirmed = _confirmed_again(folder, record, confirm_serial)
        ends = read_left_ends(target)
        again = reopen_target(record, folder=target, confirmed=confirmed)
        with (
            released(again) as device,
            announced(record.target, folder, sleep=time.sleep) as look_around,
        ):
            if state.status == "finished":
                left_s = datetime.fromisoformat(state.finished_at).timestamp()
                require_as_left(device, ends=ends, left_s=left_s)
            changed = compare_checks(record.host_checks, examine_for(record, device))
            if extension is not None:
                note_extension(folder, extension)
            done = carry_out(
                folder,
                record,
                device,
                fio=fio,
                tell=tell,
                look_around=look_around,
                host_changes=changed,
            )
        forget(folder)
        return done


def check_resume(run: Path, confirm_serial: str, *, more_rounds: int = 0) -> str:
    """Refuse at once a run that `resume_run` would refuse; hold nothing.

    Returned, in words, is what it destroys on a drive that was confirmed anew.
    """
    require_resumable(run, may_be_finished=more_rounds > 0)
    record, state = read_record(run), read_state(run)
    if state.status == "finished" and not more_rounds:
        return ""  # its tables and report are written, and no drive is touched
    require_same_plan(run, record)
    require_logs(run, record)
    if more_rounds:
        find_extension(run, record, state, more_rounds=more_rounds)
    if record.target.kind != "block":
        return ""
    return check_block_again(record, _confirmed_again(run, record, confirm_serial))


def _confirmed_again(run: Path, record: RunRecord, typed: str) -> str | None:
    """Return what confirms the drive: ``None`` is what was typed at the start."""
    return None if not typed and is_vouched(run, record) else typed


def require_resumable(run: Path, *, may_be_finished: bool = False) -> None:
    """Require that the run can be resumed now."""
    read_record(run)
    for name in _WRITTEN_FOLDERS:
        (Folder(run) / name).is_there()
    for name in _WRITTEN_FILES:
        Folder(run).has_file(name)
    with locked(run, sleep=time.sleep):
        report = run / "report.html"
        is_reported = Folder(run).has_file(report.name)
        is_over = read_state(run).status == "finished" and not may_be_finished
        if is_over and is_reported:
            raise RunFolderError(
                folder=str(run),
                reason="the run is finished; there is nothing to resume",
                remedy=f"See {report}, or write it again: ssdlab report {run}. "
                "Continue rounds that were not steady with --more-rounds.",
            )


def vouch_for(run: Path, record: RunRecord) -> None:
    """Mark a run folder that was just created, and record that here.

    If that cannot be written, confirmation is requested again on resume.
    """
    mark = secrets.token_hex(_MARK_BYTES)
    Folder(run).write(_MARK, mark.encode())
    with suppress(OSError, RunFolderError):
        note = _note(run, record)
        _notes().make().write(_name(mark), json.dumps(note).encode())


def is_vouched(run: Path, record: RunRecord) -> bool:
    """Return whether a folder and its record are as when the run started here."""
    try:
        mark = _read_own(Folder(run), _MARK).decode("ascii")
        noted = json.loads(_read_own(_notes(), _name(mark)))
        return bool(noted == _note(run, record))
    except (OSError, ValueError, RecursionError, RunFolderError):
        return False


def forget(run: Path) -> None:
    """Remove the note on a run that has ended."""
    with suppress(OSError, ValueError, RunFolderError):
        _notes().remove(_name(Folder(run).read(_MARK).decode("ascii")))


def _note(run: Path, record: RunRecord) -> Note:
    """Return what must be unchanged."""
    return {
        "run_id": record.run_id,
        "serial": record.target.serial,
        "uid": os.geteuid(),
        "folder": run.stat().st_ino,
        "record_sha256": hashlib.sha256(_read_own(Folder(run), _RECORD)).hexdigest(),
    }


def _read_own(folder: Folder, name: str) -> bytes:
    """Return the content of a file that this user owns."""
    if folder.path.stat().st_uid != os.geteuid():
        msg = f"{folder.path} does not belong to this user"
        raise PermissionError(msg)
    return folder.read(name, owner=os.geteuid())


def _notes() -> Folder:
    return Folder(state_folder()) / "runs"


def _name(mark: str) -> str:
    return f"{hashlib.sha256(mark.encode()).hexdigest()}.json"
