"""Runs beside each other: what is drawn, in which colours, and what hovers say."""

import math

import pandas as pd
import pytest
from plotly.graph_objects import Figure

from ssdlab.compare.curve_figures import (
    plot_compared_cross_stimulus,
    plot_compared_demand,
    plot_compared_idle_recovery,
    plot_iops_response,
)
from ssdlab.compare.heat_maps import (
    plot_iops_heat_maps,
    plot_ratio_heat_maps,
)
from ssdlab.compare.looks import make_compared_looks, make_side_looks
from ssdlab.compare.row_figures import (
    plot_compared_cells,
    plot_differences,
    plot_score,
)
from ssdlab.plots.looks import RunLook

KIB = 1024
SIDES = pd.DataFrame({
    "run_id": ["run-a", "run-again", "run-b"],
    "side": ["Alpha", "Alpha", "Beta"],
    "drive": ["Alpha AAA", "Alpha AAA", "Beta BBB"],
    "is_model": [False, False, True],
})
LOOKS = make_side_looks(SIDES)
RUN_LOOKS = {look.run_id: look for look in make_compared_looks(SIDES)}


def trace_named(figure: Figure, name: str) -> object:
    return next(trace for trace in figure.data if trace.name == name)


def summary() -> pd.DataFrame:
    return pd.DataFrame({
        "test": "iops",
        "metric": "iops",
        "cell": ["RND 4 KiB 0/100", "RND 4 KiB 100/0"] * 2,
        "side": ["Alpha", "Alpha", "Beta", "Beta"],
        "value": [1000.0, 90_000.0, 500.0, 90_000.0],
        "low": [900.0, 80_000.0, math.nan, 80_000.0],
        "high": [1100.0, 100_000.0, math.nan, 100_000.0],
        "unit": "rounds",
        "n": 5,
    })


def cells() -> pd.DataFrame:
    return pd.DataFrame({
        "test": "iops",
        "metric": "iops",
        "cell": ["RND 4 KiB 0/100", "RND 4 KiB 100/0"],
        "block_size_bytes": 4 * KIB,
        "read_percent": [0, 100],
    })


def differences() -> pd.DataFrame:
    """Return a rate that Alpha has more of, a time that Beta has more of, and noise."""
    return pd.DataFrame({
        "test": ["iops", "iops", "lat"],
        "metric": ["iops", "iops", "lat_mean_ns"],
        "cell": ["RND 4 KiB 0/100", "RND 4 KiB 100/0", "RND 4 KiB 0/100"],
        "a": "Alpha",
        "b": "Beta",
        "value_a": [4e3, 2e3, 0.5e6],
        "value_b": [2e3, 2e3, 1e6],
        "ratio": [2.0, 1.0, 0.5],
        "low": [1.8, 0.9, 0.4],
        "high": [2.2, 1.1, 0.625],
        "unit": "rounds",
        "n_a": 5,
        "n_b": 5,
        "better": ["Alpha", "", "Alpha"],
        "claim": ["drives", "", "runs"],
        "same": "",
        "verdict": ["Alpha beats Beta", "no difference shown", "Alpha ahead of Beta"],
        "reason": ["", "", ""],
    })


def test_drive_has_one_colour_for_all_its_runs_and_models_are_dashed() -> None:
    assert LOOKS["Alpha"].color != LOOKS["Beta"].color
    assert {RUN_LOOKS[run].color for run in ("run-a", "run-again")} == {
        LOOKS["Alpha"].color
    }
    assert (LOOKS["Alpha"].dash, LOOKS["Beta"].dash) == ("solid", "dash")


def test_repetition_is_told_apart_by_marker_line_and_name() -> None:
    first, again = RUN_LOOKS["run-a"], RUN_LOOKS["run-again"]
    assert first.symbol != again.symbol
    assert again.dash == "dot"
    assert (first.name, again.name) == ("run-a", "run-again")
    assert RUN_LOOKS["run-b"].name == "Beta"


