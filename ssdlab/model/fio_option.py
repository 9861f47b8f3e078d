"""The fio options that a published job may have: a closed set.

A run folder keeps the tests of a procedure as data, and may come from anybody. The
options are therefore a closed set of names with the values that each may take: none
runs a program, names a file or loads code.
"""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple, Self

_FLAG: Final = re.compile(r"[01]")
_COUNT: Final = re.compile(r"[1-9][0-9]{0,3}")
_SECONDS: Final = re.compile(r"[0-9]{1,6}")
_PERCENT: Final = r"(?:100|[1-9]?[0-9])"
_CPU: Final = r"[0-9]{1,4}(?:-[0-9]{1,4})?"

_VALUES: Final[Mapping[str, re.Pattern[str]]] = {
    "rw": re.compile("read|write|rw|randread|randwrite|randrw"),
    "rwmixread": re.compile(_PERCENT),
    "bs": re.compile(r"[1-9][0-9]{0,8}[kKmM]?"),
    "ioengine": re.compile("sync|libaio"),  # those of the jobs; others load code
    "numjobs": _COUNT,
    "iodepth": _COUNT,
    "iodepth_batch": _COUNT,
    "iodepth_batch_complete": _COUNT,
    "thread": _FLAG,
    "direct": _FLAG,
    "buffered": _FLAG,
    "group_reporting": _FLAG,
    "norandommap": _FLAG,
    "randrepeat": _FLAG,
    "time_based": _FLAG,
    "ramp_time": _SECONDS,
    "size": re.compile(f"{_PERCENT}%"),
    "cpus_allowed": re.compile(f"{_CPU}(?:,{_CPU}){{0,63}}"),
}


class _Pair(NamedTuple):
    name: str
    value: str


class FioOption(_Pair):
    """One option of a published job: a known name and an allowed value.

    Parameters
    ----------
    name : str
        The option, by fio's name.
    value : str
        Its value, as in a job file.

    Raises
    ------
    ValueError
        If a published job may not have the option, or not with that value.

    Examples
    --------
    >>> FioOption("iodepth", "128")
    FioOption(name='iodepth', value='128')
    >>> FioOption("exec_prerun", "reboot")
    Traceback (most recent call last):
    ValueError: a published job has no fio option 'exec_prerun'
    """

    __slots__ = ()

    def __new__(cls, name: str, value: str) -> Self:
        """Make an option of the closed set."""
        allowed = _VALUES.get(name)
        if allowed is None:
            msg = f"a published job has no fio option {name!r}"
            raise ValueError(msg)
        if allowed.fullmatch(value) is None:
            msg = f"the fio option {name} of a published job cannot be {value!r}"
            raise ValueError(msg)
        return super().__new__(cls, name, value)


FioOptions = tuple[FioOption, ...]


def fio_options(given: Mapping[str, str]) -> FioOptions:
    """Return options as those of a published job."""
    return tuple(FioOption(name, value) for name, value in given.items())
