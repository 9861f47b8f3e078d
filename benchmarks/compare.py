"""Measure the CPU time of comparisons, as multiples of what any of them must load.

Usage: ``python -m benchmarks.compare [--rounds 5]``

The commands and an interpreter that imports pandas, pyarrow and scipy alone run in
turn, each in its own process, so that the ratios hold on any machine and at any load.
The table has the least CPU time of each, user and system, of all its processes.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SAMPLES = Path(__file__).resolve().parents[1] / "data" / "samples"
FLOOR = "imports alone"
_IMPORTS = "import pandas, pyarrow.parquet, ssdlab.stats.special"


def command_lines(folder: Path) -> dict[str, list[str]]:
    """Return what is measured, by name; pages go into the folder."""
    command = [sys.executable, "-m", "ssdlab.cli", "compare"]
    two = [str(SAMPLES / name) for name in ("virtual-a", "virtual-b")]
    page = ["-o", str(folder / "page.html")]
    return {
        FLOOR: [sys.executable, "-c", _IMPORTS],
        "two runs, --json": [*command, *two, "--json"],
        "two runs, page": [*command, *two, *page],
        "nine runs, page": [*command, str(SAMPLES), *page],
    }


def cpu_seconds(line: list[str]) -> float:
    """Return the CPU time of a process and all that it started [s]."""
    before = os.times()
    subprocess.run(line, check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    user = after.children_user - before.children_user
    return user + after.children_system - before.children_system


def main() -> None:
    """Measure in turn, and print the table."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--rounds", type=int, default=5)
    rounds = asked.parse_args().rounds
    with tempfile.TemporaryDirectory() as place:
        lines = command_lines(Path(place))
        taken: dict[str, list[float]] = {name: [] for name in lines}
        for _ in range(rounds):
            for name, line in lines.items():
                taken[name].append(cpu_seconds(line))
    floor = min(taken[FLOOR])
    print("| work | CPU [s] | times the imports |\n| --- | --- | --- |")
    for name, seconds in taken.items():
        print(f"| {name} | {min(seconds):.2f} | {min(seconds) / floor:.1f} |")


if __name__ == "__main__":
    main()
