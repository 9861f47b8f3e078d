"""The departures of an imported run: what it does not record or did differently."""

from collections.abc import Iterator, Sequence

from ssdlab.importers.arrange import ArrangedTest
from ssdlab.importers.detect import CUSTOM
from ssdlab.importers.readings import Reading
from ssdlab.importers.rounds import MissingRound, cell_text
from ssdlab.importers.sources import LeftOut
from ssdlab.model.departure import Departure
from ssdlab.model.spec import Rounds, Workload
from ssdlab.model.step import Step
from ssdlab.model.units import duration_label
from ssdlab.pts.departures import clause_of
from ssdlab.pts.iops.spec import THREE_TRACKING
from ssdlab.pts.profiles import PROFILES
from ssdlab.pts.shared.settings import Flow, MatrixRounds
from ssdlab.pts.suite import CATALOG

_NOMINAL = PROFILES["pts-2.0-enterprise"]
_CELL_S = _NOMINAL[MatrixRounds].cell_s
_SECONDS_TOLERANCE = 1.0
_MOST_NAMED = 10
_UNJUDGED = (CUSTOM, "rounds")
Gap = tuple[Step, float]


def find_import_departures(
    tests: Sequence[ArrangedTest], left_out: Sequence[LeftOut], gaps: Sequence[Gap]
) -> tuple[Departure, ...]:
    """Return each departure of an imported run; there always is one."""
    pairs = [pair for arranged in tests for pair in arranged.steps]
    readings = [reading for _, reading in pairs]
    has_fills = any(step.kind == "precondition" for step, _ in pairs)
    unknown = (
        "purge and write cache"
        if has_fills
        else ("purge, preconditioning and write cache")
    )
    return (
        Departure(
            code="imported",
            subject="imported",
            done=f"{unknown} are unknown, and so is what the device did between files",
        ),
        *(line for arranged in tests for line in find_test_departures(arranged)),
        *(line for arranged in tests for line in _of_missing(arranged)),
        *_of_times(readings),
        *_of_gaps(gaps),
        *_of_origin(readings),
        *_of_forms(readings),
        *_of_order(readings),
        *_of_values(readings),
        *_of_left_out(left_out),
    )


def find_test_departures(arranged: ArrangedTest) -> Iterator[Departure]:
    """Yield how a test differs from the PTS, as far as its cells show."""
    test_id = arranged.test.test_id
    if test_id == CUSTOM:
        done = "these workloads do not belong to a PTS test"
        yield Departure(code="import-cells", subject="test", done=done)
        return
    cells = _cells(arranged)
    if arranged.is_cell_by_cell:
        yield _of_test(
            "order",
            test_id,
            "cells were measured one after another, not round by round, so each has "
            "its own measurement window",
        )
    yield from _of_cells(test_id, cells)
    first = arranged.series.first_round
    if first != 1:
        yield _of_test("rounds", test_id, f"numbered from {first}, renumbered from 1")
    lengths = {
        round(reading.runtime_s)
        for step, reading in arranged.steps
        if step.kind == "cell" and reading.runtime_s is not None
    }
    if any(abs(length - _CELL_S) > _SECONDS_TOLERANCE for length in lengths):
        least, most = duration_label(min(lengths)), duration_label(max(lengths))
        words = least if least == most else f"{least} to {most}"
        yield _of_test(
            "time of a cell",
            test_id,
            words,
            asked=duration_label(_CELL_S),
            code="time-scaled",
        )


def _of_test(
    what: str, test_id: str, done: str, *, asked: str = "", code: str = "import-cells"
) -> Departure:
    return Departure(
        code=code,
        subject=f"{what} of {test_id.upper()}",
        done=done,
        asked=asked,
        clause=clause_of([test_id]),
        tests=(test_id,),
    )


def _cells(arranged: ArrangedTest) -> list[Workload]:
    kinds = {"cell", "mean"}
    cells = (step.workload for step, _ in arranged.steps if step.kind in kinds)
    return list(dict.fromkeys(cell for cell in cells if cell is not None))


def _of_cells(test_id: str, cells: Sequence[Workload]) -> Iterator[Departure]:
    """Compare the cells with those of the PTS, regardless of TC/QD."""
    nominal = {
        (cell.access, cell.block_size_bytes, cell.read_percent)
        for phase in CATALOG[test_id].plan(_NOMINAL).phases
        if isinstance(phase, Rounds)
        for cell in phase.cells
    }
    accesses = {cell.access for cell in cells}
    asked = {access for access, _, _ in nominal}
    if asked and accesses != asked:
        words = {"rnd": "random", "seq": "sequential"}
        yield _of_test(
            "access", test_id, words[accesses.pop()], asked=words[asked.pop()]
        )
    shapes = {(cell.block_size_bytes, cell.read_percent) for cell in cells}
    wanted = {(size, mix) for _, size, mix in nominal}
    if wanted and shapes != wanted:
        extra = len(shapes - wanted)
        more = f", plus {extra} others" if extra else ""
        there = len(shapes & wanted)
        yield _of_test(
            "cells", test_id, f"{there} of the {len(wanted)} of the PTS{more}"
        )
    if test_id == "iops":
        for tracked in THREE_TRACKING:
            if (tracked.block_size_bytes, tracked.read_percent) not in shapes:
                done = f"{tracked.label} was not measured"
                yield _of_test("tracking variables", test_id, done)


