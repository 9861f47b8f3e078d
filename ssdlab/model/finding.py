"""Findings: what about a run departs from the PTS, or makes its numbers doubtful.

Each has a code, and each code one severity: `FINDING_KINDS` lists them all, and
``docs/reference/findings.md`` is made of it.
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

    ``found_when`` is the condition, for the reference page, in Markdown.
    The questions are whether the procedure is that of the standard, whether the tests
    reached a steady state, and whether the numbers can be trusted. ``clause`` is where
    the standard asks for it, if it does.
    """

    severity: Severity
    meaning: str
    found_when: str
    answer: Answer = "procedure"
    clause: str = ""


def _doubt(severity: Severity, meaning: str, found_when: str) -> FindingKind:
    return FindingKind(
        severity=severity, meaning=meaning, found_when=found_when, answer="numbers"
    )


def _departure(
    severity: Severity, meaning: str, found_when: str, *, section: str = ""
) -> FindingKind:
    return FindingKind(
        severity=severity,
        meaning=meaning,
        found_when=found_when,
        clause=f"PTS 2.0.2, section {section}" if section else "",
    )


FINDING_KINDS: Mapping[str, FindingKind] = {
    # What may make the numbers wrong.
    "buffered-io": _doubt(
        "grave",
        "IO went through the memory of the host",
        "a published job without `direct` ran on a file or a block device",
    ),
    "host-ceiling": _doubt(
        "grave",
        "a result is near what this host can issue at all",
        "a cell or histogram run has 90 % or more of the host's ceiling (decision 30)",
    ),
    "throttled": _doubt(
        "grave",
        "the device slowed itself down because it was hot",
        "the telemetry's `temperature_throttled_s` went up during a test",
    ),
    "link-downgraded": _doubt(
        "grave",
        "the link was slower or narrower than it can be",
        "`pcie_link_width` or `pcie_link_speed_gt_s` of the telemetry was below the "
        "same name with `_max`, or below its own greatest reading",
    ),
    "media-errors": _doubt(
        "grave",
        "the drive counted errors of its medium",
        "the drive's count of media errors went up during a test",
    ),
    "critical-warning": _doubt(
        "grave",
        "the drive warned of itself",
        "a critical warning of the drive stood during a test, or it said that it is "
        "failing",
    ),
    "written-miscount": _doubt(
        "grave",
        "the drive counted other bytes written than fio",
        "the drive's own count of bytes written differs from fio's by more than 5 % "
        "(decision 37)",
    ),
    "clock-jump": _doubt(
        "grave",
        "times contradict each other",
        "a step began more than 0.25 s before the one before it ended; a session "
        "began before the last one ended; a step lies more than 2 s outside of all "
        "sessions",
    ),
    "suspended": _departure(
        "grave",
        "the machine was suspended while it measured",
        "CLOCK_BOOTTIME went more than 0.1 s further than CLOCK_MONOTONIC from the "
        "end of one step to that of the next: the machine was suspended. Steps are "
        "timed by the former; no window spans the gap before such a step, nor that "
        "after it",
        section="4",
    ),
    "steps-missing": _departure(
        "grave",
        "steps that were carried out are missing",
        "a number is missing among those of the steps, which are consecutive; or the "
        "run finished, and its steps do not reach the end of its plan (`ingest "
        "--drop-missing`, decision 60)",
        section="4",
    ),
    "telemetry-missing": _doubt(
        "grave",
        "readings that were taken are missing",
        "a session took steps and has no reading, or its readings begin more than 60 "
        "s after its first step or end more than 60 s before the end of its last one "
        "(`ingest --drop-missing`, decision 60)",
    ),
    "doubts": _doubt(
        "grave",
        "fio or the target complained",
        "fio or the target complained in a step",
    ),
    "record-changed": _departure(
        "grave",
        "record or steps were changed since",
        "`run.json` or the record of a step is not as the manifest of the run says "
        "(decision 68)",
    ),
    "raw-changed": _doubt(
        "grave",
        "raw output was changed since",
        "raw output of a step is not as its record says (decision 68)",
    ),
    "import-mixed": _departure(
        "grave",
        "results of several devices or hosts in one run",
        "an import holds several devices or hosts",
    ),
    # What makes them other results than those of the standard.
    "virtual-target": _departure(
        "major",
        "a model was measured, not a drive",
        "the target is the virtual SSD",
    ),
    "file-target": _departure(
        "major",
        "a file was measured, not a drive",
        "the target is a file",
    ),
    "loop-target": _departure(
        "major",
        "a loop device was measured, not a drive",
        "the target is a loop device",
    ),
    "procedure": _departure(
        "major",
        "another procedure than the PTS",
        "the run follows another procedure",
    ),
    "unfinished": _departure(
        "major",
        "the run did not come to its end",
        "the run was interrupted, failed, or still goes on",
        section="4",
    ),
    "purge-none": _departure(
        "major",
        "there was no purge",
        "there is no purge: by the method, or a test begins with another step",
        section="3.2",
    ),
    "purge-unverified": _departure(
        "major",
        "that the purge restored a fresh device is not proven",
        "the method is none that is known to purge (decision 30)",
        section="3.2",
    ),
    "fill-short": _departure(
        "major",
        "preconditioning was less than asked for",
        "preconditioning wrote less than the capacities asked for, by more than a "
        "block; its range is smaller than the active range; the profile asks for less"
        " than its edition",
        section="3.3",
    ),
    "write-cache": _departure(
        "major",
        "the write cache was not set as the profile asks",
        "the write cache was left as found, or is not the edition's; or "
        "`write_cache_is_on` of the telemetry, read every 5 s (NVMe) or 30 s, was "
        "otherwise within a test",
        section="4",
    ),
    "write-cache-unread": _departure(
        "minor",
        "nothing shows that the write cache stayed as it was set",
        "the write cache of a drive was set, and no reading of it lies within a test",
        section="4",
    ),
    "time-scaled": _departure(
        "major",
        "a time of the profile is not the nominal one",
        "a time, a count of cycles or samples, or a limit of the profile is not the "
        "nominal one",
    ),
    "profile-value": _departure(
        "major",
        "another value of the profile is not the nominal one",
        "another value of the profile is not the nominal one",
    ),
    "profile-unknown": _departure(
        "major",
        "what was asked for cannot be read",
        "the profile in the record cannot be read, so that what was asked for is not "
        "known",
    ),
    "plan-unlike-profile": _departure(
        "major",
        "what was carried out is not what the profile asks",
        "the tests that the record holds are not those that its profile gives on the "
        "target, or there are none (decision 64)",
    ),
    "test-of-another-edition": _departure(
        "major",
        "a test that the edition does not have",
        "the edition is not known to have the test",
    ),
    "segments": _departure(
        "major",
        "the active range was accessed in other segments",
        "the amount of an active range is one piece instead of 2048",
    ),
    "composite-changed": _departure(
        "major",
        "block sizes of the composite were left out",
        "block sizes of the composite are below the sector",
        section="13",
    ),
    "idle-gap": _departure(
        "major",
        "the device rested for longer than the limit",
        "the device rested for more than 1 s within a test, before a purge excepted "
        "(decision 75)",
        section="4",
    ),
    "idle-share": _departure(
        "major",
        "the device was idle too much of the time",
        "more than 0.5 % of the time of a phase was idle, in gaps however short "
        "(decision 75)",
        section="4",
    ),
    "resumed": _departure(
        "major",
        "a test was interrupted and taken up again",
        "a test was interrupted and taken up again behind its purge",
        section="4",
    ),
    "not-steady": FindingKind(
        severity="major",
        meaning="no steady state in the rounds allowed",
        found_when="a phase that is to be judged is not steady in its last window, or "
        "has none; not in write saturation, which may end by amount or time",
        answer="steady state",
        clause="PTS 2.0.2, section 2.1.24",
    ),
    "no-point-below-limit": _departure(
        "major",
        "no operating point was fast enough",
        "no point of CBW or DIRTH has a mean response time below 5 ms",
        section="13",
    ),
    "imported": _departure(
        "major",
        "others took the results",
        "the results are others'",
    ),
    "import-cells": _departure(
        "major",
        "cells, order or tests of an import are not those of a PTS",
        "cells, order, access or rounds of an import are not those of the test",
    ),
    "import-rounds-missing": _departure(
        "major",
        "rounds of an import are missing or unreadable",
        "rounds of an import are missing, or their files cannot be read",
        section="4",
    ),
    "import-left-out": _departure(
        "major",
        "files that may be of the import were left out",
        "files that may be of an import were left out",
    ),
    "departure": _departure(
        "major",
        "a departure that an earlier version recorded",
        "an earlier version recorded a departure in words that are not known",
    ),
    "few-ios": _doubt(
        "major",
        "cells have too few IOs for their means",
        "a cell or histogram run has fewer than 100 IOs",
    ),
    # What is otherwise and does not keep results from being compared.
    "rounds-allowed": _departure(
        "minor",
        "fewer rounds are allowed at most",
        "another number of rounds or samples is allowed at most",
        section="4",
    ),
    "wipc-threads": _departure(
        "minor",
        "preconditioning had other threads than the loop",
        "the profile asks for preconditioning by another count of threads than the "
        "loop's",
        section="3.3",
    ),
    "time-measured": _departure(
        "minor",
        "steps ran longer or shorter than asked",
        "a step ran 0.5 % and 50 ms longer or shorter than asked",
        section="4",
    ),
    "wait-measured": _departure(
        "minor",
        "rests of HIR were not kept",
        "a rest of HIR is a tenth longer or shorter than asked",
        section="11",
    ),
    "cells-left-out": _departure(
        "minor",
        "cells below the sector were left out",
        "cells are below the sector (4Kn)",
    ),
    "ranges-left-out": _departure(
        "minor",
        "active ranges that do not fit were left out",
        "an active range is too small on this device",
    ),
    "temperature": _doubt(
        "minor",
        "the drive was as hot as it warns of",
        "the drive reached its warning or critical temperature during a test, or its "
        "count of time above them went up",
    ),
    "no-health": _doubt(
        "minor",
        "the health of the drive was never read",
        "the target is a drive, and its log was never read or told nothing",
    ),
    "host-settings": _doubt(
        "minor",
        "settings of the host are bad for a measurement",
        "checks of the host came out bad; one finding names them all",
    ),
    "host-changed": _doubt(
        "minor",
        "the host was otherwise when the run was taken up again",
        "a check of the host had another verdict when the run was taken up again",
    ),
    "not-sealed": _doubt(
        "minor",
        "nothing shows that the record is as written",
        "the run finished, and has no manifest (decision 68)",
    ),
    "fio-fault": _doubt(
        "minor",
        "a version of fio that a source does not trust",
        "fio is older than 3.5, the first that the guide of HGST/WD trusts; it names "
        "no fault, so the numbers are not called wrong",
    ),
    "import-times": _doubt(
        "minor",
        "when files of an import were written is not known",
        "files of an import do not say when they were written",
    ),
    "import-numbers": _doubt(
        "minor",
        "numbers of an import are rounded, or of another kind",
        "numbers of an import are rounded, of clat, of several versions of fio, or "
        "without raw output",
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
