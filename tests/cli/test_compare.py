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
    assert "needs two or more runs" in done.output


def test_unknown_condition_is_a_wrong_request(folder: Path) -> None:
    done = CliRunner().invoke(main, ["compare", str(folder), "--accept", "weather"])
    assert done.exit_code == 2
    assert "'weather'" in done.output


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("nowhere", "folder not found"),
        ("file", "it is a file, not a run folder"),
        ("empty", "it is not a run, and does not contain any"),
        ("run1", "appears twice"),
    ],
)
def test_what_is_no_other_run_is_a_wrong_request_and_says_what_to_name(
    folder: Path, tmp_path: Path, wrong: str, words: str
) -> None:
    (tmp_path / "file").write_text("text", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    place = folder if wrong == "run1" else tmp_path
    asked = ["compare", str(folder / "run1"), str(place / wrong)]
    done = CliRunner().invoke(main, asked)
    assert done.exit_code == 2
    assert words in done.output
    assert "--runs" not in done.output


@pytest.mark.parametrize("damage", [b"", b"PAR1", b"cut"], ids=["empty", "head", "cut"])
@pytest.mark.parametrize("table", ["measurements", "bins", "findings", "runs"])
def test_damaged_table_is_an_error_and_nothing_else_is_shown(
    tmp_path: Path, table: str, damage: bytes
) -> None:
    for number in (1, 2):
        make_twin(tmp_path, Twin(number=number, recipe=ALPHA))
    path = tmp_path / "run2" / "tables" / f"{table}.parquet"
    path.write_bytes(path.read_bytes()[:-9] if damage == b"cut" else damage)
    asked = ["compare", str(tmp_path / "run1"), str(tmp_path / "run2")]
    done = CliRunner().invoke(main, asked)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert f"{table}.parquet cannot be read" in done.stderr
    assert "ssdlab ingest" in done.stderr


def test_page_into_a_missing_folder_is_refused_before_anything_is_shown(
    folder: Path, tmp_path: Path
) -> None:
    place = tmp_path / "missing" / "page.html"
    done = CliRunner().invoke(main, ["compare", str(folder), "-o", str(place)])
    assert done.exit_code == 2
    assert done.stdout == ""
    assert "there is no folder" in done.output


def test_json_prints_verdicts_and_writes_no_page(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["compare", str(folder), "--json"])
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    assert {row["better"] for row in found["differences"]} == {"Alpha"}
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_written_unless_it_is_asked_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["compare", str(folder)])
    assert done.exit_code == 0
    assert done.stdout.startswith("In these runs Alpha responds")
    assert list(tmp_path.iterdir()) == []


def test_page_has_the_answer_first_and_its_path_is_printed_last(
    folder: Path, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    asked = ["compare", str(folder), "-o", str(page), "--score", "lat mean: 1"]
    done = CliRunner().invoke(main, asked)
    assert done.exit_code == 0
    assert "Alpha vs. Be" in done.output
    assert "Alpha ahead in these runs" in done.output
    assert done.stdout.splitlines()[-2:] == ["", str(page)]
    html = page.read_text("utf-8")
    assert html.count('class="plot"') >= 4
    places = [html.index(words) for words in ("headline", 'class="plot"', "<table")]
    assert places == sorted(places)
    assert "/run1" not in html
    assert str(tmp_path.parent) not in html


def test_one_run_of_each_drive_cannot_tell_which_is_worse(folder: Path) -> None:
    asked = ["compare", str(folder), "--fail-if-worse", "5"]
    done = CliRunner().invoke(main, asked)
    assert done.exit_code == 4
    assert done.stdout.splitlines()[-1].startswith("Why: too few runs")
    told = json.loads(CliRunner().invoke(main, [*asked, "--json"]).stdout)
    assert told["fail_if_worse"]["outcome"] == "unknown"
    assert told["fail_if_worse"]["baseline"] == "Alpha"


@pytest.fixture(scope="module")
def repeated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return three runs of each of two drives, the second 1.3 times as fast."""
    place = tmp_path_factory.mktemp("repeated")
    for number in range(1, 7):
        recipe, speed = (ALPHA, 1.0) if number % 2 else (BETA, 1.3)
        make_twin(place, Twin(number=number, recipe=recipe, speed=speed))
    return place


def test_slower_drive_fails_and_a_faster_one_passes(repeated: Path) -> None:
    fast, slow = ([str(repeated / f"run{n}") for n in own] for own in ("246", "135"))
    call = CliRunner().invoke
    failed = call(main, ["compare", *fast, *slow, "--fail-if-worse", "5"])
    assert failed.exit_code == 3
    assert "FAIL: Alpha is worse than" in failed.stdout
    passed = call(main, ["compare", *slow, *fast, "--fail-if-worse", "5"])
    assert passed.exit_code in {0, 4}
    assert "FAIL" not in passed.stdout
