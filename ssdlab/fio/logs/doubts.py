"""Every doubt about a log of fio, in words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ssdlab.fio.document import Doubt
from ssdlab.fio.from_json.values import is_known_version
from ssdlab.fio.logs.layout import Layout, describe_choice
from ssdlab.fio.logs.sums import LogSums

LATENCIES = frozenset({"lat", "slat", "clat"})
_RATES_OF_AN_IO: Mapping[str, str] = {
    "iops": "its value is 1: the IOPS of a second are the count of its rows",
    "bw": "its value is the block size over the latency: the data rate of a second is "
    "the sum of its block sizes, not a mean of its rows",
}


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class LogReading:
    """How a log was read; ``others`` are layouts that would fit it as well.

    ``damage`` tells what is wrong with the archive that it came from, if anything.
    """

    kind: str
    layout: Layout
    others: tuple[Layout, ...]
    fio_version: str | None
    unit_ns: int
    sums: LogSums
    rest: bytes
    damage: str

    def is_zero(self, place: int) -> bool:
        """Tell whether a column behind the direction is 0 throughout."""
        return not self.sums.nonzero >> place & 1

    @property
    def is_averaged(self) -> bool:
        """Whether lines are those of intervals: such have a block size of 0."""
        if "block size" not in self.layout or not self.sums.row_count:
            return False
        return self.is_zero(self.layout.index("block size"))

    @property
    def is_of_each_io(self) -> bool:
        """Whether lines are those of single IOs: such have a block size."""
        has_rows = "block size" in self.layout and self.sums.row_count > 0
        return has_rows and not self.is_averaged


def find_log_doubts(reading: LogReading) -> tuple[Doubt, ...]:
    """Return every doubt about a log."""
    lines = _of_lines(reading.sums, reading.rest)
    return (*_of_archive(reading), *lines, *_of_meaning(reading), *_of_time(reading))


def _of_archive(reading: LogReading) -> Iterator[Doubt]:
    if reading.damage:
        meaning = f"the archive is damaged ({reading.damage}): what follows is lost"
        yield Doubt(
            kind="truncated-archive", place="file", meaning=meaning, is_grave=True
        )


def _of_lines(sums: LogSums, rest: bytes) -> Iterator[Doubt]:
    if sums.damaged_count:
        numbers = ", ".join(str(place + 1) for place in sums.damaged_places)
        more = ", ..." if sums.damaged_count > len(sums.damaged_places) else ""
        meaning = (
            f"{sums.damaged_count} lines are damaged and were left out: lines "
            f"{numbers}{more}"
        )
        yield Doubt(kind="damaged-lines", place="file", meaning=meaning, is_grave=True)
    if rest:
        yield Doubt(
            kind="cut-short",
            place=f"line {sums.line_count + 1}",
            meaning="the last line has no end and was left out",
            is_grave=True,
        )
    if not sums.row_count:
        meaning = "the log has no rows: nothing was measured"
        yield Doubt(kind="no-rows", place="file", meaning=meaning)


def _of_meaning(reading: LogReading) -> Iterator[Doubt]:
    if reading.kind == "unknown":
        yield Doubt(
            kind="unknown-kind",
            place="file",
            meaning="neither its name nor the caller says what it logs: its values "
            "stand as fio wrote them",
        )
    if not reading.sums.row_count:
        return
    if reading.kind in LATENCIES:
        yield from _of_unit(reading)
    if len(reading.layout) > 4:
        yield _of_columns(reading)
    if reading.is_averaged:
        yield Doubt(
            kind="averaged",
            place="file",
            meaning="the block size is 0 throughout: a row is of an interval, which "
            "ends at its time, not of an IO, and so are percentiles; its value is the "
            "mean, or with log_max_value the greatest",
        )
    if reading.is_of_each_io and (words := _RATES_OF_AN_IO.get(reading.kind)):
        meaning = f"a row is of an IO, and {words}"
        yield Doubt(kind="rate-of-each-io", place="file", meaning=meaning)


def _of_time(reading: LogReading) -> Iterator[Doubt]:
    if not reading.sums.back_count:
        return
    meaning = (
        f"the time goes back {reading.sums.back_count} times: several threads or "
        "runs, one after the other; a row is of one of them"
    )
    if reading.kind not in LATENCIES:
        meaning += ", so that their rates have to be added"
    yield Doubt(kind="time-goes-back", place="file", meaning=meaning)


def _of_unit(reading: LogReading) -> Iterator[Doubt]:
    if reading.unit_ns > 1:
        meaning = "latencies were kept in whole us"
        yield Doubt(kind="microseconds", place="file", meaning=meaning)
    version = reading.fio_version
    is_told = version is not None and is_known_version(version)
    if is_told or not may_be_microseconds(reading.layout):
        return
    if len(reading.layout) < 4:
        meaning = "a log of three columns is of fio before 2.99, which logged us"
    else:
        meaning = (
            "latencies are read as ns; fio before 2.99 wrote us into a log of such "
            "columns: give the version of fio"
        )
    yield Doubt(
        kind="unit-assumed",
        place="file",
        meaning=meaning,
        is_grave=len(reading.layout) > 3,
    )


def may_be_microseconds(layout: Sequence[str]) -> bool:
    """Tell whether a fio before 2.99 wrote such columns: it logged no priority."""
    return not {"priority", "priority flag"}.intersection(layout)


def _of_columns(reading: LogReading) -> Doubt:
    is_zero = [reading.is_zero(place) for place in range(len(reading.layout))]
    words = describe_choice(reading.layout, is_zero=is_zero, others=reading.others)
    kind = "ambiguous-columns" if reading.others else "columns"
    directions = {layout.index("direction") for layout in reading.others}
    is_grave = not directions <= {reading.layout.index("direction")}
    return Doubt(kind=kind, place="file", meaning=words, is_grave=is_grave)
