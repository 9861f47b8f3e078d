"""TKperf's XML result: every round of every cell, without what fio said.

No file of TKperf's was at hand when this was written, only what is known of its
source: the result of each test is an element that holds elements of JSON text, among
them the matrices of all rounds (``roundmat``) and the steady state (``stdyrounds``,
``stdyvalues``, ``stdyslope``, ``stdyavg``, ``reachstdystate``, ``rndnr``). So names are
taken tolerantly and shapes strictly: what is not understood is refused.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from ssdlab.importers.readings import Reading
from ssdlab.importers.sources import SourceFile
from ssdlab.importers.tkperf_rounds import READ, Place, Workers, fail
from ssdlab.model.departure import Departure
from ssdlab.model.errors import FioOutputError

_MAX_BYTES = 1 << 26
_TESTS = (  # name of an element without what is not a letter, and the test it is of
    (re.compile(r"iops"), "iops"),
    (re.compile(r"writesat|wsat|saturation"), "wsat"),
    (re.compile(r"^lat|latency|lat$"), "lat"),
    (re.compile(r"^tp|throughput|tp$"), "tp"),
)
_MATRICES = ("roundmat", "roundmats", "roundmatrices", "rndmatrices")
MIXED_LATENCIES = Departure(
    code="import-numbers",
    subject="mixed latencies",
    done="TKperf's mean, least and greatest of 65/35 are 0.65 x that of reads + 0.35 x "
    "that of writes, which no IO need have had",
)
_ONLY_ROUNDS = Departure(
    code="import-numbers",
    subject="raw output",
    done="TKperf kept no output of fio, so bytes, percentiles and times are not known",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class TkperfFile:
    """One result of TKperf's: its tests with every round, and its device."""

    path: Path
    device: str
    readings: Mapping[str, tuple[Reading, ...]]
    departures: tuple[Departure, ...]


def find_tkperf(sources: Sequence[SourceFile]) -> SourceFile | None:
    """Return the XML file of an import, or nothing if it is of fio's files.

    Raises
    ------
    FioOutputError
        If there is more besides an XML file that was named.
    """
    named = [s for s in sources if s.path.suffix.lower() == ".xml" and s.is_named]
    found = named or [s for s in sources if s.path.suffix.lower() == ".xml"]
    if not found or (not named and len(sources) > len(found)):
        return None
    if len(sources) > 1:
        raise FioOutputError(
            source=str(found[0].path),
            reason="it is one result of TKperf's among other files",
            remedy="Import it by itself.",
        )
    return found[0]


def read_tkperf(source: SourceFile) -> TkperfFile:
    """Read a result of TKperf's.

    Raises
    ------
    FioOutputError
        If it is no XML of TKperf's, or of another shape than is known.
    """
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
        fail(source.path, "it holds no rounds of TKperf's, no element roundmat")
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
        fail(path, "it is larger than any result of TKperf's")
    plain = data.replace(b"\0", b"")  # another encoding hides no declaration
    if re.search(rb"<!\s*(?:DOCTYPE|ENTITY)", plain, re.IGNORECASE):
        fail(path, "it declares a document type, which no result does")
    try:
        return ET.fromstring(data)  # noqa: S314 - it declares nothing
    except (ET.ParseError, ValueError, LookupError) as error:
        fail(path, f"it is no XML ({error})")


def _test_of(element: ET.Element) -> str | None:
    """Return the test that an element with rounds is of."""
    if not any(_name(child) in _MATRICES for child in element):
        return None
    name = _name(element)
    return next((test for shape, test in _TESTS if shape.search(name)), None)


def _name(element: ET.Element) -> str:
    return re.sub(r"[^a-z]", "", str(element.tag).rpartition("}")[2].lower())


def _workers_of(root: ET.Element) -> Workers:
    """Return jobs and depth as far as elements of those names hold them."""
    found = {"numjobs": 0, "iodepth": 0}
    for element in root.iter():
        text = (element.text or "").strip().strip('"')
        if _name(element) in found and re.fullmatch(r"\d{1,6}", text):
            found[_name(element)] = int(text)
    return Workers(jobs=found["numjobs"], depth=found["iodepth"])


def _device(root: ET.Element) -> str:
    """Return the words for the device, if an element holds them plainly."""
    for wanted in ("model", "device", "devname"):
        for element in root.iter():
            text = (element.text or "").strip().strip('"')
            if _name(element) == wanted and text and "\n" not in text[:200]:
                return text[:200]
    return ""


def _matrix(place: Place, element: ET.Element) -> list[Any]:
    (child, *more) = [c for c in element if _name(c) in _MATRICES]
    if more:
        place.fail("its rounds stand in it twice")
    try:
        value = json.loads(child.text or "")
    except (ValueError, RecursionError) as error:
        place.fail(f"its rounds are no JSON ({error})")
    if not isinstance(value, list) or not value:
        place.fail("its rounds are no list")
    return value
