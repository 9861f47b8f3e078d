"""How a target may be purged."""

from collections.abc import Sequence
from dataclasses import dataclass

from ssdlab.model.drive import AUTO_PURGE, PurgeChoice, PurgeMethod
from ssdlab.model.errors import UnknownNameError


@dataclass(frozen=True, kw_only=True, slots=True)
class PurgeOutlook:
    """How a target would be purged, and how long it says that this takes, if it does.

    ``departures`` are what departs from the standard by this method.
    """

    method: PurgeMethod
    expected_s: float | None = None
    departures: tuple[str, ...] = ()


def find_purge_choice(
    wanted: str, choices: Sequence[PurgeChoice], *, target: str
) -> PurgeChoice:
    """Return the choice that was asked for; the first of them is the usual one.

    Raises
    ------
    UnknownNameError
        If such a target is not purged so.
    """
    for choice in choices:
        if wanted in {AUTO_PURGE, choice.method}:
            return choice
    known = (AUTO_PURGE, *(choice.method for choice in choices))
    raise UnknownNameError(kind=f"purge of {target}", name=wanted, known=known)


def no_purge_departures(choice: PurgeChoice) -> tuple[str, ...]:
    """Return what departs from the standard where nothing is purged."""
    return ("no purge: none was asked for",) if choice.method == "none" else ()