def test_colour_of_a_drive_does_not_depend_on_whom_it_is_compared_with() -> None:
    alone = make_side_looks(SIDES[SIDES["side"] == "Alpha"])
    other = SIDES.replace({"Beta": "Gamma", "Beta BBB": "Gamma CCC"})
    with_other = make_side_looks(other)["Alpha"].color
    assert with_other == LOOKS["Alpha"].color
    assert len(alone) == 1


def test_cells_stand_with_their_intervals_and_say_so_when_there_is_none() -> None:
    figure = plot_compared_cells(summary(), metric="iops", looks=LOOKS, title="IOPS")
    alpha, beta = figure.data
    assert list(alpha.x) == [1000.0, 90_000.0]
    assert list(alpha.error_x.array) == pytest.approx([100.0, 10_000.0])
    assert list(beta.error_x.array) == pytest.approx([0.0, 10_000.0])
    assert "95 %: 900.0 to 1,100" in alpha.text[0]
    assert "n = 5 rounds" in alpha.text[0]
    assert "no interval: not repeated" in beta.text[0]
    assert alpha.marker.color == LOOKS["Alpha"].color
    assert figure.layout.xaxis.type == "log"
    assert figure.layout.xaxis.title.text == "IOPS"
    place = list(figure.layout.yaxis.tickvals).index(round(alpha.y[0]))
    assert figure.layout.yaxis.ticktext[place] == "RND 4 KiB 0/100"


def test_latency_is_drawn_in_milliseconds() -> None:
    table = summary().assign(metric="lat_mean_ns")
    for name in ("value", "low", "high"):
        table[name] *= 1e6
    figure = plot_compared_cells(table, metric="lat_mean_ns", looks=LOOKS, title="LAT")
    assert list(figure.data[0].x) == [1000.0, 90_000.0]
    assert figure.layout.xaxis.title.text == "Average latency [ms]"


def test_efficiency_names_the_watt() -> None:
    figure = plot_compared_cells(
        summary(), metric="iops", looks=LOOKS, title="by watt", per_watt=True
    )
    assert figure.layout.xaxis.title.text == "IOPS per watt [IOPS/W]"
    assert "<br>1,000 IOPS/W<br>" in figure.data[0].text[0]
    rates = summary().assign(metric="bw_bytes_per_s", value=30e6)
    figure = plot_compared_cells(
        rates, metric="bw_bytes_per_s", looks=LOOKS, title="by watt", per_watt=True
    )
    assert "<br>30.00 MB/s/W<br>" in figure.data[0].text[0]


def test_heat_maps_share_one_scale_and_leave_unmeasured_cells_empty() -> None:
    figure = plot_iops_heat_maps(summary().iloc[:3], cells(), looks=LOOKS)
    alpha, beta = figure.data
    assert (alpha.zmin, alpha.zmax) == (beta.zmin, beta.zmax)
    assert alpha.zmin == pytest.approx(math.log10(500))
    assert list(alpha.x) == ["100/0", "0/100"]
    assert list(alpha.text[0]) == ["90.0k", "1.00k"]
    assert list(beta.text[0]) == ["500"]
    names = [note.text for note in figure.layout.annotations]
    assert names == ["Alpha", "Beta"]


def test_ratio_heat_map_marks_what_is_claimed_of_drives_and_of_runs() -> None:
    table = differences().iloc[:2].assign(claim=["drives", "runs"])
    figure = plot_ratio_heat_maps(table, cells(), looks=LOOKS)
    (panel,) = figure.data
    assert list(panel.text[0]) == ["1.00°", "2.00*"]
    assert panel.zmin == -panel.zmax
    assert panel.zmax == pytest.approx(math.log10(2))
    assert figure.layout.annotations[0].text == "Alpha / Beta"


