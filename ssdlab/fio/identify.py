"""Identify a file by its beginning: fio's output, one of its logs, or a job file."""

import re
from typing import Literal

from ssdlab.fio.encodings import guess_encoding

FileKind = Literal["output", "log", "histogram-log", "job-file", "other"]

HEAD_BYTES = 1 << 16

_LINES_LOOKED_AT = 20
_TERSE_HEAD_BYTES = 1 << 14
_LEAST_HISTOGRAM_FIELDS = 20  # three, and 19 bins at the greatest coarseness
_MOST_STRANGE_RATIO = 0.02
_STRANGE = bytes({*range(32), 127} - set(b"\t\n\v\f\r\b\x1b"))

_JSON_MARKS = (b'"fio version"', b'\\"fio version\\"')
# Each begins with a rare string, so that much text is searched quickly.
_NORMAL_MARKS = (
    re.compile(rb": \(g=\d+\): rw="),
    re.compile(rb": \(groupid=\d+, jobs=\d+\): err="),
)
_TERSE_MARK = re.compile(rb";fio[- ](?:[^;\n]*;){40}")
_TERSE_2_MARK = re.compile(rb"\n2;[^\n]{0,400}?;\d+;-?\d+;\d+;\d+;(?:[^;\n]*;){40}")
# A maximum may precede the direction, and four more columns may follow it.
_LOG_LINE = re.compile(
    r"\s*\d+\s*,\s*-?\d+\s*(?:,\s*\d+\s*)?,\s*[0-3]\s*"
    r"(?:,\s*(?:0x)?[0-9a-fA-F]+\s*){0,5}"
)
_HISTOGRAM_LINE = re.compile(r"\s*\d+\s*,\s*[0-3]\s*,\s*\d+(?:\s*,\s*\d+)*\s*,?\s*")
_SECTION = re.compile(r"\[[^\]\n]+\]")
_JOB_OPTION = re.compile(
    r"\s*(?:rw|readwrite|ioengine|iodepth|numjobs|bs|blocksize|bsrange|bssplit|size"
    r"|filename|directory|runtime|time_based|direct|rwmixread|stonewall)\s*(?:=|$)"
)


def identify(head: bytes) -> FileKind:
    """Return the kind of a file from its first ``HEAD_BYTES``.

    If fio's output comes late in other text, the head does not show it.
    """
    encoding = guess_encoding(head)
    if holds_output(head, encoding):
        return "output"
    if not is_text(head):
        return "other"
    text = head.decode(encoding, "replace")
    lines = [line for line in text.splitlines() if line.strip()]
    if len(head) >= HEAD_BYTES:
        lines = lines[:-1] or [text[: text.rfind(",")]]
    return _kind_of_lines(lines)


def is_text(head: bytes) -> bool:
    """Tell whether nearly all of it is text."""
    if guess_encoding(head).startswith("utf-16"):
        return True
    strange = len(head) - len(head.translate(None, _STRANGE))
    return strange <= _MOST_STRANGE_RATIO * len(head)


def holds_output(content: bytes, encoding: str) -> bool:
    """Tell whether it contains anything that only fio writes."""
    if encoding.startswith("utf-16"):
        content = content.replace(b"\0", b"")
    if any(mark in content for mark in _JSON_MARKS) or any(
        mark.search(content) for mark in _NORMAL_MARKS
    ):
        return True
    if b";" not in content:
        return False
    begin = b"\n" + content[:_TERSE_HEAD_BYTES]
    if _TERSE_MARK.search(content):
        return True
    return any(map(_TERSE_2_MARK.search, (begin, content)))


def _kind_of_lines(lines: list[str]) -> FileKind:
    first = lines[:_LINES_LOOKED_AT]
    if not first:
        return "other"
    if all(map(_LOG_LINE.fullmatch, map(str.rstrip, first))):
        return "log"
    fields = min(line.count(",") for line in first) + 1
    if fields >= _LEAST_HISTOGRAM_FIELDS and all(map(_HISTOGRAM_LINE.fullmatch, first)):
        return "histogram-log"
    return "job-file" if _is_job_file(lines) else "other"


def _is_job_file(lines: list[str]) -> bool:
    said = [line for line in lines if line.lstrip()[:1] not in {"#", ";"}]
    if not said or not _SECTION.match(said[0].strip()):
        return False
    return any(map(_JOB_OPTION.match, said))