def _of_missing(arranged: ArrangedTest) -> Iterator[Departure]:
    """Yield the rounds that were not read, and the files of unknown round."""
    test_id, series = arranged.test.test_id, arranged.series
    if series.missing:
        gaps = "; ".join(map(_gap_text, series.missing[:_MOST_NAMED]))
        more = len(series.missing) - _MOST_NAMED
        yield _missing(
            test_id,
            f"cells not read: {len(series.missing)}; no measurement window includes or "
            f"spans their rounds: {gaps}" + (f"; and {more} more" if more > 0 else ""),
        )
    if series.unplaced:
        first = series.unplaced[0]
        yield _missing(
            test_id,
            f"unreadable files of unknown cell or round: {len(series.unplaced)}; a "
            f"measurement window may span one; for example {first.path} ({first.why})",
        )


def _missing(test_id: str, done: str) -> Departure:
    is_known = test_id in CATALOG
    return Departure(
        code="import-rounds-missing",
        subject=f"missing rounds of {test_id.upper()}",
        done=done,
        clause=clause_of([test_id]) if is_known else "",
        tests=(test_id,),
    )


def _gap_text(gap: MissingRound) -> str:
    where = f"round {gap.round} of {cell_text(gap.workload)}"
    return f"{where} ({gap.file}: {gap.why})" if gap.file else f"{where} ({gap.why})"


def _of_times(readings: Sequence[Reading]) -> Iterator[Departure]:
    files = [reading for reading in readings if not reading.rows]
    unknown = sum(reading.when_s is None for reading in files)
    vague = sum(reading.ended_s is None for reading in files) - unknown
    if vague:
        yield _of_run(
            "import-times",
            "times",
            f"of {vague} of {len(files)} results only the order is known, not the time "
            "of measurement or the pauses between them",
        )
    if unknown:
        yield _of_run(
            "import-times",
            "times",
            f"{unknown} of {len(files)} files do not record when they were written; "
            "they are ordered by name",
        )


def _of_gaps(gaps: Sequence[Gap]) -> Iterator[Departure]:
    """Yield the idle gaps inside a phase; a run of ssdlab restarts the window there."""
    judged = (gap for step, gap in gaps if (step.test_id, step.phase_id) != _UNJUDGED)
    long = [gap for gap in judged if gap > _NOMINAL[Flow].max_idle_s]
    if long:
        yield _of_run(
            "idle-gap",
            "gaps",
            f"the device idled {len(long)} times for more than "
            f"{_NOMINAL[Flow].max_idle_s:g} s between two cells of a phase, "
            f"{duration_label(max(long))} at most; no window restarts after such a gap",
        )


def _of_origin(readings: Sequence[Reading]) -> Iterator[Departure]:
    versions = {reading.fio_version for reading in readings}
    devices = {reading.device for reading in readings}
    hosts = {host for reading in readings for host in reading.hostnames}
    for code, subject, names in (
        ("import-numbers", "versions of fio", versions - {""}),
        ("import-mixed", "devices", devices - {""}),
        ("import-mixed", "hosts", hosts),
    ):
        if len(names) > 1:
            yield _of_run(code, subject, f"{', '.join(sorted(names))} in one run")


def _of_run(code: str, subject: str, done: str) -> Departure:
    return Departure(code=code, subject=subject, done=done)


def _of_forms(readings: Sequence[Reading]) -> Iterator[Departure]:
    """Yield the outputs whose numbers fio rounded, or whose percentiles are clat."""
    of_clat = sum(reading.has_clat_levels for reading in readings)
    if of_clat:
        yield _of_run(
            "import-numbers",
            "percentiles",
            f"those of {of_clat} of {len(readings)} files are of completion latency "
            "(clat), without the submission latency that means and maxima include",
        )
    normal = sum(reading.form == "normal" for reading in readings)
    if normal:
        yield _of_run(
            "import-numbers",
            "numbers",
            f"{normal} of {len(readings)} files are normal output of fio, which has "
            "about three digits",
        )


def _of_order(readings: Sequence[Reading]) -> Iterator[Departure]:
    """Yield the results that are separate only by their job groups."""
    assumed = sum(not reading.is_order_told for reading in readings)
    if assumed:
        yield _of_run(
            "import-numbers",
            "numbers",
            f"{assumed} of {len(readings)} results are job groups in one output; they "
            "are assumed, but not known, to have run one after another",
        )


def _of_values(readings: Sequence[Reading]) -> Iterator[Departure]:
    """Yield the impossible values, which no result uses."""
    doubtful = [reading for reading in readings if reading.doubts]
    if doubtful:
        first, doubt = doubtful[0], doubtful[0].doubts[0]
        yield _of_run(
            "import-numbers",
            "values",
            f"{len(doubtful)} of {len(readings)} files have impossible values, which "
            "are dropped and affect no result; for example "
            f"{first.path}: {doubt.place}: {doubt.meaning}",
        )


def _of_left_out(left_out: Sequence[LeftOut]) -> Iterator[Departure]:
    doubtful = [entry for entry in left_out if entry.is_doubt]
    if doubtful:
        first = doubtful[0]
        yield _of_run(
            "import-left-out",
            "left out",
            f"{len(doubtful)} files that may belong to this run, such as {first.file} "
            f"({first.why})",
        )
