"""A folder below one that the user named, opened without following any link.

Where the system can, each name is opened relative to its open parent (``openat``), so
that no exchange between check and use leads elsewhere. Where it cannot (Windows), each
name is checked before it is opened.
"""

import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn

from ssdlab.model.errors import RunFolderError

HAS_DESCRIPTORS: Final = (
    hasattr(os, "O_NOFOLLOW")
    and hasattr(os, "O_DIRECTORY")
    and os.supports_dir_fd >= {os.open, os.stat, os.mkdir, os.unlink, os.rename}
)
FLAGS: Final = (
    getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)  # do not wait on a pipe
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_NO_NAME_HAS: Final = frozenset("/\0" if os.name == "posix" else "/\\:\0")
REMEDY: Final = "Remove it, or restore the run from a copy."
_READ_FOLDER: Final = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
_IS_REPARSE_POINT: Final = getattr(stat, "FILE_ATTRIBUTE_REPARSE_POINT", 0)
KINDS: Final = {
    stat.S_IFREG: "a regular file",
    stat.S_IFDIR: "a folder",
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFBLK: "a block device",
    stat.S_IFCHR: "a character device",
}


@dataclass(frozen=True, slots=True)
class Held:
    """An open folder: by its descriptor, or by its path where there are none."""

    root: Path
    below: Sequence[str] = ()
    descriptor: int | None = None

    def look(self, name: str) -> os.stat_result:
        """Return the state of a name; a link is not followed."""
        named, at = self.named(name), self.descriptor
        return os.stat(named, dir_fd=at, follow_symlinks=False)

    def names(self) -> list[str]:
        """Return the names in it."""
        return os.listdir(self._itself)

    def open(self, name: str, flags: int) -> int:
        """Open a name and return its descriptor; a link is not followed."""
        return os.open(self.named(name), flags | FLAGS, 0o666, dir_fd=self.descriptor)

    def make(self, name: str, mode: int = 0o777) -> None:
        """Make a folder in it."""
        os.mkdir(self.named(name), mode, dir_fd=self.descriptor)

    def rename(self, name: str, there: "Held", as_name: str) -> None:
        """Move a name to another one in the folder ``there``."""
        os.replace(
            self.named(name),
            there.named(as_name),
            src_dir_fd=self.descriptor,
            dst_dir_fd=there.descriptor,
        )

    def sync(self) -> None:
        """Make the names in it durable, where the system can."""
        if self.descriptor is not None:
            os.fsync(self.descriptor)

    def remove(self, name: str) -> None:
        """Remove a file, or a link itself."""
        os.unlink(self.named(name), dir_fd=self.descriptor)

    def remove_empty(self, name: str) -> None:
        """Remove an empty folder."""
        os.rmdir(self.named(name), dir_fd=self.descriptor)

    def remove_tree(self, name: str) -> None:
        """Remove a folder and its content, as far as possible; follow no link."""
        shutil.rmtree(self.named(name), ignore_errors=True, dir_fd=self.descriptor)

    def rights(self) -> int:
        """Return its permissions."""
        return stat.S_IMODE(os.stat(self._itself).st_mode) & 0o777

    def give_rights(self, mode: int) -> None:
        """Set its permissions."""
        os.chmod(self._itself, mode)

    def named(self, name: str) -> str:
        """Return a name as the system expects it next to the descriptor."""
        name = one_name(name, self.root, self.below)
        return str(self._path / name) if self.descriptor is None else name

    @property
    def _path(self) -> Path:
        return self.root.joinpath(*self.below)

    @property
    def _itself(self) -> int | Path:
        return self._path if self.descriptor is None else self.descriptor


@contextmanager
def hold(root: Path, below: Sequence[str]) -> Iterator[Held]:
    """Open a folder below one that the user named, and close it at the end."""
    opened: list[int] = []
    try:
        held = Held(root)
        if HAS_DESCRIPTORS:
            opened.append(os.open(root, _READ_FOLDER | getattr(os, "O_CLOEXEC", 0)))
            held = Held(root, (), opened[-1])
        for depth in range(1, len(below) + 1):
            if held.descriptor is None:
                _require_folder(held, root, below[:depth])
            else:
                opened.append(_open_folder(held, root, below[:depth]))
            held = Held(root, below[:depth], opened[-1] if opened else None)
        yield held
    finally:
        for descriptor in opened:
            os.close(descriptor)


def _open_folder(held: Held, root: Path, below: Sequence[str]) -> int:
    """Return a descriptor of a folder; the system opens nothing else, and no link."""
    try:
        return held.open(below[-1], _READ_FOLDER)
    except OSError:
        _require_folder(held, root, below)
        raise


def _require_folder(held: Held, root: Path, below: Sequence[str]) -> None:
    require(held.look(below[-1]), kind="folder", root=root, below=below)


def require(
    found: os.stat_result, *, kind: str, root: Path, below: Sequence[str]
) -> None:
    """Require that what was found is a folder, or a regular file."""
    is_link = bool(getattr(found, "st_file_attributes", 0) & _IS_REPARSE_POINT)
    is_right = stat.S_ISDIR if kind == "folder" else stat.S_ISREG
    if is_right(found.st_mode) and not is_link:
        return
    mode = stat.S_IFLNK if is_link else stat.S_IFMT(found.st_mode)
    what = KINDS.get(mode, "something unknown")
    refuse(root, below, f"is {what} instead of a {kind}, and was not opened")


def refuse(
    root: Path, below: Sequence[str], what: str, *, remedy: str = REMEDY
) -> NoReturn:
    """Refuse something in a folder that the user named."""
    raise RunFolderError(
        folder=str(root),
        reason=f"{'/'.join(below)} {what}",
        remedy=remedy,
    )


def one_name(name: str, root: Path, below: Sequence[str] = ()) -> str:
    """Return a name if it is a plain name in its folder."""
    if name in {"", ".", ".."} or not _NO_NAME_HAS.isdisjoint(name):
        refuse(root.joinpath(*below), (repr(name),), "is not a valid file name")
    return name
