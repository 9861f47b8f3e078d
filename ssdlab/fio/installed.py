"""The fio of this machine: its path, and whether it is new enough."""

import shutil

from ssdlab.model.errors import MissingToolError
from ssdlab.system.programs import plain_english, run_to_end

OLDEST_FIO = (3, 16)
_VERSION_S = 10.0


def require_fio(executable: str = "fio") -> tuple[str, str]:
    """Return path and version of fio."""
    path = shutil.which(executable)
    remedy = "Install it: apt-get install fio (or conda install -c conda-forge fio)."
    if path is None:
        raise MissingToolError(
            tool=executable, needed_for="every measurement", remedy=remedy
        )
    version, said = _ask_version(path)
    if _version_numbers(version) < OLDEST_FIO:
        raise MissingToolError(
            tool=f"fio {OLDEST_FIO[0]}.{OLDEST_FIO[1]} or newer",
            needed_for="latency bins of whole IOs",
            remedy=f"{path} reports {said!r}. {remedy}",
        )
    return path, version


def _ask_version(path: str) -> tuple[str, str]:
    """Return the version, and the whole output of ``--version``."""
    answer = run_to_end(
        [path, "--version"], timeout_s=_VERSION_S, environment=plain_english()
    )
    version = answer.stdout.strip()
    return version, version or answer.stderr.strip()


def _version_numbers(version: str) -> tuple[int, ...]:
    digits = version.removeprefix("fio-").split("-")[0].split(".")
    return tuple(int(part) for part in digits[:2] if part.isdigit())
