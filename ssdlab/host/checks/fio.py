"""Checks of fio and of the kernel interfaces that it needs."""

import re

from ssdlab.host.checks.check import (
    Check,
    Finding,
    Setting,
    bad,
    good,
    guide,
    missing,
    unknown,
    warn,
)
from ssdlab.host.checks.scene import Scene

_GUIDE_LEAST = (3, 5)
_INSTALL = "sudo apt-get install fio (or conda install -c conda-forge fio)"
_AIO_MAX, _AIO_USED = "/proc/sys/fs/aio-max-nr", "/proc/sys/fs/aio-nr"
_AIO_ENOUGH = 1048576
_FIOS_AT_A_TIME = 2  # the next one is armed while one runs
_IO_URING = "/proc/sys/kernel/io_uring_disabled"


def _check_version(scene: Scene) -> Finding:
    said = scene.run(("fio", "--version"))
    if said is None:
        return bad("fio is not installed", _INSTALL)
    numbers = _numbers(said.text)
    read = f"{' '.join(said.text.split()) or 'nothing'} (fio --version)"
    if said.exit_code != 0 or not numbers:
        return unknown(f"unexpected answer: {read}", _INSTALL)
    needed = _numbers(scene.habits.fio_needed)
    if numbers < needed:
        return bad(f"{read}; ssdlab needs {scene.habits.fio_needed}", _INSTALL)
    if numbers < _GUIDE_LEAST:
        return bad(f"{read}; the guide requires 3.5", _INSTALL)
    also = f", ssdlab needs {scene.habits.fio_needed}" if needed else ""
    return good(f"{read}; the guide requires 3.5{also}")


def _check_engines(scene: Scene) -> Finding:
    said = scene.run(("fio", "--enghelp"))
    if said is None or said.exit_code != 0:
        return unknown("fio --enghelp does not list its engines", _INSTALL)
    engines = said.text.split()
    wanted = scene.habits.engines
    lacking = [name for name in wanted if name not in engines]
    known = [name for name in ("libaio", "io_uring", "nbd") if name in engines]
    read = f"fio has {', '.join(known) or 'none of libaio, io_uring, nbd'}"
    read += " (fio --enghelp)"
    if lacking:
        return bad(f"{read}; this target needs {', '.join(lacking)}", _INSTALL)
    if "libaio" not in engines:
        remedy = f"Drives and files are reached by libaio: {_INSTALL}"
        return warn(read, remedy)
    return good(f"{read}; this target needs {', '.join(wanted)}" if wanted else read)


def _check_aio(scene: Scene) -> Finding:
    most, used = scene.number(_AIO_MAX), scene.number(_AIO_USED)
    if most is None or used is None:
        return unknown(f"{_AIO_MAX} or {_AIO_USED} does not exist")
    needed = _aio_needed(scene)
    read = f"{used} of {most} in use ({_AIO_USED}, {_AIO_MAX}); a run needs {needed}"
    if most - used >= needed:
        return good(read)
    return bad(read, f"sudo sysctl -w fs.aio-max-nr={_aio_wanted(scene)}")


def _aio_to_set(scene: Scene) -> tuple[Setting, ...]:
    return (Setting(path=_AIO_MAX, value=str(_aio_wanted(scene))),)


def _check_io_uring(scene: Scene) -> Finding:
    value = scene.text(_IO_URING)
    is_needed = any(one.startswith("io_uring") for one in scene.habits.engines)
    if value not in {"0", "1", "2"}:
        return missing(_IO_URING, ": this kernel is older than 6.6, or has no io_uring")
    words = {"0": "for all", "1": "for the members of a group", "2": "for nobody"}
    read = f"io_uring is allowed {words[value]} ({_IO_URING} is {value})"
    if value == "0":
        return good(read)
    if not is_needed:
        return good(f"{read}; this target does not use it")
    return bad(read, "sudo sysctl -w kernel.io_uring_disabled=0")


def _numbers(text: str) -> tuple[int, ...]:
    found = re.search(r"(\d+)\.(\d+)", text)
    return (int(found.group(1)), int(found.group(2))) if found else ()


def _aio_needed(scene: Scene) -> int:
    return _FIOS_AT_A_TIME * (scene.habits.most_outstanding or 1024)


def _aio_wanted(scene: Scene) -> int:
    used = scene.number(_AIO_USED) or 0
    return max(_AIO_ENOUGH, used + _aio_needed(scene))


VERSION = Check(
    check_id="fio_version",
    title="Version of fio",
    why="Older versions lack options and have faults that change the numbers.",
    source=guide("3.2"),
    look=_check_version,
)
ENGINES = Check(
    check_id="fio_engines",
    title="Engines of fio",
    why="Without its asynchronous engine a queue depth above 1 has no effect.",
    look=_check_engines,
)
AIO = Check(
    check_id="aio_max_nr",
    title="Limit of asynchronous IO",
    why="At the limit fio's threads fail to start.",
    look=_check_aio,
    settings=_aio_to_set,
)
IO_URING = Check(
    check_id="io_uring",
    title="io_uring",
    why="Where it is disabled, jobs that use it fail.",
    look=_check_io_uring,
)
