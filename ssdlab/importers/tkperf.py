"""TKperf's XML result: every round of every cell, without fio output.

This was written from TKperf's source, without a sample file: the result of each test is
an element that holds elements of JSON text, among them the matrices of all rounds
(``roundmat``) and the steady state (``stdyrounds``, ``stdyvalues``, ``stdyslope``,
``stdyavg``, ``reachstdystate``, ``rndnr``). So names are matched leniently and shapes
strictly: what is not understood is refused.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn
from xml.etree import ElementTree as ET

from ssdlab.importers.readings import Reading
from ssdlab.importers.sources import SourceFile
from ssdlab.model.departure import Departure
from ssdlab.model.errors import FioOutputError
from ssdlab.model.spec import Access, Workload
from ssdlab.model.step import StepResult
from ssdlab.model.units import KIB
from ssdlab.pts.iops.spec import Iops
from ssdlab.pts.lat.spec import Lat
from ssdlab.pts.profiles import PROFILES
from ssdlab.pts.tp.spec import Tp

_NS_PER_US = 1000.0
_IOPS, _LAT = PROFILES["tkperf"][Iops], PROFILES["tkperf"][Lat]
_TP_BLOCK_SIZES = PROFILES["tkperf"][Tp].block_sizes
_Numbers = Mapping[str, float]
_MAX_BYTES = 1 << 26
_TESTS = (  # letters of an element's name, and its test
    (re.compile(r"iops"), "iops"),
    (re.compile(r"writesat|wsat|saturation"), "wsat"),
    (re.compile(r"^lat|latency|lat$"), "lat"),
    (re.compile(r"^tp|throughput|tp$"), "tp"),
)
_MATRICES = ("roundmat", "roundmats", "roundmatrices", "rndmatrices")
MIXED_LATENCIES = Departure(
    code="import-numbers",
    subject="mixed latencies",
    done="TKperf's mean, minimum and maximum of 65/35 are 0.65 x that of reads + 0.35 "
    "x that of writes, which need not be the latency of any IO",
)
_ONLY_ROUNDS = Departure(
    code="import-numbers",
    subject="raw output",
    done="TKperf keeps no fio output, so bytes, percentiles and times are unknown",
)


def fail(path: Path, reason: str) -> NoReturn:
    """Refuse the file."""
    raise FioOutputError(
        source=str(path),
        reason=reason,
        remedy="Give the complete, unchanged XML file of TKperf.",
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Workers:
    """Jobs and depth; 0 is unknown."""

    jobs: int = 0
    depth: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """A place in the file, for errors, and what holds for all cells."""

    path: Path
    test: str
    workers: Workers

    def fail(self, reason: str) -> NoReturn:
        """Refuse the file because of this test."""
        fail(self.path, f"{self.test.upper()}: {reason}")

    def numbers(self, value: Any, count: int) -> list[float]:
        """Return a list of ``count`` finite numbers that are not negative."""
        if not isinstance(value, list) or len(value) != count:
            self.fail(f"a list of {count} numbers was expected")
        if not all(_is_number(number) for number in value):
            self.fail("a value is negative or not a number")
        return [float(number) for number in value]


def _is_number(value: object) -> bool:
    is_plain = isinstance(value, int | float) and not isinstance(value, bool)
    return is_plain and math.isfinite(value) and value >= 0  # type: ignore[arg-type, operator] # just checked


def _grid(
    place: Place, matrix: Any, shape: tuple[Sequence[int], Sequence[int]]
) -> Iterator[tuple[int, int, Any]]:
    """Yield mix, size and entry of one round: rows are mixes, columns are sizes.

    A drive with 4 KiB sectors lacks the last column, 512 B.
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
    """Return latencies in ns; TKperf has minimum, maximum and mean in us."""
    least, greatest, mean = (v * _NS_PER_US for v in place.numbers(entry, 3))
    if not least <= mean <= greatest:
        place.fail("a mean latency is not between minimum and maximum")
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
        place.fail("the numbers of latencies and IOPS differ")
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


