"""A run folder that grows step by step: a recorded run given out in parts."""

import fcntl
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.paths import ROOT

SAMPLE = ROOT / "data" / "samples" / "virtual-lat"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return begin(tmp_path / "growing")


@pytest.fixture
def held(run: Path) -> Iterator[Path]:
    with hold(run) as held:
        yield held


def begin(folder: Path) -> Path:
    """Make the folder of a run that has begun and finished no step."""
    (folder / "steps").mkdir(parents=True)
    shutil.copy(SAMPLE / "run.json", folder)
    shutil.copytree(SAMPLE / "telemetry", folder / "telemetry")
    set_status(folder, "running")
    return folder


@contextmanager
def hold(run: Path) -> Iterator[Path]:
    """Work on a run, as far as its lock tells."""
    with (run / "lock").open("w", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write("4711")
        file.flush()
        yield run


def set_status(run: Path, status: str) -> None:
    state = json.loads((SAMPLE / "state.json").read_bytes())
    (run / "state.json").write_text(json.dumps(state | {"status": status}), "utf-8")


def grow(run: Path, first: int, end: int) -> None:
    """Finish some steps of the sample; each appears whole, as those of a run do."""
    for step in sorted((SAMPLE / "steps").iterdir())[first:end]:
        unseen = run / "steps" / f".{step.name}"
        shutil.copytree(step, unseen)
        unseen.rename(run / "steps" / step.name)
