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
SEVERITY_NAMES: Mapping[Severity, str] = {  # as users see them
    "grave": "critical",
    "major": "major",
    "minor": "minor",
}
SEVERITY_WORDS: Mapping[Severity, str] = {
    "grave": "results may be wrong or may not reflect the device",
    "major": "deviates from the standard",
    "minor": "known deviation; results remain comparable",
}
Remedy = Literal["record", "drive", "host", "repeat", "choice"]
REMEDY_WORDS: Mapping[Remedy, str] = {
    "record": "Compare the run folder with its original, or measure again",
    "drive": "Check the drive: cooling, link, purge and write cache",
    "host": "Check the host with ssdlab doctor, then measure again",
    "repeat": "Measure longer, or again without a break",
    "choice": "Known from the start: they follow from target, profile or source",
}
WHOLE_RUN = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class FindingKind:
    """What a code means, how much it weighs, and which question it answers.

    ``found_when`` is the condition, for the reference page, in Markdown.
    The questions are whether the procedure is that of the standard, whether the tests
    reached a steady state, and whether the numbers can be trusted. ``clause`` is where
    the standard asks for it, if it does. ``remedy`` is what to do about it.
    """

    severity: Severity
    meaning: str
    found_when: str
    answer: Answer = "procedure"
    clause: str = ""
    remedy: Remedy = "choice"


def _doubt(
    severity: Severity, meaning: str, found_when: str, *, remedy: Remedy = "choice"
) -> FindingKind:
    return FindingKind(
        severity=severity,
        meaning=meaning,
        found_when=found_when,
        answer="numbers",
        remedy=remedy,
    )


def _departure(
    severity: Severity,
    meaning: str,
    found_when: str,
    *,
    section: str = "",
    remedy: Remedy = "choice",
) -> FindingKind:
    return FindingKind(
        severity=severity,
        meaning=meaning,
        found_when=found_when,
        clause=f"PTS 2.0.2, section {section}" if section else "",
        remedy=remedy,
    )


