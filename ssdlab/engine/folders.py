"""The folder of a new run: its name, its creation, its record."""

import contextlib
import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import NoReturn

from ssdlab.drive.attachment import read_attachment
from ssdlab.engine.ceiling import (
    CEILING_FOLDER,
    CEILING_SECONDS,
    NULL_ENGINE,
    measure_ceiling,
)
from ssdlab.engine.followed_advice import read_habits
from ssdlab.engine.request import Request, RunChoices, jobs_of
from ssdlab.engine.sessions import now_text
from ssdlab.fio.jobs.iolog import MOST_LOG_BYTES
from ssdlab.host.checks import examine_host
from ssdlab.host.inventory import find_file_system, read_machine
from ssdlab.ingest.ingest import plan_inputs, require_plan
from ssdlab.ingest.wholeness import hash_plan
from ssdlab.model.errors import RunFolderError
from ssdlab.model.host_checks import HostCheck
from ssdlab.model.io_engine import LOCAL_ENGINE
from ssdlab.model.records import CeilingPoint, HostIdentity, RunRecord
from ssdlab.model.report_fields import ReportFields
from ssdlab.model.spec import REPLAYS
from ssdlab.store.raw import steps_folder
from ssdlab.store.records import RunState, write_record, write_state
from ssdlab.system.folders import Folder
from ssdlab.targets.opening import open_target
from ssdlab.targets.target import Target


def new_run_id(profile: str) -> str:
    """Return a unique name for a run that sorts by time."""
    stamp = datetime.now(tz=UTC).strftime("%Y%m%d-%H%M%S")
    return f"{stamp}-{profile}-{secrets.token_hex(2)}"


def make_folder(runs: Path, request: Request, run_folder: Path | None) -> Path:
    """Create the folder of a new run and return it; refuse one that holds a run."""
    folder = run_folder or runs / new_run_id(request.asked.name)
    try:
        if Folder(folder).has("run.json"):
            refuse_taken(folder)
        steps_folder(folder).make()
    except OSError as error:
        raise RunFolderError(
            folder=str(folder),
            reason=f"the folder cannot be created ({error.strerror})",
            remedy="Name a folder that you can write to.",
        ) from None
    return folder


def refuse_taken(folder: Path) -> NoReturn:
    """Refuse a folder that already holds a run."""
    raise RunFolderError(
        folder=str(folder),
        reason="it already holds a run",
        remedy=f"Resume that run (ssdlab resume {folder}) or name another folder.",
    )


def open_or_clean(request: Request, folder: Path, choices: RunChoices) -> Target:
    """Open the target; remove the empty run folder if it is refused."""
    try:
        return open_target(
            request.target,
            folder=target_folder(folder),
            choices=choices.of_drive(request.asked.write_cache),
        )
    except BaseException:
        _clean(folder)
        raise


def target_folder(run: Path) -> Path:
    """Return where the files of a run's target are kept; refuse a link there."""
    folder = Folder(run) / "target"
    folder.is_there()
    return folder.path


def take_ceiling(
    folder: Path,
    device: Target,
    *,
    io_engine: str,
    seconds: float = CEILING_SECONDS,
) -> tuple[CeilingPoint, ...]:
    """Measure what this host can issue; remove the run folder if that fails."""
    place = Folder(folder) / CEILING_FOLDER
    place.remove_tree()  # of a run that was killed before it started
    try:
        is_local = device.fio_options.get("ioengine") == LOCAL_ENGINE
        engine = io_engine if is_local else NULL_ENGINE
        return measure_ceiling(place, engine=engine, seconds=seconds)
    except BaseException:
        device.close()
        place.remove_tree()
        if device.identity.kind == "virtual":  # only files of its server
            (Folder(folder) / "target").remove_tree()
        _clean(folder)
        raise


def write_papers(
    folder: Path, record: RunRecord, logs: Mapping[str, bytes] = MappingProxyType({})
) -> None:
    """Make a folder a run folder, with the logs that its jobs replay."""
    kept = Folder(folder) / REPLAYS
    try:
        if logs:
            kept.make()
        for name, log in logs.items():
            kept.write(name, log)
        write_state(
            folder, RunState(status="running")
        )  # first: run.json makes it a run
        write_record(folder, record)
    except OSError as error:
        Folder(folder).remove("state.json")
        kept.remove_tree()
        _clean(folder)
        raise RunFolderError(
            folder=str(folder),
            reason=f"it cannot be written ({error.strerror})",
            remedy="Free disk space, or name another folder.",
        ) from None


def _clean(folder: Path) -> None:
    """Remove what was created of a run folder, as far as it is empty."""
    run = Folder(folder)
    for act in (
        partial(run.remove, "lock"),
        (run / "steps").remove_empty,
        (run / "target").remove_empty,
        folder.rmdir,
    ):
        with contextlib.suppress(OSError):
            act()


def make_record(  # noqa: PLR0917 - one call, in suite
    folder: Path, request: Request, device: Target, host: HostIdentity
) -> RunRecord:
    """Return the record of a run that has no label, seed and plan yet."""
    return RunRecord(
        run_id=folder.resolve().name,
        label="",
        started_at=now_text(),
        asked=request.asked,
        seed=0,
        plan_hash="",
        target=device.identity,
        host=host,
        purge_method=device.purge_choice.words,
        purge_choice=device.purge_choice,
        write_cache=device.write_cache,
        write_cache_fault=device.write_cache_fault,
        report_fields=_known_fields(device).with_given(request.report_fields),
        drive=device.drive,
        consent=device.consent,
    )


def _known_fields(device: Target) -> ReportFields:
    """Return what this machine reports of itself and of how the target is attached."""
    known = read_machine()
    if device.drive is not None:
        return known.with_given(read_attachment(device.drive))
    if device.identity.kind == "file":
        path = Path(str(device.identity.options["path"]))
        return replace(known, file_system=find_file_system(path))
    return known


def examine_for(record: RunRecord, device: Target) -> tuple[HostCheck, ...]:
    """Return how suitable the host is for a run, and how the device is attached."""
    tests, _ = plan_inputs(record)
    found = examine_host(
        device.drive,
        target_kind=record.target.kind,
        habits=read_habits(
            tests, device.fio_options, io_engine=require_plan(record).io_engine
        ),
    )
    return (*found, *device.host_checks)


def require_logs(folder: Path, record: RunRecord) -> None:
    """Require that a folder keeps the logs that its jobs replay, as they were made."""
    for job in jobs_of(require_plan(record).tests):
        if job.replay is None:
            continue
        name = job.replay.kept_as
        try:
            log = (Folder(folder) / REPLAYS).read(name, limit=2 * MOST_LOG_BYTES)
        except OSError:
            log = b""
        if hashlib.sha256(log).hexdigest() != job.replay.digest:
            raise RunFolderError(
                folder=str(folder),
                reason=f"{REPLAYS}/{name}, the log that job {job.name} replays, is "
                "missing or another one",
                remedy="Restore the folder from a copy, or start a new run.",
            )


def require_same_plan(folder: Path, record: RunRecord) -> None:
    """Require that this version plans a run as the version that started it did."""
    if hash_plan(*plan_inputs(record)) != record.plan_hash:
        raise RunFolderError(
            folder=str(folder),
            reason=f"this version of ssdlab plans the run differently from "
            f"{record.host.ssdlab_version}, which started it",
            remedy="Resume it with the version that started it, or start a new run.",
        )
