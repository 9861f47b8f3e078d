"""`ssdlab qos`: tables, verdicts, exit codes, refusals."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ssdlab.cli import main
from ssdlab.store.run import Run
from tests.made_run import Recipe, make_run


def ssdlab(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(a) for a in arguments])


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    recipe = Recipe(tests=("lat",), rounds=5, histogram_ios=50_000)
    return make_run(tmp_path_factory.mktemp("qos") / "run", recipe)


def test_percentiles_are_shown_with_intervals_and_what_is_not_supported(
    run: Run,
) -> None:
    done = ssdlab("qos", run.path)
    assert done.exit_code == 0
    assert "LAT histogram, RND 4 KiB 0/100 T1/Q1: one long run, 50,000" in done.output
    assert "not supported by 50,000 IOs: 368,887 are needed" in done.output
    assert "independent IOs" in done.output


@pytest.mark.parametrize(
    ("target", "code", "words"),
    [
        ("p99 <= 10 s", 0, "met, with a certainty of more than 99.9 %"),
        ("p99 <= 1 ns", 3, "not met, with a certainty of more than 99.9 %"),
        ("p99.9999 <= 10 s", 3, "cannot be told: met with a certainty of"),
    ],
)
def test_exit_code_tells_whether_the_target_is_met(
    run: Run, target: str, code: int, words: str
) -> None:
    done = ssdlab("qos", run.path, "--target", target)
    assert done.exit_code == code
    assert words in done.output


def test_json_has_open_ends_as_null(run: Run) -> None:
    done = ssdlab("qos", run.path, "--target", "max <= 1 s", "--json")
    found = json.loads(done.output)
    (load,) = found["loads"]
    last = load["levels"][-2]
    assert last["marker"] == "99.9999 %"
    assert (last["high_ns"], last["is_supported"]) == (None, False)
    assert found["verdicts"][0]["verdict"] == "cannot be told"
    assert done.exit_code == 3


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--target", "p99 1 ms"), "such as 'p99.99 <= 1 ms at >= 20k IOPS'"),
        (("--test", "tp"), "Choose from: lat"),
        (("--direction", "read"), "holds no latency histogram of reads"),
    ],
)
def test_wrong_request_is_refused_with_a_remedy(
    run: Run, options: tuple[str, ...], words: str
) -> None:
    done = ssdlab("qos", run.path, *options)
    assert done.exit_code == 2
    assert words in done.output
