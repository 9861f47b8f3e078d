"""`ssdlab run` and papermill by hand make the same kind of run."""

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import ssdlab
from ssdlab.model.schema import OF_JOB_FILES, TABLES
from tests.integration.lab import Lab
from tests.paths import ROOT

pytestmark = [pytest.mark.fio, pytest.mark.notebook]
TARGET = "virtual:size=48MiB,linger=120"
PLOT = "application/vnd.plotly.v1+json"


def outputs(notebook: Path) -> list[dict[str, Any]]:
    cells = json.loads(notebook.read_bytes())["cells"]
    return [output for cell in cells for output in cell.get("outputs", ())]


def kinds_of_file(run: Path) -> set[str]:
    """Return the names of a run's files; of the steps, what each kind has."""
    names = set()
    for path in run.rglob("*"):
        parts = path.relative_to(run).parts
        if path.is_file() and parts[0] != "attempts":
            is_step = parts[0] == "steps"
            names.add("/".join(("steps", "*", *parts[2:]) if is_step else parts))
    return names


def test_ssdlab_run_and_papermill_by_hand_make_the_same_kind_of_run(lab: Lab) -> None:
    asked = {"target": TARGET, "profile": "tiny", "tests": "lat", "label": "<b>ours"}
    options = [word for name, value in asked.items() for word in (f"--{name}", value)]
    ours = lab.cli("run", *options, "--runs", lab.runs / "ours")
    notebook, source = lab.folder / "out.ipynb", ROOT / "notebooks/01_run_pts.ipynb"
    pairs = [word for name, value in asked.items() for word in ("-p", name, value)]
    papermill = (sys.executable, "-m", "papermill", source, notebook)
    by_hand = lab.start(*papermill, *pairs, "-p", "runs", lab.runs / "by hand")
    assert ours.wait(180) == 0, ours.said
    assert by_hand.wait(180) == 0, by_hand.said

    (first,) = (lab.runs / "ours").glob("[!.]*")
    (second,) = (lab.runs / "by hand").glob("[!.]*")
    for place in ("notebook.ipynb", "tables", "report.html"):
        assert f"{first / place}\n" in ours.said
    files = kinds_of_file(first)
    assert files - {"notebook.ipynb"} == kinds_of_file(second)
    assert {f"tables/{name}.parquet" for name in TABLES} < files
    assert {"run.json", "state.json", "report.html", "steps/*/fio.json.gz"} < files
    assert_same_tables(ssdlab.open_run(first), ssdlab.open_run(second))
    for executed in (first / "notebook.ipynb", notebook):
        assert_shows_figures_and_tables(executed)
    assert notebook.parent != second


def assert_same_tables(first: ssdlab.Run, second: ssdlab.Run) -> None:
    assert first.record.asked == second.record.asked
    assert first.record.tests == second.record.tests
    for name in TABLES:
        frames = getattr(first, name), getattr(second, name)
        is_empty = name in OF_JOB_FILES
        assert [frame.empty for frame in frames] == [is_empty, is_empty], name
        assert list(frames[0].dtypes.items()) == list(frames[1].dtypes.items())
    kinds = [
        set(run.steps[["test", "phase", "kind"]].itertuples(index=False, name=None))
        for run in (first, second)
    ]
    assert kinds[0] == kinds[1]


def assert_shows_figures_and_tables(notebook: Path) -> None:
    shown = outputs(notebook)
    kinds = Counter(kind for output in shown for kind in output.get("data", ()))
    assert not [output for output in shown if output["output_type"] == "error"]
    assert not [output for output in shown if output.get("name") == "stderr"]
    assert kinds[PLOT] >= 4
    html = "".join(
        "".join(output["data"]["text/html"])
        for output in shown
        if "text/html" in output.get("data", {})
    )
    assert html.count("<table") >= 3
    assert "<b>ours" not in html
