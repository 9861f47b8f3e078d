"""Finds the workload of a file from its name, its options and its numbers."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from types import MappingProxyType

from ssdlab.engine.patterns import fio_size
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
class WorkloadFacts:
    """The facts about a workload from one source; ``None`` where unknown."""

    access: Access | None = None
    block_size_bytes: int | None = None
    read_percent: int | None = None
    threads: int | None = None
    queue_depth: int | None = None


NO_FACTS = WorkloadFacts()


def facts_from_fields(name_fields: Mapping[str, str]) -> WorkloadFacts:
    """Return the facts from the fields of a pattern."""
    word = name_fields.get("access", "").lower()
    access, mix = _ACCESS.get(word), None
    if word and access is None:
        if word not in _MODES:
            msg = f"unknown access {word!r}; known: {', '.join([*_ACCESS, *_MODES])}"
            raise ValueError(msg)
        access, mix = _MODES[word]
    if mix is not None and name_fields.get("read_percent", str(mix)) != str(mix):
        msg = f"{word!r} is not {name_fields['read_percent']} % reads"
        raise ValueError(msg)
    numbers = {name: int(name_fields[name]) for name in _COUNTS if name in name_fields}
    size = fio_size(name_fields["block_size"]) if "block_size" in name_fields else None
    return WorkloadFacts(
        access=access,
        block_size_bytes=size,
        read_percent=numbers.get("read_percent", mix),
        threads=numbers.get("threads"),
        queue_depth=numbers.get("queue_depth"),
    )


def facts_from_path(name: str) -> WorkloadFacts:
    """Return the facts from a path of bench-fio, such as ``4k/randread-16-8.json``.

    The name has mode, iodepth and numjobs; folders may be block size and mix.
    """
    *folders, last = name.split("/")
    match = _FIO_PLOT.fullmatch(last.split(".")[0])
    if match is None or match["mode"] not in _MODES:
        return NO_FACTS
    access, mix = _MODES[match["mode"]]
    sizes = [fio_size(word) for word in folders if _SIZE_FOLDER.fullmatch(word)]
    mixes = [
        int(found[1]) for word in folders if (found := _FIO_PLOT_MIX.fullmatch(word))
    ]
    return WorkloadFacts(
        access=access,
        block_size_bytes=sizes[-1] if sizes else None,
        read_percent=mixes[-1] if mix is None and mixes else mix,
        threads=int(match["jobs"]),
        queue_depth=int(match["depth"]),
    )


def round_in_name(name: str) -> int | None:
    """Return the round of a path such as ``round2/4k.json``, if it has exactly one."""
    found = {int(digits) for digits in _ROUND.findall(name)}
    return found.pop() if len(found) == 1 else None


def facts_from_jobs(document: FioDocument) -> WorkloadFacts:
    """Return the facts from the options of the job entries, or their banner in text."""
    shared = {option.name: option.value for option in document.global_options}
    entries = [
        (job, shared | {option.name: option.value for option in job.options})
        for job in document.measured
    ]
    found = {asked for _, facts in entries if (asked := describe_workload(facts))}
    if not found:
        return NO_FACTS
    if len({replace(asked, threads=1, runtime_s=None) for asked in found}) > 1:
        msg = "its jobs ran several workloads together, so it is not a cell"
        raise ValueError(msg)
    asked = next(iter(found))
    is_mix_told = document.form != "normal" or asked.read_percent in {0, 100}
    return WorkloadFacts(
        access=asked.access,
        block_size_bytes=asked.block_size_bytes,
        read_percent=asked.read_percent if is_mix_told else None,
        threads=_threads(entries),
        queue_depth=1 if asked.is_depth_ignored else asked.queue_depth,
    )


def _threads(entries: Sequence[tuple[FioJob, Mapping[str, str]]]) -> int | None:
    """Return how many jobs ran: normal output counts those of each entry.

    JSON has one entry per job, or one for all jobs of a name (``group_reporting``,
    which it does not always print), and the requested number of jobs.
    """
    members = [job.members for job, _ in entries]
    if None not in members:
        return sum(count or 0 for count in members)
    names = [job.name for job, _ in entries]
    asked = {job.name: parse_size(facts.get("numjobs", "1")) for job, facts in entries}
    counts = [max(names.count(name), count or 0) for name, count in asked.items()]
    return None if None in asked.values() else sum(counts)


def facts_from_options(options: Mapping[str, str]) -> WorkloadFacts:
    """Return the facts from the options of one job."""
    asked = describe_workload(options)
    if asked is None:
        return NO_FACTS
    return WorkloadFacts(
        access=asked.access,
        block_size_bytes=asked.block_size_bytes,
        read_percent=asked.read_percent,
        threads=asked.threads,
        queue_depth=1 if asked.is_depth_ignored else asked.queue_depth,
    )


def facts_from_numbers(document: FioDocument) -> WorkloadFacts:
    """Return the facts from the numbers: share of reads and size of IOs."""
    parts = [side for job in document.measured for side in job.parts]
    sizes = {
        side.io_bytes / side.total_ios
        for side in parts
        if side.total_ios and side.io_bytes
    }
    is_whole = len(sizes) == 1 and all(size.is_integer() for size in sizes)
    return WorkloadFacts(
        block_size_bytes=int(sizes.pop()) if is_whole else None,
        read_percent=_counted_share(parts),
    )


def _counted_share(parts: Sequence[FioSide]) -> int | None:
    """Return the requested share of reads [%], inferred from the counts.

    fio draws each IO with that probability, so it is the only integer within a few
    standard deviations of the counted share; unknown if there are few IOs.
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
    """Return how the measured mix differs from the stated one, empty if it does not."""
    ios = {"read": 0, "write": 0}
    for job in document.measured:
        for side in job.parts:
            if side.direction not in ios:
                return f"its jobs did {side.direction} IO, not read or write"
            ios[side.direction] += side.total_ios or 0
    total = sum(ios.values())
    share = 100 * ios["read"] / total if total else float(read_percent)
    is_pure = read_percent in {0, 100}
    if (is_pure and share != read_percent) or (
        total >= _ENOUGH_IOS and abs(share - read_percent) > _MIX_TOLERANCE_PERCENT
    ):
        return f"{share:.1f} % of its IOs are reads, instead of {read_percent} %"
    return ""


def combine(sources: Mapping[str, WorkloadFacts]) -> WorkloadFacts:
    """Combine the facts of several sources."""
    values: dict[str, object] = {}
    for field in fields(WorkloadFacts):
        found = [
            (who, value)
            for who, facts in sources.items()
            if (value := getattr(facts, field.name)) is not None
        ]
        if len({value for _, value in found}) > 1:
            words = ", ".join(_words(field.name, pair) for pair in found)
            msg = f"contradictory {_NAMES[field.name]}: {words}"
            raise ValueError(msg)
        if found:
            values[field.name] = found[0][1]
    return WorkloadFacts(**values)  # type: ignore[arg-type] # each value is of its own field


def _words(name: str, fact: tuple[str, object]) -> str:
    who, value = fact
    text = block_size_label(value) if name.endswith("bytes") else value  # type: ignore[arg-type]
    return f"{text} from its {who}"


def missing_names(facts: WorkloadFacts) -> Iterator[str]:
    """Yield the name of each fact that a cell must have and that is unknown."""
    for name in ("access", "block_size_bytes", "read_percent"):
        value = getattr(facts, name)
        if value is None or (name == "block_size_bytes" and not value):
            yield _NAMES[name]
