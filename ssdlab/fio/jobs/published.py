"""The options of a published job or of a user's file, adapted to a target on a host."""

from collections.abc import Collection, Mapping

from ssdlab.fio.jobs.jobspec import ALIASES
from ssdlab.fio.jobs.workload import parse_seconds, parse_size
from ssdlab.model.spec import REPLAYS, FileJob, Workload
from ssdlab.model.step import Step

_PATH = "filename"
_NO_PATH = "target"  # an engine that reaches its target otherwise opens no file
_ENGINE = "ioengine"
_CPUS = "cpus_allowed"
_OF_ENGINES = {
    *("fixedbufs", "registerfiles", "sqthread_poll", "sqthread_poll_cpu", "hipri"),
    *("nonvectored", "userspace_reap"),
}


def published_options(
    workload: Workload,
    target_options: Mapping[str, str],
    *,
    cpus: Collection[int] | None,
) -> dict[str, str]:
    """Return the options that a published job has on a target.

    They are as published except for two: a target that is not a path needs its own
    engine, and fio refuses processors that do not exist. ``cpus`` are those of the
    host, as the kernel numbers them; ``None`` is unknown. A job that sets its own
    affinity is not placed near the target.
    """
    published = dict(workload.fio_options)
    return _placed({**published, **_reach(published, target_options)}, cpus)


def file_job_options(
    job: FileJob, target_options: Mapping[str, str], *, cpus: Collection[int] | None
) -> dict[str, str]:
    """Return the options that a job of a user's file has on a target.

    They are as in the file except for two: IO is direct unless the file says otherwise,
    and a target that is not a path needs its own engine, which has no use for options
    of another one. A log is replayed on the target, whatever it names.
    """
    asked = {"direct": "1", **dict(job.options)}
    if "buffered" in asked:
        del asked["direct"]
    if _PATH not in target_options:
        for name in _OF_ENGINES & asked.keys():
            del asked[name]
        if "fdatasync" in asked:  # the same on a device, and fio's nbd has only this
            asked["fsync"] = asked.pop("fdatasync")
    if job.replay is not None:
        asked["read_iolog"] = f"../../{REPLAYS}/{job.replay.kept_as}"
        asked["replay_redirect"] = target_options.get(_PATH, _NO_PATH)
    return _placed({**asked, **_reach(asked, target_options)}, cpus)


def _placed(options: dict[str, str], cpus: Collection[int] | None) -> dict[str, str]:
    """Return options without processors that do not exist, and without empty ones."""
    if cpus is not None and _CPUS in options:
        options[_CPUS] = clip_cpus(options[_CPUS], cpus)
    return {name: value for name, value in options.items() if value}


def published_end(step: Step) -> dict[str, str]:
    """Return the runtime of a published job; one by amount has its own option."""
    if step.runtime_s is None:
        return {}
    return {"runtime": f"{round(step.runtime_s * 1000)}ms"}


def has_processes(workload: Workload) -> bool:
    """Tell whether fio runs a job as processes, which is its default."""
    options = dict(workload.fio_options)
    return bool(options) and options.get("thread", "0") == "0"


def clip_cpus(allowed: str, present: Collection[int]) -> str:
    """Return the processors of a list that exist; an empty text for none.

    >>> clip_cpus("1-4", [0, 1, 2, 3]), clip_cpus("1-4", [0])
    ('1-3', '')
    """
    return ",".join(_runs(sorted(_cpus_of(allowed).intersection(present))))


def count_cpus(allowed: str) -> int:
    """Return the number of processors in a list.

    >>> count_cpus("1-4"), count_cpus("1,3")
    (4, 2)
    """
    return len(_cpus_of(allowed))


def differing_options(
    published: Mapping[str, str], ran: Mapping[str, str | None]
) -> dict[str, tuple[str | None, str | None]]:
    """Return the options in which two jobs differ: as published, and as it ran.

    ``None`` is an option that a job does not set. Names are compared as fio prints
    them, sizes and times by value.

    >>> differing_options({"bs": "4k", "runtime": "30"}, {"bs": "4096"})
    {'runtime': ('30', None)}
    """
    first, second = (
        {ALIASES.get(name, name): value for name, value in options.items()}
        for options in (published, ran)
    )
    return {
        name: (first.get(name), second.get(name))
        for name in (*first, *(name for name in second if name not in first))
        if _meaning(name, first.get(name)) != _meaning(name, second.get(name))
    }


def _meaning(name: str, value: str | None) -> object:
    reads = {"bs": parse_size, "runtime": parse_seconds, "ramp_time": parse_seconds}
    return value if value is None or name not in reads else reads[name](value)


def _reach(
    published: Mapping[str, str], target_options: Mapping[str, str]
) -> dict[str, str]:
    reach = dict(target_options)
    if _CPUS in published:
        reach.pop(_CPUS, None)
    if _ENGINE in published and _PATH in target_options:
        reach[_ENGINE] = published[_ENGINE]
    return reach


def _cpus_of(allowed: str) -> set[int]:
    return {number for part in allowed.split(",") for number in _numbers(part)}


def _numbers(part: str) -> range:
    first, _, last = part.partition("-")
    return range(int(first), int(last or first) + 1)


def _runs(numbers: list[int]) -> list[str]:
    """Return numbers in order as runs: ``1-3``, ``5``."""
    starts = [n for n in numbers if n - 1 not in numbers]
    ends = [n for n in numbers if n + 1 not in numbers]
    return [
        str(first) if first == last else f"{first}-{last}"
        for first, last in zip(starts, ends, strict=True)
    ]
