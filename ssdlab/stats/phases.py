"""Which phases of a test are judged together, and which belong to single cells."""

import re
from collections.abc import Iterable

# PTS-C 1.x judges each active range by itself: `ssdlab.model.spec.ActiveRange.name`.
_ACTIVE_RANGE = re.compile(r"-AR[\d.]+-(?:all|[\d.]+[GM]iB)$")


def group_name(test: str, phase: str) -> str:
    """Return what the PTS judges together: in TP a block size, else all rounds.

    Where a test is repeated in several active ranges, each is judged by itself.

    >>> group_name("tp", "rounds-128KiB-r0"), group_name("iops", "rounds-4KiB-r0")
    ('rounds-128KiB', 'rounds')
    """
    active = _ACTIVE_RANGE.search(phase)
    name = phase[: active.start()] if active else phase
    group = "-".join(name.split("-")[: 2 if test == "tp" else 1])
    return group + (active.group() if active else "")


def range_name(phase: str) -> str:
    """Return the active range of a phase, such as ``AR75-8GiB``, or nothing.

    >>> range_name("rounds-AR75-8GiB"), range_name("rounds-128KiB")
    ('AR75-8GiB', '')
    """
    active = _ACTIVE_RANGE.search(phase)
    return active.group()[1:] if active else ""


def phase_label(phase: str) -> str:
    """Return the name of a phase of a procedure in words.

    >>> phase_label("job-01"), phase_label("attempt2"), phase_label("fill")
    ('job 01', 'attempt 2', 'fill')
    """
    return re.sub(r"(?<=[a-z])(?=\d)", " ", phase.replace("-", " "))


def is_cell_by_cell(test: str, phases: Iterable[str]) -> bool:
    """Return whether phases are those of single cells, each with its own window."""
    names = set(phases)
    return len(names) > len({group_name(test, name) for name in names})