FINDING_KINDS: Mapping[str, FindingKind] = {
    # What may make the numbers wrong.
    "buffered-io": _doubt(
        "grave",
        "IO went through the page cache of the host",
        "a published job without `direct` ran on a file or a block device",
    ),
    "host-ceiling": _doubt(
        "grave",
        "a result is close to the host ceiling",
        "a cell or histogram run reaches 90 % or more of the host ceiling (decision "
        "30)",
        remedy="host",
    ),
    "throttled": _doubt(
        "grave",
        "the device throttled because of its temperature",
        "the telemetry's `temperature_throttled_s` increased during a test",
        remedy="drive",
    ),
    "link-downgraded": _doubt(
        "grave",
        "the link was slower or narrower than its maximum",
        "`pcie_link_width` or `pcie_link_speed_gt_s` of the telemetry was below the "
        "same name with `_max`, or below its own highest reading",
        remedy="drive",
    ),
    "media-errors": _doubt(
        "grave",
        "the drive counted media errors",
        "the drive's count of media errors increased during a test",
        remedy="drive",
    ),
    "critical-warning": _doubt(
        "grave",
        "the drive reported a critical warning",
        "a critical warning was active during a test, or the drive reported that it is "
        "failing",
        remedy="drive",
    ),
    "written-miscount": _doubt(
        "grave",
        "the drive counted other bytes written than fio",
        "the drive's own count of bytes written differs from fio's by more than 5 % "
        "(decision 37)",
        remedy="drive",
    ),
    "clock-jump": _doubt(
        "grave",
        "times contradict each other",
        "a step began more than 0.25 s before the one before it ended; a session began "
        "before the last one ended; a step lies more than 2 s outside of all sessions",
        remedy="repeat",
    ),
    "suspended": _departure(
        "grave",
        "the machine was suspended during the run",
        "CLOCK_BOOTTIME advanced over 0.1 s more than CLOCK_MONOTONIC between the ends "
        "of two consecutive steps. Steps are timed by CLOCK_BOOTTIME; no window spans "
        "the gap before or after such a step",
        section="4",
        remedy="repeat",
    ),
    "steps-missing": _departure(
        "grave",
        "completed steps are missing",
        "the consecutive numbers of the steps have a gap; or the run finished, and its "
        "steps do not reach the end of its plan (`ingest --drop-missing`, decision 60)",
        section="4",
        remedy="record",
    ),
    "telemetry-missing": _doubt(
        "grave",
        "recorded telemetry is missing",
        "a session has steps and no reading, or its readings begin more than 60 s "
        "after its first step or end more than 60 s before the end of its last one "
        "(`ingest --drop-missing`, decision 60)",
        remedy="record",
    ),
    "doubts": _doubt(
        "grave",
        "fio or the target logged warnings",
        "fio or the target logged a warning in a step",
        remedy="host",
    ),
    "record-changed": _departure(
        "grave",
        "the record or steps were modified afterwards",
        "`run.json` or the record of a step differs from the manifest of the run "
        "(decision 68)",
        remedy="record",
    ),
    "raw-changed": _doubt(
        "grave",
        "raw output was modified afterwards",
        "raw output of a step differs from its record (decision 68)",
        remedy="record",
    ),
    "import-mixed": _departure(
        "grave",
        "results of several devices or hosts in one run",
        "an import holds results of several devices or hosts",
        remedy="record",
    ),
    # What makes them other results than those of the standard.
    "virtual-target": _departure(
        "major",
        "a simulated drive was measured",
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
        "a procedure other than the PTS",
        "the run follows another procedure",
    ),
    "unfinished": _departure(
        "major",
        "the run is not complete",
        "the run was interrupted, failed, or is still in progress",
        section="4",
        remedy="repeat",
    ),
    "purge-none": _departure(
        "major",
        "no purge",
        "the purge method is `none`, or a test begins with another step",
        section="3.2",
        remedy="drive",
    ),
    "purge-unverified": _departure(
        "major",
        "the purge is not shown to restore the state FOB",
        "the method is not known to purge (decision 30)",
        section="3.2",
        remedy="drive",
    ),
    "fill-short": _departure(
        "major",
        "preconditioning was shorter than required",
        "preconditioning wrote less than the required capacities, by more than a "
        "block; its range is smaller than the active range; or the profile requires "
        "less than its edition",
        section="3.3",
        remedy="repeat",
    ),
    "write-cache": _departure(
        "major",
        "the write cache was not set as the profile requires",
        "the write cache was left as found, or differs from the edition's; or "
        "`write_cache_is_on` of the telemetry, read every 5 s (NVMe) or 30 s, differed "
        "during a test",
        section="4",
        remedy="drive",
    ),
    "write-cache-unread": _departure(
        "minor",
        "the write cache setting was not verified during a test",
        "the write cache of a drive was set, and no reading of it lies within a test",
        section="4",
        remedy="drive",
    ),
    "time-scaled": _departure(
        "major",
        "a time in the profile is not nominal",
        "a time, a count of cycles or samples, or a limit in the profile is not "
        "nominal",
    ),
    "profile-value": _departure(
        "major",
        "another value in the profile is not nominal",
        "another value in the profile is not nominal",
    ),
    "profile-unknown": _departure(
        "major",
        "the recorded profile cannot be read",
        "the profile in the record cannot be read, so the requested values are unknown",
        remedy="record",
    ),
    "plan-unlike-profile": _departure(
        "major",
        "the recorded tests differ from those of the profile",
        "the tests in the record are not those that its profile gives on the target, "
        "or there are none (decision 64)",
        remedy="record",
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
        "block sizes of the composite are below the sector size",
        section="13",
    ),
    "idle-gap": _departure(
        "major",
        "an idle gap was longer than the limit",
        "the device was idle for more than 1 s within a test, except before a purge "
        "(decision 75)",
        section="4",
        remedy="repeat",
    ),
    "idle-share": _departure(
        "major",
        "the total idle time was above the limit",
        "more than 0.5 % of the time of a phase was idle, gaps of any length included "
        "(decision 75)",
        section="4",
        remedy="repeat",
    ),
    "resumed": _departure(
        "major",
        "a test was interrupted and resumed",
        "a test was interrupted after its purge and resumed",
        section="4",
        remedy="repeat",
    ),
    "not-steady": FindingKind(
        severity="major",
        meaning="no steady state within the rounds allowed",
        found_when="a phase that is judged is not steady in its last window, or "
        "has none; not in write saturation, which may end by amount or time",
        answer="steady state",
        clause="PTS 2.0.2, section 2.1.24",
        remedy="repeat",
    ),
    "no-point-below-limit": _departure(
        "major",
        "no operating point was fast enough",
        "no point of CBW or DIRTH has a mean response time below 5 ms",
        section="13",
        remedy="repeat",
    ),
    "imported": _departure(
        "major",
        "results of third parties",
        "the results were imported",
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
        "files that may belong to the import were left out",
        "files that may belong to an import were left out",
    ),
    "departure": _departure(
        "major",
        "a departure recorded by an earlier version",
        "an earlier version recorded a departure in unknown words",
        remedy="record",
    ),
    "few-ios": _doubt(
        "major",
        "cells have too few IOs for their means",
        "a cell or histogram run has fewer than 100 IOs",
        remedy="repeat",
    ),
    "shared-host": _doubt(
        "major",
        "other runs were measured on the host at the same time",
        "another run of ssdlab was in progress on the host during a cell or histogram "
        "run (decision 97)",
        remedy="host",
    ),
    # What is otherwise and does not keep results from being compared.
    "rounds-allowed": _departure(
        "minor",
        "the maximum number of rounds differs",
        "the maximum number of rounds or samples differs",
        section="4",
    ),
    "wipc-threads": _departure(
        "minor",
        "preconditioning had another thread count than the loop",
        "the profile requires another thread count for preconditioning than for the "
        "loop",
        section="3.3",
    ),
    "time-measured": _departure(
        "minor",
        "steps ran longer or shorter than requested",
        "a step ran 0.5 % and 50 ms longer or shorter than requested",
        section="4",
        remedy="repeat",
    ),
    "wait-measured": _departure(
        "minor",
        "idle periods of HIR differ from the requested time",
        "an idle period of HIR is 10 % longer or shorter than requested",
        section="11",
        remedy="repeat",
    ),
    "cells-left-out": _departure(
        "minor",
        "cells below the sector size were left out",
        "cells are below the sector size (4Kn)",
    ),
    "ranges-left-out": _departure(
        "minor",
        "active ranges that do not fit were left out",
        "an active range is too small on this device",
    ),
    "temperature": _doubt(
        "minor",
        "the drive reached a temperature limit",
        "the drive reached its warning or critical temperature during a test, or its "
        "count of time above them increased",
        remedy="drive",
    ),
    "no-health": _doubt(
        "minor",
        "the health of the drive was never read",
        "the target is a drive, and its health log was never read or was empty",
        remedy="drive",
    ),
    "host-settings": _doubt(
        "minor",
        "host settings are unfit for a measurement",
        "checks of the host gave a warning; one finding names them all",
        remedy="host",
    ),
    "host-changed": _doubt(
        "minor",
        "the host changed before the run was resumed",
        "a check of the host had another verdict when the run was resumed",
        remedy="host",
    ),
    "not-sealed": _doubt(
        "minor",
        "the record is not sealed",
        "the run finished, and has no manifest (decision 68)",
        remedy="record",
    ),
    "fio-fault": _doubt(
        "minor",
        "a fio version that a source does not trust",
        "fio is older than 3.5, the first that the HGST/WD guide trusts; the guide "
        "names no fault, so the numbers are not called wrong",
        remedy="host",
    ),
    "import-times": _doubt(
        "minor",
        "the times at which files of an import were written are unknown",
        "files of an import do not record when they were written",
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
    """Return a finding with the severity of its code."""
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

    @property
    def remedy(self) -> Remedy:
        """What to do about it; about a code that is not known, look at the record."""
        kind = FINDING_KINDS.get(self.code)
        return kind.remedy if kind else "record"

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
    """Return how many findings there are of each severity, such as ``1 critical``."""
    counts = {
        SEVERITY_NAMES[severity]: sum(found.severity == severity for found in findings)
        for severity in SEVERITIES
    }
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count)


def count_text(findings: Sequence[SharedFinding]) -> str:
    """Return a count of findings, such as ``3 findings (1 critical, 2 major)``."""
    if not findings:
        return "no findings"
    noun = "finding" if len(findings) == 1 else "findings"
    return f"{len(findings)} {noun} ({count_severities(findings)})"