def test_differences_stand_on_the_side_of_who_is_better() -> None:
    figure = plot_differences(differences(), looks=LOOKS)
    drives = trace_named(figure, "shown for the drives")
    runs = trace_named(figure, "shown only for these runs")
    neither = trace_named(figure, "not shown, or not judged")
    assert list(drives.x) == [2.0]  # type: ignore[attr-defined] # a trace
    assert list(runs.x) == [2.0]  # type: ignore[attr-defined] # half the time
    assert list(neither.x) == [1.0]  # type: ignore[attr-defined] # a trace
    assert list(drives.marker.color) == [LOOKS["Alpha"].color]  # type: ignore[attr-defined] # a trace
    assert drives.marker.symbol != runs.marker.symbol  # type: ignore[attr-defined] # a trace
    assert "n = 5 and 5 rounds" in drives.text[0]  # type: ignore[attr-defined] # a trace
    assert "Alpha beats Beta" in drives.text[0]  # type: ignore[attr-defined] # a trace
    assert figure.layout.title.text == "Alpha vs. Beta"
    assert figure.layout.xaxis.title.text == "← Beta faster<br>Alpha faster →"


def test_differences_of_a_test_stand_by_lead_with_their_values_at_the_edge() -> None:
    figure = plot_differences(differences().iloc[[1, 0, 2]], looks=LOOKS)
    assert list(figure.layout.yaxis.ticktext)[::-1] == [
        "IOPS RND 4 KiB 0/100", "IOPS RND 4 KiB 100/0", "LAT RND 4 KiB 0/100 mean"
    ]  # fmt: skip
    values = [text.strip() for text in figure.layout.yaxis2.ticktext][::-1]
    assert values == ["4,000 | 2,000 IOPS", "2,000 | 2,000 IOPS", "0.500 | 1.00 ms"]
    drives = trace_named(figure, "shown for the drives")
    assert list(drives.y) == [2]  # type: ignore[attr-defined] # a trace


def test_cell_that_is_the_same_has_a_mark_of_its_own() -> None:
    table = differences().assign(same=["", "drives", ""])
    figure = plot_differences(table, looks=LOOKS)
    same = trace_named(figure, "shown to be the same")
    assert list(same.x) == [1.0]  # type: ignore[attr-defined] # a trace
    assert "not shown, or not judged" not in {trace.name for trace in figure.data}


def test_long_names_are_as_short_in_the_title_as_a_narrow_page_needs() -> None:
    names = {"Alpha": "MAKER ONE MODEL 1234567890 LOT A", "Beta": "OTHER " * 9 + "B"}
    sides = SIDES.replace({"side": names})
    table = differences().replace(names)
    figure = plot_differences(table, looks=make_side_looks(sides))
    first, second = figure.layout.title.text.split(" vs. ")
    assert max(len(first), len(second)) <= 28
    assert (first[:9], second[:5]) == ("MAKER ONE", "OTHER")


def test_interval_of_a_time_is_that_of_its_inverse() -> None:
    figure = plot_differences(differences().iloc[2:], looks=LOOKS)
    line = next(trace for trace in figure.data if trace.mode == "lines")
    assert list(line.x) == pytest.approx([1 / 0.625, 1 / 0.4])


def test_endless_interval_does_not_stretch_the_axis() -> None:
    wide = differences().assign(high=1e9)
    figure = plot_differences(wide, looks=LOOKS)
    assert 10 ** figure.layout.xaxis.range[1] < 10


@pytest.mark.parametrize(
    ("ends", "words"),
    [((0.0, 0.625), "at most 0.625"), ((0.4, math.inf), "at least 0.4")],
)
def test_interval_without_an_end_runs_out_of_the_axis(
    ends: tuple[float, float], words: str
) -> None:
    rows = differences().iloc[2:].assign(low=ends[0], high=ends[1])
    figure = plot_differences(rows, looks=LOOKS)
    line = next(trace for trace in figure.data if trace.mode == "lines")
    assert all(0 < value < math.inf for value in line.x)
    assert words in trace_named(figure, "shown only for these runs").text[0]  # type: ignore[attr-defined] # a trace


def points() -> pd.DataFrame:
    return pd.DataFrame({
        "run_id": ["run-a"] * 3 + ["run-b"],
        "threads": [1, 2, 4, 1],
        "queue_depth": [4, 2, 4, 1],
        "toio": [4, 4, 16, 1],
        "iops": [900.0, 1000.0, 3000.0, 400.0],
        "lat_mean_ns": [4e6, 4.1e6, 5e6, 2.5e6],
        "n_rounds": 5,
    })


