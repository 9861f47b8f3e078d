"""The conditions under which the runs of a store were measured, and which differ."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt
import orjson
import pandas as pd

from ssdlab.fleet.selection import value_text
from ssdlab.model.errors import UnknownNameError
from ssdlab.text.terminal import printable

PROFILE: Final = "profile"
STEADY_STATE: Final = "steady state"
NEIGHBOURS: Final = "neighbours"
WORKERS: Final = "TC/QD of "
# Columns of ``runs`` that must be equal: they are not the drive's own.
OF_RUNS: Final = MappingProxyType({
    "profile": PROFILE,
    "spec_version": "specification",
    "active_range_percent": "active range",
    "is_virtual": "virtual",
    "write_cache": "write cache",
    "io_engine": "IO engine",
    "fio_version": "fio version",
    "kernel": "kernel",
    "operating_system": "operating system",
    "platform": "host",
    "cpu": "processor",
    "dram_bytes": "memory",
    "schema_version": "ssdlab schema",
})
Unfit = Literal["not-steady", "not-judged", "neighbours"]
_JUDGED = ("window", "rounds")  # of these a steady state would have been judged
_ACCEPTABLE = (*OF_RUNS.values(), "settings", "TC/QD", STEADY_STATE, NEIGHBOURS)
_OWN_COLUMN = "active_range_percent"  # of the settings; a condition by itself
_STIMULUS = ["test", "phase", "kind", "access", "block_size_bytes", "read_percent"]
_SHOWN = 4


@dataclass(frozen=True, kw_only=True, slots=True)
class Unlike:
    """A condition and its values; one of "" is not known."""

    condition: str
    values: tuple[str, ...]

    @property
    def text(self) -> str:
        """The condition with its values."""
        shown = [one or "not known" for one in self.values]
        more = ["…"] if len(shown) > _SHOWN else []
        return printable(f"{self.condition} ({', '.join(shown[:_SHOWN] + more)})")


def parse_accepted(text: str) -> frozenset[str]:
    """Return the conditions that a user accepts as equal, by their names.

    ``profile`` accepts its settings too, and ``all`` everything.

    >>> sorted(parse_accepted("kernel, fio version"))
    ['fio version', 'kernel']
    """
    named = [name.strip() for name in text.split(",") if name.strip()]
    for name in named:
        if name not in {*_ACCEPTABLE, "all"}:
            known = [*_ACCEPTABLE, "all"]
            raise UnknownNameError(kind="condition", name=name, known=known)
    if "all" in named:
        named = [*_ACCEPTABLE]
    return frozenset([*named, *(["settings"] if PROFILE in named else [])])


def find_unfit(
    rows: pd.DataFrame, accepted: Collection[str]
) -> "Mapping[Unfit, npt.NDArray[np.bool_]]":
    """Return which rows of cells are no measure of their drive alone, by the reason.

    ``rows`` have ``is_steady``, missing where no steady state was judged, ``basis`` and
    ``neighbours``. What is accepted is no reason.
    """
    is_unjudged = rows["is_steady"].isna() & rows["basis"].isin(_JUDGED)
    is_shared = [value_text(one).strip() != "" for one in rows["neighbours"]]
    reasons: Mapping[Unfit, tuple[str, Any]] = {
        "not-steady": (STEADY_STATE, is_denied(rows["is_steady"])),
        "not-judged": (STEADY_STATE, is_unjudged),
        "neighbours": (NEIGHBOURS, is_shared),
    }
    return {
        reason: np.asarray(holds, bool)
        for reason, (condition, holds) in reasons.items()
        if condition not in accepted
    }


def is_denied(values: "pd.Series[Any]") -> "pd.Series[bool]":
    """Return which values are known and false."""
    return values.eq(other=False).fillna(value=False).astype(bool)


def find_unlike(
    runs: pd.DataFrame,
    sides: tuple[pd.DataFrame, pd.DataFrame],
    *,
    accepted: frozenset[str],
) -> tuple[Unlike, ...]:
    """Return the conditions that differ between runs, and are not accepted.

    ``sides`` are the rows of ``cells`` of baseline and candidate. Settings of a profile
    count if a test in these rows uses them; TC and QD differ if a stimulus has none in
    common on both sides.
    """
    tests = {str(test) for side in sides for test in side["test"].unique()}
    found = [
        _tally(words, [value_text(one) for one in runs.get(column, [])])
        for column, words in OF_RUNS.items()
        if words not in accepted
    ]
    if "settings" not in accepted and not _differ(found, PROFILE):
        found += _settings(runs, tests)
    unlike = [one for one in found if len(one.values) > 1]
    if "TC/QD" not in accepted and not any(
        "settings" in one.condition for one in unlike
    ):
        unlike += _workers(*sides)
    return tuple(unlike)


def _differ(found: Sequence[Unlike], condition: str) -> bool:
    return any(one.condition == condition and len(one.values) > 1 for one in found)


def _tally(condition: str, texts: Sequence[str]) -> Unlike:
    return Unlike(condition=condition, values=tuple(dict.fromkeys(texts)))


def _settings(runs: pd.DataFrame, tests: set[str]) -> Iterator[Unlike]:
    """Yield the settings of the profile that the tests use."""
    texts = [value_text(one) for one in runs.get("settings", [""] * len(runs))]
    known = {text: settings_of_tests(text, tests) for text in dict.fromkeys(texts)}
    for name in dict.fromkeys(name for one in known.values() for name in one):
        yield _tally(
            f"settings: {name.replace('_', ' ')}",
            [known[text].get(name, "") for text in texts],
        )


def settings_of_tests(text: str, tests: set[str]) -> dict[str, str]:
    """Return the settings in a text of that column; none if it is not understood."""
    try:
        by_test: Any = orjson.loads(text or "{}")
        parts = [part for test, part in by_test.items() if test in {"", *tests}]
        return {
            str(name): orjson.dumps(value).decode()
            for part in parts
            for name, value in part.items()
            if name != _OWN_COLUMN
        }
    except (ValueError, AttributeError):
        return {}


def _workers(first: pd.DataFrame, second: pd.DataFrame) -> Iterator[Unlike]:
    """Yield the tests of which no thread count and queue depth is on both sides."""
    found = [dict(_workers_of(rows)) for rows in (first, second)]
    seen: set[str] = set()
    for stimulus, own in found[0].items():
        other = found[1].get(stimulus)
        condition = f"{WORKERS}{str(stimulus[0]).upper()}"
        if other is None or own & other or condition in seen:
            continue
        seen.add(condition)
        yield Unlike(
            condition=condition,
            values=tuple(sorted(own | other)),
        )


def _workers_of(rows: pd.DataFrame) -> Iterator[tuple[tuple[Any, ...], set[str]]]:
    known = rows[[*_STIMULUS, "threads", "queue_depth"]].drop_duplicates()
    for stimulus, own in known.groupby(_STIMULUS, dropna=False, sort=False):
        pairs = zip(own["threads"], own["queue_depth"], strict=True)
        texts = {f"T{value_text(t)}/Q{value_text(q)}" for t, q in pairs}
        yield tuple(map(str, stimulus)), texts
