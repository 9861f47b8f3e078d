"""The parameters of a virtual SSD, and their form as text."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, NoReturn

from ssdlab.model.errors import TargetRefusedError, UnknownNameError
from ssdlab.model.units import MIB, capacity_label, parse_size
from ssdlab.virtual.counters import PAGE_BYTES

RESERVE_BLOCKS_PER_DIE: Final = 5  # RESERVE_BLOCKS in flash.c
MIN_BLOCKS_PER_DIE: Final = 8
MAX_SIZE_BYTES: Final = 64 * 1024 * MIB  # the content is in memory


@dataclass(frozen=True, kw_only=True, slots=True)
class VirtualSsdOptions:
    """The model's parameters; the defaults give a whole PTS curve within a minute.

    ``over_provisioning_percent`` is of ``size_bytes``, in addition to the five blocks
    per die that the translation layer reserves. After ``idle_ms`` without
    a request (0: never) the dies collect garbage for ``idle_duty_percent`` of the time,
    until ``idle_free_percent`` of their spare blocks are free.
    """

    size_bytes: int = 128 * MIB
    over_provisioning_percent: int = 18
    dies: int = 8
    pages_per_block: int = 32
    read_us: int = 80
    program_us: int = 450
    erase_us: int = 3000
    buffer_pages: int = 64
    command_us: int = 100
    link_mb_per_s: int = 200
    idle_ms: int = 200
    idle_free_percent: int = 60
    idle_duty_percent: int = 40
    seed: int = 1
    linger_s: int = 3600


_TEXT_NAMES: Final = {
    "size": "size_bytes",
    "op": "over_provisioning_percent",
    "dies": "dies",
    "ppb": "pages_per_block",
    "tread": "read_us",
    "tprog": "program_us",
    "terase": "erase_us",
    "buffer": "buffer_pages",
    "command": "command_us",
    "link": "link_mb_per_s",
    "idle": "idle_ms",
    "idlefree": "idle_free_percent",
    "idleduty": "idle_duty_percent",
    "seed": "seed",
    "linger": "linger_s",
}

NAMES: Final = ("serial", "firmware")  # of the drive; the model knows none
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,39}")

_RANGES: Final = {
    "op": (0, 1000),
    "dies": (1, 256),
    "ppb": (4, 4096),
    "tread": (0, 1_000_000),
    "tprog": (0, 1_000_000),
    "terase": (0, 10_000_000),
    "buffer": (1, 1_000_000),
    "command": (0, 1_000_000),
    "link": (0, 1_000_000),
    "idle": (0, 1_000_000),
    "idlefree": (0, 100),
    "idleduty": (1, 100),
    "seed": (0, 2**63 - 1),
    "linger": (0, 30 * 24 * 3600),
}


def parse_options(text: str) -> VirtualSsdOptions:
    """Parse a text such as ``size=256MiB,op=12``; an empty text means the defaults."""
    values: dict[str, int] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, value = (piece.strip() for piece in part.partition("="))
        if name not in _TEXT_NAMES:
            kind = "option of the virtual SSD"
            known = (*_TEXT_NAMES, *NAMES)
            raise UnknownNameError(kind=kind, name=name, known=known)
        if _TEXT_NAMES[name] in values:
            _refuse(text, f"{name}= is given twice", "Give it once.")
        values[_TEXT_NAMES[name]] = _parse_value(text, name, value)
    options = VirtualSsdOptions(**values)
    require_usable(options)
    return options


def split_names(text: str) -> tuple[Mapping[str, str], str]:
    """Return how a virtual SSD is named, and the parameters of its model.

    >>> split_names("op=28,serial=SSD-1")
    ({'serial': 'SSD-1'}, 'op=28')
    """
    names: dict[str, str] = {}
    others = []
    for part in text.split(","):
        name, _, value = (piece.strip() for piece in part.partition("="))
        if name not in NAMES:
            others.append(part)
            continue
        if name in names:
            _refuse(text, f"{name}= is given twice", "Give it once.")
        if not _NAME.fullmatch(value):
            reason = f"{name}={value} is not a name"
            _refuse(text, reason, "Use at most 40 letters, digits, '_', '.', '+', '-'.")
        names[name] = value
    return names, ",".join(others)


def options_text(options: VirtualSsdOptions) -> str:
    """Return the text that `parse_options` parses to these options."""
    pairs = (f"{name}={getattr(options, field)}" for name, field in _TEXT_NAMES.items())
    return ",".join(pairs)


def plugin_arguments(options: VirtualSsdOptions) -> tuple[str, ...]:
    """Return the parameters of the nbdkit plugin for these options."""
    return tuple(options_text(options).split(","))


def find_write_bound(options: VirtualSsdOptions) -> float | None:
    """Return the limit of the sustained write rate [B/s]; None without a limit.

    Each die programs one page at a time, and every byte passes the link.
    """
    bounds = []
    if options.program_us:
        bounds.append(options.dies * PAGE_BYTES / options.program_us * 1e6)
    if options.link_mb_per_s:
        bounds.append(options.link_mb_per_s * 1e6)
    return min(bounds, default=None)


def require_usable(options: VirtualSsdOptions) -> None:
    """Raise `TargetRefusedError` unless these options are valid."""
    for name, (least, most) in _RANGES.items():
        value = getattr(options, _TEXT_NAMES[name])
        if not least <= value <= most:
            reason = f"{name}= is out of range"
            _refuse(f"{name}={value}", reason, f"Choose from {least} to {most}.")
    size, stripe = options.size_bytes, _stripe_bytes(options)
    text = f"size={size}"
    if size % PAGE_BYTES:
        reason = f"{size} bytes is not a multiple of 4 KiB"
        _refuse(text, reason, "Choose a multiple of 4096 bytes.")
    if size < MIN_BLOCKS_PER_DIE * stripe:
        least = MIN_BLOCKS_PER_DIE * stripe
        reason = (
            f"{capacity_label(size)} is too small for {options.dies} dies with blocks "
            f"of {options.pages_per_block} pages"
        )
        remedy = f"Choose size={least} or more, or fewer dies or pages per block."
        _refuse(text, reason, remedy)
    if size > MAX_SIZE_BYTES:
        reason = f"{capacity_label(size)} is too large for a drive in memory"
        most = MAX_SIZE_BYTES // (1024 * MIB)
        _refuse(text, reason, f"Choose size={most}GiB or less.")


def _stripe_bytes(options: VirtualSsdOptions) -> int:
    return options.dies * options.pages_per_block * PAGE_BYTES


def _parse_value(text: str, name: str, value: str) -> int:
    parse: Callable[[str], int] = parse_size if name == "size" else _parse_count
    try:
        return parse(value)
    except (ValueError, OverflowError):
        kind = "size" if name == "size" else "whole number"
        reason = f"{name}={value} is not a {kind}"
        _refuse(text, reason, "Example: size=256MiB,op=12.")


def _parse_count(value: str) -> int:
    if not (value.isascii() and value.isdigit() and len(value) < 20):
        raise ValueError(value)
    return int(value)


def _refuse(text: str, reason: str, remedy: str) -> NoReturn:
    raise TargetRefusedError(target=f"virtual:{text}", reason=reason, remedy=remedy)
