"""The command ``compare``."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from ssdlab.cli import main
from tests.made_compared import Twin, make_twin
from tests.made_run import Recipe

ALPHA = Recipe(kind="block", model="Alpha", serial="AAA", label="", tests=("lat",))
BETA = Recipe(kind="block", model="Be\x1bta", serial="BBB", label="", tests=("lat",))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("compared")
    make_twin(place, Twin(number=1, recipe=ALPHA, speed=1.3))
    make_twin(place, Twin(number=2, recipe=BETA))
    return place


def test_one_run_is_a_wrong_request(folder: Path) -> None:
    done = CliRunner().invoke(main, ["compare", str(folder / "run1")])
    assert done.exit_code == 2
    assert "needs two runs or more" in done.output


def test_unknown_condition_is_a_wrong_request(folder: Path) -> None:
    done = CliRunner().invoke(main, ["compare", str(folder), "--accept", "weather"])
    assert done.exit_code == 2
    assert "There is no condition 'weather'" in done.output


def test_json_prints_verdicts_and_writes_no_page(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["compare", str(folder), "--json"])
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    assert {row["better"] for row in found["differences"]} == {"Alpha"}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.notebook
def test_page_is_written_and_the_terminal_shows_conditions_and_verdicts(
    folder: Path, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    asked = ["compare", str(folder), "-o", str(page), "--score", "lat mean: 1"]
    done = CliRunner().invoke(main, asked)
    assert done.exit_code == 0
    assert "Alpha (A) v Be�ta (B)" in done.output
    assert "A beats B by" in done.output
    assert str(page) in done.output
    html = page.read_text("utf-8")
    assert html.count('class="plot"') >= 5
    assert "No run and no round stands far" in html or "Far from the others" in html
