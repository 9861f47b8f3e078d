"""`ssdlab qos`: tables, verdicts, exit codes, refusals."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ssdlab.cli import main
from ssdlab.store.run import Run
from tests.made_run import Recipe, make_run
from tests.paths import ROOT


def ssdlab(*arguments: str | Path, columns: int = 80) -> Result:
    wide = {"COLUMNS": str(columns)}
    return CliRunner().invoke(main, [str(a) for a in arguments], env=wide)


def said(done: Result) -> str:
    """Return the output as if no line had been broken."""
    return " ".join(done.output.split())


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    recipe = Recipe(tests=("lat",), rounds=5, histogram_s=2.2)
    return make_run(tmp_path_factory.mktemp("qos") / "run", recipe)


def test_percentiles_are_shown_with_intervals_and_what_is_not_supported(
    run: Run,
) -> None:
    done = ssdlab("qos", run.path, "--all")
    assert done.exit_code == 0
    words = said(done)
    ios = f"{run.measurements['total_ios'].iloc[-1]:,} IOs"
    assert f"LAT histogram, RND 4 KiB 0/100 T1/Q1: one long run, {ios}." in words
    assert f"no upper bound: {ios}, 368,887 needed" in words
    assert (
        "The intervals of percentiles hold if the IOs are independent of each other"
        in words
    )


@pytest.mark.parametrize("columns", [80, 120])
def test_no_line_is_wider_than_the_terminal(columns: int) -> None:
    sample = ROOT / "data" / "samples" / "virtual-all"
    asked = ("--test", "lat", "--workload", "RND 4KiB", "--goal", "p99.9 <= 1 ms")
    done = ssdlab("qos", sample, *asked, "--all", columns=columns)
    assert "LAT rounds, RND 4 KiB 65/35" in done.output
    assert max(map(len, done.output.splitlines())) <= columns
    assert ("if IOs were independent" in done.output) == (columns == 120)


def test_list_names_every_load_and_what_its_ios_are_enough_for() -> None:
    sample = ROOT / "data" / "samples" / "virtual-all"
    done = ssdlab("qos", sample, "--list")
    head, first, *rest = done.output.splitlines()
    assert head.split() == ["Test", "Phase", "Workload", "What", "IOs", "Up", "to"]
    words = "LAT histogram RND 4 KiB 0/100 T1/Q1 long run 35,403 99.9 %"
    assert " ".join(first.split()) == words
    assert max(map(len, done.output.splitlines())) <= 80
    listed = json.loads(ssdlab("qos", sample, "--list", "--json").output)
    assert len(listed) == len(rest) + 1
    assert listed[0]["total_ios"] == 35_403


def test_run_on_a_model_says_so(run: Run) -> None:
    assert "Simulated drive" in said(ssdlab("qos", run.path))


def test_help_tells_the_verdicts_and_their_exit_codes() -> None:
    words = said(ssdlab("qos", "--help"))
    assert "not met if it is beyond, otherwise inconclusive" in words
    assert "3 a load does not meet the goal, or that is inconclusive" in words


@pytest.mark.parametrize(
    ("target", "code", "words"),
    [
        ("p99 <= 10 s", 0, "met (more than 99.9 % confidence)"),
        ("p99 <= 1 ns", 3, "not met (more than 99.9 % confidence)"),
        ("p99.9999 <= 10 s", 3, "inconclusive ("),
    ],
)
def test_exit_code_tells_whether_the_target_is_met(
    run: Run, target: str, code: int, words: str
) -> None:
    done = ssdlab("qos", run.path, "--goal", target, "--all")
    assert done.exit_code == code
    assert words in said(done)
    brief = ssdlab("qos", run.path, "--target", target)
    assert brief.exit_code == code
    verdicts = {"met": "✓ met", "not": "✗ not met", "inconclusive": "? inconclusive"}
    assert verdicts[re.findall(r"[a-z:]+", words)[0]] in brief.output


def test_json_has_open_ends_as_null(run: Run) -> None:
    done = ssdlab("qos", run.path, "--target", "max <= 1 s", "--json")
    found = json.loads(done.output)
    load, *_ = found["loads"]
    last = load["levels"][-2]
    assert last["marker"] == "99.9999 %"
    assert (last["high_ns"], last["is_supported"]) == (None, False)
    assert found["verdicts"][0]["verdict"] == "cannot be told"
    assert done.exit_code == 3


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--target", "p99 1 ms"), "'p99.99 <= 1 ms at >= 20k IOPS'"),
        (("--test", "tp"), "Choose from: lat"),
        (("--direction", "trim"), "no latency histogram of trims"),
    ],
)
def test_wrong_request_is_refused_with_a_remedy(
    run: Run, options: tuple[str, ...], words: str
) -> None:
    done = ssdlab("qos", run.path, *options)
    assert done.exit_code == 2
    assert words in said(done)


@pytest.mark.parametrize("columns", [80, 120])
def test_each_load_is_one_line_with_its_verdict(columns: int) -> None:
    sample = ROOT / "data" / "samples" / "virtual-b"
    done = ssdlab("qos", sample, "--goal", "p99.9 <= 2 ms", columns=columns)
    head, *rows = done.output.partition("\n\n")[2].partition("\n\n")[0].splitlines()
    assert len(rows) == len(json.loads(ssdlab("qos", sample, "--json").output)["loads"])
    assert max(map(len, done.output.splitlines())) <= columns
    assert head.endswith("p99.9 ≤ 2 ms")
    assert all(row.endswith(("✓ met", "✗ not met")) for row in rows)
    assert "1.24 (1.04-2.00)" in rows[0]
    assert ("from 4.19" in rows[0]) == (columns == 120)
