"""Files in an untrusted folder, such as a run received from someone else.

The path of the folder itself is the user's: a link in it is followed. Below it none is
followed, and only regular files are opened: a pipe would block for ever, a device has
effects, a link leads to other people's files. Reads have a size limit; writes are
atomic.
"""

import os
import re
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import BinaryIO, Final, NoReturn

from ssdlab.model.errors import LargeInputError
from ssdlab.model.units import capacity_label
from ssdlab.system.durable import aside_name
from ssdlab.system.held import REMEDY, Held, hold, one_name, refuse, require
from ssdlab.system.unpack import (
    MAX_INPUT_BYTES,
    DamagedArchiveError,
    InputTooLargeError,
    gunzip,
    read_held,
)

RECORD_BYTES: Final = 16_000_000  # of records, job files and output of programs
LOG_BYTES: Final = 256_000_000  # of logs, telemetry and outputs of fio, unpacked
PRIVATE: Final = 0o700  # of a folder that another program will write to

_ABSENT: Final = (FileNotFoundError, NotADirectoryError)
_ASIDE: Final = re.compile(r"\..+\.[0-9a-f]{16}\.part")


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder, and the only way to its files. It keeps nothing open.

    Each method raises `RunFolderError` if it finds something that does not belong
    there, and `OSError` as the system does, including `FileNotFoundError`.

    Attributes
    ----------
    root : Path
        The folder as the user named it.
    below : tuple of str
        The names that lead from there to this folder.

    Examples
    --------
    >>> step = Folder(Path("run")) / "steps" / "00001-iops-purge"
    >>> step.below
    ('steps', '00001-iops-purge')
    """

    root: Path
    below: tuple[str, ...] = ()

    def __truediv__(self, name: str) -> "Folder":
        """Return a folder in this one."""
        return Folder(self.root, (*self.below, one_name(name, self.root, self.below)))

    @property
    def name(self) -> str:
        """Its name."""
        return self.below[-1] if self.below else self.root.name

    @property
    def path(self) -> Path:
        """Its path: to be shown, or as the working folder of a program."""
        return self.root.joinpath(*self.below)

    def is_there(self) -> bool:
        """Tell whether the folder exists; anything but a folder is refused."""
        try:
            with self._held():
                return True
        except _ABSENT:
            return False

    def has(self, name: str) -> bool:
        """Tell whether anything has this name."""
        with suppress(*_ABSENT), self._held() as held:
            held.look(name)
            return True
        return False

    def has_file(self, name: str) -> bool:
        """Tell whether there is a file of this name; anything else is refused."""
        with suppress(*_ABSENT), self._held() as held:
            self._require_file(name, held.look(name))
            return True
        return False

    def names(self, *, is_needed: bool = False) -> tuple[str, ...]:
        """Return the names in it, sorted; none if it may be missing and is."""
        absent = () if is_needed else _ABSENT
        with suppress(*absent), self._held() as held:
            return tuple(sorted(held.names()))
        return ()

    def visible_names(self, *, is_needed: bool = False) -> tuple[str, ...]:
        """Return those of the names in it that do not begin with a dot."""
        names = self.names(is_needed=is_needed)
        return tuple(name for name in names if not name.startswith("."))

    def changed_ns(self, name: str) -> int:
        """Return when a file was last modified [ns]; 0 if it does not exist."""
        with suppress(*_ABSENT), self._held() as held:
            return held.look(name).st_mtime_ns
        return 0

    @contextmanager
    def opened(self, name: str) -> Iterator[BinaryIO]:
        """Open a file for reading."""
        with self._held() as held:
            descriptor = self._open_file(held, name, os.O_RDONLY)
        with open(descriptor, "rb") as file:
            yield file

    def read(
        self, name: str, *, limit: int = RECORD_BYTES, owner: int | None = None
    ) -> bytes:
        """Return the content of a file, of at most ``limit`` bytes."""
        most = f"more than the limit of {capacity_label(limit)}"
        with self.opened(name) as file:
            state = os.fstat(file.fileno())
            if owner not in {None, state.st_uid}:
                msg = f"{name} belongs to another user"
                raise PermissionError(msg)
            if state.st_size > limit:
                self._refuse(name, f"has {capacity_label(state.st_size)}, {most}")
            try:
                return read_held(file, max_bytes=limit)
            except InputTooLargeError:  # it grew meanwhile
                self._refuse(name, f"has {most}")

    def text(self, name: str, *, limit: int = RECORD_BYTES) -> str:
        """Return the text of a file; bytes that are not UTF-8 are replaced."""
        return self.read(name, limit=limit).decode("utf-8", "replace")

    def find_text(self, name: str) -> str:
        """Return the text of a file; empty if there is no such file."""
        with suppress(*_ABSENT):
            return self.text(name)
        return ""

    def unpack(self, name: str, *, limit: int = MAX_INPUT_BYTES) -> bytes:
        """Return the content of a gzip file, of at most ``limit`` bytes unpacked."""
        with self.opened(name) as file:
            try:
                return gunzip(file, max_bytes=limit)
            except DamagedArchiveError as error:
                raise OSError(str(error)) from error
            except InputTooLargeError as error:
                self._refuse(name, f"is too large: {error}", LargeInputError.REMEDY)

    def write(self, name: str, content: bytes, *, is_durable: bool = True) -> None:
        """Write a file, so that no reader or crash sees half of it."""
        with self.writing(name, is_durable=is_durable) as file:
            file.write(content)

    @contextmanager
    def writing(self, name: str, *, is_durable: bool = True) -> Iterator[BinaryIO]:
        """Open a temporary file that takes this name when it is whole.

        If it need not be durable, it may be lost in a crash, and does not wait for the
        disk.
        """
        aside = aside_name(name)
        with self._held() as held:
            self._require_file_or_nothing(held, name)
            try:
                yield from _written(held, aside, is_durable=is_durable)
                self._require_file_or_nothing(held, name)
                held.rename(aside, held, name)
            except BaseException:
                with suppress(OSError):
                    held.remove(aside)
                raise
            if is_durable:
                held.sync()

    @contextmanager
    def opened_in_place(self, name: str, *, makes: bool = True) -> Iterator[FileIO]:
        """Open a file in place, for reading and appending.

        One with a second name is refused: that name may be anywhere.
        """
        flags = os.O_RDWR | os.O_APPEND
        with self._held() as held:
            if makes and not self.has(name):
                with suppress(FileExistsError):
                    os.close(held.open(name, flags | os.O_CREAT | os.O_EXCL))
            descriptor = self._open_file(held, name, flags)
        with FileIO(descriptor, "a+") as file:
            if os.fstat(descriptor).st_nlink > 1:
                self._refuse(name, "has a second name (a hard link) and was not used")
            yield file

    def make(self) -> "Folder":
        """Make the folder and its parents, if they do not exist."""
        self.root.mkdir(parents=True, exist_ok=True)
        for depth, name in enumerate(self.below):
            above = hold(self.root, self.below[:depth])
            with suppress(FileExistsError), above as held:
                held.make(name)
        with self._held():
            return self

    def make_new(self, mode: int = 0o777) -> "Folder":
        """Make the folder, which must not exist, and its parents."""
        self._above.make()
        with self._held_above() as above:
            above.make(self.name, mode)
        return self

    def give_usual_rights(self) -> None:
        """Give a folder that was `PRIVATE` the permissions of its parent."""
        with self._held_above() as above, self._held() as held:
            held.give_rights(above.rights())

    def sync_files(self) -> None:
        """Make the content of its files durable."""
        for name in self.names():
            with self.opened(name) as file:
                os.fsync(file.fileno())

    def sync_tree(self) -> None:
        """Make its files and folders durable, at every depth."""
        with self._held() as held:
            modes = {name: held.look(name).st_mode for name in held.names()}
        for name, mode in modes.items():
            if stat.S_ISDIR(mode):
                (self / name).sync_tree()
                continue
            with self.opened(name) as file:
                os.fsync(file.fileno())
        with self._held() as held:
            held.sync()

    def move(self, name: str, to: "Folder", as_name: str) -> None:
        """Rename something durably; the new name must not exist."""
        if to.has(as_name):
            refuse(to.root, (*to.below, as_name), "already exists")
        with self._held() as held, hold(to.root, to.below) as there:
            held.rename(name, there, as_name)
            there.sync()

    def remove(self, name: str) -> None:
        """Remove a file, or a link itself, if it exists."""
        with suppress(*_ABSENT), self._held() as held:
            held.remove(name)

    def remove_empty(self) -> None:
        """Remove the folder, which must be empty."""
        with self._held_above() as above:
            above.remove_empty(self.name)

    def remove_tree(self) -> None:
        """Remove the folder and its content, as far as possible; follow no link."""
        if self.is_there():
            with self._held_above() as above:
                above.remove_tree(self.name)

    def sweep(self) -> None:
        """Remove temporary files that a crash left here."""
        for name in filter(_ASIDE.fullmatch, self.names()):
            self.remove(name)

    def _held(self) -> AbstractContextManager[Held]:
        return hold(self.root, self.below)

    def _held_above(self) -> AbstractContextManager[Held]:
        above = self._above
        return hold(above.root, above.below)

    @property
    def _above(self) -> "Folder":
        if not self.below:
            return Folder(self.root.parent)
        return Folder(self.root, self.below[:-1])

    def _open_file(self, held: Held, name: str, flags: int) -> int:
        self._require_file(name, held.look(name))
        descriptor = held.open(name, flags)
        try:
            self._require_file(name, os.fstat(descriptor))
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor

    def _require_file(self, name: str, found: os.stat_result) -> None:
        require(found, kind="file", root=self.root, below=(*self.below, name))

    def _require_file_or_nothing(self, held: Held, name: str) -> None:
        with suppress(*_ABSENT):
            self._require_file(name, held.look(name))

    def _refuse(self, name: str, what: str, remedy: str = REMEDY) -> NoReturn:
        refuse(self.root, (*self.below, name), what, remedy=remedy)


def _written(held: Held, name: str, *, is_durable: bool) -> Iterator[BinaryIO]:
    """Yield a new file for writing, and make sure that it is written."""
    descriptor = held.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    with open(descriptor, "wb") as file:
        yield file
        file.flush()
        if is_durable:
            os.fsync(file.fileno())
