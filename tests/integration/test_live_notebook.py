"""The notebook on steady state, carried out while a run grows."""

import json
from pathlib import Path

import pytest

from ssdlab.notebook import execute_notebook, find_notebook
from tests.growing_run import SAMPLE, grow, held, run
from tests.ingest.test_opening import files_of
from tests.rendered import words

pytestmark = pytest.mark.notebook
__all__ = ["held", "run"]  # the fixtures


def said_of(run: Path, executed: Path) -> str:
    """Return what the notebook says, on one line."""
    source = find_notebook("02_steady_state.ipynb")
    execute_notebook(source, executed, {"run": str(run)}, keeps_saving=False)
    cells = json.loads(executed.read_bytes())["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    shown = ("".join(output.get("data", {}).get("text/html", "")) for output in outputs)
    return words(" ".join(shown))


def test_notebook_looks_ahead_until_the_run_is_steady(
    held: Path, tmp_path: Path
) -> None:
    names = sorted(path.name for path in (SAMPLE / "steps").iterdir())
    fourth = max(place for place, name in enumerate(names) if "-r004-" in name)
    grow(held, 0, fourth + 1)
    before = files_of(held)
    early = said_of(held, tmp_path / "early.ipynb")
    assert f"The run is in progress: {fourth + 1} steps are finished" in early
    assert "no window has been judged yet" in early
    assert "Not steady after round 4. Rounds still needed:" in early
    assert "Do not rely on it" in early
    assert files_of(held) == before
    grow(held, fourth + 1, len(names))
    late = said_of(held, tmp_path / "late.ipynb")
    assert "The run is in progress" in late
    assert "PTS 2.0.2: STEADY in rounds" in late
    assert "No forecast is needed." in late
