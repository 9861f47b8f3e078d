"""A PATH with the programs of a bare machine, to detect what else tests need.

It holds the base system of Debian, and what `tools/setup.sh` installs.
"""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

# What `tools/setup.sh` checks and installs, and what a compiler calls by name; git and
# make are prerequisites.
PROGRAMS = (
    *("fio", "nbdkit", "cc", "gcc", "as", "ld", "git", "make"),
    *("chromium", "chromium-browser", "google-chrome", "sfdisk"),
)
_FOLDERS = tuple(map(Path, ("/usr/sbin", "/usr/bin", "/sbin", "/bin")))
_QUERY = ("dpkg-query", "--show", "--showformat=${Essential} ${Priority} ${Package}\n")


def bare_path(folder: Path, path: str) -> str:
    """Fill a folder with links to the programs of a bare machine; return its PATH.


    Parameters
    ----------
    folder : Path
        Where the links go; it is recreated.
    path : str
        The PATH of this machine; returned unchanged without dpkg, which knows the
        programs of the base system.

    Returns
    -------
    str
        The environment's own programs, then the links.
    """
    if shutil.which("dpkg-query", path=path) is None:
        return path
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for program in _base_programs():
        (folder / program.name).symlink_to(program)
    for name in PROGRAMS:
        found = shutil.which(name, path=path)
        if found and not (folder / name).exists():
            (folder / name).symlink_to(found)
    return f"{Path(sys.executable).parent}:{folder}"


def _base_programs() -> Iterator[Path]:
    """Yield the programs of the packages that every installation has, each name once.

    A program such as awk is a link that no package owns: its target counts.
    """
    listed = ("dpkg-query", "--listfiles", *_base_packages())
    owned = {Path(line).resolve() for line in _lines(*listed) if "bin/" in line}
    seen = set()
    for place in (place for folder in _FOLDERS for place in sorted(folder.iterdir())):
        if place.name not in seen and place.resolve() in owned:
            seen.add(place.name)
            yield place


def _base_packages() -> Iterator[str]:
    for line in _lines(*_QUERY):
        essential, priority, package = line.rsplit(" ", 2)
        if essential == "yes" or priority == "required":
            yield package


def _lines(*command: str) -> list[str]:
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()
