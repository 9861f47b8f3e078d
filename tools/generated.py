"""Generated files: write them, or report which are out of date."""

from collections.abc import Iterable, Mapping
from pathlib import Path


def stale_files(contents: Mapping[Path, str]) -> list[Path]:
    """Return the files whose content on disk differs."""
    return [path for path, text in contents.items() if not _holds(path, text)]


def write_files(contents: Mapping[Path, str]) -> list[Path]:
    """Write and return the files that are out of date; leave the rest untouched."""
    stale = stale_files(contents)
    for path in stale:
        path.write_text(contents[path], encoding="utf-8", newline="\n")
    return stale


def run(argv: Iterable[str], contents: Mapping[Path, str], *, command: str) -> int:
    """Run a tool's command line and return its exit code.

    With ``--check`` nothing is written, and an outdated file is a failure.
    """
    arguments = list(argv)
    if arguments not in ([], ["--check"]):
        print(f"usage: python -m {command} [--check]")
        return 2
    if arguments:
        stale = stale_files(contents)
        for path in stale:
            print(f"{path} is out of date; run: python -m {command}")
        return 1 if stale else 0
    for path in write_files(contents):
        print(f"wrote {path}")
    return 0


def _holds(path: Path, text: str) -> bool:
    return path.is_file() and path.read_bytes() == text.encode()
