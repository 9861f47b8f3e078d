"""The kernel's notation of chosen settings and sets of processors."""

import re
from collections.abc import Iterable

_CHOSEN = re.compile(r"\[([^\]\s]+)\]")


def chosen(text: str) -> str:
    """Return the choice in brackets of a file such as a scheduler's, or the text."""
    found = _CHOSEN.search(text)
    return found.group(1) if found else text


def parse_cpus(text: str) -> frozenset[int]:
    """Return the processors of a list such as ``0-3,8``; none if it is not a list."""
    found: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        try:
            found.update(range(int(first), int(last or first) + 1))
        except ValueError:
            return frozenset()
    return frozenset(found)


def format_cpus(cpus: Iterable[int]) -> str:
    """Return processors as the kernel lists them: ``0-3,8``."""
    runs: list[list[int]] = []
    for cpu in sorted(cpus):
        if runs and cpu == runs[-1][-1] + 1:
            runs[-1].append(cpu)
        else:
            runs.append([cpu])
    return ",".join(
        f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs
    )
