"""Opening a target from the user's text."""

import os
from pathlib import Path

from ssdlab.drive.gate.end_digests import read_kept_ends
from ssdlab.model.drive import AUTO_PURGE, DriveChoices
from ssdlab.model.errors import TargetRefusedError, UnknownNameError
from ssdlab.model.records import RunRecord
from ssdlab.model.units import MIB, capacity_label
from ssdlab.targets.block import BlockTarget
from ssdlab.targets.block_opening import (
    check_block,
    find_block_obstacles,
    foresee_block_purge,
    open_block,
    read_block_shape,
    reopen_block,
)
from ssdlab.targets.file import (
    FILE_PURGE,
    FileTarget,
    open_file,
    read_file_shape,
    reopen_file,
)
from ssdlab.targets.purges import PurgeOutlook, find_purge_choice
from ssdlab.targets.shape import Shape
from ssdlab.targets.target import Target
from ssdlab.targets.virtual import (
    VIRTUAL_PURGES,
    open_virtual,
    read_virtual_shape,
    reopen_virtual,
)

LEAST_CAPACITY_BYTES = 32 * MIB  # 32 of the largest blocks
_WHOLE_SECOND_S = 1.0  # recorded times are in whole seconds
_KNOWN = ("virtual[:size=256MiB,op=12]", "file:PATH,size=1GiB", "/dev/NAME")


def open_target(
    spec: str, *, folder: Path, choices: DriveChoices | None = None
) -> Target:
    """Open a target for a new run."""
    kind, rest = _split(spec)
    choices = choices or DriveChoices()
    if kind == "virtual":
        return open_virtual(rest, folder, purge=choices.purge)
    if kind == "file":
        return open_file(rest, purge=choices.purge)
    return open_block(rest, folder, choices)


def reopen_target(
    record: RunRecord, *, folder: Path, confirmed: str | None = ""
) -> Target:
    """Open the target of an interrupted run; it must be the same device.

    ``confirmed`` is the serial number of a drive, typed again; ``None`` if the consent
    given when the run began still counts.
    """
    identity = record.target
    match identity.kind:
        case "virtual":
            options = identity.spec.partition(":")[2]
            target: Target = reopen_virtual(options, folder, purge=_purge_of(record))
        case "file":
            path = str(identity.options.get("path", ""))
            if not path:
                raise TargetRefusedError(
                    target=identity.spec,
                    reason="the record of this run does not say which file it measured",
                    remedy="Restore run.json from a copy, or begin a new run.",
                )
            target = reopen_file(path, purge=_purge_of(record))
        case "block":
            return reopen_block(record, folder, confirmed=confirmed)
        case "imported":
            raise TargetRefusedError(
                target=identity.spec,
                reason="this run was imported and has no target to resume on",
                remedy="Begin a new run: ssdlab run.",
            )
    if target.identity != identity:
        target.release()
        raise TargetRefusedError(
            target=identity.spec,
            reason=f"this is {target.identity.serial}, the run measured "
            f"{identity.serial}",
            remedy="Attach the device of this run, or begin a new run.",
        )
    return target


def require_as_left(target: Target, *, ends: str, left_s: float) -> None:
    """Require that nobody wrote to a target since a run that finished left it.

    Otherwise its rounds would not be consecutive.
    """
    is_changed = False
    if isinstance(target, BlockTarget):
        is_changed = bool(ends) and target.ends != ends
    elif isinstance(target, FileTarget):
        changed_s = os.fstat(target.descriptor).st_mtime
        is_changed = changed_s > left_s + _WHOLE_SECOND_S
    if is_changed:
        target.release()
        raise TargetRefusedError(
            target=target.identity.spec,
            reason="it was written to since the run finished, so new rounds would not "
            "follow the old ones",
            remedy="Begin a new run with more rounds allowed: max_rounds of a profile.",
        )


def read_left_ends(folder: Path) -> str:
    """Return the digest that the last session on a drive left; "" without one."""
    return read_kept_ends(folder)


def _purge_of(record: RunRecord) -> str:
    """Return the purge method of the run; older records have it only in words."""
    return AUTO_PURGE if record.purge_choice is None else record.purge_choice.method


def read_shape(spec: str) -> Shape:
    """Return the shape of a target without touching it."""
    kind, rest = _split(spec)
    if kind == "virtual":
        return read_virtual_shape(rest)
    if kind == "file":
        return read_file_shape(rest)
    return read_block_shape(rest)


def find_obstacles(spec: str) -> tuple[str, ...]:
    """Return the uses of a drive for which a run would be refused now, in words."""
    kind, rest = _split(spec)
    return find_block_obstacles(rest) if kind == "block" else ()


def foresee_purge(spec: str, wanted: str) -> PurgeOutlook:
    """Return how a target would be purged, without changing it."""
    kind, rest = _split(spec)
    if kind == "block":
        return foresee_block_purge(rest, wanted)
    if kind == "file":  # that it cannot be purged is always a departure of its runs
        choice = find_purge_choice(wanted, (FILE_PURGE,), target="a file")
        return PurgeOutlook(method=choice.method)
    choice = find_purge_choice(wanted, VIRTUAL_PURGES, target="a virtual SSD")
    return PurgeOutlook(method=choice.method)


def check_target(spec: str, confirmed: str) -> str:
    """Refuse early a target that `open_target` would refuse; nothing is held.

    What a run destroys on a drive is returned in words; otherwise an empty text.
    """
    kind, rest = _split(spec)
    return check_block(rest, confirmed) if kind == "block" else ""


def require_drive(spec: str) -> None:
    """Require a target that is purged by itself, not by its run."""
    kind = spec.partition(":")[0].lower()
    named = {"virtual": "a virtual SSD", "file": "a file"}.get(kind)
    if named:
        raise TargetRefusedError(
            target=spec,
            reason=f"{named} is purged by its run",
            remedy=f"Measure it: ssdlab run {spec}",
        )


def require_room(spec: str, capacity_bytes: int) -> None:
    """Require that the largest blocks of the tests fit on a target."""
    if capacity_bytes < LEAST_CAPACITY_BYTES:
        raise TargetRefusedError(
            target=spec,
            reason=f"{capacity_label(capacity_bytes)} is too small for the tests, "
            "whose largest block is 1 MiB",
            remedy=f"Use at least {LEAST_CAPACITY_BYTES // MIB}MiB.",
        )


def _split(spec: str) -> tuple[str, str]:
    if spec.startswith("/dev/"):
        return "block", spec
    kind, _, rest = spec.partition(":")
    kind = kind.lower()
    if kind not in {"virtual", "file"} or (kind == "file" and not rest):
        raise UnknownNameError(kind="target", name=spec, known=_KNOWN)
    return kind, rest
