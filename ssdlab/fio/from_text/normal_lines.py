"""The lines of fio's normal output, each recognised by its format.

A line that begins like one of fio's but does not continue like one is ``damaged`` and
names what it would be; a line that is not fio's, or has nothing that is read here, has
no kind (``None``).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

LineKind = Literal[
    "banner",
    "client",
    "definition",
    "start",
    "entry",
    "side",
    "old-side",
    "latency",
    "heading",
    "percentiles",
    "bandwidth",
    "iops",
    "cpu",
    "issued",
    "errors",
    "steadystate",
    "group",
    "group-side",
    "old-group-side",
    "disks",
    "disk",
    "damaged",
]


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """One line: its kind, its parts, its number from 1.

    ``is_ended``: a line end followed. ``host`` is its server in a client/server run.
    """

    kind: LineKind | None
    parts: tuple[str, ...]
    number: int
    text: str
    is_ended: bool
    host: str = ""


_LONGEST = 1024  # fio's own are shorter; it limits the cost of matching
_ESCAPE = re.compile(  # terminal escape sequences, such as the colours of grep
    r"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b\r\n]*(?:\x07|\x1b\\)|[@-Z\\^_])"
)
_ROW = re.compile(r"([^\r\n]*)(\r\n?|\n|\Z)")
_EMPTY_OR_JSON = re.compile(r"\s*$|\s+[\"{}\]]")
_WITHOUT_COLON = ("|", "fio-", "fio ", "Starting ", "hostname=")
_INT = r"([0-9]{1,18})"
_NUMBER = r"\s*([^,\s]+)"
_SPREAD = rf"min={_NUMBER}\s*, max={_NUMBER}\s*"
_MEAN = rf"avg={_NUMBER}, stdev={_NUMBER}"
_PAIR = rf"{_INT}/{_INT}"
_TRIPLE = rf"r={_INT}/w={_INT}/d={_INT}"
_FOUR = rf"{_INT},{_INT},{_INT}(?:,{_INT})?"
_UNIT = r"\((nsec|usec|msec|sec)\)"
_COUNTER = r"(-?[0-9]{1,20})"  # of the kernel, which may wrap
_COUNTERS = rf"{_COUNTER}/{_COUNTER}"
_UTIL = r"(-?(?:[0-9.]+|nan|inf))%"
_DISK = (
    rf"ios={_COUNTERS},(?: sectors=[0-9/-]+,)? merge={_COUNTERS}, "
    rf"ticks={_COUNTERS}, in_queue={_COUNTER}, util={_UTIL}"
)
_MEMBERS = (
    rf", aggrios={_COUNTERS},(?: aggsectors=[0-9/-]+,| aggrsectors=[0-9/-]+,)? "
    rf"aggrmerge={_COUNTERS}, aggrticks={_COUNTERS}, aggrin_queue={_COUNTER}, "
    rf"aggrutil={_UTIL}"
)

# Each kind of line: its beginning, and its whole format.
_FORMS: tuple[tuple[LineKind, str, str], ...] = (
    ("percentiles", r"\|", r"\|((?:\s*[0-9.]+th=\[\s*[0-9]+\],?)+)"),
    (
        "side",
        r"(?:read|write|trim|mixed)\s*: (?:IOPS=|io=)",
        (
            r"(\w+)\s*: IOPS=([^,\s]+), BW=([^\s()]+) \(([^)]*)\)"
            rf"\(([^)/]+)/{_INT}msec\)(?:;.*)?"
        ),
    ),
    (
        "latency",
        r"(?:slat|clat|lat|sync) \((?![a-z]{4}\)\s*: (?:>=)?[0-9])",
        rf"(\w+) {_UNIT}\s*: {_SPREAD}, {_MEAN}",
    ),
    (
        "heading",
        r"(?:slat|clat|lat|sync) percentiles ",
        rf"(\w+) percentiles {_UNIT}:",
    ),
    (
        "bandwidth",
        r"bw \(",
        (
            rf"bw \(\s*(\w+)\s*/s\)\s*: {_SPREAD}, per={_NUMBER}%, {_MEAN}"
            r"(?:, samples=\s*[0-9]+)?"
        ),
    ),
    ("iops", r"iops\s+: ", rf"iops\s+: {_SPREAD}, {_MEAN}(?:, samples=\s*[0-9]+)?"),
    ("cpu", r"cpu\s+: ", rf"cpu\s+: usr={_NUMBER}%, sys={_NUMBER}%, ctx=.*minf=.*"),
    (
        "issued",
        r"issued\b",
        rf"issued rwts?: total={_FOUR},? short={_FOUR},? dropped={_FOUR}",
    ),
    ("errors", r"errors\s+: ", rf"errors\s+: total={_INT}, first_error=.*"),
    ("steadystate", r"steadystate\s+: ", r"steadystate\s+: (.*)"),
    ("group", r"Run status group ", rf"Run status group {_INT} \(all jobs\):"),
    (
        "group-side",
        r"(?:READ|WRITE|TRIM|MIXED): ",
        rf"(\w+): bw=.*, io=([^\s,]+)(?: \([^)]*\))?, run={_INT}-{_INT}msec",
    ),
    ("disks", r"Disk stats \(", r"Disk stats \(read/write\):"),
    ("start", r"Starting [0-9]", r"Starting [0-9]+ .*"),
    ("banner", r"fio[- ][0-9]", r"(fio[- ][0-9]+\.[0-9]\S*)"),
    ("client", r"hostname=", r"hostname=([^,]*), be=.*, fio=([^,]*).*"),
)
# Forms of fio 2.x with the same beginning.
_OLD_FORMS: dict[LineKind, tuple[LineKind, str]] = {
    "side": (
        "old-side",
        (
            rf"(\w+)\s*: io={_NUMBER}, bw={_NUMBER}, iops={_NUMBER}\s*, "
            rf"runt=\s*{_INT}msec"
        ),
    ),
    "issued": (
        "issued",
        rf"issued\s+: total={_TRIPLE}, short={_TRIPLE}(?:, drop={_TRIPLE})?",
    ),
    "group-side": (
        "old-group-side",
        rf"(\w+): io={_NUMBER}, aggrb=.*, mint=\s*{_INT}msec, maxt=\s*{_INT}msec",
    ),
}
_BEGINNINGS = re.compile("|".join(f"({begin})" for _, begin, _ in _FORMS), re.ASCII)
_KINDS = tuple(kind for kind, _, _ in _FORMS)
_WHOLE = {kind: re.compile(form, re.ASCII) for kind, _, form in _FORMS}
_WHOLE_OLD = {
    kind: (old_kind, re.compile(form, re.ASCII))
    for kind, (old_kind, form) in _OLD_FORMS.items()
}
_WITHOUT_NUMBERS: frozenset[LineKind] = frozenset({
    "banner",
    "client",
    "definition",
    "start",
    "disks",
})
_ENTRY = re.compile(
    rf"{_INT}, jobs={_INT}\): err=\s*(-?[0-9]{{1,10}})(?: \(.*\))?: pid=(.*)",
    re.ASCII,
)
_DEFINITION = re.compile(
    rf"{_INT}\): rw=([^,\s]+), bs=(.*), ioengine=([^,\s]+)"
    r"(?:, iodepth=([0-9]{1,9}))?(?:,.*)?",
    re.ASCII,
)
_DISK_LINE = re.compile(rf"{_DISK}(?:{_MEMBERS})?", re.ASCII)
_HOST = re.compile(r"<([^<>\s]{1,255})>(?: |$)")
_JOB_MARKS: tuple[tuple[str, LineKind, re.Pattern[str]], ...] = (
    (": (groupid=", "entry", _ENTRY),
    (": (g=", "definition", _DEFINITION),
)
_DISK_MARK = ": ios="


# Text of fio besides its results; JSON and terse lines are results in another form.
_CHATTER = re.compile(
    r"\s|[{}]|\.\.\.|<[^>]*>|Jobs: |[2-5];|.*: Laying out IO", re.ASCII
)


def is_foreign(row: str) -> bool:
    """Tell whether a line is not output of fio in any form, such as its errors."""
    if not row.strip() or _CHATTER.match(row):
        return False
    return _read(row[:_LONGEST].strip())[0] is None


def iterate_rows(text: str) -> Iterator[tuple[str, bool]]:
    """Yield each line of a text, and whether it was ended, by any line ending.

    A carriage return alone ends one, as in fio's progress. Terminal escape sequences
    are left out.
    """
    if "\x1b" in text:
        text = _ESCAPE.sub("", text)
    for match in _ROW.finditer(text):
        yield match[1], bool(match[2])


def iterate_lines(text: str) -> Iterator[Line]:
    """Yield every line of a text except empty ones and those within JSON."""
    for number, (row, is_ended) in enumerate(iterate_rows(text), start=1):
        if row and not _EMPTY_OR_JSON.match(row):
            yield _line(row, number, is_ended=is_ended)


def _line(row: str, number: int, *, is_ended: bool) -> Line:
    text = row.strip()
    if len(text) > _LONGEST:
        return Line(kind=None, parts=(), number=number, text="", is_ended=is_ended)
    host = ""
    if text.startswith("<") and (match := _HOST.match(text)):
        host, text = match[1], text[match.end() :].strip()
    kind, parts = _read(text)
    return Line(
        kind=kind,
        parts=parts,
        number=number,
        text=row[:_LONGEST],
        is_ended=is_ended,
        host=host,
    )


def _read(text: str) -> tuple[LineKind | None, tuple[str, ...]]:
    if ":" not in text and not text.startswith(_WITHOUT_COLON):
        return None, ()
    for mark, kind, form in _JOB_MARKS:
        name, found, rest = text.rpartition(mark)
        if found:
            return _whole(kind, form.fullmatch(rest), name)
    beginning = _BEGINNINGS.match(text)
    if beginning is not None and beginning.lastindex is not None:
        return _read_form(_KINDS[beginning.lastindex - 1], text)
    name, found, rest = text.rpartition(_DISK_MARK)
    if found:
        return _whole("disk", _DISK_LINE.fullmatch(f"ios={rest}"), name)
    return None, ()


def _read_form(kind: LineKind, text: str) -> tuple[LineKind | None, tuple[str, ...]]:
    match = _WHOLE[kind].fullmatch(text)
    if match is None and kind in _WHOLE_OLD:
        kind, form = _WHOLE_OLD[kind]
        match = form.fullmatch(text)
    return _whole(kind, match)


def _whole(
    kind: LineKind, match: re.Match[str] | None, name: str | None = None
) -> tuple[LineKind | None, tuple[str, ...]]:
    if match is None:
        return (None, ()) if kind in _WITHOUT_NUMBERS else ("damaged", (kind,))
    parts = tuple(part or "" for part in match.groups())
    return kind, parts if name is None else (name, *parts)
