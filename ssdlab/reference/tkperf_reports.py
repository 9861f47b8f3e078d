"""Published reports of TKperf's: those that ship, and files of their form."""

import tomllib
from importlib.resources import files

from ssdlab.model.errors import FioOutputError, UnknownNameError
from ssdlab.model.plain import from_plain
from ssdlab.reference.tkperf_form import TkperfReport
from ssdlab.reference.tkperf_tables import printed_tests, require_sane

_FILES = {
    "tkperf-crucial-mx200": "tkperf_crucial_mx200.toml",
    "tkperf-intel-s3510": "tkperf_intel_s3510.toml",
}


def list_tkperf_reports() -> dict[str, str]:
    """Return the reports that ship with ssdlab: their names and titles."""
    return {name: read_tkperf_report(name).title for name in _FILES}


def find_tkperf_file(name: str) -> bytes:
    """Return the file of a report that ships with ssdlab."""
    if name not in _FILES:
        raise UnknownNameError(kind="reference", name=name, known=tuple(_FILES))
    return files("ssdlab.reference").joinpath(_FILES[name]).read_bytes()


def read_tkperf_report(name: str) -> TkperfReport:
    """Return a report that ships with ssdlab.

    Examples
    --------
    >>> read_tkperf_report("tkperf-intel-s3510").iops.average["4k"][-1]
    13043.8
    """
    return parse_tkperf_report(find_tkperf_file(name), source=name)


def parse_tkperf_report(data: bytes, *, source: str) -> TkperfReport:
    """Return the report in a file; its tests are whole and consistent."""
    try:
        report = from_plain(TkperfReport, tomllib.loads(data.decode()))
        require_sane(report.setup)
        tests = printed_tests(report)
    except (ValueError, RecursionError) as error:
        raise FioOutputError(
            source=source,
            reason=" ".join(str(error).split()),
            remedy="Type in what the report prints; for a template, import a reference "
            "and see source/ in its run.",
        ) from error
    if not tests:
        raise FioOutputError(
            source=source,
            reason="it has none of the tables iops, throughput and latency",
            remedy="Type in at least one of them, with its window.",
        )
    return report
