"""Lists the files of an import: those named, and those in named folders."""

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
    """One file: its path, the index of the argument it is from, its name there."""

    path: Path
    group: int
    name: str

    @property
    def is_named(self) -> bool:
        """Whether the user named the file itself, not its folder."""
        return not self.name


@dataclass(frozen=True, kw_only=True, slots=True)
class LeftOut:
    """A file that was not imported, and why.

    ``is_doubt`` means that it may belong to the run.
    """

    file: str
    why: str
    is_doubt: bool = False


def find_sources(paths: Sequence[str | Path]) -> tuple[SourceFile, ...]:
    """Return every file of the paths once; folders are searched recursively."""
    found: dict[Path, SourceFile] = {}
    for group, given in enumerate(paths):
        for source in _files_of(Path(given), group):
            found.setdefault(source.path.resolve(), source)
    if not found:
        raise FioOutputError(
            source=", ".join(str(path) for path in paths) or "import",
            reason="no files found",
            remedy="Name fio output files, folders of them, or a TKperf XML file.",
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
            remedy="Name a fio output file, or a folder of them.",
        ) from None
    for folder, folders, files in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            place = Path(folder) / name
            if not name.startswith(".") and place.is_file():
                inside = place.relative_to(path).as_posix()
                yield SourceFile(path=place, group=group, name=inside)


def why_not_read(source: SourceFile) -> str:
    """Return why a file in a folder is not opened, empty if it is."""
    if source.is_named:
        return ""
    if source.path.name.lower().endswith(_LOGS) and not begins_as_result(source.path):
        return "a log, not a result"
    return ""


def begins_as_result(path: Path) -> bool:
    """Tell whether a file has the keywords of a result near its beginning.

    An unreadable file counts as one.
    """
    try:
        with path.open("rb") as file:
            return _RESULT.search(file.read(1 << 16)) is not None
    except OSError:
        return True
