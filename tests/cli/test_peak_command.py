"""`ssdlab peak` before anything is measured."""

from pathlib import Path

import pytest

from tests.cli.called import call


def test_dry_run_says_time_and_bytes_and_touches_nothing() -> None:
    done = call("peak", "--target", "virtual", "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "HGST/WD, Flash Performance Best Practices, 17 April 2018" in done.stdout
    assert "peak  11 " in done.stdout
    assert "3 min 32 s" in done.stdout  # 6 x 35 s, and a fill of 2 s
    assert "not a test of the PTS" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--seconds", "0"), "is not in the range"),
        (("--ramp", "-1"), "-1 is not in the range"),
        (("--seconds", "x"), "is not a valid float"),
        (("--seed", "-1"), "-1 is not in the range"),
    ],
)
def test_numbers_that_mean_nothing_are_refused(
    arguments: tuple[str, ...], words: str
) -> None:
    done = call("peak", "--target", "virtual", "--dry-run", *arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_runs_in_a_file_are_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("", "utf-8")
    done = call(
        "peak", "--target", "virtual:size=48MiB", "--runs", str(tmp_path / "taken")
    )
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "the folder cannot be created" in done.stderr
