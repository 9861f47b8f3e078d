"""The step folders of a run: the truth, never edited.

A step is worked on under ``steps/.<step_id>`` and counts only when its folder was
renamed into place, ``step.json`` in it. What a crash leaves behind is moved to
``attempts/`` when the run is taken up again, so that nothing is lost. A purge goes with
it when no finished step follows: what came after it may have written.
"""

import json
import math
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

from ssdlab.model.errors import PlanMismatchError, RunFolderError
from ssdlab.model.plain import from_plain
from ssdlab.model.step import Handover, Step, StepResult
from ssdlab.store.digests import digest_files
from ssdlab.store.records import to_json
from ssdlab.system.folders import Folder
from ssdlab.system.unpack import MAX_INPUT_BYTES

UNKNOWN_EXIT_CODE = -1
STEP_FILE = "step.json"
_COMPRESSED = ("fio.json",)
_GZIP = 31  # as zlib calls that form
_PIECE_BYTES = 1 << 20
_TIMES = ("started_s", "ended_s")


@dataclass(frozen=True, kw_only=True, slots=True)
class HostCpu:
    """How busy all processors of the host were, as a share of all they could do [%]."""

    user_percent: float
    system_percent: float


@dataclass(frozen=True, kw_only=True, slots=True)
class StepRecord:
    """What is known of a finished step; ``result`` is what the plan was told.

    Of an imported step the times may be unknown, NaN here and null in the file, and
    the exit code is `UNKNOWN_EXIT_CODE`. ``purge_doubt`` is why a purge cannot be
    shown to have worked. ``suspended_s`` is how long the machine was suspended from the
    end of the step before to the end of this one. ``handover`` is absent where no fio
    was run, and in runs of earlier versions. ``neighbours`` are the other runs on
    this host meanwhile, ``None`` if unknown. ``files`` are the SHA-256 of what
    lies beside the record, by name; an earlier version kept none.
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
    suspended_s: float = 0.0
    handover: Handover | None = None
    neighbours: tuple[str, ...] | None = None
    files: Mapping[str, str] = field(default_factory=dict)


def steps_folder(run: Path) -> Folder:
    """Return where the steps of a run lie."""
    return Folder(run) / "steps"


def finished_steps(run: Path) -> tuple[Folder, ...]:
    """Return the folders of the finished steps, in order."""
    steps = steps_folder(run)
    return tuple(steps / name for name in steps.visible_names())


def working_folder(run: Path, step_id: str) -> Folder:
    """Return where a step is worked on; whoever begins it makes it, and new."""
    return steps_folder(run) / f".{step_id}"


def commit_step(run: Path, folder: Folder, record: StepRecord) -> None:
    """Make a step count: compress, make durable, rename into place last."""
    for name in folder.names():
        if name in _COMPRESSED or name.endswith(".log"):
            _pack(folder, name)
    if record.exit_code != UNKNOWN_EXIT_CODE:
        folder.write("exitcode", f"{record.exit_code}\n".encode())
    folder.sync_files()
    plain = asdict(replace(record, files=digest_files(folder)))
    plain |= {name: None for name in _TIMES if math.isnan(plain[name])}
    folder.write(STEP_FILE, to_json(plain))
    folder.give_usual_rights()
    steps = steps_folder(run)
    steps.move(folder.name, steps, record.step.step_id)


def _pack(folder: Folder, name: str) -> None:
    packer = zlib.compressobj(3, wbits=_GZIP)
    with folder.opened(name) as file, folder.writing(f"{name}.gz") as packed:
        while piece := file.read(_PIECE_BYTES):
            packed.write(packer.compress(piece))
        packed.write(packer.flush())
    folder.remove(name)


def read_step(run: Path, step: Step) -> StepRecord | None:
    """Return the record of a step that was finished, or nothing."""
    folder = steps_folder(run) / step.step_id
    if not folder.is_there():
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
    yield from map(read_record_of, finished_steps(run))


def read_record_of(folder: Folder) -> StepRecord:
    """Return the record in a step folder."""
    try:
        data: dict[str, Any] = json.loads(folder.read(STEP_FILE))
        data |= {name: math.nan for name in _TIMES if data[name] is None}
        return _of_its_folder(from_plain(StepRecord, data), folder.name)
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise RunFolderError(
            folder=str(folder.path),
            reason=f"step.json is missing or damaged ({error})",
            remedy="Restore the folder from a copy, or move it away: the run then "
            "measures from that step on again.",
        ) from error


def _of_its_folder(record: StepRecord, name: str) -> StepRecord:
    """Return a record if its folder is named as its step is."""
    if record.step.step_id != name:
        msg = f"it is of step {record.step.step_id!r}"
        raise ValueError(msg)
    return record


def read_raw_output(folder: Folder, *, max_bytes: int = MAX_INPUT_BYTES) -> bytes:
    """Return what fio said in a finished step."""
    return read_compressed(folder, "fio.json.gz", max_bytes=max_bytes)


def read_compressed(
    folder: Folder, name: str, *, max_bytes: int = MAX_INPUT_BYTES
) -> bytes:
    """Return what a compressed file of a step holds."""
    try:
        return folder.unpack(name, limit=max_bytes)
    except OSError as error:
        raise RunFolderError(
            folder=str(folder.path),
            reason=f"{name} is missing or damaged ({error})",
            remedy="Restore it from a copy; without it this step has no numbers.",
        ) from error


def put_aside_unfinished(run: Path) -> tuple[str, ...]:
    """Move what an interrupted session left behind out of the way; return its names.

    A purge at the end of what is finished goes as well, and is carried out anew: the
    step that was to begin on a purged device may have written to it.
    """
    steps, attempts = steps_folder(run), Folder(run) / "attempts"
    unfinished = [name for name in steps.names() if name.startswith(".")]
    leftovers = [*unfinished, *_purge_at_the_end(run)]
    for leftover in leftovers:
        name = leftover.removeprefix(".")
        taken = attempts.make().names()
        places = (f"{name}.{number}" for number in count(1))
        free = next(place for place in places if place not in taken)
        steps.move(leftover, attempts, free)
    return tuple(leftover.removeprefix(".") for leftover in leftovers)


def _purge_at_the_end(run: Path) -> tuple[str, ...]:
    """Return the name of the last finished step if it is a purge."""
    last = finished_steps(run)[-1:]
    return tuple(
        folder.name for folder in last if read_record_of(folder).step.kind == "purge"
    )
