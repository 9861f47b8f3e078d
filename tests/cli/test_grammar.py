"""What every command takes alike: a target, colour, names to complete."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from ssdlab.cli import main
from tests.cli.called import call
from tests.paths import ROOT

WITH_TARGET = ("plan", "run", "peak", "saturate", "sequence", "doctor")


@pytest.mark.parametrize("command", WITH_TARGET)
def test_target_is_given_by_its_place_or_by_its_option(command: str) -> None:
    dry = ["--dry-run"] if command not in {"plan", "doctor"} else []
    target = "virtual:size=64MiB"
    placed = call(command, target, *dry)
    named = call(command, "--target", target, *dry)
    assert placed.returncode == named.returncode == 0, placed.stderr
    if command != "doctor":  # whose host changes between two looks
        assert placed.stdout == named.stdout
    assert call(command, target, "--target", target, *dry).returncode == 2


@pytest.mark.parametrize("command", [*WITH_TARGET[:-1], "purge"])
def test_missing_target_is_refused_with_examples(command: str) -> None:
    done = call(command)
    assert done.returncode == 2
    assert "Missing TARGET" in done.stderr
    assert "/dev/nvme0n1" in done.stderr


def test_dry_run_of_run_shows_what_plan_shows(tmp_path: Path) -> None:
    asked = ("virtual", "--tests", "iops,lat", "--tbw", "1TB")
    dry = call("run", *asked, "--dry-run", "--runs", tmp_path / "runs")
    assert dry.stdout == call("plan", *asked).stdout
    assert "of the rated 1 TB" in dry.stdout
    assert not (tmp_path / "runs").exists()
    assert call("run", "virtual", "--jobs", tmp_path).returncode == 2


def test_job_files_of_a_plan_are_named_last(tmp_path: Path) -> None:
    done = call("plan", "virtual", "--tests", "lat", "--jobs", tmp_path / "jobs")
    index = Path(done.stdout.splitlines()[-1])
    assert index == tmp_path / "jobs" / "index.txt"
    assert index.is_file()


@pytest.mark.parametrize("target", ["virtual", "virtual:size=64MiB", "file:/x,size=1G"])
def test_purge_of_what_its_run_purges_is_refused_with_the_command(target: str) -> None:
    done = call("purge", target)
    assert done.returncode == 2
    assert f"ssdlab run {target}" in done.stderr


@pytest.mark.parametrize(
    ("asked", "guess"),
    [
        (("plan", "vitual"), "virtual"),
        (("plan", "vitual:size=64MiB"), "virtual"),
        (("plan", "virtual", "--profile", "pts-2.0-enterprize"), "pts-2.0-enterprise"),
        (("plan", "virtual", "--tests", "iosp"), "iops"),
        (("profiles", "show", "dmeo"), "demo"),
    ],
)
def test_a_wrong_name_is_guessed(asked: tuple[str, ...], guess: str) -> None:
    done = call(*asked)
    assert done.returncode == 2
    assert f"Did you mean '{guess}'?" in done.stderr


def test_a_name_like_no_other_is_not_guessed() -> None:
    done = call("plan", "virtual", "--tests", "quux")
    assert "Did you mean" not in done.stderr
    assert "Choose from: iops" in done.stderr


@pytest.mark.parametrize(
    ("asked", "environment", "is_coloured"),
    [
        (("--color", "always", "doctor"), {}, True),
        (("doctor", "--color", "always"), {}, True),
        (("--color", "always", "doctor"), {"NO_COLOR": "1"}, True),
        (("--color", "never", "doctor"), {}, False),
        (("doctor",), {"NO_COLOR": "1"}, False),
        (("doctor",), {}, True),
        (("profiles", "show", "demo", "--color", "always"), {}, False),
    ],
)
def test_colour_is_for_a_terminal_unless_it_is_chosen(
    asked: tuple[str, ...], environment: dict[str, str], *, is_coloured: bool
) -> None:
    """A terminal is played: ``color`` keeps what a file would not get."""
    done = CliRunner(env=environment).invoke(main, asked, color=True)
    assert done.exit_code == 0
    assert ("\x1b[" in done.output) == is_coloured


def completed(*words: str, **environment: str) -> list[str]:
    """Return what Tab in bash offers for the last word."""
    asked = {
        "_SSDLAB_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(["ssdlab", *words]),
        "COMP_CWORD": str(len(words)),
    }
    done = subprocess.run(
        [Path(sys.executable).with_name("ssdlab")],
        env={**os.environ, **asked, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


def test_tab_completes_runs_profiles_tests_and_targets() -> None:
    samples = {"SSDLAB_RUNS": str(ROOT / "data" / "samples")}
    assert completed("report", "virtual-a", **samples) == [
        *("virtual-a", "virtual-a-again", "virtual-all")
    ]
    assert completed("report", "", **samples)[0] == "latest"
    assert completed("run", "virtual", "--profile", "pts-2") == [
        *("pts-2.0-enterprise", "pts-2.0-client")
    ]
    assert completed("run", "virtual", "--tests", "iops,t") == ["iops,tp"]
    assert completed("plan", "v") == ["virtual"]


def test_the_line_of_the_help_sets_completion_up() -> None:
    (line,) = [
        line
        for line in call("--help").stdout.splitlines()
        if "_SSDLAB_COMPLETE" in line
    ]
    folder = Path(sys.executable).parent
    setup = line.strip().partition("'")[2].partition("'")[0]
    script = f"PATH={folder}:$PATH; {setup}; complete -p ssdlab"
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, check=True
    )
    assert "_ssdlab_completion" in done.stdout
