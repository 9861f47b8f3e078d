"""Which round of which cell a file is, and whether rounds followed one another."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NoReturn

from ssdlab.importers.detect import Cells
from ssdlab.importers.readings import Reading
from ssdlab.model.errors import FioOutputError
from ssdlab.model.spec import Workload


def cells_of(readings: Iterable[Reading]) -> dict[Workload, list[Reading]]:
    """Return the rounds of each cell, in order: cells as the PTS has them.

    Raises
    ------
    FioOutputError
        If two files are of the same round, or a round is missing.
    """
    cells: dict[Workload, list[Reading]] = {}
    for reading in sorted(readings, key=_order):
        cells.setdefault(reading.workload, []).append(reading)
    for workload, rounds in cells.items():
        _require_each_round(workload, rounds)
    return dict(sorted(cells.items(), key=lambda item: _place_in_pts(item[0])))


def _order(reading: Reading) -> tuple[int, float, list[tuple[int, str]]]:
    """Order by the round that a name gives, then by time, then by name."""
    time_s = float("inf") if reading.ended_s is None else reading.ended_s
    return reading.round or 0, time_s, natural(reading.name)


def natural(text: str) -> list[tuple[int, str]]:
    """Return a key that sorts ``round2`` before ``round10``."""
    parts = re.split(r"(\d{1,18})", text)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]


def _place_in_pts(workload: Workload) -> tuple[object, ...]:
    """Put reads first and large blocks first, as the loops of the PTS go."""
    return (
        workload.access,
        -workload.read_percent,
        -workload.block_size_bytes,
        workload.threads,
        workload.queue_depth,
    )


def _require_each_round(workload: Workload, rounds: Sequence[Reading]) -> None:
    named = [reading for reading in rounds if reading.round is not None]
    if not named:
        return
    if len(named) < len(rounds):
        _refuse(next(r for r in rounds if r.round is None), "its name gives no round")
    for before, after in pairwise(named):
        words = f"it is round {after.round} of {_words(workload)}"
        if before.round == after.round:
            _refuse(after, f"{words}, as is {before.path}")
        if (before.round or 0) + 1 != after.round:
            _refuse(after, f"{words}, and the round before it is missing or left out")


def _words(workload: Workload) -> str:
    threads, depth = workload.threads or "?", workload.queue_depth or "?"
    return f"{workload.label} T{threads}/Q{depth}"


def _refuse(reading: Reading, reason: str) -> NoReturn:
    raise FioOutputError(
        source=str(reading.path),
        reason=reason,
        remedy="Import each device and each series by itself and whole, or give a "
        "pattern that tells the files apart; without {round} in it time orders them.",
    )


def find_first_round(cells: Cells) -> int:
    """Return the number that the names give the first round, 1 where they give none.

    Raises
    ------
    FioOutputError
        If the cells do not begin with the same round.
    """
    first = {rounds[0].round for rounds in cells.values()} - {None}
    if len(first) > 1:
        late = max(cells.values(), key=lambda rounds: rounds[0].round or 0)[0]
        _refuse(late, "its cell begins with another round than others do")
    return min((number for number in first if number is not None), default=1)


def is_round_by_round(cells: Cells) -> bool:
    """Tell whether no round began before the one before it had ended.

    Files without times leave it open; they count as the PTS has it.
    """
    counts = {len(rounds) for rounds in cells.values()}
    if len(counts) > 1:
        return False
    last_s = float("-inf")
    for of_round in zip(*cells.values(), strict=True):
        times = [reading.ended_s for reading in of_round]
        known = [time for time in times if time is not None]
        if known and min(known) < last_s:
            return False
        last_s = max([last_s, *known])
    return True
