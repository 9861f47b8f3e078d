"""The step folders of a run: the truth, never edited.

A step is worked on under ``steps/.<step_id>`` and counts only when its folder was
renamed into place, ``step.json`` in it. What a crash leaves behind is moved to
``attempts/`` when the run is taken up again, so that nothing is lost. A purge goes with
it when no finished step follows: what came after it may have written.
"""

import gzip
import json
import math
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ssdlab.campaign.ports import HostCpu
from ssdlab.model.errors import LargeInputError, PlanMismatchError, RunFolderError
from ssdlab.model.plain import from_plain
from ssdlab.model.step import Step, StepResult
from ssdlab.store.records import to_json
from ssdlab.system.durable import publish, sync_folder, write_whole
from ssdlab.system.unpack import (
    MAX_INPUT_BYTES,
    DamagedArchiveError,
    InputTooLargeError,
    gunzip,
)

UNKNOWN_EXIT_CODE = -1
_COMPRESSED = ("fio.json",)
_TIMES = ("started_s", "ended_s")


@dataclass(frozen=True, kw_only=True, slots=True)
class StepRecord:
    """What is known of a finished step; ``result`` is what the plan was told.

    Of an imported step the times may be unknown, NaN here and null in the file, and
    the exit code is `UNKNOWN_EXIT_CODE`. ``purge_doubt`` is why a purge cannot be
    shown to have worked.
    """

    step: Step
    started_s: float
    ended_s: float
    idle_before_s: float | None
    was_armed: bool
    exit_code: int
    said: str
    result: StepResult
    host_cpu: HostCpu | None = None
    purge_doubt: str = ""


def working_folder(run: Path, step_id: str) -> Path:
    """Return where a step is worked on."""
    return run / "steps" / f".{step_id}"


def commit_step(run: Path, folder: Path, record: StepRecord) -> None:
    """Make a step count: compress, make durable, rename into place last."""
    for name in _COMPRESSED:
        said = folder / name
        if said.is_file():
            write_whole(
                folder / f"{name}.gz", gzip.compress(said.read_bytes(), 3, mtime=0)
            )
            said.unlink()
    for log in sorted(folder.glob("*.log")):
        write_whole(
            folder / f"{log.name}.gz", gzip.compress(log.read_bytes(), 3, mtime=0)
        )
        log.unlink()
    if record.exit_code != UNKNOWN_EXIT_CODE:
        (folder / "exitcode").write_text(f"{record.exit_code}\n", "ascii")
    for path in folder.iterdir():
        if path.suffix != ".gz":
            _sync_file(path)
    plain = asdict(record)
    plain |= {name: None for name in _TIMES if math.isnan(plain[name])}
    write_whole(folder / "step.json", to_json(plain))
    publish(folder, run / "steps" / record.step.step_id)


def read_step(run: Path, step: Step) -> StepRecord | None:
    """Return the record of a step that was finished, or nothing.

    Raises
    ------
    PlanMismatchError
        If a step of that name was recorded with another content.
    """
    folder = run / "steps" / step.step_id
    if not folder.is_dir():
        return None
    record = read_record_of(folder)
    if record.step != step:
        differing = [
            name
            for name in Step.__dataclass_fields__
            if getattr(record.step, name) != getattr(step, name)
        ]
        raise PlanMismatchError(
            step_id=step.step_id,
            recorded=", ".join(f"{n}={getattr(record.step, n)}" for n in differing),
            asked=", ".join(f"{n}={getattr(step, n)}" for n in differing),
        )
    return record


def read_all_steps(run: Path) -> Iterator[StepRecord]:
    """Yield every finished step, in order."""
    for folder in sorted((run / "steps").glob("[!.]*")):
        yield read_record_of(folder)


def read_record_of(folder: Path) -> StepRecord:
    """Return the record in a step folder.

    Raises
    ------
    RunFolderError
        If it is missing or damaged.
    """
    try:
        data: dict[str, Any] = json.loads((folder / "step.json").read_bytes())
        data |= {name: math.nan for name in _TIMES if data[name] is None}
        return _of_its_folder(from_plain(StepRecord, data), folder.name)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RunFolderError(
            folder=str(folder),
            reason=f"step.json is missing or damaged ({error})",
            remedy="Restore the folder from a copy, or move it away: the run then "
            "measures from that step on again.",
        ) from error


def _of_its_folder(record: StepRecord, name: str) -> StepRecord:
    """Return a record if its folder is named as its step is.

    Raises
    ------
    ValueError
        If it is not.
    """
    if record.step.step_id != name:
        msg = f"it is of step {record.step.step_id!r}"
        raise ValueError(msg)
    return record


def read_raw_output(folder: Path, *, max_bytes: int = MAX_INPUT_BYTES) -> bytes:
    """Return what fio said in a finished step.

    Raises
    ------
    RunFolderError
        If the file is missing or damaged, or holds more than ``max_bytes``.
    """
    return read_compressed(folder / "fio.json.gz", max_bytes=max_bytes)


def read_compressed(path: Path, *, max_bytes: int = MAX_INPUT_BYTES) -> bytes:
    """Return what a compressed file of a step holds.

    Raises
    ------
    RunFolderError
        If the file is missing or damaged, or holds more than ``max_bytes``.
    """
    try:
        with path.open("rb") as file:
            return gunzip(file, max_bytes=max_bytes)
    except InputTooLargeError as error:
        raise RunFolderError(
            folder=str(path.parent),
            reason=f"{path.name} is too large: {error}",
            remedy=LargeInputError.REMEDY,
        ) from error
    except (OSError, DamagedArchiveError) as error:
        raise RunFolderError(
            folder=str(path.parent),
            reason=f"{path.name} is missing or damaged ({error})",
            remedy="Restore it from a copy; without it this step has no numbers.",
        ) from error


def put_aside_unfinished(run: Path) -> tuple[str, ...]:
    """Move what an interrupted session left behind out of the way; return its names.

    A purge at the end of what is finished goes as well, and is carried out anew: the
    step that was to begin on a purged device may have written to it.
    """
    leftovers = [*sorted((run / "steps").glob(".*")), *_purge_at_the_end(run)]
    attempts = run / "attempts"
    for leftover in leftovers:
        attempts.mkdir(exist_ok=True)
        name = leftover.name.removeprefix(".")
        number = len(list(attempts.glob(f"{name}.*"))) + 1
        leftover.replace(attempts / f"{name}.{number}")
    if leftovers:
        sync_folder(attempts)
    return tuple(leftover.name.removeprefix(".") for leftover in leftovers)


def _purge_at_the_end(run: Path) -> tuple[Path, ...]:
    """Return the folder of the last finished step if it is a purge."""
    last = sorted((run / "steps").glob("[!.]*"))[-1:]
    return tuple(path for path in last if read_record_of(path).step.kind == "purge")


def _sync_file(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
