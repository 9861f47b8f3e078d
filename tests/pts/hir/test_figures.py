"""Recovery from idle time and from another stimulus: what is drawn."""

import pandas as pd
import pytest

from ssdlab.figures import plot_cross_stimulus, plot_idle_recovery
from ssdlab.pts.hir.figures import plot_idle_recovery_latency
from ssdlab.pts.shared.preconditioning import plot_preconditioning
from ssdlab.pts.xsr.figures import GroupMetric, plot_cross_stimulus_latency
from ssdlab.pts.xsr.summary import summarise_access_groups
from ssdlab.text.quantities import time_quantity


def accesses(runtime_s: float = 5.0) -> pd.DataFrame:
    """Return two accesses of each of six segments, one idle time apart."""
    rows = []
    time_s = 0.0
    for state in (1, 2, 10):
        for is_baseline in (False, True):
            wait_s = 0.0 if is_baseline else state * runtime_s
            phase = f"{'baseline' if is_baseline else 'wait'}-{state}"
            for _ in range(2):
                rows.append((phase, state, is_baseline, time_s, wait_s, 1e9 / state))
                time_s += runtime_s + wait_s
    names = ["phase", "wait_state", "is_baseline", "time_s", "wait_s", "iops"]
    frame = pd.DataFrame(rows, columns=names)
    return frame.assign(runtime_s=runtime_s + 0.003, lat_mean_ns=2e6, lat_max_ns=3e7)


def rounds() -> pd.DataFrame:
    groups = (1, 1, 2, 3)
    return pd.DataFrame({
        "group": pd.array(groups, dtype="Int64"),
        "access": ["rnd" if group == 2 else "seq" for group in groups],
        "block_size_bytes": [8192 if group == 2 else 1024**2 for group in groups],
        "read_percent": 0,
        "time_s": [600.0, 1200.0, 1800.0, 2400.0],
        "bw_bytes_per_s": [5e8, 4e8, 1e8, 3e8],
        "lat_mean_ns": [1e6, 2e6, 3e6, 4e6],
        "lat_max_ns": [1e7, 2e7, 3e7, None],
    })


@pytest.mark.parametrize(
    ("span_s", "title"), [(0.0, "Time [s]"), (599.0, "Time [s]"), (600.0, "Time [min]")]
)
def test_time_is_in_minutes_but_of_short_runs(span_s: float, title: str) -> None:
    assert time_quantity(span_s).title == title


def test_preconditioning_marks_samples_and_shades_the_window() -> None:
    frame = pd.DataFrame({"round": [1, 2, 3, 4], "iops": [9.0, 5.0, 4.0, 4.0]})
    frame = frame.assign(is_sample=[False, True, False, True])
    figure = plot_preconditioning(frame, window=(2, 4))
    line, samples = figure.data
    assert list(line.x) == [1, 2, 3, 4]
    assert (list(samples.x), list(samples.y)) == ([2, 4], [5.0, 4.0])
    assert [(s.x0, s.x1) for s in figure.layout.shapes] == [(2, 4)]
    assert not plot_preconditioning(frame).layout.shapes


def test_idle_recovery_has_a_series_a_state_and_one_a_baseline() -> None:
    figure = plot_idle_recovery(accesses())
    assert [series.name for series in figure.data] == [
        "Wait state 1: 5/5 s",
        "Baseline: 5/0 s",
        "Wait state 2: 5/10 s",
        "Baseline: 5/0 s",
        "Wait state 10: 5/50 s",
        "Baseline: 5/0 s",
    ]
    assert [s.showlegend for s in figure.data] == [True, True, True, False, True, False]
    colors = [series.line.color for series in figure.data]
    assert len(set(colors)) == 4
    assert colors[1] == colors[3] == colors[5]
    assert figure.layout.xaxis.title.text == "Time [s]"
    assert list(figure.data[0].x) == [0.0, 10.0]


def test_idle_recovery_of_the_standard_is_in_minutes() -> None:
    figure = plot_idle_recovery(accesses(runtime_s=60.0))
    assert figure.layout.xaxis.title.text == "Time [min]"
    assert list(figure.data[0].x) == [0.0, 2.0]