@dataclass(frozen=True, kw_only=True, slots=True)
class TkperfFile:
    """One TKperf result: its tests with every round, and its device."""

    path: Path
    device: str
    readings: Mapping[str, tuple[Reading, ...]]
    departures: tuple[Departure, ...]


def find_tkperf(sources: Sequence[SourceFile]) -> SourceFile | None:
    """Return the XML file of an import, None if it has fio files."""
    named = [s for s in sources if s.path.suffix.lower() == ".xml" and s.is_named]
    found = named or [s for s in sources if s.path.suffix.lower() == ".xml"]
    if not found or (not named and len(sources) > len(found)):
        return None
    if len(sources) > 1:
        raise FioOutputError(
            source=str(found[0].path),
            reason="a TKperf result cannot be imported with other files",
            remedy="Import it by itself.",
        )
    return found[0]


def read_tkperf(source: SourceFile) -> TkperfFile:
    """Read a TKperf result."""
    root = _parse(source.path)
    readings: dict[str, tuple[Reading, ...]] = {}
    workers = _workers_of(root)
    for element in root.iter():
        test_id = _test_of(element)
        if test_id is None:
            continue
        if test_id in readings:
            fail(source.path, f"it has two results of {test_id.upper()}")
        place = Place(path=source.path, test=test_id, workers=workers)
        readings[test_id] = tuple(READ[test_id](place, _matrix(place, element)))
    if not readings:
        fail(source.path, "it has no TKperf rounds (no element roundmat)")
    mixed = (MIXED_LATENCIES,) if "lat" in readings else ()
    return TkperfFile(
        path=source.path,
        device=_device(root),
        readings=readings,
        departures=(_ONLY_ROUNDS, *mixed),
    )


def _parse(path: Path) -> ET.Element:
    """Return the root of an XML file that declares nothing: no DTD, no entity."""
    try:
        data = path.read_bytes()
    except OSError as error:
        fail(path, f"it cannot be read ({error.strerror})")
    if len(data) > _MAX_BYTES:
        fail(path, "it is too large for a TKperf result")
    plain = data.replace(b"\0", b"")  # so that UTF-16 cannot hide a declaration
    if re.search(rb"<!\s*(?:DOCTYPE|ENTITY)", plain, re.IGNORECASE):
        fail(path, "it declares a document type, which TKperf results do not")
    try:
        return ET.fromstring(data)  # noqa: S314 - it declares nothing
    except (ET.ParseError, ValueError, LookupError) as error:
        fail(path, f"it is not valid XML ({error})")


def _test_of(element: ET.Element) -> str | None:
    """Return the test of an element with rounds."""
    if not any(_name(child) in _MATRICES for child in element):
        return None
    name = _name(element)
    return next((test for shape, test in _TESTS if shape.search(name)), None)


def _name(element: ET.Element) -> str:
    return re.sub(r"[^a-z]", "", str(element.tag).rpartition("}")[2].lower())


def _workers_of(root: ET.Element) -> Workers:
    """Return jobs and depth, if there are elements with those names."""
    found = {"numjobs": 0, "iodepth": 0}
    for element in root.iter():
        text = (element.text or "").strip().strip('"')
        if _name(element) in found and re.fullmatch(r"\d{1,6}", text):
            found[_name(element)] = int(text)
    return Workers(jobs=found["numjobs"], depth=found["iodepth"])


def _device(root: ET.Element) -> str:
    """Return the name of the device, if an element holds it as plain text."""
    for wanted in ("model", "device", "devname"):
        for element in root.iter():
            text = (element.text or "").strip().strip('"')
            if _name(element) == wanted and text and "\n" not in text[:200]:
                return text[:200]
    return ""


def _matrix(place: Place, element: ET.Element) -> list[Any]:
    (child, *more) = [c for c in element if _name(c) in _MATRICES]
    if more:
        place.fail("its rounds occur twice")
    try:
        value = json.loads(child.text or "")
    except (ValueError, RecursionError) as error:
        place.fail(f"its rounds are not valid JSON ({error})")
    if not isinstance(value, list) or not value:
        place.fail("its rounds are not a list")
    return value
