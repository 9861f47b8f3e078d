"""Verdicts as JUnit XML, as the schemas of Ant and Jenkins have it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal
from xml.etree import ElementTree as ET

from ssdlab.text.terminal import printable

XML_HEAD: Final = b'<?xml version="1.0" encoding="UTF-8"?>\n<!-- made by ssdlab -->\n'
Outcome = Literal["passed", "failure", "skipped"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """A test case: passed, or with a message and lines on what was found.

    ``kind`` is the type of a failure.
    """

    suite: str
    name: str
    outcome: Outcome = "passed"
    kind: str = ""
    message: str = ""
    lines: tuple[str, ...] = ()


def render_junit(
    cases: Sequence[Case],
    *,
    name: str,
    timestamp: str,
    properties: Mapping[str, str],
    output: Iterable[str],
) -> bytes:
    """Return a test suite of cases; ``timestamp`` is in ISO 8601, without an offset."""
    root = ET.Element("testsuites")
    suite = ET.SubElement(
        root,
        "testsuite",
        {
            "id": "0",
            "package": "ssdlab",
            "name": name,
            "hostname": "localhost",
            "timestamp": timestamp,
            "time": "0",
            "tests": str(len(cases)),
            "failures": str(sum(one.outcome == "failure" for one in cases)),
            "errors": "0",
            "skipped": str(sum(one.outcome == "skipped" for one in cases)),
        },
    )
    listed = ET.SubElement(suite, "properties")
    for key, value in properties.items():
        ET.SubElement(listed, "property", name=key, value=printable(value))
    for one in cases:
        _add_case(suite, one)
    for tag, lines in (("system-out", output), ("system-err", ())):
        ET.SubElement(suite, tag).text = "\n".join(map(printable, lines))
    ET.indent(root)
    return XML_HEAD + ET.tostring(root, encoding="unicode").encode() + b"\n"


def _add_case(suite: ET.Element, one: Case) -> None:
    case = ET.SubElement(
        suite,
        "testcase",
        classname=printable(f"ssdlab.{one.suite}"),
        name=printable(one.name),
        time="0",
    )
    if one.outcome == "passed":
        return
    found = ET.SubElement(case, one.outcome, message=printable(one.message))
    if one.outcome == "failure":
        found.set("type", one.kind)
    found.text = "\n".join(map(printable, one.lines))
