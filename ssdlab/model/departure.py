"""Departures: what a run asks for, or does, otherwise than the standard."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Departure:
    """One thing that is otherwise than the standard asks.

    It is a fact, of which `words` makes a sentence for people. Nothing reads that
    sentence again.

    Attributes
    ----------
    code : str
        One of `ssdlab.analysis.findings.finding.FINDING_KINDS`, which has its severity.
    subject : str
        What it is about, such as ``time of a cell``.
    done : str
        What is done, such as ``1 s``.
    asked : str
        What the standard asks for; empty where that is no other value.
    why : str
        The reason, where one is known.
    clause : str
        Where the standard asks for it.
    tests : tuple of str
        The tests that it concerns; none if it concerns the whole run.
    """

    code: str
    subject: str
    done: str
    asked: str = ""
    why: str = ""
    clause: str = ""
    tests: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The departure in a sentence.

        >>> Departure(
        ...     code="time-scaled", subject="time of a cell", done="1 s", asked="1 min"
        ... ).words
        'time of a cell: 1 s instead of 1 min'
        """
        instead = f"{self.done} instead of {self.asked}" if self.asked else self.done
        return ": ".join(filter(None, (self.subject, instead, self.why)))
