"""The rounds in TKperf's XML: each test has its own shape of numbers."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from ssdlab.importers.readings import Reading
from ssdlab.model.errors import FioOutputError
from ssdlab.model.spec import Access, Workload
from ssdlab.model.step import StepResult
from ssdlab.model.units import KIB
from ssdlab.pts.iops import Iops
from ssdlab.pts.latency import Lat
from ssdlab.pts.profiles import PROFILES
from ssdlab.pts.throughput import Tp

_NS_PER_US = 1000.0
_IOPS, _LAT = PROFILES["tkperf"][Iops], PROFILES["tkperf"][Lat]
_TP_BLOCK_SIZES = PROFILES["tkperf"][Tp].block_sizes
_Numbers = Mapping[str, float]


def fail(path: Path, reason: str) -> NoReturn:
    """Refuse the file.

    Raises
    ------
    FioOutputError
        Always.
    """
    raise FioOutputError(
        source=str(path),
        reason=reason,
        remedy="Give the XML file that TKperf wrote, whole and as it wrote it.",
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Workers:
    """Jobs and depth, as far as the file tells them; 0 is unknown."""

    jobs: int = 0
    depth: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where in the file, for errors; and what holds for all cells."""

    path: Path
    test: str
    workers: Workers

    def fail(self, reason: str) -> NoReturn:
        """Refuse the file for what a test holds."""
        fail(self.path, f"{self.test.upper()}: {reason}")

    def numbers(self, value: Any, count: int) -> list[float]:
        """Return a list of so many numbers that a measurement can be."""
        if not isinstance(value, list) or len(value) != count:
            self.fail(f"a list of {count} numbers was expected")
        if not all(_is_number(number) for number in value):
            self.fail("a value is no number, or less than nothing")
        return [float(number) for number in value]


def _is_number(value: object) -> bool:
    is_plain = isinstance(value, int | float) and not isinstance(value, bool)
    return is_plain and math.isfinite(value) and value >= 0  # type: ignore[arg-type, operator] # just checked


def _grid(
    place: Place, matrix: Any, shape: tuple[Sequence[int], Sequence[int]]
) -> Iterator[tuple[int, int, Any]]:
    """Yield mix, size and entry of one round: rows are mixes, columns sizes.

    A drive of 4 KiB sectors has no column for 512 B, the last one.
    """
    mixes, sizes = shape
    if not isinstance(matrix, list) or len(matrix) != len(mixes):
        place.fail(f"a round of {len(mixes)} R/W mixes was expected")
    widths = {len(row) if isinstance(row, list) else -1 for row in matrix}
    if len(widths) > 1 or not widths <= {len(sizes), len(sizes) - 1}:
        place.fail(f"a round of {len(sizes)} block sizes was expected")
    for mix, row in zip(mixes, matrix, strict=True):
        for size, entry in zip(sizes, row, strict=False):
            yield mix, size, entry


def _read_iops(place: Place, rounds: list[Any]) -> Iterator[Reading]:
    for number, matrix in enumerate(rounds, start=1):
        for mix, size, entry in _grid(place, matrix, (_IOPS.mixes, _IOPS.block_sizes)):
            (iops,) = place.numbers([entry], 1)
            workload = _workload("rnd", (size, mix), place.workers)
            yield _reading(place, number, workload, row={"iops": iops})


def _read_latency(place: Place, rounds: list[Any]) -> Iterator[Reading]:
    one = Workers(jobs=1, depth=1)
    for number, matrix in enumerate(rounds, start=1):
        for mix, size, entry in _grid(place, matrix, (_LAT.mixes, _LAT.block_sizes)):
            workload = _workload("rnd", (size, mix), one)
            yield _reading(place, number, workload, row=_latencies(place, entry))


def _latencies(place: Place, entry: Any) -> _Numbers:
    """Return latencies in ns; TKperf has least, greatest and mean in us."""
    least, greatest, mean = (v * _NS_PER_US for v in place.numbers(entry, 3))
    if not least <= mean <= greatest:
        place.fail("a mean latency is not between the least and the greatest")
    return {"lat_min_ns": least, "lat_max_ns": greatest, "lat_mean_ns": mean}


def _read_throughput(place: Place, sizes: list[Any]) -> Iterator[Reading]:
    """Read reads and writes [KiB/s] of each block size, round by round."""
    if len(sizes) not in {len(_TP_BLOCK_SIZES), len(_TP_BLOCK_SIZES) - 1}:
        place.fail(f"{len(_TP_BLOCK_SIZES)} block sizes were expected")
    for size, sides in zip(_TP_BLOCK_SIZES, sizes, strict=False):
        is_pair = isinstance(sides, list) and len(sides) == 2
        if not is_pair or not all(isinstance(side, list) for side in sides):
            place.fail("reads and writes of each block size were expected")
        for mix, side in zip((100, 0), sides, strict=True):
            rates = place.numbers(side, len(sides[0]))
            for number, rate in enumerate(rates, start=1):
                workload = _workload("seq", (size, mix), place.workers)
                row = {"bw_bytes_per_s": rate * KIB}
                yield _reading(place, number, workload, row=row)


def _read_saturation(place: Place, lists: list[Any]) -> Iterator[Reading]:
    """Read IOPS and latencies of each round: two lists of the same length."""
    if len(lists) != 2 or not all(isinstance(each, list) for each in lists):
        place.fail("a list of IOPS and one of latencies were expected")
    rates, latencies = lists
    if len(latencies) != len(rates):
        place.fail("it has not as many latencies as IOPS")
    workload = _workload("rnd", (4 * KIB, 0), place.workers)
    values = place.numbers(rates, len(rates))
    for number, (iops, entry) in enumerate(
        zip(values, latencies, strict=True), start=1
    ):
        row = {"iops": iops, **_latencies(place, entry)}
        yield _reading(place, number, workload, row=row)


READ = {
    "iops": _read_iops,
    "lat": _read_latency,
    "tp": _read_throughput,
    "wsat": _read_saturation,
}


def _workload(access: Access, cell: tuple[int, int], workers: Workers) -> Workload:
    return Workload(
        access=access,
        block_size_bytes=cell[0],
        read_percent=cell[1],
        threads=workers.jobs,
        queue_depth=workers.depth,
    )


def _reading(
    place: Place, number: int, workload: Workload, *, row: _Numbers
) -> Reading:
    return Reading(
        path=place.path,
        group=0,
        name=f"{place.test} round {number}",
        kind="cell",
        workload=workload,
        result=StepResult(
            step_id="",
            iops=row.get("iops"),
            bw_bytes_per_s=row.get("bw_bytes_per_s"),
            lat_mean_ns=row.get("lat_mean_ns"),
        ),
        round=number,
        rows=({"direction": "total", **row},),
    )
