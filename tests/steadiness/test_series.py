"""One value a round out of the tables of a run, and what the run says of it."""

import numpy as np
import pytest

from ssdlab.model.errors import UnknownNameError
from ssdlab.steadiness.advice import steadiness_text
from ssdlab.steadiness.round_cells import list_round_series
from ssdlab.steadiness.rules import STEADY_RULES
from ssdlab.steadiness.series import (
    RoundSeries,
    take_round_series,
    take_tracked_series,
)
from ssdlab.steadiness.windows import judge_windows_by_rule
from ssdlab.store.run import Run


def take(run: Run, **choice: str) -> RoundSeries:
    return take_round_series(run.measurements, run.windows, run.steps, **choice)


def test_test_with_the_most_rounds_is_taken_of_those_that_were_judged(
    run: Run,
) -> None:
    assert take(run).test == "wsat"
    windows = run.windows[run.windows["test"] != "wsat"]
    frames = (run.measurements, windows, run.steps)
    assert take_round_series(*frames).test == "iops"


@pytest.mark.parametrize(
    "name", ["RND 64 KiB 65/35", "rnd 64KiB 65/35", "RND 64KiB 65/35 T4/Q32"]
)
def test_cell_is_named_in_the_spelling_of_the_pts_or_of_fio(
    run: Run, name: str
) -> None:
    assert take(run, test="iops", tracking=name).tracking == "RND 64 KiB 65/35"


def test_first_tracking_variable_of_a_test_is_taken(run: Run) -> None:
    series = take(run, test="iops")
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


def test_variable_that_was_steady_last_is_taken_unless_another_is_named(
    run: Run,
) -> None:
    windows = run.windows.copy()
    is_late = (windows["test"] == "iops") & (windows["tracking"] == "RND 64 KiB 65/35")
    windows.loc[is_late, "is_steady"] = False
    frames = (run.measurements, windows, run.steps)
    series = take_round_series(*frames, test="iops")
    assert series.tracking == "RND 64 KiB 65/35"
    beside = take_tracked_series(*frames, like=series)
    assert len(beside) == 3
    assert {other.rounds for other in beside} == {series.rounds}
    early = take_round_series(
        run.measurements, windows.iloc[:0], run.steps, test="iops"
    )
    frames = (run.measurements, windows.iloc[:0], run.steps)
    assert not early.is_judged
    assert take_tracked_series(*frames, like=early) == (early,)


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
    ("choice", "known"),
    [
        ({"test": "nope"}, "iops"),
        ({"tracking": "RND 3 KiB"}, "RND 4 KiB 0/100"),
        ({"metric": "mips"}, "bw_bytes_per_s"),
    ],
    ids=["test", "cell", "metric"],
)
def test_unknown_choice_is_named_with_the_known_ones(
    run: Run, choice: dict[str, str], known: str
) -> None:
    with pytest.raises(UnknownNameError) as refusal:
        take(run, **choice)
    assert [refusal.value.name] == list(choice.values())
    assert known in refusal.value.known


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
    assert "NOT steady: fewer rounds than a window needs" in steadiness_text(series)


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
