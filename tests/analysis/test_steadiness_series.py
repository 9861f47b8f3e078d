"""One value a round out of the tables of a run, and what the run says of it."""

from pathlib import Path

import numpy as np
import pytest

import ssdlab
from ssdlab.analysis.steadiness.fit import judge_windows_by_rule
from ssdlab.analysis.steadiness.rules import STEADY_RULES
from ssdlab.analysis.steadiness.series import (
    RoundSeries,
    list_round_series,
    take_round_series,
)
from ssdlab.analysis.steadiness.verdict import (
    steadiness_text,
    summarise_determination,
    summarise_judgements,
)
from ssdlab.model.errors import UnknownNameError
from ssdlab.store.run import Run
from tests.analysis.made_rounds import make_rounds, onsets_of
from tests.made_run import Recipe, make_run
from tests.paths import FIO_SAMPLES, require_folder


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return make_run(tmp_path_factory.mktemp("made"), Recipe(rounds=7))


def take(run: Run, **choice: str) -> RoundSeries:
    return take_round_series(run.measurements, run.windows, run.steps, **choice)


def test_first_tracking_variable_of_the_first_test_is_taken(run: Run) -> None:
    series = take(run)
    assert (series.test, series.metric, series.is_tracked) == ("iops", "iops", True)
    assert series.rounds == (1, 2, 3, 4, 5, 6, 7)
    assert series.window is not None
    cells = run.measurements
    of_cell = cells[
        (cells["test"] == "iops")
        & (cells["kind"] == "cell")
        & (cells["direction"] == "total")
        & (cells["block_size_bytes"] == 4096)
        & (cells["read_percent"] == 0)
    ].sort_values("round")
    four = take(run, test="iops", tracking="rnd 4 kib 0/100")
    assert four.measured == tuple(of_cell["iops"])
    assert four.as_tkperf == tuple(np.floor(of_cell["iops"]))


def test_cell_that_is_not_tracked_is_taken_by_its_name(run: Run) -> None:
    series = take(run, test="iops", tracking="RND 32 KiB 50/50", metric="lat_mean_ns")
    assert (series.is_tracked, series.metric) == (False, "lat_mean_ns")
    assert series.as_tkperf == ()
    assert len(series.rounds) == 7
    assert series.window == take(run, test="iops").window


def test_samples_of_a_saturation_are_found(run: Run) -> None:
    """Its windows tell how far apart the samples are: rounds 20, 40, 60, 80, 100."""
    windows = run.windows.assign(window_first_round=20, window_last_round=100)
    series = take_round_series(run.measurements, windows, run.steps, test="wsat")
    assert series.starts_fresh
    assert (series.sample_every, series.first_sample) == (20, 20)
    judged = judge_windows_by_rule(series, STEADY_RULES["pts-2.0.2"])
    assert [series.rounds[place] for place in judged[0][0]] == [20, 40, 60, 80, 100]


@pytest.mark.parametrize("test", ["iops", "tp", "lat"])
def test_windows_are_those_that_the_run_judged(run: Run, test: str) -> None:
    final = run.windows[(run.windows["test"] == test) & run.windows["is_final"]]
    for _, row in final.iterrows():
        series = take(run, test=test, tracking=str(row["tracking"]))
        judged = judge_windows_by_rule(series, STEADY_RULES["pts-2.0.2"])
        (found,) = [
            v for _, v in judged if v.window_last_round == row["window_last_round"]
        ]
        assert found.average == pytest.approx(row["average"])
        assert found.is_steady == row["is_steady"]
        assert found.intercept == pytest.approx(row["intercept"])


def test_cells_are_listed_with_the_tracked_first(run: Run) -> None:
    listed = list_round_series(run.measurements, run.windows, test="iops")
    assert len(listed) == 56
    tracked = listed["is_tracked"].tolist()
    assert tracked == sorted(tracked, reverse=True)
    assert not listed.duplicated(["phase", "tracking"]).any()
    assert set(listed["rounds"]) == {7}


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ({"test": "nope"}, "no test with rounds 'nope'. Choose from: iops"),
        ({"tracking": "RND 3 KiB"}, "no cell 'RND 3 KiB'"),
        ({"metric": "mips"}, "no metric 'mips'. Choose from: iops, bw_bytes"),
    ],
    ids=["test", "cell", "metric"],
)
def test_unknown_choice_is_named_with_the_known_ones(
    run: Run, choice: dict[str, str], words: str
) -> None:
    with pytest.raises(UnknownNameError, match=words):
        take(run, **choice)