def test_response_time_has_every_load_and_demand_the_best_of_each() -> None:
    response = plot_iops_response(points(), looks=RUN_LOOKS, title="response")
    demand = plot_compared_demand(points(), looks=RUN_LOOKS, title="demand")
    assert [len(trace.x) for trace in response.data] == [3, 1]
    assert list(response.data[0].x) == pytest.approx([4.0, 4.1, 5.0])
    assert list(demand.data[0].x) == [4.0, 16.0]
    assert list(demand.data[0].y) == [1000.0, 3000.0]
    assert response.layout.xaxis.title.text == "Mean response time [ms]"
    assert demand.layout.xaxis.title.text == "Outstanding IOs: TC x QD"
    assert "T2/Q2: 1,000 IOPS" in demand.data[0].text[0]
    assert "n = 5 rounds" in demand.data[0].text[0]
    colors = {trace.name: trace.marker.color for trace in demand.data}
    assert colors == {"run-a": LOOKS["Alpha"].color, "Beta": LOOKS["Beta"].color}


def test_idle_recovery_has_the_interval_of_each_gain() -> None:
    states = pd.DataFrame({
        "run_id": "run-a",
        "wait_s": [5.0, 10.0],
        "iops": [1200.0, 1500.0],
        "iops_baseline": 1000.0,
        "iops_ratio": [1.2, 1.5],
        "iops_ratio_low": [1.1, math.nan],
        "iops_ratio_high": [1.3, math.nan],
        "n_accesses": 12,
        "n_baseline": 11,
    })
    (trace,) = plot_compared_idle_recovery(states, looks=RUN_LOOKS).data
    assert list(trace.y) == [1.2, 1.5]
    assert list(trace.error_y.array) == pytest.approx([0.1, 0.0])
    assert "(95 %: 1.100 to 1.300)" in trace.text[0]
    assert "95 %" not in trace.text[1]
    assert "n = 12 and 11 accesses" in trace.text[0]


def test_cross_stimulus_is_throughput_over_time() -> None:
    rounds = pd.DataFrame({
        "run_id": "run-b",
        "group": [1, 2],
        "round": [1, 1],
        "time_s": [3600.0, 7200.0],
        "bw_bytes_per_s": [500e6, 50e6],
    })
    (trace,) = (figure := plot_compared_cross_stimulus(rounds, looks=RUN_LOOKS)).data
    assert list(trace.y) == [500.0, 50.0]
    assert trace.line.dash == "dash"
    assert "group 2, round 1: 50.00 MB/s" in trace.text[1]
    assert figure.layout.yaxis.title.text == "Throughput [MB/s]"


def test_score_has_a_row_for_each_part_and_one_for_itself() -> None:
    scores = pd.DataFrame({
        "side": ["Alpha", "Beta"] * 2,
        "term": ["iops", "iops", "", ""],
        "weight": [2.0, 2.0, 2.0, 2.0],
        "n_cells": 3,
        "ratio": [1.25, 0.8, 1.25, 0.8],
        "low": [1.2, 0.75, math.nan, 0.75],
        "high": [1.3, 0.85, math.nan, 0.85],
    })
    figure = plot_score(scores, looks=LOOKS)
    alpha, _ = figure.data
    assert list(figure.layout.yaxis.ticktext) == ["<b>Score</b>", "iops (weight 2)"]
    assert list(alpha.x) == [1.25, 1.25]
    assert list(alpha.error_x.array) == pytest.approx([0.05, 0.0])
    assert "weight 2, 3 cells" in alpha.text[0]


def test_untrusted_names_are_escaped() -> None:
    look = RunLook(run_id="x", name="<i>x</i>", color="#000000", symbol="circle")
    looks = {"Alpha": look, "Beta": LOOKS["Beta"]}
    assert "<i>" not in plot_differences(differences(), looks=looks).to_json()
