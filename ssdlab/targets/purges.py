"""Purge methods of a target."""

from collections.abc import Sequence
from dataclasses import dataclass

from ssdlab.model.drive import AUTO_PURGE, PurgeChoice, PurgeMethod
from ssdlab.model.errors import UnknownNameError


@dataclass(frozen=True, kw_only=True, slots=True)
class PurgeOutlook:
    """How a target would be purged, and its own estimate of the time, if any."""

    method: PurgeMethod
    expected_s: float | None = None


def find_purge_choice(
    wanted: str, choices: Sequence[PurgeChoice], *, target: str
) -> PurgeChoice:
    """Return the requested choice; the first one is the default."""
    for choice in choices:
        if wanted in {AUTO_PURGE, choice.method}:
            return choice
    known = (AUTO_PURGE, *(choice.method for choice in choices))
    raise UnknownNameError(kind=f"purge of {target}", name=wanted, known=known)
