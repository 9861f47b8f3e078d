"""Which workload a file is of: what its name, its options and its numbers tell."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from types import MappingProxyType

from ssdlab.campaign.patterns import fio_size
from ssdlab.fio.document import FioDocument, FioJob, FioSide
from ssdlab.fio.jobs.workload import describe_workload, parse_size
from ssdlab.model.spec import Access
from ssdlab.model.units import block_size_label

_MODES: Mapping[str, tuple[Access, int | None]] = MappingProxyType({
    "read": ("seq", 100),
    "write": ("seq", 0),
    "rw": ("seq", None),
    "readwrite": ("seq", None),
    "randread": ("rnd", 100),
    "randwrite": ("rnd", 0),
    "randrw": ("rnd", None),
})
_ACCESS: Mapping[str, Access] = MappingProxyType({
    "rnd": "rnd",
    "rand": "rnd",
    "random": "rnd",
    "seq": "seq",
    "sequential": "seq",
})
_FIO_PLOT = re.compile(r"(?P<mode>[a-z]+)-(?P<depth>\d{1,6})-(?P<jobs>\d{1,6})")
_FIO_PLOT_MIX = re.compile(r"(?:rand)?rw(\d{1,3})")
_ROUND = re.compile(r"(?<![a-z])round[-_ ]?(\d{1,9})(?!\d)", re.IGNORECASE)
_SIZE_FOLDER = re.compile(r"\d+(?:\.\d+)?[kKmM](?:i?[bB])?|512[bB]?")
_ENOUGH_IOS = 1000
_MIX_TOLERANCE_PERCENT = 5
_DEVIATIONS = 5
_COUNTS = ("read_percent", "threads", "queue_depth")
_NAMES = MappingProxyType({
    "access": "access",
    "block_size_bytes": "block size",
    "read_percent": "share of reads",
    "threads": "threads",
    "queue_depth": "queue depth",
})


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """What one witness tells of a workload; ``None`` where it tells nothing."""

    access: Access | None = None
    block_size_bytes: int | None = None
    read_percent: int | None = None
    threads: int | None = None
    queue_depth: int | None = None


NOTHING = Told()


def told_by_fields(said: Mapping[str, str]) -> Told:
    """Return what the fields of a pattern tell.

    Raises
    ------
    ValueError
        If a field is no value that a workload has.
    """
    word = said.get("access", "").lower()
    access, mix = _ACCESS.get(word), None
    if word and access is None:
        if word not in _MODES:
            msg = f"{word!r} is no access; known: {', '.join([*_ACCESS, *_MODES])}"
            raise ValueError(msg)
        access, mix = _MODES[word]
    if mix is not None and said.get("read_percent", str(mix)) != str(mix):
        msg = f"{word!r} is not {said['read_percent']} % reads"
        raise ValueError(msg)
    numbers = {name: int(said[name]) for name in _COUNTS if name in said}
    size = fio_size(said["block_size"]) if "block_size" in said else None
    return Told(
        access=access,
        block_size_bytes=size,
        read_percent=numbers.get("read_percent", mix),
        threads=numbers.get("threads"),
        queue_depth=numbers.get("queue_depth"),
    )


def told_by_fio_plot(name: str) -> Told:
    """Return what a path of a bench-fio tree tells: ``4k/randread-16-8.json``.

    A name is mode, iodepth, numjobs; the folders may be block size and mix.
    """
    *folders, last = name.split("/")
    match = _FIO_PLOT.fullmatch(last.split(".")[0])
    if match is None or match["mode"] not in _MODES:
        return NOTHING
    access, mix = _MODES[match["mode"]]
    sizes = [fio_size(word) for word in folders if _SIZE_FOLDER.fullmatch(word)]
    mixes = [
        int(found[1]) for word in folders if (found := _FIO_PLOT_MIX.fullmatch(word))
    ]
    return Told(
        access=access,
        block_size_bytes=sizes[-1] if sizes else None,
        read_percent=mixes[-1] if mix is None and mixes else mix,
        threads=int(match["jobs"]),
        queue_depth=int(match["depth"]),
    )


def round_in_name(name: str) -> int | None:
    """Return the round of a path such as ``round2/4k.json``, if it gives just one."""
    found = {int(digits) for digits in _ROUND.findall(name)}
    return found.pop() if len(found) == 1 else None


def told_by_jobs(document: FioDocument) -> Told:
    """Return what the options of the job entries tell, or their banner in text.

    Raises
    ------
    ValueError
        If the entries are of several workloads.
    """
    shared = {option.name: option.value for option in document.global_options}
    entries = [
        (job, shared | {option.name: option.value for option in job.options})
        for job in document.measured
    ]
    found = {asked for _, told in entries if (asked := describe_workload(told))}
    if not found:
        return NOTHING
    if len({replace(asked, threads=1, runtime_s=None) for asked in found}) > 1:
        msg = "its jobs are of several workloads and ran together, so it is no cell"
        raise ValueError(msg)
    asked = next(iter(found))
    is_mix_told = document.form != "normal" or asked.read_percent in {0, 100}
    return Told(
        access=asked.access,
        block_size_bytes=asked.block_size_bytes,
        read_percent=asked.read_percent if is_mix_told else None,
        threads=_threads(entries),
        queue_depth=1 if asked.is_depth_ignored else asked.queue_depth,
    )


def _threads(entries: Sequence[tuple[FioJob, Mapping[str, str]]]) -> int | None:
    """Return how many jobs ran: text counts those of each entry.

    JSON has an entry for each, or one for all of a name (``group_reporting``, which it
    does not always print), and says how many were asked for.
    """
    members = [job.members for job, _ in entries]
    if None not in members:
        return sum(count or 0 for count in members)
    names = [job.name for job, _ in entries]
    asked = {job.name: parse_size(told.get("numjobs", "1")) for job, told in entries}
    counts = [max(names.count(name), count or 0) for name, count in asked.items()]
    return None if None in asked.values() else sum(counts)


def told_by_options(options: Mapping[str, str]) -> Told:
    """Return what the options of one job tell; nothing where there are none."""
    asked = describe_workload(options)
    if asked is None:
        return NOTHING
    return Told(
        access=asked.access,
        block_size_bytes=asked.block_size_bytes,
        read_percent=asked.read_percent,
        threads=asked.threads,
        queue_depth=1 if asked.is_depth_ignored else asked.queue_depth,
    )


def told_by_numbers(document: FioDocument) -> Told:
    """Return what was done: the share of reads, and the size of the IOs."""
    parts = [side for job in document.measured for side in job.parts]
    sizes = {
        side.io_bytes / side.total_ios
        for side in parts
        if side.total_ios and side.io_bytes
    }
    is_whole = len(sizes) == 1 and all(size.is_integer() for size in sizes)
    return Told(
        block_size_bytes=int(sizes.pop()) if is_whole else None,
        read_percent=_counted_share(parts),
    )


def _counted_share(parts: Sequence[FioSide]) -> int | None:
    """Return the share of reads [%] that was asked for, by what was done.

    fio draws each IO by that share, so that it is the one whole number within a few
    standard deviations of what was counted; of few IOs it cannot be told.
    """
    names = frozenset(side.direction for side in parts)
    pure = {frozenset({"read"}): 100, frozenset({"write"}): 0}
    if names != {"read", "write"}:
        return pure.get(names)
    counts = [side.total_ios for side in parts]
    total = sum(count or 0 for count in counts)
    if None in counts or not total:
        return None
    reads = sum(side.total_ios or 0 for side in parts if side.direction == "read")
    share = reads / total
    slack = _DEVIATIONS * 100 * math.sqrt(share * (1 - share) / total)
    low, high = math.ceil(100 * share - slack), math.floor(100 * share + slack)
    return low if low == high else None


def find_other_mix(document: FioDocument, read_percent: int) -> str:
    """Say what was done when it is not the mix that was told, else nothing."""
    ios = {"read": 0, "write": 0}
    for job in document.measured:
        for side in job.parts:
            if side.direction not in ios:
                return f"its jobs did IO that is {side.direction}, not read or write"
            ios[side.direction] += side.total_ios or 0
    total = sum(ios.values())
    share = 100 * ios["read"] / total if total else float(read_percent)
    is_pure = read_percent in {0, 100}
    if (is_pure and share != read_percent) or (
        total >= _ENOUGH_IOS and abs(share - read_percent) > _MIX_TOLERANCE_PERCENT
    ):
        return f"{share:.1f} % of its IOs are reads, and {read_percent} % were told"
    return ""


def join(witnesses: Mapping[str, Told]) -> Told:
    """Return what the witnesses tell together, the first of them first.

    Raises
    ------
    ValueError
        If two contradict each other; it names both values.
    """
    values: dict[str, object] = {}
    for field in fields(Told):
        said = [
            (who, value)
            for who, told in witnesses.items()
            if (value := getattr(told, field.name)) is not None
        ]
        if len({value for _, value in said}) > 1:
            words = ", ".join(_words(field.name, pair) for pair in said)
            msg = f"its {_NAMES[field.name]} is told in two ways: {words}"
            raise ValueError(msg)
        if said:
            values[field.name] = said[0][1]
    return Told(**values)  # type: ignore[arg-type] # each value is of its own field


def _words(name: str, said: tuple[str, object]) -> str:
    who, value = said
    text = block_size_label(value) if name.endswith("bytes") else value  # type: ignore[arg-type]
    return f"{text} by its {who}"


def missing_names(told: Told) -> Iterator[str]:
    """Yield the name of each fact that a cell must have and nobody told."""
    for name in ("access", "block_size_bytes", "read_percent"):
        value = getattr(told, name)
        if value is None or (name == "block_size_bytes" and not value):
            yield _NAMES[name]
