"""Departures: differences between a run and the standard."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Departure:
    """One difference from the standard.

    The fields are the facts; `words` makes a sentence of them, which nothing parses.

    Attributes
    ----------
    code : str
        One of `ssdlab.model.finding.FINDING_KINDS`, which has its severity.
    subject : str
        The subject, such as ``time of a cell``.
    done : str
        What the run does, such as ``1 s``.
    asked : str
        What the standard requires; empty where that is not another value.
    why : str
        The reason, if known.
    clause : str
        The section of the standard that requires it.
    tests : tuple of str
        The tests concerned; empty if it concerns the whole run.
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
        """The departure as a sentence.

        >>> Departure(
        ...     code="time-scaled", subject="time of a cell", done="1 s", asked="1 min"
        ... ).words
        'time of a cell: 1 s instead of 1 min'
        """
        instead = f"{self.done} instead of {self.asked}" if self.asked else self.done
        return ": ".join(filter(None, (self.subject, instead, self.why)))
