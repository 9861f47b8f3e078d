"""From the text that a user wrote to a target."""

from dataclasses import dataclass
from pathlib import Path

from ssdlab.model.errors import TargetRefusedError, UnknownNameError
from ssdlab.model.records import TargetIdentity
from ssdlab.targets.block import open_block
from ssdlab.targets.file import SECTOR_BYTES, expand_path, open_file, reopen_file
from ssdlab.targets.options import require_safe_path, split_size
from ssdlab.targets.target import Target
from ssdlab.targets.virtual import open_virtual, reopen_virtual
from ssdlab.virtual.options import parse_options

_KNOWN = ("virtual[:size=256MiB,op=12]", "file:PATH,size=1GiB", "/dev/loopN")


@dataclass(frozen=True, kw_only=True, slots=True)
class Shape:
    """How large a target is, without touching it."""

    capacity_bytes: int
    sector_bytes: int


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
        If it is gone or another one.
    """
    match identity.kind:
        case "virtual":
            target: Target = reopen_virtual(identity.spec.partition(":")[2], folder)
        case "file":
            target = reopen_file(str(identity.options["path"]))
        case "block":
            target = open_block(str(identity.options["path"]), identity.serial)
    if target.identity != identity:
        raise TargetRefusedError(
            target=identity.spec,
            reason=f"this is {target.identity.serial}, the run measured "
            f"{identity.serial}",
            remedy="Attach the device of this run, or begin a new run.",
        )
    return target


def read_shape(spec: str) -> Shape:
    """Return how large a target is or will be, touching nothing.

    Raises
    ------
    TargetRefusedError
        If the target is not there and no size was given.
    """
    kind, rest = _split(spec)
    if kind == "virtual":
        return Shape(capacity_bytes=parse_options(rest).size_bytes, sector_bytes=512)
    if kind == "file":
        name, size = split_size(rest)
        require_safe_path(name)
        path = expand_path(name)
        if size is None and path.is_file():
            size = path.stat().st_size
        if size is None:
            raise TargetRefusedError(
                target=spec,
                reason="there is no such file and no size was given",
                remedy=f"Give a size: {spec},size=1GiB.",
            )
        return Shape(
            capacity_bytes=size - size % SECTOR_BYTES, sector_bytes=SECTOR_BYTES
        )
    folder = Path("/sys/class/block") / Path(rest).resolve().name
    try:
        return Shape(
            capacity_bytes=int((folder / "size").read_text()) * 512,
            sector_bytes=int((folder / "queue/logical_block_size").read_text()),
        )
    except (OSError, ValueError):
        raise TargetRefusedError(
            target=spec,
            reason="this is no block device",
            remedy=f"Use one of: {', '.join(_KNOWN)}.",
        ) from None


def _split(spec: str) -> tuple[str, str]:
    if spec.startswith("/dev/"):
        return "block", spec
    kind, _, rest = spec.partition(":")
    if kind not in {"virtual", "file"} or (kind == "file" and not rest):
        raise UnknownNameError(kind="target", name=spec, known=_KNOWN)
    return kind, rest
