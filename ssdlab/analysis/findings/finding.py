"""Findings: what about a run departs from the PTS, or makes its numbers doubtful.

Each has a code, and each code one severity: `FINDING_KINDS` lists them all, and
decision record 30 says what they mean and when each is found.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

Severity = Literal["grave", "major", "minor"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)  # the gravest first
SEVERITY_WORDS: Mapping[Severity, str] = {
    "grave": "the numbers may be wrong, or not those of the device",
    "major": "the results are not those that the standard asks for",
    "minor": "a difference that is known; the results can be compared",
}
WHOLE_RUN = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class FindingKind:
    """What a code means, and how much it weighs."""

    severity: Severity
    meaning: str


def _grave(meaning: str) -> FindingKind:
    return FindingKind(severity="grave", meaning=meaning)


def _major(meaning: str) -> FindingKind:
    return FindingKind(severity="major", meaning=meaning)


def _minor(meaning: str) -> FindingKind:
    return FindingKind(severity="minor", meaning=meaning)


FINDING_KINDS: Mapping[str, FindingKind] = {
    # What may make the numbers wrong.
    "buffered-io": _grave("IO went through the memory of the host"),
    "host-ceiling": _grave("a result is near what this host can issue at all"),
    "throttled": _grave("the device slowed itself down because it was hot"),
    "link-downgraded": _grave("the link was slower or narrower than it can be"),
    "media-errors": _grave("the drive counted errors of its medium"),
    "critical-warning": _grave("the drive warned of itself"),
    "written-miscount": _grave("the drive counted other bytes written than fio"),
    "clock-jump": _grave("times contradict each other"),
    "suspended": _grave("the machine was suspended while it measured"),
    "steps-missing": _grave("steps that were carried out are missing"),
    "telemetry-missing": _grave("readings that were taken are missing"),
    "doubts": _grave("fio or the target complained"),
    "import-mixed": _grave("results of several devices or hosts in one run"),
    # What makes them other results than those of the standard.
    "virtual-target": _major("a model was measured, not a drive"),
    "file-target": _major("a file was measured, not a drive"),
    "loop-target": _major("a loop device was measured, not a drive"),
    "procedure": _major("another procedure than the PTS"),
    "unfinished": _major("the run did not come to its end"),
    "purge-none": _major("there was no purge"),
    "purge-unverified": _major("that the purge restored a fresh device is not proven"),
    "fill-short": _major("preconditioning was less than asked for"),
    "write-cache": _major("the write cache was not set as the profile asks"),
    "time-scaled": _major("a time of the profile is not the nominal one"),
    "profile-value": _major("another value of the profile is not the nominal one"),
    "test-of-another-edition": _major("a test that the edition does not have"),
    "segments": _major("the active range was accessed in other segments"),
    "composite-changed": _major("block sizes of the composite were left out"),
    "idle-gap": _major("the device rested for longer than the limit"),
    "resumed": _major("a test was interrupted and taken up again"),
    "not-steady": _major("no steady state in the rounds allowed"),
    "no-point-below-limit": _major("no operating point was fast enough"),
    "imported": _major("others took the results"),
    "import-cells": _major("cells, order or tests of an import are not those of a PTS"),
    "import-rounds-missing": _major("rounds of an import are missing or unreadable"),
    "import-left-out": _major("files that may be of the import were left out"),
    "departure": _major("a departure that was recorded in other words"),
    # What is otherwise and does not keep results from being compared.
    "rounds-allowed": _minor("another number of rounds is allowed at most"),
    "wipc-threads": _minor("preconditioning had other threads than the loop"),
    "time-measured": _minor("steps ran longer or shorter than asked"),
    "wait-measured": _minor("rests of HIR were not kept"),
    "cells-left-out": _minor("cells below the sector were left out"),
    "ranges-left-out": _minor("active ranges that do not fit were left out"),
    "temperature": _minor("the drive was as hot as it warns of"),
    "no-health": _minor("the health of the drive was never read"),
    "host-settings": _minor("settings of the host are bad for a measurement"),
    "host-changed": _minor("the host was otherwise when the run was taken up again"),
    "fio-fault": _minor("a version of fio that a source does not trust"),
    "import-times": _minor("when files of an import were written is not known"),
    "import-numbers": _minor("numbers of an import are rounded, or of another kind"),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """One thing found; its ``test`` is `WHOLE_RUN` if it concerns all of them."""

    code: str
    severity: Severity
    test: str
    words: str


def make_finding(code: str, words: str, *, test: str = WHOLE_RUN) -> Finding:
    """Return a finding with the severity of its code.

    Parameters
    ----------
    code : str
        One of `FINDING_KINDS`.
    words : str
        What was found, for people.
    test : str, optional
        The test it concerns; without it the whole run.

    Returns
    -------
    Finding
        The finding.

    Raises
    ------
    KeyError
        If there is no such code.

    Examples
    --------
    >>> make_finding("idle-gap", "the device rested for 9 s", test="tp").severity
    'major'
    """
    severity = FINDING_KINDS[code].severity
    return Finding(code=code, severity=severity, test=test, words=words)


@dataclass(frozen=True, kw_only=True, slots=True)
class SharedFinding:
    """The same finding of one or several tests; no test means the whole run."""

    code: str
    words: str
    tests: tuple[str, ...]
    severity: Severity

    def concerns(self, test: str) -> bool:
        """Tell whether it is about a test, or about all."""
        return not self.tests or test in self.tests


def read_findings(rows: Iterable[Mapping[Any, Any]]) -> tuple[Finding, ...]:
    """Return the findings in rows of the table ``findings``."""
    return tuple(
        Finding(
            code=str(row["code"]),
            severity=row["severity"],
            test=str(row["test"]),
            words=str(row["words"]),
        )
        for row in rows
    )


def share_findings(findings: Iterable[Finding]) -> tuple[SharedFinding, ...]:
    """Put findings that differ in nothing but the test together, the gravest first.

    Parameters
    ----------
    findings : iterable of Finding
        The findings of one run; of those of one severity the order is kept.

    Returns
    -------
    tuple of SharedFinding
        Each text once.

    Examples
    --------
    >>> words = "time of a cell: 1 s instead of 1 min"
    >>> found = [make_finding("time-scaled", words, test=t) for t in ("tp", "lat")]
    >>> [shared.tests for shared in share_findings(found)]
    [('tp', 'lat')]
    """
    tests_of: dict[tuple[Severity, str, str], list[str]] = {}
    for found in findings:
        key = (found.severity, found.code, found.words)
        tests_of.setdefault(key, []).append(found.test)
    shared = [
        SharedFinding(
            severity=severity,
            code=code,
            words=words,
            tests=() if WHOLE_RUN in tests else tuple(dict.fromkeys(tests)),
        )
        for (severity, code, words), tests in tests_of.items()
    ]
    return tuple(sorted(shared, key=lambda found: SEVERITIES.index(found.severity)))


def count_text(findings: Sequence[SharedFinding]) -> str:
    """Return how many findings there are, such as ``3 findings (1 grave, 2 major)``.

    Parameters
    ----------
    findings : sequence of SharedFinding
        What was found.

    Returns
    -------
    str
        The count, and that of each severity.
    """
    if not findings:
        return "no findings"
    counts = {
        severity: sum(found.severity == severity for found in findings)
        for severity in SEVERITIES
    }
    parts = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    noun = "finding" if len(findings) == 1 else "findings"
    return f"{len(findings)} {noun} ({parts})"
