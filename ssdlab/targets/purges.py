"""How a target may be purged."""

from collections.abc import Sequence
from dataclasses import dataclass

from ssdlab.model.drive import AUTO_PURGE, PurgeChoice, PurgeMethod
from ssdlab.model.errors import UnknownNameError


@dataclass(frozen=True, kw_only=True, slots=True)
class PurgeOutlook:
    """How a target would be purged, and how long it says that takes, if it does."""

    method: PurgeMethod
    expected_s: float | None = None


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
