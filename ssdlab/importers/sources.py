"""Which files an import is of: those named, and those in the folders that were."""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ssdlab.model.errors import FioOutputError

_LOGS = (".log", ".log.gz", ".log.zst")
_RESULT = re.compile(
    rb'"fio version"|\(g=\d+\): (?:rw=|\(groupid)|^\d;fio-', re.MULTILINE
)


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceFile:
    """One file: where it lies, which of the paths it is of, from 0, its name there."""

    path: Path
    group: int
    name: str

    @property
    def is_named(self) -> bool:
        """Whether the user named the file itself and not a folder it is in."""
        return not self.name


@dataclass(frozen=True, kw_only=True, slots=True)
class LeftOut:
    """A file that was not imported, and why.

    ``is_doubt`` says that it may have belonged to the run.
    """

    file: str
    why: str
    is_doubt: bool = False


def find_sources(paths: Sequence[str | Path]) -> tuple[SourceFile, ...]:
    """Return every file of the paths, each once; folders are walked.

    Raises
    ------
    FioOutputError
        If a path is not there or cannot be read, or there is no file.
    """
    found: dict[Path, SourceFile] = {}
    for group, given in enumerate(paths):
        for source in _files_of(Path(given), group):
            found.setdefault(source.path.resolve(), source)
    if not found:
        raise FioOutputError(
            source=", ".join(str(path) for path in paths) or "import",
            reason="there is no file in it",
            remedy="Name files of fio, folders of them, or a TKperf XML file.",
        )
    return tuple(found.values())


def _files_of(path: Path, group: int) -> Iterator[SourceFile]:
    if path.is_file():
        yield SourceFile(path=path, group=group, name="")
        return
    try:
        os.scandir(path).close()
    except OSError as error:
        raise FioOutputError(
            source=str(path),
            reason=f"it cannot be read ({error.strerror})",
            remedy="Name a file of fio's or a folder of them.",
        ) from None
    for folder, folders, files in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            place = Path(folder) / name
            if not name.startswith(".") and place.is_file():
                inside = place.relative_to(path).as_posix()
                yield SourceFile(path=place, group=group, name=inside)


def why_not_read(source: SourceFile) -> str:
    """Return why a file in a folder is not even opened, or an empty text."""
    if source.is_named:
        return ""
    if source.path.name.lower().endswith(_LOGS) and not begins_as_result(source.path):
        return "a log, not a result"
    return ""


def begins_as_result(path: Path) -> bool:
    """Tell whether a file has the words of a result near its beginning.

    One that cannot be read may be one.
    """
    try:
        with path.open("rb") as file:
            return _RESULT.search(file.read(1 << 16)) is not None
    except OSError:
        return True
