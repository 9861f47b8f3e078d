"""Cells that a user names: by metric, and optionally block size and R/W mix."""

import re
from dataclasses import dataclass

from ssdlab.model.errors import SeriesError

_METRIC_WORDS = {
    "iops": ("iops", "iops"),
    "wsat": ("wsat", "iops"),
    "cbw": ("cbw", "iops"),
    "dirth": ("dirth", "iops"),
    "tp": ("tp", "bw_bytes_per_s"),
    "lat mean": ("lat", "lat_mean_ns"),
    "lat 99.9": ("lat", "lat_three_nines_ns"),
    "lat 99.99": ("lat", "lat_four_nines_ns"),
    "lat 99.999": ("lat", "lat_five_nines_ns"),
}
_TERM = re.compile(
    r"(?P<metric>[a-z]+(?: mean| 99\.9{1,3}(?= |$))?)"
    r"(?: (?P<size>\d+(?:\.\d+)? [KM]iB))?(?: (?P<mix>\d{1,3}/\d{1,3}))?",
    re.IGNORECASE,
)
_EXAMPLE = "Write it as 'iops 4 KiB 0/100, lat mean'."


@dataclass(frozen=True, kw_only=True, slots=True)
class CellChoice:
    """Some cells of a comparison, by metric, and by size and mix if given."""

    text: str
    test: str
    metric: str
    size: str
    mix: str

    def holds(self, place: tuple[str, str, str]) -> bool:
        """Return whether a cell, by test, metric and words, belongs to it."""
        test, metric, cell = place
        words = f" {cell} "
        return (
            (test, metric) == (self.test, self.metric)
            and (not self.size or f" {self.size} " in words)
            and (not self.mix or f" {self.mix} " in words)
        )


def parse_cells(text: str) -> tuple[CellChoice, ...]:
    """Return the cells that a text names."""
    found = []
    for part in filter(None, map(str.strip, text.split(","))):
        choice = find_choice(part)
        if choice is None:
            raise SeriesError(
                source=f"cells {text!r}", reason=no_metric_text(part), remedy=_EXAMPLE
            )
        found.append(choice)
    return tuple(found)


def find_choice(words: str) -> CellChoice | None:
    """Return the cells that words name."""
    match = _TERM.fullmatch(" ".join(words.split()))
    known = _METRIC_WORDS.get(match["metric"].lower()) if match else None
    if match is None or known is None:
        return None
    return CellChoice(
        text=words,
        test=known[0],
        metric=known[1],
        size=_size(match["size"] or ""),
        mix=match["mix"] or "",
    )


def no_metric_text(words: str) -> str:
    """Return the message that words name no metric, with the known ones."""
    return f"{words!r} does not name a metric; known: {', '.join(_METRIC_WORDS)}"


def _size(text: str) -> str:
    number, _, unit = text.partition(" ")
    if not number:
        return ""
    return f"{number} {unit[0].upper()}iB"
