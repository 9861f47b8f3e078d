"""The stimulus of fio's options, and fio's notation of sizes and times.

The rules are those of ``parse.c`` and ``init.c``, tried with fio 3.33. A value that is
not a single number, such as a range of block sizes, is ``None``.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ssdlab.fio.jobs.jobspec import ALIASES
from ssdlab.model.spec import Access

_Directions = frozenset[Literal["read", "write", "trim"]]
_Blocks = tuple[int | None, int | None, int | None]
_NO_BLOCKS: _Blocks = (None, None, None)

_NUMBER = re.compile(
    r"([ \t\n\v\f\r]*)\+?(?:0[xX](?P<hex>[0-9a-fA-F]+)|(?P<digits>[0-9]+))"
)
_LETTERS = re.compile(r"[A-Za-z]*")
_SIZE_SUFFIX = re.compile(r"(?P<power>[kmgtp])(?P<is_other>ib)?")
_RANGE = re.compile(r"[-:]")
_SEPARATOR = re.compile(r"[-:,]")
_KINDS: dict[str, _Directions] = {
    "read": frozenset({"read"}),
    "write": frozenset({"write"}),
    "trim": frozenset({"trim"}),
    "rw": frozenset({"read", "write"}),
    "readwrite": frozenset({"read", "write"}),
    "trimwrite": frozenset({"trim", "write"}),
}
_ORDER: tuple[Literal["read", "write", "trim"], ...] = ("read", "write", "trim")
_SECONDS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_MAX_BYTES = 1 << 63
_MAX_DIGITS = 19
_OTHER_BASE = {1024: 1000, 1000: 1024}

DEFAULT_BLOCK = "4096"
DEFAULT_MIX_PERCENT = 50
# Engines with one IO at a time, whatever iodepth is; psync is the default.
SYNCHRONOUS_ENGINES = frozenset({
    *("sync", "psync", "vsync", "pvsync", "pvsync2", "mmap"),
    *("falloc", "ftruncate", "dev-dax", "libpmem", "pmemblk"),
})
_DEFAULT_ENGINE = "psync"


@dataclass(frozen=True, kw_only=True, slots=True)
class ForeignWorkload:
    """The workload of a foreign fio job; ``None`` is unknown or not a single number.

    ``read_percent`` is missing if there are trims. ``threads`` is ``numjobs`` and
    ``queue_depth`` is ``iodepth``; a synchronous engine has one IO per thread whatever
    the requested depth, and then ``is_depth_ignored``.
    """

    access: Access | None
    block_size_bytes: int | None
    read_percent: int | None
    threads: int | None
    queue_depth: int | None
    runtime_s: float | None
    is_depth_ignored: bool = False


def describe_workload(options: Mapping[str, str | None]) -> ForeignWorkload | None:
    """Return the workload of options.

    Examples
    --------
    >>> describe_workload({"rw": "randrw", "rwmixread": "65", "bs": "8k"})
    ForeignWorkload(access='rnd', block_size_bytes=8192, read_percent=65, threads=1, \
queue_depth=1, runtime_s=None, is_depth_ignored=False)
    """
    if not options:
        return None
    held = {ALIASES.get(name, name): value or "" for name, value in options.items()}
    kind = held.get("rw", "read").partition(":")[0]
    directions = _KINDS.get(kind.removeprefix("rand"))
    depth = parse_size(held.get("iodepth", "1"))
    engine = held.get("ioengine", _DEFAULT_ENGINE)
    return ForeignWorkload(
        access=None if directions is None else _access(held),
        block_size_bytes=_block_size(held, directions),
        read_percent=_read_percent(held, directions),
        threads=parse_size(held.get("numjobs", "1")),
        queue_depth=depth,
        runtime_s=parse_seconds(held.get("runtime", "")) or None,
        is_depth_ignored=engine in SYNCHRONOUS_ENGINES and depth not in {None, 1},
    )


def parse_size(text: str, *, kb_base: int = 1024) -> int | None:
    """Return a number of bytes as fio reads it, or ``None`` if it is not valid.

    Notes
    -----
    After a leading blank fio accepts no suffix: ``bs= 4k`` is 4 bytes. Nor does it for
    a hexadecimal number.

    Examples
    --------
    >>> parse_size("4k"), parse_size("4kib"), parse_size("20%")
    (4096, 4000, None)
    """
    match = _NUMBER.match(text)
    if match is None or len(match["hex"] or match["digits"]) > _MAX_DIGITS:
        return None
    rest = text[match.end() :].lower()
    if rest.startswith("%"):
        return None
    number = int(match["hex"], 16) if match["hex"] else int(match["digits"])
    suffix = _SIZE_SUFFIX.match(rest)
    if suffix is not None and not match["hex"] and not match[1]:
        base = _OTHER_BASE.get(kb_base, kb_base) if suffix["is_other"] else kb_base
        number *= base ** ("kmgtp".index(suffix["power"]) + 1)
    return number if number < _MAX_BYTES else None


def parse_size_range(text: str, *, kb_base: int = 1024) -> tuple[int, int] | None:
    """Return the least and greatest of ``4k-16k`` [B], or ``None``."""
    ends = [parse_size(end, kb_base=kb_base) for end in _RANGE.split(text)]
    if len(ends) != 2 or ends[0] is None or ends[1] is None:
        return None
    return min(ends[0], ends[1]), max(ends[0], ends[1])


def parse_seconds(text: str) -> float | None:
    """Return a time [s] as fio reads it: ``2``, ``1m``, ``300ms``; or ``None``."""
    match = _NUMBER.match(text)
    if match is None or match["hex"] or len(match["digits"]) > _MAX_DIGITS:
        return None
    found = _LETTERS.match(text, match.end())
    letters = "" if match[1] or found is None else found[0].lower()
    number = int(match["digits"])
    for prefix, per_second in (("us", 1_000_000), ("ms", 1000)):
        if letters.startswith(prefix):
            return number / per_second
    is_exact = text[match.end() + len(letters) :] == "" or not letters
    seconds = _SECONDS.get(letters) if is_exact else None
    return None if seconds is None else number * seconds


def _access(options: Mapping[str, str]) -> Access | None:
    """Return the access pattern, if there is only one.

    ``randread:8`` does 8 sequential IOs from each offset; ``read:8k`` leaves holes.
    """
    kind, _, modifier = options.get("rw", "read").partition(":")
    if modifier not in {"", "1"}:
        return None
    if not kind.startswith("rand"):
        return "seq"
    return "rnd" if options.get("percentage_random", "100") == "100" else None


def _block_size(
    options: Mapping[str, str], directions: _Directions | None
) -> int | None:
    """Return the block size of all directions of the job, if it is only one."""
    if directions is None:
        return None
    blocks = _blocks(options)
    used = {blocks[at] for at, name in enumerate(_ORDER) if name in directions}
    if options.get("bs_is_seq_rand", "0") not in {"0", ""}:
        access = _access(options)
        used = {None if access is None else blocks[access == "rnd"]}
    return used.pop() if len(used) == 1 else None


def _blocks(options: Mapping[str, str]) -> _Blocks:
    """Return the block sizes of reads, writes and trims."""
    kb_base = parse_size(options.get("kb_base", "1024")) or 1024
    if "bssplit" in options:
        return _NO_BLOCKS
    if "bsrange" in options:  # it overrides bs, whatever their order
        ranges = [
            parse_size_range(part, kb_base=kb_base)
            for part in options["bsrange"].split(",")
        ]
        return _spread([r[0] if r and r[0] == r[1] else None for r in ranges])
    separators = _SEPARATOR.findall(options.get("bs", ""))
    if len(set(separators)) > 1:
        return _NO_BLOCKS
    parts = _SEPARATOR.split(options.get("bs", DEFAULT_BLOCK))
    return _spread([parse_size(part, kb_base=kb_base) for part in parts])


def _spread(sizes: list[int | None]) -> _Blocks:
    """Fill in missing sizes of reads, writes and trims from those given."""
    filled = [*sizes, *[sizes[-1]] * 2][:3]
    return filled[0], filled[1], filled[2]


def _read_percent(
    options: Mapping[str, str], directions: _Directions | None
) -> int | None:
    if directions is None or "trim" in directions:
        return None
    if len(directions) == 1:
        return 100 if "read" in directions else 0
    percent: int | None = DEFAULT_MIX_PERCENT
    for name, value in options.items():
        if name in {"rwmixread", "rwmixwrite"}:
            said = parse_size(value)
            is_share = said is not None and said <= 100
            percent = said if is_share else None
            if percent is not None and name == "rwmixwrite":
                percent = 100 - percent
    return percent
