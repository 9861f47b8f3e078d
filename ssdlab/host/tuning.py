"""Apply kernel settings that can be undone, and undo exactly those."""

import errno
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ssdlab.host.checks import CHECKS, Scene, Setting, find_settings
from ssdlab.host.journal import (
    Change,
    locked_journal,
    node_of,
    read_boot,
    read_journal,
    write_journal,
)
from ssdlab.host.notation import chosen
from ssdlab.system.files import ROOT, read_text, within

_WORDS = {
    errno.EACCES: "not permitted",
    errno.EPERM: "not permitted",
    errno.EROFS: "it is mounted read-only",
    errno.EINVAL: "the kernel refuses this value",
    errno.EIO: "the kernel does not allow changing this one",
    errno.ENOENT: "it is gone",
}
_PERMISSION = {errno.EACCES, errno.EPERM}
_NOT_EVEN_ROOT = "the kernel or the container does not let root change it"


@dataclass(frozen=True, kw_only=True, slots=True)
class Tuned:
    """The outcome for one file of the kernel.

    Attributes
    ----------
    path : str
        The file.
    before, after : str
        Its content before, and what it reads now.
    fault : str
        Why it is not as wanted, or "".
    needs_root : bool
        Whether root could do it, and this user is not root.
    """

    path: str
    before: str
    after: str
    fault: str = ""
    needs_root: bool = False


def apply_tuning(
    scene: Scene, *, journal: Path, now: Callable[[], float]
) -> tuple[Tuned, ...]:
    """Apply all settings of the checks that can be undone.

    The old content is in the journal before anything is changed. If it has an earlier
    change of the same file, the ``before`` of that one is kept.
    """
    with locked_journal(journal):
        boot = read_boot(scene.root)
        known_boot, known = read_journal(journal)
        changes = known if known_boot == boot else ()
        tuned: list[Tuned] = []
        for check in CHECKS:
            wanted = {s.path: s for s in find_settings(scene, check.check_id)}
            planned = _plan(wanted, check.check_id, root=scene.root, now_s=now())
            if not planned:
                continue
            changes = _noted(changes, planned)
            write_journal(journal, boot, changes)
            done = _make(planned, wanted, scene.root)
            changes = _settled(changes, done)
            write_journal(journal, boot, changes)
            tuned += [one for one in done if one.fault or one.before != one.after]
        return tuple(tuned)


def revert_tuning(*, journal: Path, root: Path = ROOT) -> tuple[Tuned, ...]:
    """Undo the changes of the journal, the last first.

    A file that somebody changed since, or that now belongs to another device, is left
    as it is. What could not be undone stays in the journal.
    """
    with locked_journal(journal):
        boot, changes = read_journal(journal)
        if boot != read_boot(root):
            write_journal(journal, boot, ())
            return ()
        # Restoring one may change another: all are checked first.
        faults = {change.path: _find_mismatch(change, root) for change in changes}
        found = {change.path: _value(change.path, root) for change in changes}
        ours = [change for change in reversed(changes) if not faults[change.path]]
        codes = {change.path: _put_back(change, root) for change in ours}
        undone = tuple(
            _verified(change.path, change.before, codes[change.path], root=root)
            for change in ours
        )
        failed = {one.path for one in undone if one.fault}
        write_journal(
            journal, boot, [change for change in changes if change.path in failed]
        )
        left = tuple(
            Tuned(path=path, before=found[path], after=found[path], fault=fault)
            for path, fault in faults.items()
            if fault
        )
        raw = (replace(one, before=found[one.path]) for one in undone)
        return (*(one for one in raw if one.fault or one.before != one.after), *left)


def _plan(
    wanted: Mapping[str, Setting], check_id: str, *, root: Path, now_s: float
) -> tuple[Change, ...]:
    """Return the changes that settings need; the current content is ``before``."""
    found = {path: _value(path, root) for path in wanted}
    return tuple(
        Change(
            check_id=check_id,
            path=path,
            before=found[path],
            after=None,
            node=node_of(path, root),
            changed_s=now_s,
        )
        for path, setting in wanted.items()
        if found[path] and found[path] != setting.value
    )


def _make(
    planned: Sequence[Change], wanted: Mapping[str, Setting], root: Path
) -> list[Tuned]:
    """Write the wanted values, then read everything back."""
    values = {path: setting.value for path, setting in wanted.items()}
    codes = {
        change.path: _write(change.path, value, root)
        for change in planned
        if (value := values[change.path]) is not None
    }
    done = [
        _verified(
            change.path, values[change.path], codes.get(change.path, 0), root=root
        )
        for change in planned
    ]
    return [
        replace(one, before=change.before)
        for one, change in zip(done, planned, strict=True)
    ]


def _noted(changes: Sequence[Change], planned: Sequence[Change]) -> tuple[Change, ...]:
    """Return the changes of the journal while these are being made."""
    held = {change.path: change for change in changes}
    for change in planned:
        earlier = held.get(change.path, change)
        is_same = earlier.node == change.node
        held[change.path] = replace(earlier, after=None) if is_same else change
    return tuple(held.values())


def _settled(changes: Sequence[Change], done: Sequence[Tuned]) -> tuple[Change, ...]:
    """Return the changes with the current content, without checks that made none.

    A file that may change with another one stays together with that.
    """
    now = {one.path: one.after for one in done}
    settled = [
        replace(change, after=now[change.path]) if change.path in now else change
        for change in changes
    ]
    effective = {c.check_id for c in settled if c.before != c.after}
    return tuple(change for change in settled if change.check_id in effective)


def _find_mismatch(change: Change, root: Path) -> str:
    """Return why a file is not as ssdlab left it, or ""."""
    now = _value(change.path, root)
    if not now:
        return "it is gone; nothing to undo"
    if change.node != node_of(change.path, root):
        return "it now belongs to another device; left as it is"
    if now in {change.before, change.after} or change.after is None:
        return ""
    return (
        f"it was changed since, from {change.after} to {now}; left as it is "
        f"(originally {change.before})"
    )


def _put_back(change: Change, root: Path) -> int:
    if _value(change.path, root) == change.before:
        return 0
    return _write(change.path, change.before, root)


def _verified(path: str, value: str | None, code: int, *, root: Path) -> Tuned:
    """Return the outcome for a file; ``value`` is ``None`` if nothing was wanted."""
    now = _value(path, root)
    fault = ""
    if value is not None and now != value:
        fault = _reason(code) if code else f"it still reads {now}"
    return Tuned(
        path=path,
        before=now,
        after=now,
        fault=fault,
        needs_root=bool(fault) and code in _PERMISSION and not _is_root(),
    )


def _reason(code: int) -> str:
    words = _WORDS.get(code, os.strerror(code))
    is_refused = code in {*_PERMISSION, errno.EROFS} and _is_root()
    return f"{words}: {_NOT_EVEN_ROOT}" if is_refused else words


def _is_root() -> bool:
    return os.geteuid() == 0


def _value(path: str, root: Path) -> str:
    return chosen(read_text(within(root, path)))


def _write(path: str, value: str, root: Path) -> int:
    """Write a value to an existing file; return the error number, or 0."""
    try:
        descriptor = os.open(within(root, path), os.O_WRONLY | os.O_TRUNC)
    except OSError as error:
        return error.errno or errno.EIO
    try:
        os.write(descriptor, f"{value}\n".encode())
    except OSError as error:
        return error.errno or errno.EIO
    finally:
        os.close(descriptor)
    return 0
