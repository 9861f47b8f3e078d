"""Measure what commands that look at finished runs take, beside what they import.

Run from the root of the checkout: ``python -m benchmarks.commands [--rounds 3]``

Each command is a process of its own, and so is the floor: an import of the packages
that it needs. Floor and commands run in turn; times are of the processor, the minimum
of the rounds.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

RUN = "data/samples/virtual-b"
_NUMBERS = "import numpy, pyarrow.parquet"
_FRAMES = "import pandas, pyarrow.parquet, ssdlab.stats.special"
_PAGES = f"{_FRAMES}, jinja2, plotly.graph_objects"
# A command, and what it cannot do without.
COMMANDS: Mapping[str, tuple[Sequence[str], str]] = {
    "help": (("--help",), "import click"),
    "runs": (("runs", "--runs", "data/samples"), _NUMBERS),
    "qos --list": (("qos", RUN, "--list"), "import pandas, pyarrow.parquet"),
    "qos": (("qos", RUN), _FRAMES),
    "report": (("report", RUN, "--overwrite", "-o"), _PAGES),
}


def measure_commands(
    names: Sequence[str], *, rounds: int
) -> dict[str, tuple[float, float]]:
    """Return the time of each command and of its floor [s]."""
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    with tempfile.TemporaryDirectory() as place:
        page = str(Path(place) / "page.html")
        for _ in range(rounds):
            for name in names:
                words, needs = COMMANDS[name]
                words = (*words, page) if words[-1] == "-o" else words
                own = cpu_seconds(["-m", "ssdlab.cli", *words])
                taken[name].append((own, cpu_seconds(["-c", needs])))
    return {
        name: (min(own for own, _ in pairs), min(floor for _, floor in pairs))
        for name, pairs in taken.items()
    }


def cpu_seconds(arguments: Sequence[str]) -> float:
    """Return what a Python with arguments takes of the processor [s]."""
    quiet = subprocess.DEVNULL
    process = subprocess.Popen([sys.executable, *arguments], stdout=quiet, stderr=quiet)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        msg = f"{arguments} exited with {process.returncode}"
        raise RuntimeError(msg)
    return used.ru_utime + used.ru_stime


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--rounds", type=int, default=3)
    found = measure_commands(list(COMMANDS), rounds=asked.parse_args().rounds)
    for name, (own, floor) in found.items():
        print(f"{name:>10}: {own:.2f} s, {own / floor:.1f} x its imports")


if __name__ == "__main__":
    main()
