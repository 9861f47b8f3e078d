"""Assigns files to rounds of cells, and finds missing rounds and their order."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import NoReturn

from ssdlab.importers.readings import Damaged, Reading
from ssdlab.importers.workloads import WorkloadFacts
from ssdlab.model.errors import FioOutputError
from ssdlab.model.spec import Workload


@dataclass(frozen=True, kw_only=True, slots=True)
class MissingRound:
    """A round of a cell that was not read: its file, if there is one, and why."""

    workload: Workload
    round: int
    file: str = ""
    why: str = "no file for it"


@dataclass(frozen=True, kw_only=True, slots=True)
class Series:
    """The cells of a test in the order of the PTS, and their rounds from 1.

    ``cells`` has the readings of each cell by round, in order. Other rounds are
    ``missing``. ``unplaced`` files may belong to rounds, but it is unknown to which.
    ``first_round`` is the number of the first one in the file names.
    """

    cells: Mapping[Workload, Mapping[int, Reading]]
    missing: tuple[MissingRound, ...] = ()
    unplaced: tuple[Damaged, ...] = ()
    first_round: int = 1

    def last_round(self, workload: Workload) -> int:
        """Return the last measured round of a cell, read or not."""
        missing = (gap.round for gap in self.missing if gap.workload == workload)
        return max((*self.cells[workload], *missing))


_Member = Reading | Damaged


def make_series(readings: Iterable[Reading], damaged: Sequence[Damaged] = ()) -> Series:
    """Return the rounds of each cell; an unreadable file is a missing round."""
    found: dict[Workload, list[_Member]] = {}
    for reading in readings:
        found.setdefault(reading.workload, []).append(reading)
    workloads = tuple(found)
    unplaced: list[Damaged] = []
    for each in damaged:
        homes = [w for w in workloads if _may_be_of(w, each.facts)]
        if len(homes) == 1:
            found[homes[0]].append(each)
        else:
            unplaced.append(each)
    placed = {w: _by_round(w, members) for w, members in found.items()}
    unplaced += [
        member
        for workload, members in found.items()
        for member in members
        if isinstance(member, Damaged) and not _is_among(member, placed[workload])
    ]
    first = min(min(rounds) for rounds in placed.values()) if placed else 1
    ordered = sorted(placed.items(), key=lambda item: _place_in_pts(item[0]))
    return Series(
        cells={w: _readings(rounds, first) for w, rounds in ordered},
        missing=tuple(
            gap for w, rounds in ordered for gap in _missing(w, rounds, first)
        ),
        unplaced=tuple(unplaced),
        first_round=first,
    )


_ByRound = dict[int, _Member]


def _is_among(member: Damaged, rounds: _ByRound) -> bool:
    """Tell whether a file has a round, of its own or shared with another file."""
    return member in rounds.values() or member.round in rounds


def _may_be_of(workload: Workload, facts: WorkloadFacts) -> bool:
    """Tell whether the known facts of a file do not contradict a cell."""
    for name in WorkloadFacts.__dataclass_fields__:
        found, known = getattr(facts, name), getattr(workload, name)
        is_unknown = not known and name in {"threads", "queue_depth"}
        if found is not None and found != known and not is_unknown:
            return False
    return True


def _by_round(workload: Workload, members: Sequence[_Member]) -> _ByRound:
    """Return the members of a cell by round: by their names, otherwise in order.

    An unreadable file whose round is unknown is left out.
    """
    readings = [member for member in members if isinstance(member, Reading)]
    if any(reading.round is not None for reading in readings):
        rounds: _ByRound = _by_name(workload, sorted(readings, key=_order))
        for member in members:
            if isinstance(member, Damaged) and _is_near(member.round, rounds):
                rounds.setdefault(member.round or 0, member)
        return rounds
    ordered = sorted(readings, key=_order)
    places = {
        member: place
        for member in members
        if isinstance(member, Damaged)
        and (place := _place_among(member, ordered)) is not None
    }
    together: list[_Member] = []
    for number, reading in enumerate([*ordered, None]):
        together += sorted(
            (each for each, place in places.items() if place == number),
            key=lambda each: natural(each.name),
        )
        together += [reading] if reading else []
    return dict(enumerate(together, start=1))


def _is_near(number: int | None, rounds: _ByRound) -> bool:
    """Tell whether a number is plausible as a round, given the known ones."""
    slack = len(rounds) + 1
    return number is not None and min(rounds) - slack <= number <= max(rounds) + slack


def _place_among(damaged: Damaged, ordered: Sequence[Reading]) -> int | None:
    """Return how many readings of its cell precede a file, by time or by name.

    Names count if those of the readings are in the order of their times.
    """
    times = [r.when_s for r in ordered if r.when_s is not None]
    if damaged.ended_s is not None and len(times) == len(ordered):
        return sum(time < damaged.ended_s for time in times)
    names = [natural(reading.name) for reading in ordered]
    if names == sorted(names):
        return sum(name < natural(damaged.name) for name in names)
    return None


def _readings(rounds: _ByRound, first: int) -> dict[int, Reading]:
    return {
        number - first + 1: member
        for number, member in sorted(rounds.items())
        if isinstance(member, Reading)
    }


def _missing(
    workload: Workload, rounds: _ByRound, first: int
) -> Iterator[MissingRound]:
    """Yield the rounds of a cell that were not read, from the first of all cells."""
    for number in range(first, max(rounds) + 1):
        member = rounds.get(number)
        gap = MissingRound(workload=workload, round=number - first + 1)
        if member is None:
            yield gap
        elif isinstance(member, Damaged):
            yield replace(gap, file=str(member.path), why=member.why)


def _order(reading: Reading) -> tuple[int, float, list[tuple[int, str]]]:
    """Order by the round in the name, then by time, then by name."""
    time_s = float("inf") if reading.when_s is None else reading.when_s
    return reading.round or 0, time_s, natural(reading.name)


def natural(text: str) -> list[tuple[int, str]]:
    """Return a key that sorts ``round2`` before ``round10``."""
    parts = re.split(r"(\d{1,18})", text)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]


def _place_in_pts(workload: Workload) -> tuple[object, ...]:
    """Put reads and large blocks first, in the order of the PTS loops."""
    return (
        workload.access,
        -workload.read_percent,
        -workload.block_size_bytes,
        workload.threads,
        workload.queue_depth,
    )


def _by_name(workload: Workload, readings: Sequence[Reading]) -> _ByRound:
    """Return readings by the rounds in their names."""
    for reading in readings:
        if reading.round is None:
            _refuse(reading, "its name has no round")
    numbers = [reading.round or 0 for reading in readings]
    for before, after in pairwise(readings):
        if before.round == after.round:
            words = f"it is round {after.round} of {cell_text(workload)}"
            _refuse(after, f"{words}, and so is {before.path}")
    if numbers[-1] - numbers[0] >= 2 * len(numbers):
        words = f"it is round {numbers[-1]} of {cell_text(workload)}"
        _refuse(readings[-1], f"{words}, and most of the rounds before it are missing")
    return dict(zip(numbers, readings, strict=True))


def cell_text(workload: Workload) -> str:
    """Return the name of a cell with its TC/QD."""
    threads, depth = workload.threads or "?", workload.queue_depth or "?"
    return f"{workload.label} T{threads}/Q{depth}"


def _refuse(reading: Reading, reason: str) -> NoReturn:
    raise FioOutputError(
        source=str(reading.path),
        reason=reason,
        remedy="Import each device and each complete series by itself, or give a "
        "pattern that distinguishes the files; without {round} they are ordered by "
        "time.",
    )


def is_round_by_round(series: Series) -> bool:
    """Tell whether every round began after the previous one had ended.

    Files without times are assumed to follow the PTS.
    """
    lasts = {series.last_round(workload) for workload in series.cells}
    if len(lasts) > 1:
        return False
    times: dict[int, list[float]] = {}
    for number, reading in chain.from_iterable(
        of_cell.items() for of_cell in series.cells.values()
    ):
        if reading.when_s is not None:
            times.setdefault(number, []).append(reading.when_s)
    rounds = [times[number] for number in sorted(times)]
    return all(max(before) <= min(after) for before, after in pairwise(rounds))
