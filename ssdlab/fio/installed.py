"""The fio of this machine: its path, and whether it is new enough."""

import re
import shutil
from collections.abc import Iterable
from typing import Final

from ssdlab.model.errors import MissingToolError
from ssdlab.system.programs import Ended, plain_english, run_to_end

OLDEST_FIO = (3, 16)
IOLOG_FIO: Final = (3, 31)  # the first with logs of version 3
REPLAYING_FIO: Final = (3, 41)  # tried; 3.33 leaves out trims and reaps late
_VERSION_S = 10.0
_NAME: Final = re.compile(r"^\s*([a-z][\w-]*) *:", re.MULTILINE)


def require_fio(executable: str = "fio") -> tuple[str, str]:
    """Return path and version of fio."""
    path = shutil.which(executable)
    remedy = "Install it: apt-get install fio (or conda install -c conda-forge fio)."
    if path is None:
        raise MissingToolError(
            tool=executable, needed_for="every measurement", remedy=remedy
        )
    version, said = _ask_version(path)
    if not is_as_new(version, OLDEST_FIO):
        raise MissingToolError(
            tool=f"fio {OLDEST_FIO[0]}.{OLDEST_FIO[1]} or newer",
            needed_for="latency bins of whole IOs",
            remedy=f"{path} reports {said!r}. {remedy}",
        )
    return path, version


def is_as_new(version: str, least: tuple[int, ...]) -> bool:
    """Return whether a version of fio is as new as another.

    >>> is_as_new("fio-3.33", (3, 41)), is_as_new("fio-3.41-12-gabc", (3, 41))
    (False, True)
    """
    return _version_numbers(version) >= least


def list_options(path: str, engines: Iterable[str]) -> frozenset[str]:
    """Return the options of jobs that the fio at a path has, with those of engines.

    Raises
    ------
    MissingToolError
        If it does not have an engine.
    """
    found = set(_NAME.findall(_ask(path, "--cmdhelp").stdout))
    for engine in engines:
        answer = _ask(path, f"--enghelp={engine}")
        said = answer.stdout + answer.stderr
        if f"IO engine {engine} not found" in said:
            raise MissingToolError(
                tool=f"fio with the engine {engine}",
                needed_for="these jobs",
                remedy=f"{path} was built without it.",
            )
        found.update(_NAME.findall(said))
    return frozenset(found)


def _ask(path: str, question: str) -> Ended:
    return run_to_end(
        [path, question], timeout_s=_VERSION_S, environment=plain_english()
    )


def _ask_version(path: str) -> tuple[str, str]:
    """Return the version, and the whole output of ``--version``."""
    answer = _ask(path, "--version")
    version = answer.stdout.strip()
    return version, version or answer.stderr.strip()


def _version_numbers(version: str) -> tuple[int, ...]:
    digits = version.removeprefix("fio-").split("-")[0].split(".")
    return tuple(int(part) for part in digits[:2] if part.isdigit())
