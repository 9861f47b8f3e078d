"""The IO engine by which fio reaches a device, and the options that make its path.

The standard names none, so it is the operator's choice and a condition of a result:
decision record 112. The set is closed: an engine of fio may load code or leave the
device.
"""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

AUTO_ENGINE: Final = "auto"  # that of the target: libaio, or nbd of a virtual SSD
LOCAL_ENGINE: Final = "libaio"
_FLAGS: Final = ("fixedbufs", "registerfiles", "hipri", "sqthread_poll")
_PASSTHROUGH: Final = "io_uring_cmd"
_NAMESPACE: Final = re.compile("/dev/nvme([0-9]+n[0-9]+)")
_ENGINES: Final[Mapping[str, tuple[str, ...]]] = {
    LOCAL_ENGINE: (),
    "io_uring": _FLAGS,
    _PASSTHROUGH: _FLAGS,
    "psync": (),
    "sync": (),
}
_SYNCHRONOUS: Final = frozenset({"psync", "pvsync", "pvsync2", "sync"})
_BETWEEN: Final = re.compile(r"[\s,]+")
_POLLED: Final = "hipri"


class IoEngine(NamedTuple):
    """An engine of fio and its flags, each an option of fio that is set to 1.

    Examples
    --------
    >>> parse_io_engine("io_uring, hipri, fixedbufs").text
    'io_uring fixedbufs hipri'
    """

    name: str
    flags: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The engine and its flags, always in the same order."""
        return " ".join((self.name, *self.flags))

    @property
    def is_synchronous(self) -> bool:
        """Whether a thread has one IO outstanding, whatever the queue depth."""
        return self.name in _SYNCHRONOUS

    @property
    def is_polled(self) -> bool:
        """Whether completions are polled for, which needs poll queues."""
        return _POLLED in self.flags

    @property
    def is_passthrough(self) -> bool:
        """Whether it sends NVMe commands past the block layer, which counts no IO."""
        return self.name == _PASSTHROUGH

    @property
    def options(self) -> dict[str, str]:
        """The options of a fio job.

        Commands have no page cache that they could go through, and no flag to say so.
        """
        options = {"ioengine": self.name} | dict.fromkeys(self.flags, "1")
        return options | ({"direct": "0"} if self.is_passthrough else {})

    @property
    def without_device(self) -> "IoEngine":
        """The nearest path that needs no device: io_uring, and interrupts."""
        flags = tuple(one for one in self.flags if one != _POLLED)
        return IoEngine("io_uring" if self.is_passthrough else self.name, flags)


def parse_io_engine(text: str) -> IoEngine | None:
    """Return the engine that a text names; ``None`` for that of the target.

    Raises
    ------
    ValueError
        If it names another engine, or a flag that the engine does not have.

    Examples
    --------
    >>> parse_io_engine("auto") is None
    True
    >>> parse_io_engine("libaio hipri")
    Traceback (most recent call last):
    ValueError: libaio has no flag 'hipri'
    """
    name, *given = _BETWEEN.split(text.strip())
    if name == AUTO_ENGINE and not given:
        return None
    if name not in _ENGINES:
        known = ", ".join((AUTO_ENGINE, *_ENGINES))
        msg = f"{name!r} is not an IO engine; choose from {known}"
        raise ValueError(msg)
    for flag in given:
        if flag not in _ENGINES[name]:
            known = f"; it has {', '.join(_ENGINES[name])}" if _ENGINES[name] else ""
            msg = f"{name} has no flag {flag!r}{known}"
            raise ValueError(msg)
    return IoEngine(name, tuple(flag for flag in _FLAGS if flag in given))


def engine_of(options: Mapping[str, str | None]) -> str:
    """Return the engine of the options of a job, with its flags; "" if unknown.

    >>> engine_of({"ioengine": "io_uring", "hipri": "1", "fixedbufs": "0"})
    'io_uring hipri'
    """
    name = options.get("ioengine") or ""
    return " ".join((name, *(flag for flag in _FLAGS if options.get(flag) == "1")))


def reached_by(
    target_options: Mapping[str, str], io_engine: str, *, queue_depth: int
) -> dict[str, str]:
    """Return the options that reach a target through an engine.

    A synchronous engine has one IO outstanding per thread. A fill with more keeps the
    engine of the target; a cell with more is refused before the run. NVMe commands go
    to the generic device of the namespace.
    """
    engine = parse_io_engine(io_engine)
    if engine is None or (engine.is_synchronous and queue_depth > 1):
        return dict(target_options)
    path = target_options.get("filename", "")
    generic = {"filename": generic_path(path)} if engine.is_passthrough else {}
    return {**target_options, **engine.options, **generic}


def generic_path(path: str) -> str:
    """Return the generic device of an NVMe namespace; another path as it is.

    >>> generic_path("/dev/nvme0n1"), generic_path("/dev/sda")
    ('/dev/ng0n1', '/dev/sda')
    """
    found = _NAMESPACE.fullmatch(path)
    return path if found is None else f"/dev/ng{found[1]}"
