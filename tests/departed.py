"""Departures as tests compare them: the words that people read."""

from collections.abc import Iterable

from ssdlab.model.departure import Departure


def words_of(departures: Iterable[Departure]) -> tuple[str, ...]:
    """Return each departure in words, in order."""
    return tuple(departure.words for departure in departures)


def departed(*words: str, code: str = "profile-value") -> tuple[Departure, ...]:
    """Return departures of a run that say these words."""
    return tuple(Departure(code=code, subject="", done=said) for said in words)
