"""The table of runs, in the explorer and in a notebook."""

from pathlib import Path

import pytest

import ssdlab
from ssdlab.explorer.run_cache import RunCache
from ssdlab.explorer.run_table import COLUMNS, STATE, still, table_html
from ssdlab.model.step import Step
from ssdlab.procedures.saturate.spec import saturate
from ssdlab.procedures.saturate.stimulus_text import parse_stimulus
from ssdlab.store.catalog import list_runs
from tests.made_procedure import measure_made
from tests.made_run import Recipe, make_run
from tests.paths import ROOT

SAMPLES = ROOT / "data" / "samples"


def test_label_and_state_of_each_run_are_in_its_row() -> None:
    listed = RunCache(SAMPLES).listed
    row = listed["virtual-b"].row
    assert len(row["cells"]) == len(row["keys"]) == len(COLUMNS)
    assert row["cells"][:3] == ["virtual-b", "make B", "✓ steady"]
    assert list(listed) == [Path(one.path).name for one in list_runs(SAMPLES)]
    numbers = [key for key in row["keys"] if isinstance(key, float)]
    assert len(numbers) == 4


def test_label_with_markup_is_text_in_a_still_picture(tmp_path: Path) -> None:
    make_run(tmp_path / "one", Recipe(tests=("lat",), label="<b>mine"))
    (one,) = RunCache(tmp_path).listed.values()
    shown = still(table_html([one.row]))
    assert "&lt;b&gt;mine" in shown
    assert "<b>mine" not in shown


def test_damaged_run_is_marked(tmp_path: Path) -> None:
    run = make_run(tmp_path / "one", Recipe(tests=("lat",)))
    (run.path / "state.json").write_text("{")
    (one,) = RunCache(tmp_path).listed.values()
    assert one.row["cells"][STATE] == "damaged"


def test_explorer_opens_the_latest_finished_run_of_the_samples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "samples").symlink_to(SAMPLES)
    explorer = ssdlab.explore(run="latest")
    assert explorer.selection.run == "virtual-b"
    make_run(tmp_path / "data" / "runs" / "own", Recipe(tests=("lat",)))
    assert ssdlab.explore(run="latest").selection.run == "own"


def still_falling_at_first(step: Step) -> float:
    """Fall without end in the first attempt; be steady in the second."""
    is_first = step.phase_id == "attempt1"
    return 9000.0 / (1 + (step.round or 1)) if is_first else 2000.0


def test_saturation_opens_at_its_last_attempt(tmp_path: Path) -> None:
    measure_made(
        tmp_path / "one",
        saturate(parse_stimulus("RND 4KiB 0/100"), iterations=12),
        still_falling_at_first,
    )
    explorer = ssdlab.explore(tmp_path)
    assert {name for name, _ in explorer.controls.phase.options} >= {"attempt1"}
    assert explorer.frame("cell")["phase"].unique().tolist() == ["attempt2"]
