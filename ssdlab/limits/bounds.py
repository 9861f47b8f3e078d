"""Limits of what a run measured: bounds of a rate, a latency or a reading, as TOML."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal

from ssdlab.fleet.conditions import NEIGHBOURS, STEADY_STATE
from ssdlab.fleet.contrast import METRICS
from ssdlab.fleet.limits import CellLimit
from ssdlab.model.errors import UnknownNameError, UserFileError
from ssdlab.model.telemetry import DRIVE, READINGS, Reading
from ssdlab.qos.target import UNITS_NS
from ssdlab.reference.published_limits import PUBLISHED_LIMITS, read_published_limits
from ssdlab.system.toml_files import parse_toml, read_text

Kind = Literal["rate", "mean", "percentile", "reading"]
Bound = str | float | None

AMPLIFICATION: Final = "write_amplification"
DRIVE_READINGS: Final = MappingProxyType({
    one.name: one
    for one in (
        *(one for one in READINGS if one.source == DRIVE),
        Reading(name=AMPLIFICATION, words="Write amplification", origin="two counters"),
    )
})
ACCEPTABLE: Final = (STEADY_STATE, NEIGHBOURS)
_BYTES_PER_S: Final = MappingProxyType({
    "b/s": 1.0, "kb/s": 1e3, "mb/s": 1e6, "gb/s": 1e9,
    "kib/s": 1024.0, "mib/s": 1024.0**2, "gib/s": 1024.0**3,
})  # fmt: skip
_NAMES: Final = MappingProxyType({"iops": "IOPS", "bw": "Throughput", "mean": "Mean"})
_LEVEL = re.compile(r"p(\d{1,2}(?:\.\d{1,9})?)")
_AMOUNT = re.compile(r"\s*(\d{1,15}(?:\.\d{1,9})?)\s*([a-zA-Z\u00b5μ/]+)\s*")
_CONFIDENCES: Final = (50.0, 99.99)
_MOST_LIMITS: Final = 1000
_MOST_SHOWN: Final = 40
_REFERENCE: Final = "reference:"


@dataclass(frozen=True, kw_only=True, slots=True)
class BoundLimit(CellLimit):
    """A limit, ``[[limit]]``: a bound, or a range, of a metric in the cells it names.

    ``at_least`` and ``at_most`` are numbers for IOPS and readings of the drive, and
    text with a unit for throughput and latencies. ``confidence_percent`` is that of the
    interval that must be within them. ``accept`` names what else would leave it open.
    ``source`` is where the number comes from.
    """

    at_least: Bound = None
    at_most: Bound = None
    confidence_percent: float = 95.0
    accept: tuple[str, ...] = ()
    source: str = ""

    def __post_init__(self) -> None:
        """Refuse what cannot be a limit."""
        _require_metric(self.metric)
        self.require_names()
        for key in ("test", "cell", "source"):
            _require_printable(key, getattr(self, key))
        low, high = self.range
        if math.isinf(low) and math.isinf(high):
            msg = "it has neither at_least nor at_most"
            raise ValueError(msg)
        if low > high:
            msg = f"at_least {self.at_least!r} is more than at_most {self.at_most!r}"
            raise ValueError(msg)
        least, most = _CONFIDENCES
        if not least <= self.confidence_percent <= most:
            msg = f"confidence_percent is {self.confidence_percent:g} but must be from "
            msg += f"{least:g} to {most:g}"
            raise ValueError(msg)
        for name in self.accept:
            if name not in ACCEPTABLE:
                msg = f"accept: {_shown(name)} is none of {', '.join(ACCEPTABLE)}"
                raise ValueError(msg)
        if self.kind == "reading" and (self.cell, self.direction) != ("*", "total"):
            msg = f"{self.metric} is a reading of the drive, which has no cell and no "
            msg += "direction"
            raise ValueError(msg)

    @property
    def kind(self) -> Kind:
        """What its metric is."""
        if self.metric in DRIVE_READINGS:
            return "reading"
        if self.metric in {"iops", "bw"}:
            return "rate"
        return "mean" if self.metric == "mean" else "percentile"

    @property
    def level(self) -> float:
        """The level of a percentile [%]."""
        return float(self.metric.removeprefix("p"))

    @property
    def column(self) -> str:
        """The column of ``measurements`` that holds its metric, or ``lat_ns``."""
        return "lat_ns" if self.kind == "percentile" else METRICS[self.metric].column

    @property
    def range(self) -> tuple[float, float]:
        """The least and the greatest value within it, in stored units; or infinite.

        >>> BoundLimit(metric="p99.9", at_most="1.5 ms").range
        (-inf, 1500000.0)
        >>> BoundLimit(metric="bw", at_least="480 MB/s").range
        (480000000.0, inf)
        """
        ends = []
        for key, none in (("at_least", -math.inf), ("at_most", math.inf)):
            given = getattr(self, key)
            ends.append(none if given is None else self._stored(key, given))
        return ends[0], ends[1]

    @property
    def text(self) -> str:
        """The limit in words, such as ``p99.9 ≤ 1.5 ms``."""
        low, high = map(self._end_text, (self.at_least, self.at_most))
        if low and high:
            return f"{self.name} {low} to {high}"
        return f"{self.name} ≥ {low}" if low else f"{self.name} ≤ {high}"

    @property
    def name(self) -> str:
        """What it bounds, in short."""
        if self.kind == "reading":
            return DRIVE_READINGS[self.metric].words
        return _NAMES.get(self.metric, self.metric)

    def _end_text(self, given: Bound) -> str:
        """Return a bound as it was given, with the unit of a reading."""
        if given is None:
            return ""
        if isinstance(given, str):
            return " ".join(given.split())
        unit = DRIVE_READINGS[self.metric].unit if self.kind == "reading" else ""
        return f"{given:,.12g} {unit}".rstrip()

    def _stored(self, key: str, given: str | float) -> float:
        """Return a bound in the stored unit."""
        units: Mapping[str, float] = {}
        if self.metric == "bw":
            units = _BYTES_PER_S
        elif self.kind in {"mean", "percentile"}:
            units = UNITS_NS
        value = _number(key, given) if not units else _amount(key, given, units)
        if value <= 0 and not (value == 0 and self.kind == "reading"):
            msg = f"{key} is {_shown(given)} but must be more than 0"
            raise ValueError(msg)
        return value


def _require_printable(key: str, text: str) -> None:
    if not text.isprintable():
        msg = f"{key} is {_shown(text)}, which cannot be printed on one line"
        raise ValueError(msg)


def _require_metric(metric: str) -> None:
    level = _LEVEL.fullmatch(metric)
    if (level and float(level[1]) > 0) or metric in {*_NAMES, *DRIVE_READINGS}:
        return
    msg = f"metric {_shown(metric)} is none of iops, bw, mean, a percentile such as "
    msg += "p99.9, or a reading of the drive such as temperature_celsius"
    raise ValueError(msg)


def _number(key: str, given: str | float) -> float:
    if isinstance(given, str):
        msg = f"{key} is {_shown(given)} but must be a number, without a unit"
        raise ValueError(msg)  # noqa: TRY004 - as every mistake in a file
    try:
        value = float(given)
    except OverflowError:
        value = math.inf
    if not math.isfinite(value):
        msg = f"{key} is not a finite number"
        raise ValueError(msg)
    return value


def _amount(key: str, given: str | float, units: Mapping[str, float]) -> float:
    match = _AMOUNT.fullmatch(given) if isinstance(given, str) else None
    unit = units.get(match[2].lower()) if match else None
    if match is None or unit is None:
        example = "480 MB/s" if units is _BYTES_PER_S else "1.5 ms"
        msg = f"{key} is {_shown(given)} but must be text with a unit: '{example}'"
        raise ValueError(msg)
    return float(match[1]) * unit


def _shown(given: object) -> str:
    try:
        text = repr(given)
    except ValueError:  # a whole number of thousands of digits
        return "too large"
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


@dataclass(frozen=True, kw_only=True, slots=True)
class BoundsFile:
    """A file of limits: what it is of, where its numbers come from, and the limits."""

    limit: tuple[BoundLimit, ...] = ()
    title: str = ""
    source: str = ""

    def __post_init__(self) -> None:
        """Refuse what a page cannot show."""
        _require_printable("title", self.title)
        _require_printable("source", self.source)


def read_bounds(path: Path) -> BoundsFile:
    """Return the limits of a file that the user named, or of ``reference:NAME``.

    Raises
    ------
    UserFileError
        If it cannot be read, or something in it is wrong, which the message names.
    UnknownNameError
        If there is no such reference.
    """
    name = str(path).removeprefix(_REFERENCE)
    if name != str(path):
        if name not in PUBLISHED_LIMITS:
            raise UnknownNameError(
                kind="published limits", name=name, known=list(PUBLISHED_LIMITS)
            )
        return parse_bounds(read_published_limits(name), source=str(path))
    return parse_bounds(read_text(path), source=str(path))


def parse_bounds(text: str, *, source: str) -> BoundsFile:
    """Return the limits of a text."""
    found = parse_toml(text, BoundsFile, source=source)
    count = len(found.limit)
    if not 0 < count <= _MOST_LIMITS:
        reason = f"it has {count:,} limits; the most are {_MOST_LIMITS:,}"
        raise UserFileError(
            source=source,
            reason=reason if count else "there is no limit in it",
            remedy='Write them as: [[limit]], metric = "p99.9", at_most = "1 ms"',
        )
    return found