def test_run_without_rounds_says_so(run: Run) -> None:
    with pytest.raises(UnknownNameError, match="Choose from: none"):
        take_round_series(
            run.measurements.iloc[:0], run.windows.iloc[:0], run.steps.iloc[:0]
        )


def test_run_that_is_going_on_has_a_series_before_its_first_window(run: Run) -> None:
    """Three rounds are done: nothing was judged, so the cells are taken as they are."""
    early = run.measurements[~(run.measurements["round"] > 3)]
    series = take_round_series(
        early, run.windows.iloc[:0], run.steps, test="iops", tracking="RND 4 KiB 0/100"
    )
    assert series.rounds == (1, 2, 3)
    assert series.window is None
    assert "NOT steady: fewer rounds than a window has" in steadiness_text(series)


def test_gap_inside_a_round_spoils_that_round(run: Run) -> None:
    steps = run.steps.copy()
    of_round = steps.index[
        (steps["test"] == "iops") & (steps["round"] == 3) & (steps["kind"] == "cell")
    ]
    steps.loc[of_round[0], "is_contiguous"] = False
    at_start = take_round_series(run.measurements, run.windows, steps, test="iops")
    assert at_start.segment_starts == (3,)
    steps.loc[of_round[1], "is_contiguous"] = False
    inside = take_round_series(run.measurements, run.windows, steps, test="iops")
    assert inside.segment_starts == (3, 4)


def test_determination_has_what_must_be_reported(run: Run) -> None:
    table = summarise_determination(run.windows, "iops")
    final = run.windows[(run.windows["test"] == "iops") & run.windows["is_final"]]
    assert table["tracking"].tolist() == final["tracking"].tolist()
    assert table["allowed_high"].to_numpy() == pytest.approx(1.1 * final["average"])
    assert (table["range_ratio"] <= 0.20).eq(table["is_range_ok"]).all()


def test_judgements_say_when_another_variable_is_waited_for(run: Run) -> None:
    windows = run.windows[run.windows["test"] == "iops"].copy()
    windows["is_round_steady"] = False
    table = summarise_judgements(windows, "iops")
    waiting = table[table["is_steady"].astype(bool)]
    assert set(waiting["reason"]) == {"another variable is not steady"}


def test_text_tells_the_verdict_of_the_pts_first_and_the_rest_apart() -> None:
    values = 100 * (1 + 1.5 * np.exp(-np.arange(40) / 12))
    values += np.random.default_rng(1).normal(0, 0.3, 40)
    lines = steadiness_text(make_rounds(values), "each-value").splitlines()
    assert lines[0].startswith("PTS 2.0.2: steady in rounds")
    assert lines[1].startswith("each value and fit end within 10 %: steady")
    assert lines[2] == "Beyond the PTS:"
    assert lines[3].startswith("  change points see transition 1 - ")
    assert lines[4] == "  they disagree with the verdict of the PTS"
    assert any("the level still drifts" in line for line in lines)


def test_text_warns_when_the_level_of_the_pts_is_another() -> None:
    values = 100 * (1 + 1.5 * np.exp(-np.arange(60) / 3))
    values += np.random.default_rng(60).normal(0, 0.5, 60)
    text = steadiness_text(make_rounds(values))
    assert "their level is -" in text
    assert "from that of the PTS window" in text


def test_real_drive_gets_other_verdicts_by_the_rule_of_its_authors(
    tmp_path: Path,
) -> None:
    """64 KiB 50/50: a slope of 11 % fails the PTS; each value is within 10 %."""
    folder = require_folder(FIO_SAMPLES / "ssspt_hp_iops_3")
    run = ssdlab.import_run(folder, runs=tmp_path)
    onsets = {
        cell: onsets_of(take(run, test="iops", tracking=cell))
        for cell in ("RND 64 KiB 50/50", "RND 4 KiB 0/100")
    }
    odd = onsets["RND 64 KiB 50/50"]["is_steady"]
    assert (bool(odd["pts-2.0.2"]), bool(odd["each-value"])) == (False, True)
    even = onsets["RND 4 KiB 0/100"]["is_steady"]
    assert bool(even["pts-2.0.2"])
    assert bool(even["each-value"])