def test_idle_recovery_names_scaled_accesses_as_they_were_asked_for() -> None:
    names = [s.name for s in plot_idle_recovery(accesses(runtime_s=0.5)).data]
    assert names[4:] == ["Wait state 10: 0.5/5 s", "Baseline: 0.5/0 s"]


def test_response_times_break_between_segments_and_shade_baselines() -> None:
    figure = plot_idle_recovery_latency(accesses())
    average, maximum = figure.data
    assert (average.name, maximum.name) == ("Average [ms]", "Maximum [ms]")
    assert list(average.y) == ([2.0, 2.0, None] * 6)[:-1]
    assert list(maximum.y) == ([30.0, 30.0, None] * 6)[:-1]
    assert [(s.x0, s.x1) for s in figure.layout.shapes] == [
        (20.0, 25.0),
        (60.0, 65.0),
        (180.0, 185.0),
    ]
    assert [bool(s.showlegend) for s in figure.layout.shapes] == [True, False, False]
    assert figure.layout.yaxis.type == "log"


def test_cross_stimulus_has_a_line_a_group() -> None:
    figure = plot_cross_stimulus(rounds())
    assert [(line.name, list(line.y)) for line in figure.data] == [
        ("Group 1: SEQ 1024 KiB 0/100", [500.0, 400.0]),
        ("Group 2: RND 8 KiB 0/100", [100.0]),
        ("Group 3: SEQ 1024 KiB 0/100", [300.0]),
    ]
    assert list(figure.data[0].x) == [10.0, 20.0]
    assert figure.layout.yaxis.title.text == "Throughput [MB/s]"
    assert figure.layout.yaxis.type is None


@pytest.mark.parametrize(
    ("third", "words"),
    [(3e8, "Recovered to 66.6 % of the former mean"), (4.5e8, "Recovered after 10")],
    ids=["short", "recovered"],
)
def test_cross_stimulus_shows_the_former_mean_and_how_far_it_came(
    third: float, words: str
) -> None:
    frame = rounds().assign(
        run_id="r1", phase="", round=1, runtime_s=600.0, idle_before_s=0.0,
        is_contiguous=True,
    )  # fmt: skip
    frame.loc[3, "bw_bytes_per_s"] = third
    figure = plot_cross_stimulus(frame, groups=summarise_access_groups(frame))
    mean = figure.data[-1]
    assert (mean.name, list(mean.x)) == ("Mean of group 1", [10.0, 40.0])
    assert list(mean.y) == [450.0, 450.0]
    assert words in figure.layout.title.subtitle.text


def test_groups_keep_their_colours_when_only_some_are_drawn() -> None:
    whole = {line.name: line.line.color for line in plot_cross_stimulus(rounds()).data}
    part = rounds()[rounds()["group"] > 1]
    assert {line.name: line.line.color for line in plot_cross_stimulus(part).data} == {
        name: color for name, color in whole.items() if "Group 1" not in name
    }


@pytest.mark.parametrize(
    ("metric", "title", "last"),
    [
        ("lat_mean_ns", "Average latency [ms]", 4.0),
        ("lat_max_ns", "Maximum latency [ms]", None),
    ],
)
def test_latency_of_cross_stimulus_is_logarithmic(
    metric: GroupMetric, title: str, last: float | None
) -> None:
    figure = plot_cross_stimulus(rounds(), metric=metric)
    assert figure.layout.yaxis.title.text == title
    assert figure.layout.yaxis.type == "log"
    assert list(figure.data[2].y) == [last]


def test_all_of_cross_stimulus_has_latencies_on_a_second_axis() -> None:
    figure = plot_cross_stimulus_latency(rounds())
    throughput, average, maximum = figure.data
    assert list(throughput.y) == [500.0, 400.0, None, 100.0, None, 300.0]
    assert list(throughput.x) == [10.0, 20.0, None, 30.0, None, 40.0]
    assert (throughput.yaxis, average.yaxis, maximum.yaxis) == (None, "y2", "y2")
    assert list(maximum.y) == [10.0, 20.0, None, 30.0, None, None]
    assert figure.layout.yaxis2.type == "log"
