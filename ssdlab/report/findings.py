"""The answers to the three questions, as pages show them: each with its findings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ssdlab.model.answers import Answers
from ssdlab.model.finding import (
    REMEDY_WORDS,
    SEVERITIES,
    SEVERITY_NAMES,
    SEVERITY_WORDS,
    Answer,
    Severity,
    SharedFinding,
)
from ssdlab.paper.context import Context

Standing = Literal["good", "bad", "doubtful", "open"]
_QUESTIONS: Mapping[Answer, str] = {
    "procedure": "Procedure",
    "steady state": "Steady state",
    "numbers": "Doubts",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class FindingLine:
    """One finding: the tests that it concerns (empty for all), and its words."""

    tests: str
    words: str
    clause: str
    severity: Severity

    @property
    def name(self) -> str:
        """Its severity, as shown."""
        return SEVERITY_NAMES[self.severity].capitalize()


@dataclass(frozen=True, kw_only=True, slots=True)
class FindingGroup:
    """The findings of one severity, and what that means."""

    severity: Severity
    meaning: str
    lines: tuple[FindingLine, ...]

    @property
    def name(self) -> str:
        """Its severity, as shown."""
        return SEVERITY_NAMES[self.severity].capitalize()


@dataclass(frozen=True, kw_only=True, slots=True)
class RemedyGroup:
    """The findings about which the same is to be done, and what.

    It ``is_folded`` if nothing can be done, as they follow from what was asked for.
    """

    words: str
    is_folded: bool
    lines: tuple[FindingLine, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class AnswerBox:
    """One question, its answer in words, how good that is, and why."""

    question: str
    words: str
    standing: Standing
    groups: tuple[FindingGroup, ...]

    @property
    def grave(self) -> tuple[FindingLine, ...]:
        """What a reader must not miss."""
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


def box_answers(context: Context, test: str = "") -> tuple[AnswerBox, ...]:
    """Return the three answers of the whole run, or those of one test."""
    answers = context.run.answers
    if test:
        answers = answers.of_test(test)
    standings: tuple[tuple[Answer, Standing], ...] = (
        ("procedure", _followed(answers)),
        ("steady state", _reached(answers)),
        ("numbers", _doubted(answers)),
    )
    return tuple(
        AnswerBox(
            question=_QUESTIONS[answer],
            words=words,
            standing=standing,
            groups=_groups(context, answers.found(answer)),
        )
        for (answer, standing), (_, words) in zip(standings, answers.lines, strict=True)
    )


def _followed(answers: Answers) -> Standing:
    if answers.conforms:
        return "good"
    departures = answers.found("procedure")
    is_other = any(found.code == "procedure" for found in departures)
    is_grave = any(found.severity == "grave" for found in departures)
    return "bad" if is_grave or (departures and not is_other) else "open"


def _reached(answers: Answers) -> Standing:
    if answers.is_steady is None:
        return "open"
    return "good" if answers.is_steady else "bad"


def _doubted(answers: Answers) -> Standing:
    doubts = answers.found("numbers")
    if any(found.severity == "grave" for found in doubts):
        return "bad"
    return "doubtful" if doubts else "good"


def _groups(
    context: Context, found: Sequence[SharedFinding]
) -> tuple[FindingGroup, ...]:
    groups = (
        FindingGroup(
            severity=severity,
            meaning=SEVERITY_WORDS[severity],
            lines=tuple(
                _line(context, one) for one in found if one.severity == severity
            ),
        )
        for severity in SEVERITIES
    )
    return tuple(group for group in groups if group.lines)


def remedy_groups(context: Context) -> tuple[RemedyGroup, ...]:
    """Return all findings by what to do about them, the gravest of each first."""
    found = context.run.answers.findings
    groups = (
        RemedyGroup(
            words=words,
            is_folded=remedy == "choice",
            lines=tuple(_line(context, one) for one in found if one.remedy == remedy),
        )
        for remedy, words in REMEDY_WORDS.items()
    )
    return tuple(group for group in groups if group.lines)


def _line(context: Context, found: SharedFinding) -> FindingLine:
    names = ", ".join(map(context.name_of, found.tests))
    return FindingLine(
        tests=names, words=found.words, clause=found.clause, severity=found.severity
    )
