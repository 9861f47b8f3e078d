"""From the text that a user wrote to a target."""

from dataclasses import dataclass
from pathlib import Path

from ssdlab.model.errors import TargetRefusedError, UnknownNameError
from ssdlab.model.records import TargetIdentity
from ssdlab.model.units import MIB, capacity_label
from ssdlab.targets.block import BLOCK_DEPARTURES, open_block, require_loop
from ssdlab.targets.file import (
    FILE_DEPARTURES,
    SECTOR_BYTES,
    open_file,
    read_capacity,
    reopen_file,
)
from ssdlab.targets.target import Target
from ssdlab.targets.virtual import (
    SECTOR_BYTES as VIRTUAL_SECTOR_BYTES,
)
from ssdlab.targets.virtual import (
    VIRTUAL_DEPARTURES,
    open_virtual,
    reopen_virtual,
)
from ssdlab.virtual.options import find_write_bound, parse_options

LEAST_CAPACITY_BYTES = 32 * MIB  # 32 of the largest blocks
_KNOWN = ("virtual[:size=256MiB,op=12]", "file:PATH,size=1GiB", "/dev/loopN")


@dataclass(frozen=True, kw_only=True, slots=True)
class Shape:
    """What is known of a target without touching it.

    ``departures`` are those of any run on it. ``write_bytes_per_s`` is the data rate
    that no lasting write to it exceeds, where that is known.
    """

    capacity_bytes: int
    sector_bytes: int
    departures: tuple[str, ...]
    write_bytes_per_s: float | None = None


def open_target(spec: str, *, folder: Path, cache: Path, confirmed: str) -> Target:
    """Open a target for a new run.

    Parameters
    ----------
    spec : str
        ``virtual``, ``virtual:size=256MiB,op=12``, ``file:PATH,size=1GiB``, ``/dev/…``.
    folder : Path
        Where the target may keep files of its own: the run's.
    cache : Path
        Where what is built once is kept.
    confirmed : str
        The serial that the user typed to say that the device may be destroyed.

    Returns
    -------
    Target
        The target.

    Raises
    ------
    UnknownNameError
        If the text names no target.
    """
    kind, rest = _split(spec)
    if kind == "virtual":
        return open_virtual(rest, folder, cache)
    if kind == "file":
        return open_file(rest)
    return open_block(rest, confirmed)


def reopen_target(identity: TargetIdentity, *, folder: Path) -> Target:
    """Open the target of an interrupted run; it must be the same device.

    Raises
    ------
    TargetRefusedError
        If it is gone or another one, or the run was imported.
    """
    match identity.kind:
        case "virtual":
            target: Target = reopen_virtual(identity.spec.partition(":")[2], folder)
        case "file":
            target = reopen_file(str(identity.options["path"]))
        case "block":
            target = open_block(str(identity.options["path"]), identity.serial)
        case "imported":
            raise TargetRefusedError(
                target=identity.spec,
                reason="this run was imported; there is no target to go on with",
                remedy="Begin a run of your own: ssdlab run.",
            )
    if target.identity != identity:
        raise TargetRefusedError(
            target=identity.spec,
            reason=f"this is {target.identity.serial}, the run measured "
            f"{identity.serial}",
            remedy="Attach the device of this run, or begin a new run.",
        )
    return target


def read_shape(spec: str) -> Shape:
    """Return what a target is or will be, touching nothing.

    Raises
    ------
    TargetRefusedError
        If a run on it would be refused whatever its user confirms.
    """
    kind, rest = _split(spec)
    if kind == "virtual":
        options = parse_options(rest)
        return Shape(
            capacity_bytes=options.size_bytes,
            sector_bytes=VIRTUAL_SECTOR_BYTES,
            departures=VIRTUAL_DEPARTURES,
            write_bytes_per_s=find_write_bound(options),
        )
    if kind == "file":
        return Shape(
            capacity_bytes=read_capacity(rest),
            sector_bytes=SECTOR_BYTES,
            departures=FILE_DEPARTURES,
        )
    return _read_block_shape(rest)


def require_room(spec: str, capacity_bytes: int) -> None:
    """Require a target that the largest blocks of the tests fit on.

    Raises
    ------
    TargetRefusedError
        If it is too small.
    """
    if capacity_bytes < LEAST_CAPACITY_BYTES:
        raise TargetRefusedError(
            target=spec,
            reason=f"{capacity_label(capacity_bytes)} is too small for the tests, "
            "whose largest block is 1 MiB",
            remedy=f"Use at least {LEAST_CAPACITY_BYTES // MIB}MiB.",
        )


def _read_block_shape(device: str) -> Shape:
    path = Path(device).resolve()
    require_loop(str(path))
    folder = Path("/sys/class/block") / path.name
    try:
        return Shape(
            capacity_bytes=int((folder / "size").read_text()) * 512,
            sector_bytes=int((folder / "queue/logical_block_size").read_text()),
            departures=BLOCK_DEPARTURES,
        )
    except (OSError, ValueError):
        raise TargetRefusedError(
            target=device,
            reason="this is no block device",
            remedy=f"Use one of: {', '.join(_KNOWN)}.",
        ) from None


def _split(spec: str) -> tuple[str, str]:
    if spec.startswith("/dev/"):
        return "block", spec
    kind, _, rest = spec.partition(":")
    kind = kind.lower()
    if kind not in {"virtual", "file"} or (kind == "file" and not rest):
        raise UnknownNameError(kind="target", name=spec, known=_KNOWN)
    return kind, rest
