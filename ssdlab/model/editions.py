"""The editions of the standard that profiles follow, by the names that runs keep."""

from typing import Literal

PTS_2 = "PTS 2.0.2"
PTS_E_1 = "PTS-E 1.1"  # enterprise
PTS_C_1 = "PTS-C 1.1"  # client
_EDITIONS: dict[str, Literal[1, 2]] = {
    PTS_2: 2,
    PTS_E_1: 1,
    PTS_C_1: 1,
    "PTS-C 1.x": 1,  # as runs of earlier versions call it
}


def edition_of(spec_version: str) -> Literal[1, 2] | None:
    """Return the PTS edition of a specification; None if it is another document."""
    return _EDITIONS.get(spec_version)
