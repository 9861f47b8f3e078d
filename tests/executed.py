"""The companion notebooks, each carried out once, whoever looks at the result.

Tests of several modules do, and modules may run in several workers at once: the first
that asks carries a notebook out, and the others wait for it.
"""

import fcntl
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from ssdlab.notebook import execute_notebook, find_notebook
from tests.paths import ROOT

SAMPLES = ROOT / "data" / "samples"


@dataclass(frozen=True, kw_only=True)
class Companion:
    """A notebook, what it is asked, and what its page has then to say."""

    notebook: str
    parameters: Mapping[str, str | int | float | bool]
    texts: Sequence[str]
    figures: int  # at least


# One entry a notebook; `parameters` may name a sample run by its path.
COMPANIONS: tuple[Companion, ...] = (
    Companion(
        notebook="00_start.ipynb",
        parameters={
            "sample": str(SAMPLES / "virtual-all"),
            "others": str(SAMPLES),
            "runs": str(SAMPLES),
        },
        texts=("A fresh drive is fast", "first steps", "make B"),
        figures=5,
    ),
    Companion(
        notebook="02_steady_state.ipynb",
        parameters={"run": str(SAMPLES / "virtual-all"), "test": "iops"},
        texts=(
            "PTS 2.0.2: steady in rounds 2 - 6",
            "Beyond the PTS:",
            "each value and fit end within 10 %",
            "fewer than 20 rounds",
            "Every cell; select one with tracking",
            "No forecast is needed.",
        ),
        figures=7,
    ),
    Companion(
        notebook="03_latency_qos.ipynb",
        parameters={"run": str(SAMPLES / "virtual-all")},
        texts=(
            "Simulated drive; not representative of any product.",
            "no upper bound",
            "The intervals of percentiles hold if the IOs are independent",
            "met (more than 99.9 % confidence)",
            "All 82 loads of this run",
        ),
        figures=7,
    ),
    Companion(
        notebook="04_compare_drives.ipynb",
        parameters={
            "runs": str(SAMPLES),
            "accept": "fio version",
            "score": "tp 1024 KiB: 1, lat mean 4 KiB: 1",
        },
        texts=(
            "Accepted as equal, though they differ: fio version.",
            "write cache, kernel, operating system, engine. Runs that differ in them",
            "Not known for every run: host, processor, memory, data pattern.",
            "Number of cells in which each drive is better",
            "claimed only for these runs",
            "How many times as fast",
            "Score and its parts",
        ),
        figures=20,
    ),
    Companion(
        notebook="05_explore.ipynb",
        parameters={"runs": str(SAMPLES), "run": "virtual-all"},
        texts=("Explore", "Export"),
        figures=3,  # stills of the widget's, which a page cannot hold
    ),
    Companion(
        notebook="06_fleet.ipynb",
        parameters={},
        texts=(
            "No store was named",
            "Simulated drives; not representative of any product.",
            "Groups of drives",
            "Fewer than 5 drives, so not judged",
            "other conditions than those of most drives",
            "When each drive was last measured",
        ),
        figures=3,
    ),
)


def find_companion(notebook: str) -> Companion:
    """Return a companion by the name of its notebook."""
    (found,) = (one for one in COMPANIONS if one.notebook == notebook)
    return found


def executed(companion: Companion, factory: pytest.TempPathFactory) -> Path:
    """Return a companion as it was carried out, in the whole session once."""
    base = factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    path = shared / f"executed-{companion.notebook}"
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            unfinished = path.with_suffix(".unfinished.ipynb")
            source = find_notebook(companion.notebook)
            execute_notebook(
                source, unfinished, companion.parameters, keeps_saving=False
            )
            unfinished.replace(path)
    return path
