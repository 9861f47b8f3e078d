"""Three questions of a run, each answered by itself.

Was the procedure that of the standard? Did the tests reach a steady state? Is there
anything that makes the numbers doubtful? No answer hides another.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from ssdlab.model.finding import (
    Answer,
    Finding,
    SharedFinding,
    count_severities,
    share_findings,
)
from ssdlab.model.spec import is_saturation, label_of_test

if TYPE_CHECKING:
    import pandas as pd

Steadiness = Literal["reached", "not reached", "ended at its limit", "not judged"]
_SHOWN = ("reached", "not reached", "ended at its limit", "not judged")


@dataclass(frozen=True, kw_only=True, slots=True)
class Answers:
    """What of a run departs, whether its tests got steady, and what is doubtful.

    Attributes
    ----------
    edition : str
        The document that it follows, such as ``PTS 2.0.2``.
    is_over : bool
        Whether the run came to its end: one that did not has not conformed yet.
    steadiness : mapping of str to str
        By test: ``reached``, ``not reached``, ``ended at its limit`` (write saturation
        may) or ``not judged``.
    findings : tuple of SharedFinding
        All that was found, the gravest first.
    """

    edition: str
    is_over: bool
    steadiness: Mapping[str, Steadiness]
    findings: tuple[SharedFinding, ...]

    def found(self, answer: Answer) -> tuple[SharedFinding, ...]:
        """Return the findings that answer one of the questions, the gravest first."""
        return tuple(one for one in self.findings if one.answer == answer)

    @property
    def conforms(self) -> bool:
        """Whether the procedure was carried out to its end, as the edition asks."""
        return self.is_over and not self.found("procedure")

    @property
    def is_steady(self) -> bool | None:
        """Whether each test that is judged got steady; ``None`` where none was."""
        judged = set(self.steadiness.values()) - {"not judged"}
        return not judged & {"not reached"} if judged else None

    @property
    def has_doubts(self) -> bool:
        """Whether anything makes the numbers doubtful."""
        return bool(self.found("numbers"))

    def of_test(self, test: str) -> "Answers":
        """Return the answers as far as they concern a test."""
        return replace(
            self,
            steadiness={test: self.steadiness.get(test, "not judged")},
            findings=tuple(one for one in self.findings if one.concerns(test)),
        )

    @property
    def procedure_words(self) -> str:
        """The first answer, such as ``departs from PTS 2.0.2 in 1 point (1 minor)``."""
        departures = self.found("procedure")
        if any(one.code == "procedure" for one in departures):
            more = [one for one in departures if one.code != "procedure"]
            noun = "finding" if len(more) == 1 else "findings"
            others = f"; {count_severities(more)} {noun}" if more else ""
            return f"not a PTS test{others}"
        if departures:
            noun = "point" if len(departures) == 1 else "points"
            counts = count_severities(departures)
            return f"departs from {self.edition} in {len(departures)} {noun} ({counts})"
        if not self.is_over:
            return f"departs in nothing from {self.edition} so far"
        return f"conforms to {self.edition}"

    @property
    def steady_words(self) -> str:
        """The second answer, such as ``reached in TP; not reached in LAT``."""
        tests_of: dict[str, list[str]] = {}
        for test, how in self.steadiness.items():
            tests_of.setdefault(how, []).append(label_of_test(test))
        if len(tests_of) == 1:
            (only,) = tests_of
            return only if len(self.steadiness) == 1 else f"{only} in each test"
        parts = (
            f"{how}: {', '.join(tests_of[how])}" for how in _SHOWN if how in tests_of
        )
        return "; ".join(parts) or "not judged"

    @property
    def doubts_words(self) -> str:
        """The third answer, such as ``2 (1 critical, 1 minor)``, or ``none``."""
        doubts = self.found("numbers")
        return f"{len(doubts)} ({count_severities(doubts)})" if doubts else "none"

    @property
    def lines(self) -> tuple[tuple[str, str], ...]:
        """The three questions in short, each with its answer in words."""
        return (
            ("procedure", self.procedure_words),
            ("steady state", self.steady_words),
            ("doubts about the numbers", self.doubts_words),
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the answers as JSON can hold them."""
        return {
            "edition": self.edition,
            "conforms": self.conforms,
            "departures": [_as_plain(one) for one in self.found("procedure")],
            "steady_state": dict(self.steadiness),
            "doubts": [_as_plain(one) for one in self.found("numbers")],
        }


def _as_plain(found: SharedFinding) -> dict[str, Any]:
    return {
        "code": found.code,
        "severity": found.severity,
        "tests": list(found.tests),
        "clause": found.clause,
        "words": found.words,
    }


def find_answers(
    findings: Iterable[Finding],
    windows: "pd.DataFrame",
    *,
    tests: Sequence[str],
    edition: str,
    is_over: bool,
) -> Answers:
    """Return the answers to the three questions, from the table ``windows``."""
    finals = windows[windows["is_final"].fillna(value=False).astype(bool)]
    is_steady = finals["is_steady"].fillna(value=False).astype(bool)
    return answer_questions(
        findings,
        tuple(zip(finals["test"], is_steady, strict=True)),
        tests=tests,
        edition=edition,
        is_over=is_over,
    )


def answer_questions(
    findings: Iterable[Finding],
    finals: Sequence[tuple[str, bool]],
    *,
    tests: Sequence[str],
    edition: str,
    is_over: bool,
) -> Answers:
    """Return the answers, from the test of each final window and whether it is steady.

    Where nothing was judged, no steady state is claimed.
    """
    found = tuple(findings)
    unsteady = {one.test for one in found if one.code == "not-steady"}
    return Answers(
        edition=edition,
        is_over=is_over,
        steadiness={
            test: _steadiness(
                test,
                [is_steady for own, is_steady in finals if own == test],
                is_found=test in unsteady,
            )
            for test in tests
        },
        findings=share_findings(found),
    )


def _steadiness(test: str, is_steady: Sequence[bool], *, is_found: bool) -> Steadiness:
    if is_found:
        return "not reached"
    if not is_steady:
        return "not judged"
    if all(is_steady):
        return "reached"
    return "ended at its limit" if is_saturation(test) else "not reached"
