"""`ssdlab classes`: where the page goes, what is printed, what is refused."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ssdlab.cli import main
from ssdlab.engine.suite import run_suite
from ssdlab.store.run import Run
from tests.made_run import Recipe, make_run
from tests.paths import ROOT

PROFILE = """\
based_on = "demo"
lat_mixes = [0]
lat_block_sizes = ["4 KiB"]
cell_s = 0.3
max_rounds = 5
histogram_s = 1
"""


def ssdlab(*arguments: str | Path) -> Result:
    """Call the command in this process, and keep all that it prints as it is."""
    return CliRunner().invoke(main, [str(a) for a in arguments], color=True)


def ssdlab_process(
    *arguments: str | Path, cwd: Path
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ssdlab.cli", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=cwd,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/local/bin:/usr/bin:/bin"},
    )


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Go to an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Run:
    recipe = Recipe(tests=("lat",), rounds=5, label="my \x1b[31m")
    return make_run(tmp_path_factory.mktemp("made") / "model", recipe)


def test_without_a_run_the_nine_classes_are_printed(here: Path) -> None:
    done = ssdlab("classes")
    assert done.exit_code == 0, done.stderr
    assert "PCIe 8 Lane" in done.stdout
    assert list(here.iterdir()) == []


def test_page_goes_where_it_is_asked_for_and_its_path_is_last(
    model: Run, here: Path
) -> None:
    page = here / "mine.html"
    done = ssdlab("classes", model.path, "-o", page, "--rank-virtual")
    assert done.exit_code == 0, done.stderr
    assert "Average latency" in done.stdout
    assert done.stdout.splitlines()[-2:] == ["", str(page)]
    assert [path.name for path in here.iterdir()] == ["mine.html"]


def test_values_of_a_model_are_printed_without_a_rank(model: Run) -> None:
    done = ssdlab("classes", model.path)
    assert "Average latency" in done.stdout
    assert "--rank-virtual" in done.stdout.splitlines()[-1]
    assert "\x1b" not in done.stdout


def test_json_writes_no_page_and_ranks_a_model_only_when_asked(
    model: Run, here: Path
) -> None:
    done = ssdlab("classes", model.path, "--json")
    (run,) = json.loads(done.stdout)["runs"]
    assert (run["kind"], run["is_ranked"], run["nearest"]) == ("virtual", False, [])
    assert list(here.iterdir()) == []
    assert "\x1b" not in done.stdout
    asked = ssdlab("classes", model.path, "--json", "--rank-virtual")
    (run,) = json.loads(asked.stdout)["runs"]
    assert run["is_ranked"]
    assert len(run["nearest"]) == 8


def test_json_and_a_page_at_once(model: Run, tmp_path: Path) -> None:
    page = tmp_path / "mine.html"
    done = ssdlab("classes", model.path, "--json", "-o", page)
    assert len(json.loads(done.stdout)["classes"]) == 9
    assert page.is_file()


@pytest.mark.parametrize("case", ["absent", "twice", "no-folder"])
def test_wrong_request_ends_with_2_and_one_line(
    case: str, model: Run, here: Path
) -> None:
    cases: dict[str, tuple[list[str | Path], str]] = {
        "absent": ([here / "none"], "it has no run.json"),
        "twice": ([model.path, model.path], "appears twice"),
        "no-folder": (["-o", here / "no" / "page.html"], "cannot be written"),
    }
    arguments, text = cases[case]
    done = ssdlab("classes", *arguments)
    assert done.exit_code == 2
    assert text in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(here.iterdir()) == []


@pytest.mark.fio
def test_measured_virtual_ssd_is_shown_beside_the_classes(tmp_path: Path) -> None:
    profile = tmp_path / "quick.toml"
    profile.write_text(PROFILE, "utf-8")
    run = run_suite(
        "virtual:size=32MiB",
        str(profile),
        "lat",
        runs=tmp_path / "runs",
        seed=5,
        tell=lambda _: None,
    )
    found = ssdlab("classes", run.path, "--json", "--rank-virtual")
    assert found.exit_code == 0, found.stderr
    (placed,) = json.loads(found.stdout)["runs"]
    values = {row["metric"]: row for row in placed["values"]}
    assert 0.01 < values["lat_mean_ms"]["value"] < 50
    assert values["lat_max_ms"]["value"] >= values["lat_mean_ms"]["value"]
    assert values["write_iops"]["value"] is None
    assert placed["name"].endswith("(virtual)")
    assert "virtual SSD: a model, not a drive" in placed["conditions"]
    levels = {row["marker"]: row["lat_ns"] for row in placed["levels"]["lat"]}
    assert levels["99 %"] <= levels["99.999 %"]
