"""The findings of a run as its report shows them: by severity, with their tests."""

from dataclasses import dataclass

from ssdlab.analysis.findings.finding import (
    SEVERITIES,
    SEVERITY_WORDS,
    Severity,
    SharedFinding,
    count_text,
    make_finding,
    read_findings,
    share_findings,
)
from ssdlab.report.context import Context
from ssdlab.report.text import TEST_TITLES
from ssdlab.store.run import Run


@dataclass(frozen=True, kw_only=True, slots=True)
class FindingLine:
    """One finding: the names of the tests it concerns, none for all, and its words."""

    tests: str
    words: str


@dataclass(frozen=True, kw_only=True, slots=True)
class FindingGroup:
    """The findings of one severity, and what that means."""

    severity: Severity
    meaning: str
    lines: tuple[FindingLine, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class FindingsBox:
    """What is found about a run or a test: how much, and each, the gravest first."""

    count: str
    groups: tuple[FindingGroup, ...]

    @property
    def grave(self) -> tuple[FindingLine, ...]:
        """Those that a reader must not miss."""
        return tuple(
            line
            for group in self.groups
            if group.severity == "grave"
            for line in group.lines
        )

    @property
    def others(self) -> tuple[FindingGroup, ...]:
        """The groups that are not grave."""
        return tuple(group for group in self.groups if group.severity != "grave")


def box_findings(context: Context, test: str = "") -> FindingsBox:
    """Return the findings of the whole run, or those that concern a test."""
    shared = [
        found for found in shared_findings(context) if not test or found.concerns(test)
    ]
    groups = [
        FindingGroup(
            severity=severity,
            meaning=SEVERITY_WORDS[severity],
            lines=tuple(
                _line(context, found) for found in shared if found.severity == severity
            ),
        )
        for severity in SEVERITIES
    ]
    return FindingsBox(
        count=count_text(shared),
        groups=tuple(group for group in groups if group.lines),
    )


def shared_findings(context: Context | Run) -> tuple[SharedFinding, ...]:
    """Return what was found; of a run without tables, what its record says."""
    if context.findings.empty:
        recorded = context.record.departures
        return share_findings(make_finding("departure", text) for text in recorded)
    return share_findings(read_findings(context.findings.to_dict("records")))


def _line(context: Context, found: SharedFinding) -> FindingLine:
    names = (
        test.upper() if test in TEST_TITLES else context.title_of(test)
        for test in found.tests
    )
    return FindingLine(tests=", ".join(names), words=found.words)
