"""Findings: what about a run departs from the PTS, or makes its numbers doubtful.

Each has a code, and each code one severity: `FINDING_KINDS` lists them all, and
decision record 30 says what they mean and when each is found.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

Answer = Literal["procedure", "steady state", "numbers"]
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
    """What a code means, how much it weighs, and which question it answers.

    The questions are whether the procedure is that of the standard, whether the tests
    reached a steady state, and whether the numbers can be trusted. ``clause`` is where
    the standard asks for it, if it does.
    """

    severity: Severity
    meaning: str
    answer: Answer = "procedure"
    clause: str = ""


def _doubt(severity: Severity, meaning: str) -> FindingKind:
    return FindingKind(severity=severity, meaning=meaning, answer="numbers")


def _departure(severity: Severity, meaning: str, section: str = "") -> FindingKind:
    clause = f"PTS 2.0.2, section {section}" if section else ""
    return FindingKind(severity=severity, meaning=meaning, clause=clause)


_WINDOW = "PTS 2.0.2, section 2.1.24"

FINDING_KINDS: Mapping[str, FindingKind] = {
    # What may make the numbers wrong.
    "buffered-io": _doubt("grave", "IO went through the memory of the host"),
    "host-ceiling": _doubt("grave", "a result is near what this host can issue at all"),
    "throttled": _doubt("grave", "the device slowed itself down because it was hot"),
    "link-downgraded": _doubt(
        "grave", "the link was slower or narrower than it can be"
    ),
    "media-errors": _doubt("grave", "the drive counted errors of its medium"),
    "critical-warning": _doubt("grave", "the drive warned of itself"),
    "written-miscount": _doubt(
        "grave", "the drive counted other bytes written than fio"
    ),
    "clock-jump": _doubt("grave", "times contradict each other"),
    "suspended": _departure(
        "grave", "the machine was suspended while it measured", "4"
    ),
    "steps-missing": _departure(
        "grave", "steps that were carried out are missing", "4"
    ),
    "telemetry-missing": _doubt("grave", "readings that were taken are missing"),
    "doubts": _doubt("grave", "fio or the target complained"),
    "record-changed": _departure("grave", "record or steps were changed since"),
    "raw-changed": _doubt("grave", "raw output was changed since"),
    "import-mixed": _departure(
        "grave", "results of several devices or hosts in one run"
    ),
    # What makes them other results than those of the standard.
    "virtual-target": _departure("major", "a model was measured, not a drive"),
    "file-target": _departure("major", "a file was measured, not a drive"),
    "loop-target": _departure("major", "a loop device was measured, not a drive"),
    "procedure": _departure("major", "another procedure than the PTS"),
    "unfinished": _departure("major", "the run did not come to its end", "4"),
    "purge-none": _departure("major", "there was no purge", "3.2"),
    "purge-unverified": _departure(
        "major", "that the purge restored a fresh device is not proven", "3.2"
    ),
    "fill-short": _departure("major", "preconditioning was less than asked for", "3.3"),
    "write-cache": _departure(
        "major", "the write cache was not set as the profile asks", "4"
    ),
    "write-cache-unread": _departure(
        "minor", "nothing shows that the write cache stayed as it was set", "4"
    ),
    "time-scaled": _departure("major", "a time of the profile is not the nominal one"),
    "profile-value": _departure(
        "major", "another value of the profile is not the nominal one"
    ),
    "profile-unknown": _departure("major", "what was asked for cannot be read"),
    "plan-unlike-profile": _departure(
        "major", "what was carried out is not what the profile asks"
    ),
    "test-of-another-edition": _departure(
        "major", "a test that the edition does not have"
    ),
    "segments": _departure("major", "the active range was accessed in other segments"),
    "composite-changed": _departure(
        "major", "block sizes of the composite were left out", "13"
    ),
    "idle-gap": _departure("major", "the device rested for longer than the limit", "4"),
    "idle-share": _departure("major", "the device was idle too much of the time", "4"),
    "resumed": _departure("major", "a test was interrupted and taken up again", "4"),
    "not-steady": FindingKind(
        severity="major",
        meaning="no steady state in the rounds allowed",
        answer="steady state",
        clause=_WINDOW,
    ),
    "no-point-below-limit": _departure(
        "major", "no operating point was fast enough", "13"
    ),
    "imported": _departure("major", "others took the results"),
    "import-cells": _departure(
        "major", "cells, order or tests of an import are not those of a PTS"
    ),
    "import-rounds-missing": _departure(
        "major", "rounds of an import are missing or unreadable", "4"
    ),
    "import-left-out": _departure(
        "major", "files that may be of the import were left out"
    ),
    "departure": _departure("major", "a departure that an earlier version recorded"),
    "few-ios": _doubt("major", "cells have too few IOs for their means"),
    # What is otherwise and does not keep results from being compared.
    "rounds-allowed": _departure("minor", "fewer rounds are allowed at most", "4"),
    "wipc-threads": _departure(
        "minor", "preconditioning had other threads than the loop", "3.3"
    ),
    "time-measured": _departure("minor", "steps ran longer or shorter than asked", "4"),
    "wait-measured": _departure("minor", "rests of HIR were not kept", "11"),
    "cells-left-out": _departure("minor", "cells below the sector were left out"),
    "ranges-left-out": _departure(
        "minor", "active ranges that do not fit were left out"
    ),
    "temperature": _doubt("minor", "the drive was as hot as it warns of"),
    "no-health": _doubt("minor", "the health of the drive was never read"),
    "host-settings": _doubt("minor", "settings of the host are bad for a measurement"),
    "host-changed": _doubt(
        "minor", "the host was otherwise when the run was taken up again"
    ),
    "not-sealed": _doubt("minor", "nothing shows that the record is as written"),
    "fio-fault": _doubt("minor", "a version of fio that a source does not trust"),
    "import-times": _doubt(
        "minor", "when files of an import were written is not known"
    ),
    "import-numbers": _doubt(
        "minor", "numbers of an import are rounded, or of another kind"
    ),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """One thing found; its ``test`` is `WHOLE_RUN` if it concerns all of them."""

    code: str
    severity: Severity
    test: str
    words: str
    clause: str = ""


def make_finding(
    code: str, words: str, *, test: str = WHOLE_RUN, clause: str = ""
) -> Finding:
    """Return a finding with the severity of its code.

    Raises
    ------
    KeyError
        If there is no such code.

    >>> make_finding("idle-gap", "the device rested for 9 s", test="tp").severity
    'major'
    """
    kind = FINDING_KINDS[code]
    return Finding(
        code=code,
        severity=kind.severity,
        test=test,
        words=words,
        clause=clause or kind.clause,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class SharedFinding:
    """The same finding of one or several tests; no test means the whole run."""

    code: str
    words: str
    tests: tuple[str, ...]
    severity: Severity
    clause: str

    @property
    def answer(self) -> Answer:
        """Which question it answers; of a code that is not known the first."""
        kind = FINDING_KINDS.get(self.code)
        return kind.answer if kind else "procedure"

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
            clause=str(row["clause"]),
        )
        for row in rows
    )


def share_findings(findings: Iterable[Finding]) -> tuple[SharedFinding, ...]:
    """Put findings that differ in nothing but the test together, the gravest first.

    >>> words = "time of a cell: 1 s instead of 1 min"
    >>> found = [make_finding("time-scaled", words, test=t) for t in ("tp", "lat")]
    >>> [shared.tests for shared in share_findings(found)]
    [('tp', 'lat')]
    """
    tests_of: dict[tuple[Severity, str, str, str], list[str]] = {}
    for found in findings:
        key = (found.severity, found.code, found.words, found.clause)
        tests_of.setdefault(key, []).append(found.test)
    shared = [
        SharedFinding(
            severity=severity,
            code=code,
            words=words,
            clause=clause,
            tests=() if WHOLE_RUN in tests else tuple(dict.fromkeys(tests)),
        )
        for (severity, code, words, clause), tests in tests_of.items()
    ]
    return tuple(sorted(shared, key=lambda found: SEVERITIES.index(found.severity)))


def count_severities(findings: Sequence[SharedFinding]) -> str:
    """Return how many findings there are of each severity, such as ``1 grave``."""
    counts = {
        severity: sum(found.severity == severity for found in findings)
        for severity in SEVERITIES
    }
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count)


def count_text(findings: Sequence[SharedFinding]) -> str:
    """Return how many findings there are, such as ``3 findings (1 grave, 2 major)``."""
    if not findings:
        return "no findings"
    noun = "finding" if len(findings) == 1 else "findings"
    return f"{len(findings)} {noun} ({count_severities(findings)})"
