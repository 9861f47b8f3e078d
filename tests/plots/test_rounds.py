"""Convergence and measurement window: lines, limits, labels."""

from dataclasses import replace

import pandas as pd
import pytest

from ssdlab.figures import plot_convergence, plot_steady_state_window
from ssdlab.model.spec import SteadyStateCriteria
from ssdlab.stats.judged import JudgedWindow
from ssdlab.stats.matrix import summarise_convergence
from ssdlab.store.run import Run

WINDOW = JudgedWindow(
    test="iops", phase="rounds", round=6, cell=1, job=None, block_size_bytes=4096,
    read_percent=0, tracking="RND 4 KiB 0/100", metric="iops", average=6000.8,
    minimum=5776, maximum=6181, range_ratio=0.0675, slope_per_round=110.5,
    intercept=5558.8, slope_ratio=0.0737, correlation=0.988, window_first_round=2,
    window_last_round=6, is_range_ok=True, is_slope_ok=True, is_steady=True,
    is_round_steady=True, reason="",
)  # fmt: skip
VALUES = pd.DataFrame({
    "round": [1, 2, 3, 4, 5, 6],
    "iops": [9000.0, 5776.0, 5865.0, 6022.0, 6160.0, 6181.0],
})


def test_convergence_has_one_line_a_block_size_of_writes(run: Run) -> None:
    frame = summarise_convergence(
        run.measurements, "iops", metric="iops", read_percent=0
    )
    figure = plot_convergence(frame, window=(2, 6))
    names = [trace.name for trace in figure.data]
    assert names == [
        "0.5 KiB", "4 KiB", "8 KiB", "16 KiB", "32 KiB", "64 KiB", "128 KiB", "1024 KiB"
    ]  # fmt: skip
    assert list(figure.data[1].x) == [1, 2, 3, 4, 5, 6]
    truth = frame[frame["block_size_bytes"] == 4096]["iops"].tolist()
    assert list(figure.data[1].y) == truth
    assert figure.layout.xaxis.title.text == "Round"
    assert figure.layout.yaxis.title.text == "IOPS"
    assert figure.layout.title.subtitle.text == "R/W 0/100"


def test_convergence_shades_the_measurement_window(run: Run) -> None:
    frame = summarise_convergence(
        run.measurements, "iops", metric="iops", read_percent=0
    )
    (shade,) = plot_convergence(frame, window=(2, 6)).layout.shapes
    assert 1 < shade.x0 < 2
    assert 6 < shade.x1 < 7
    assert not plot_convergence(frame).layout.shapes


@pytest.mark.parametrize(
    ("greatest_ns", "unit", "divisor"), [(400e3, "μs", 1e3), (1.4e6, "ms", 1e6)]
)
def test_convergence_of_latency_has_the_unit_of_its_greatest_value(
    greatest_ns: float, unit: str, divisor: float
) -> None:
    frame = pd.DataFrame({"round": [1, 2], "lat_mean_ns": [greatest_ns, 200e3]})
    frame = frame.assign(block_size_bytes=4096, read_percent=0)
    figure = plot_convergence(frame, metric="lat_mean_ns")
    assert figure.layout.yaxis.title.text == f"Average latency [{unit}]"
    assert figure.data[0].y == pytest.approx((greatest_ns / divisor, 200e3 / divisor))
    assert f" {unit}<" in figure.data[0].hovertemplate


@pytest.mark.parametrize(("least", "kind"), [(100.0, None), (99.0, "log")])
def test_convergence_has_a_logarithmic_axis_when_values_lie_far_apart(
    least: float, kind: str | None
) -> None:
    frame = pd.DataFrame({"round": 1, "iops": [least, 2000.0], "read_percent": 0})
    figure = plot_convergence(frame.assign(block_size_bytes=[65536, 4096]))
    assert figure.layout.yaxis.type == kind


def test_window_draws_points_average_limits_and_fit() -> None:
    figure = plot_steady_state_window(VALUES, WINDOW)
    lines = {trace.name: trace for trace in figure.data}
    assert list(lines["RND 4 KiB 0/100"].x) == [2, 3, 4, 5, 6]
    assert list(lines["RND 4 KiB 0/100"].y) == VALUES["iops"].tolist()[1:]
    assert lines["Average 6,001"].y == (6000.8,) * 2
    limits = lines["±10 % range"]
    assert limits.y[:2] == pytest.approx((6600.88,) * 2)
    assert limits.y[3:] == pytest.approx((5400.72,) * 2)
    assert limits.line.dash == "dot"
    slope = lines["±5 % slope"]
    assert slope.y[0] == pytest.approx(6300.84)
    assert slope.line.dash == "dash"
    fit = lines["Best linear fit"]
    assert fit.y == pytest.approx((5779.8, 6221.8))
    assert fit.line.color == "#d40000"
    assert fit.line.dash == "solid"


def test_window_says_so_when_it_is_not_steady() -> None:
    figure = plot_steady_state_window(VALUES, replace(WINDOW, is_steady=False))
    assert figure.layout.title.subtitle.text == "Rounds 2 - 6: NOT steady"


def test_window_leaves_a_limit_out_when_the_criteria_have_none() -> None:
    criteria = SteadyStateCriteria(max_range_ratio=None, max_slope_ratio=0.2)
    figure = plot_steady_state_window(VALUES, WINDOW, criteria=criteria)
    names = [trace.name for trace in figure.data]
    assert not [name for name in names if "range" in name]
    assert "±10 % slope" in names
