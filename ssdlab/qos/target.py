"""A quality-of-service target, as a user writes it."""

import re
from dataclasses import dataclass
from typing import Literal, NoReturn

from ssdlab.model.errors import QosTargetError

Statistic = Literal["percentile", "mean", "max"]

_MICRO_SIGN = "\u00b5s"  # the micro sign of keyboards; μ is the Greek letter
UNITS_NS = {"ns": 1.0, "us": 1e3, _MICRO_SIGN: 1e3, "μs": 1e3, "ms": 1e6, "s": 1e9}
_FACTORS = {"": 1.0, "k": 1e3, "m": 1e6}
_NUMBER = r"\d{1,15}(?:\.\d{1,15})?|\.\d{1,15}"
_STATISTIC = rf"(?P<what>p\s*(?P<level>{_NUMBER})|mean|average|avg|max|maximum)"
_AMOUNT = rf"(?P<limit>{_NUMBER})\s*(?P<unit>[a-z\u00b5μ]*)"
_WHAT, _LIMIT = (re.compile(part, re.IGNORECASE) for part in (_STATISTIC, _AMOUNT))
_FORM = re.compile(
    rf"{_STATISTIC}\s*(?P<relation><=|=<|≤|<)\s*{_AMOUNT}"
    r"(?:\s*(?:at|@)\s*(?:>=|=>|≥)?\s*"
    r"(?P<rate>[\d.,_ ]*\d)\s*(?P<factor>[km]?)\s*iops)?",
    re.IGNORECASE,
)
_RATE = re.compile(r"\d{1,3}(?:[ ,_]\d{3})+(?:\.\d+)?|\d{1,15}(?:\.\d{1,15})?")
_MOST_SHOWN = 40  # how much of what was not understood is shown
_RELATIONS = re.compile(r"<=|=<|≤|<|>=|=>|≥|>|=")


@dataclass(frozen=True, kw_only=True, slots=True)
class QosTarget:
    """A latency statistic that must be within a limit, optionally at a rate.

    Attributes
    ----------
    statistic : {"percentile", "mean", "max"}
        What is compared with the limit.
    percentile : float
        The level [%]; 0 unless the statistic is a percentile.
    limit_ns : float
        The limit [ns].
    is_strict : bool
        Whether a value equal to the limit misses it.
    least_iops : float
        The rate to be reached at the same time [1/s]; 0 if none is required.
    """

    statistic: Statistic
    limit_ns: float
    percentile: float = 0.0
    is_strict: bool = False
    least_iops: float = 0.0

    @property
    def name(self) -> str:
        """The statistic as it is written, such as ``p99.99``."""
        if self.statistic == "percentile":
            return f"p{self.percentile:.10g}"
        return self.statistic

    @property
    def text(self) -> str:
        """The target in a standard form, such as ``p99.99 ≤ 1 ms at ≥ 20,000 IOPS``."""
        relation = "<" if self.is_strict else "≤"
        rate = f" at ≥ {self.least_iops:,.10g} IOPS" if self.least_iops else ""
        return f"{self.name} {relation} {limit_text(self.limit_ns)}{rate}"


def limit_text(limit_ns: float) -> str:
    """Return a latency unrounded, in the largest unit that gives at least 1.

    >>> limit_text(1e6), limit_text(250_000), limit_text(1.5e9)
    ('1 ms', '250 μs', '1.5 s')
    """
    for unit, size in (("s", 1e9), ("ms", 1e6), ("μs", 1e3)):
        if limit_ns >= size:
            return f"{limit_ns / size:.15g} {unit}"
    return f"{limit_ns:.15g} ns"


def parse_qos_target(text: str) -> QosTarget:
    """Parse a target; case and blanks do not matter.

    Parameters
    ----------
    text : str
        ``p`` and a level, ``mean`` or ``max``; ``<=``, ``≤`` or ``<``; a limit in ns,
        us, μs, ms or s; and optionally ``at >= N IOPS``, where N may end in k or M and
        have commas as thousands separators.

    Returns
    -------
    QosTarget
        The target.

    Raises
    ------
    QosTargetError
        If the text has another form, or a value is out of range.

    Examples
    --------
    >>> parse_qos_target("p99.99<=1ms at >= 20k IOPS").text
    'p99.99 ≤ 1 ms at ≥ 20,000 IOPS'
    >>> parse_qos_target("max < 500 us").limit_ns
    500000.0
    """
    match = _FORM.fullmatch(text.strip())
    if match is None:
        _refuse(text, _reason(text))
    what = match["what"].lower()
    level = float(match["level"]) if match["level"] else 0.0
    if match["level"] and not 0 < level < 100:
        _refuse(text, f"a percentile is between 0 and 100, which {level:g} is not")
    unit = UNITS_NS.get(match["unit"].lower())
    if unit is None:
        _refuse(text, f"the limit has {_unit_words(match['unit'])}")
    limit_ns = float(match["limit"]) * unit
    if not limit_ns:
        _refuse(text, "a latency cannot be 0")
    return QosTarget(
        statistic="percentile" if level else "max" if what[:3] == "max" else "mean",
        percentile=level,
        limit_ns=limit_ns,
        is_strict=match["relation"] == "<",
        least_iops=_rate(text, match),
    )


def _unit_words(unit: str) -> str:
    return f"the unit {unit!r}, not ns, us, ms or s" if unit else "no unit"


def _rate(text: str, match: re.Match[str]) -> float:
    if match["rate"] is None:
        return 0.0
    digits = match["rate"].strip()
    if not _RATE.fullmatch(digits):
        _refuse(text, f"{digits!r} is not a valid number of IOPS")
    rate = float(re.sub(r"[ ,_]", "", digits)) * _FACTORS[match["factor"].lower()]
    if not rate:
        _refuse(text, "a rate of 0 IOPS requires nothing")
    return rate


def _reason(text: str) -> str:
    """Return the most likely error in a text of another form."""
    if not text.strip():
        return "it is empty"
    relation = _RELATIONS.search(text)
    if relation is None:
        return "it lacks the <= before the limit"
    if relation.group() not in {"<=", "=<", "≤", "<"}:
        return f"a latency has an upper limit, which {relation.group()!r} is not"
    return _reason_of_parts(text.strip(), relation)


def _reason_of_parts(text: str, relation: re.Match[str]) -> str:
    """Name the first part that was not understood, and its expected form."""
    place = relation.start()
    what, beyond = text[:place].strip(), text[relation.end() :].strip()
    if not what or not beyond:
        side = "before" if not what else "after"
        return f"there is nothing {side} {relation.group()!r}"
    if not _WHAT.fullmatch(what):
        return (
            f"{_shown(what)} before the limit is not a percentile such as p99.9, "
            "mean or max"
        )
    limit = _LIMIT.match(beyond)
    rest = beyond[limit.end() :] if limit else beyond
    if limit is None or not rest.startswith((" ", "@")):
        first = re.split(r"\s*(?:\bat\b|@)", beyond)[0]
        return f"the limit {_shown(first)} is not a number with a unit, such as 1.5 ms"
    return f"{_shown(rest.strip())} after the limit is not 'at >= N IOPS'"


def _shown(text: str) -> str:
    return repr(text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…")


def _refuse(text: str, reason: str) -> NoReturn:
    raise QosTargetError(text=text, reason=reason)
