"""The fio options that jobs of a run may have: closed sets.

A run folder keeps the tests of a procedure as data, and may come from anybody. The
options are therefore closed sets of names with the values that each may take: none
runs a program, names a file or loads code. One set is that of published jobs, the other
that of a user's job files.
"""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple, Self

_FLAG: Final = re.compile(r"[01]")
_COUNT: Final = re.compile(r"[1-9][0-9]{0,3}")
_SECONDS: Final = re.compile(r"[0-9]{1,6}")
_PERCENT: Final = r"(?:100|[1-9]?[0-9])"
_CPU: Final = r"[0-9]{1,4}(?:-[0-9]{1,4})?"

_PUBLISHED: Final[Mapping[str, re.Pattern[str]]] = {
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
_NUMBER: Final = r"[0-9]{1,19}"
_SIZE: Final = f"{_NUMBER}(?:[kKmMgGtTpP](?:i?[bB])?|[bB])?"
_WHOLE: Final = re.compile(_NUMBER)
_SIZES: Final = re.compile(f"{_SIZE}(?:[,:-]{_SIZE}){{0,5}}")  # of reads, writes, trims
_TIME: Final = re.compile(r"[0-9]{1,12}(?:us|ms|s|m|h|d|usec|msec|sec|min)?")
_PLACE: Final = re.compile(f"{_SIZE}|{_PERCENT}%")
_SHARES: Final = re.compile(r"[0-9a-zA-Z/:,.%-]{1,4000}")
_RATES: Final = re.compile(f"(?:{_SIZE})?(?:,(?:{_SIZE})?){{0,2}}")

JOB_ENGINES: Final = (  # those that do IO to a path, and nothing else
    *("libaio", "io_uring", "posixaio"),
    *("psync", "pvsync2", "pvsync", "sync"),
)

_OF_USERS: Final[Mapping[str, re.Pattern[str]]] = {
    # What is read and written, and how much of it at once.
    "rw": re.compile(
        r"(?:rand)?(?:read|write|rw|readwrite|trim|trimwrite)(?::[0-9]{1,9}[kKmMgG]?)?"
    ),
    "rw_sequencer": re.compile("sequential|identical"),
    "rwmixread": re.compile(_PERCENT),
    "rwmixwrite": re.compile(_PERCENT),
    "bs": _SIZES,
    "bsrange": _SIZES,
    "bssplit": _SHARES,
    "bs_unaligned": _FLAG,
    "bs_is_seq_rand": _FLAG,
    "ba": _SIZES,
    "zero_buffers": _FLAG,
    "refill_buffers": _FLAG,
    "scramble_buffers": _FLAG,
    "buffer_compress_percentage": re.compile(_PERCENT),
    "buffer_compress_chunk": _PLACE,
    "dedupe_percentage": re.compile(_PERCENT),
    # Where.
    "size": _PLACE,
    "offset": _PLACE,
    "offset_increment": _PLACE,
    "offset_align": _PLACE,
    "norandommap": _FLAG,
    "random_generator": re.compile("tausworthe|lfsr|tausworthe64"),
    "random_distribution": re.compile(
        r"random|(?:zipf|pareto|normal|gauss|zoned|zoned_abs):[0-9a-zA-Z/:,.%]{1,4000}"
    ),
    "percentage_random": re.compile(f"{_PERCENT}(?:,{_PERCENT}){{0,2}}"),
    # By which path, and how much is outstanding.
    "ioengine": re.compile("|".join(JOB_ENGINES)),
    "numjobs": _COUNT,
    "iodepth": _COUNT,
    "iodepth_batch": _COUNT,
    "iodepth_batch_complete_min": re.compile(r"[0-9]{1,4}"),
    "iodepth_batch_complete_max": _COUNT,
    "iodepth_low": _COUNT,
    "io_submit_mode": re.compile("inline|offload"),
    "serialize_overlap": _FLAG,
    "direct": _FLAG,
    "buffered": _FLAG,
    "fixedbufs": _FLAG,
    "registerfiles": _FLAG,
    "sqthread_poll": _FLAG,
    "sqthread_poll_cpu": re.compile(_CPU),
    "hipri": _FLAG,
    "nonvectored": _FLAG,
    "userspace_reap": _FLAG,
    "cpus_allowed": re.compile(f"{_CPU}(?:,{_CPU}){{0,63}}"),
    "cpus_allowed_policy": re.compile("shared|split"),
    # When, and how often.
    "runtime": _TIME,
    "time_based": _FLAG,
    "ramp_time": _TIME,
    "startdelay": _TIME,
    "rate": _RATES,
    "rate_min": _RATES,
    "rate_iops": _RATES,
    "rate_iops_min": _RATES,
    "rate_process": re.compile("linear|poisson"),
    "rate_cycle": _WHOLE,
    "rate_ignore_thinktime": _FLAG,
    "thinktime": _TIME,
    "thinktime_spin": _TIME,
    "thinktime_blocks": _WHOLE,
    "thinktime_blocks_type": re.compile("complete|issue"),
    "thinktime_iotime": _TIME,
    "flow": re.compile(r"-?[0-9]{1,9}"),
    "flow_id": _WHOLE,
    "flow_sleep": _WHOLE,
    # How a log is replayed.
    "replay_no_stall": _FLAG,
    "replay_time_scale": _COUNT,
    # What is flushed.
    "fsync": _WHOLE,
    "fdatasync": _WHOLE,
    "sync": re.compile("none|0|sync|1|dsync"),
    "write_hint": re.compile("none|short|medium|long|extreme"),
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
        allowed = _PUBLISHED.get(name)
        if allowed is None:
            msg = f"a published job has no fio option {name!r}"
            raise ValueError(msg)
        if allowed.fullmatch(value) is None:
            msg = f"the fio option {name} of a published job cannot be {value!r}"
            raise ValueError(msg)
        return super().__new__(cls, name, value)


class JobOption(_Pair):
    """One option of a job of a user's job file: a known name and an allowed value.

    Parameters
    ----------
    name : str
        The option, by the name that fio prints.
    value : str
        Its value, as in a job file.

    Raises
    ------
    ValueError
        If the job of a run may not have the option, or not with that value.

    Examples
    --------
    >>> JobOption("rate_iops", "1000,500")
    JobOption(name='rate_iops', value='1000,500')
    >>> JobOption("filename", "/dev/sda")
    Traceback (most recent call last):
    ValueError: 'filename' is not an option of a job of a run
    """

    __slots__ = ()

    def __new__(cls, name: str, value: str) -> Self:
        """Make an option of the closed set."""
        allowed = _OF_USERS.get(name)
        if allowed is None:
            msg = f"{name!r} is not an option of a job of a run"
            raise ValueError(msg)
        if allowed.fullmatch(value) is None:
            msg = f"the option {name} of a job of a run cannot be {value!r}"
            raise ValueError(msg)
        return super().__new__(cls, name, value)


JOB_OPTIONS: Final = frozenset(_OF_USERS)

FioOptions = tuple[FioOption, ...]


def fio_options(given: Mapping[str, str]) -> FioOptions:
    """Return options as those of a published job."""
    return tuple(FioOption(name, value) for name, value in given.items())
