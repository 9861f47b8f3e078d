"""``ssdlab plan --tbw``: decimal as it is sold, and nothing else."""

import json

import pytest
from click.testing import CliRunner

from ssdlab.cli import main

PLAN = ["plan", "--target", "virtual", "--tests", "wsat"]


@pytest.mark.parametrize(
    ("text", "rated"),
    [("600TB", 600e12), ("1.2PB", 1.2e15), (" 80 gb ", 80e9), ("0.5tb", 0.5e12)],
)
def test_endurance_is_read_in_decimal_units(text: str, rated: float) -> None:
    done = CliRunner().invoke(main, [*PLAN, "--tbw", text, "--json"])
    assert done.exit_code == 0
    (share,) = json.loads(done.output)["endurance"]
    assert share["least_bytes"] == share["most_bytes"] == pytest.approx(rated)


@pytest.mark.parametrize(
    "text", ["600", "600TiB", "0TB", "-1TB", "nan", "1e9TB", "TB", "9" * 40 + "TB"]
)
def test_text_that_is_no_endurance_is_refused_in_one_line(text: str) -> None:
    done = CliRunner().invoke(main, [*PLAN, f"--tbw={text}"])
    assert done.exit_code == 2
    assert "600TB or 1.2PB" in done.output


def test_plan_says_the_share_for_people() -> None:
    done = CliRunner().invoke(main, [*PLAN, "--tbw", "600TB"])
    assert " of the rated 600 TB" in done.output


def test_plan_takes_the_methods_that_run_takes_and_no_other() -> None:
    done = CliRunner().invoke(main, [*PLAN, "--purge", "none", "--json"])
    assert json.loads(done.output)["purges"]["method"] == "none"
    done = CliRunner().invoke(main, [*PLAN, "--purge", "trim"])
    assert done.exit_code == 2
    assert "'trim' is not one of 'auto'" in done.output
    done = CliRunner().invoke(main, [*PLAN, "--purge", "overwrite"])
    assert done.exit_code == 2
    assert "'overwrite'" in done.output


def test_dry_run_of_a_procedure_takes_the_purge_too() -> None:
    words = ["saturate", "--target", "virtual", "--stimulus", "RND 4KiB 0/100"]
    done = CliRunner().invoke(main, [*words, "--dry-run", "--purge", "discard"])
    assert done.exit_code == 0, done.output
    assert "purges (discard), duration unknown" in done.output
    done = CliRunner().invoke(main, [*words, "--dry-run", "--purge", "none"])
    assert "no purge: none was requested" in done.output
