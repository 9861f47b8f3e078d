"""The lines that a run ends with, on runs whose truth is known."""

from dataclasses import replace
from pathlib import Path

import pytest

from ssdlab.cli.outcome import headline_lines, outcome_lines
from ssdlab.procedures.peak.spec import peak
from ssdlab.procedures.saturate.stimulus_text import parse_stimulus
from ssdlab.procedures.sequence.spec import sequence
from ssdlab.pts.shared.headlines import Headline
from tests.made_procedure import measure_made
from tests.made_recovery import Recovery, make_recovery
from tests.made_run import Recipe, make_run

NOT_YET = (
    "recovered to 90.0 % of the former mean: the best of 3 rounds of group 3, against "
    "the mean of group 1"
)


def test_each_test_gets_a_line_and_throughput_one_a_block_size(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", Recipe(rounds=6, saturation_rounds=10))
    *lines, wsat, space, procedure, steady, doubts = outcome_lines(run)
    assert lines == [
        "iops         steady in rounds 2 - 6",
        "tp 1024 KiB  steady in rounds 2 - 6",
        "tp 128 KiB   steady in rounds 2 - 6",
        "lat          steady in rounds 2 - 6",
    ]
    assert wsat == "wsat         steady in rounds 5 - 9"
    assert space == ""
    assert procedure == (
        "procedure                 departs from PTS 2.0.2 in 5 points (5 major)"
    )
    assert steady.startswith("steady state              reached")
    assert doubts == "doubts about the numbers  none"


def test_line_names_what_was_not_steady_and_why(tmp_path: Path) -> None:
    recipe = Recipe(tests=("iops", "lat"), rounds=5, steady=False)
    run = make_run(tmp_path / "run", recipe)
    iops, lat, *_, steady, _ = outcome_lines(run)
    failed = run.windows[run.windows["is_final"] & ~run.windows["is_steady"]]
    reasons = {
        test: [f"{row.tracking}: {row.reason}" for row in rows.itertuples()]
        for test, rows in failed.groupby("test")
    }
    assert len(reasons["iops"]) < 3  # reads stay steady: only what failed is named
    assert iops == f"iops  NOT steady: {'; '.join(reasons['iops'])}"
    assert lat == f"lat   NOT steady: {reasons['lat'][0].partition(': ')[2]}"
    assert steady.split(maxsplit=2)[2] == "not reached in each test"


def test_line_says_so_when_nothing_was_judged(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", Recipe(tests=("lat",), steps=2 + 3 * 9))
    assert outcome_lines(run)[0] == "lat  no steady state was judged"


@pytest.mark.parametrize(
    ("departures", "line"),
    [
        ((), "conforms to PTS 2.0.2"),
        (("a model",), "departs from PTS 2.0.2 in 1 point (1 major)"),
    ],
)
def test_first_answer_is_about_the_standard(
    tmp_path: Path, departures: tuple[str, ...], line: str
) -> None:
    recipe = Recipe(
        tests=("lat",),
        rounds=5,
        departures=departures,
        kind="block",
    )
    said = outcome_lines(make_run(tmp_path / "run", recipe))
    assert said[-3] == f"procedure                 {line}"


def test_idle_recovery_tells_its_preconditioning_and_what_waits_brought(
    tmp_path: Path,
) -> None:
    run = make_recovery(tmp_path / "run", Recovery(tests=("hir",)))
    assert outcome_lines(run)[:2] == [
        "hir  preconditioning steady in rounds 3 - 15",
        "hir  IOPS by those of the baseline: 1.167 after 5 s, 1.333 after 50 s",
    ]


def test_idle_recovery_without_a_baseline_says_so(tmp_path: Path) -> None:
    run = make_recovery(tmp_path / "run", Recovery(tests=("hir",), steps=18))
    words = "no wait state has a measured baseline"
    assert outcome_lines(run)[1] == f"hir  {words}"


@pytest.mark.parametrize(
    ("third", "line"),
    [
        (
            (250.0, 500.0, 100.0),
            "recovered after 2.0 min: round 2 of group 3 reaches the mean of group 1",
        ),
        (
            (250.0, 300.0, 450.1),
            NOT_YET,
        ),
    ],
    ids=["recovered", "not-yet"],
)
def test_cross_stimulus_tells_its_recovery(
    tmp_path: Path, third: tuple[float, ...], line: str
) -> None:
    groups = ((600.0, 500.0, 400.0), (100.0, 80.0), third)
    recipe = Recovery(tests=("xsr",), throughput=groups)
    run = make_recovery(tmp_path / "run", recipe)
    assert outcome_lines(run)[0] == f"xsr  {line}"


def test_procedure_names_the_phase_of_each_outcome(tmp_path: Path) -> None:
    first, second = parse_stimulus("RND 4KiB 0/100"), parse_stimulus("SEQ 4KiB 0/100")
    asked = sequence(first, second, rounds=6)
    run = measure_made(tmp_path / "run", asked, lambda _step: 100.0)
    assert outcome_lines(run)[:4] == [
        "sequence-1 stage 1  steady in rounds 2 - 6",
        "sequence-1 stage 2  steady in rounds 2 - 6",
        "sequence-1 stage 3  steady in rounds 2 - 6",
        "sequence-2 stage 1  steady in rounds 2 - 6",
    ]


@pytest.mark.parametrize(
    ("rounds", "line"),
    [
        (3, "sequence-1  no steady state was judged"),
        (0, "peak  no steady-state criterion"),
    ],
)
def test_procedure_without_a_judgement_says_whether_one_was_due(
    tmp_path: Path, rounds: int, line: str
) -> None:
    stimulus = parse_stimulus("RND 4KiB 0/100")
    asked = sequence(stimulus, stimulus, rounds=rounds) if rounds else peak(seconds=1)
    run = measure_made(tmp_path / "run", asked, lambda _step: 100.0)
    assert outcome_lines(run)[0] == line


def test_column_that_no_result_fills_is_left_out() -> None:
    plain = Headline(
        test="peak",
        metric="iops",
        access="rnd",
        block_size_bytes=4096,
        read_percent=100,
        threads=1,
        queue_depth=32,
        value=1000.0,
    )
    head, _ = headline_lines([plain], width=200)
    assert head.split() == ["result", "load", "value"]
    bounded = replace(plain, low=900.0, high=1100.0)
    head, *rows = headline_lines([plain, bounded], width=200)
    assert "95 % interval" in head
    assert "by round" not in head
    assert len(rows) == 2
