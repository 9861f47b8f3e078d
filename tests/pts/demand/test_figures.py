"""What the figures of CBW and DIRTH draw."""

import pandas as pd
import pytest

from ssdlab.figures import plot_demand_variation
from ssdlab.pts.demand.figures import (
    load_style,
    plot_demand_intensity,
    plot_demand_rounds,
    plot_host_cpu,
    plot_pre_writes,
    plot_toio,
)

LOADS = (32, 16, 8, 6, 4, 2, 1)


def iops(threads: int, depth: int) -> float:
    return 1000.0 * threads + depth


def frame(loads: tuple[int, ...] = (1, 2, 4)) -> pd.DataFrame:
    """Return points whose numbers tell where they are from."""
    rows = [
        {
            "threads": threads,
            "queue_depth": depth,
            "toio": threads * depth,
            "iops": iops(threads, depth),
            "bw_bytes_per_s": iops(threads, depth) * 1e6,
            "lat_mean_ns": threads * depth * 1e6,
            "host_system_cpu_percent": threads + depth / 100,
            "is_efficient": threads == depth,
            "is_knee": threads == depth == 2,
        }
        for threads in loads
        for depth in loads
    ]
    return pd.DataFrame(rows).astype({"threads": "Int64", "queue_depth": "Int64"})


def test_every_load_of_the_standard_has_a_look_of_its_own() -> None:
    assert len({load_style(load) for load in LOADS}) == len(LOADS)
    assert load_style(64) == load_style(64)


def test_variation_has_one_line_a_thread_count_over_depth() -> None:
    figure = plot_demand_variation(frame())
    assert [line.name for line in figure.data] == ["T1", "T2", "T4"]
    for line, threads in zip(figure.data, (1, 2, 4), strict=True):
        assert list(line.x) == [1, 2, 4]
        assert list(line.y) == [iops(threads, depth) for depth in (1, 2, 4)]
    assert figure.layout.xaxis.type == "log"
    assert list(figure.layout.xaxis.ticktext) == ["1", "2", "4"]
    assert figure.layout.xaxis.title.text == "Queue depth"
    assert figure.layout.yaxis.title.text == "IOPS"


def test_rounds_have_the_most_threads_and_one_line_a_depth() -> None:
    cells = frame()
    rounds = pd.concat([
        cells.assign(round=number, iops=cells["iops"] * number) for number in (2, 1)
    ])
    figure = plot_demand_rounds(rounds, window=(1, 2))
    assert [line.name for line in figure.data] == ["Q4", "Q2", "Q1"]
    assert list(figure.data[0].x) == [1, 2]
    assert list(figure.data[0].y) == [4004.0, 8008.0]
    (shade,) = figure.layout.shapes
    assert shade.x0 < 1
    assert shade.x1 > 2
    assert not plot_demand_rounds(rounds).layout.shapes


def test_intensity_has_art_over_iops_on_a_logarithmic_axis() -> None:
    points = pd.DataFrame({"point": ["max"], "threads": [4], "queue_depth": [2]})
    figure = plot_demand_intensity(frame(), points, max_lat_ns=5e6)
    lines = {line.name: line for line in figure.data}
    assert list(lines) == [
        "T1", "T2", "T4", "not beaten by any point", "Knee: T2/Q2", "Max: T4/Q2"
    ]  # fmt: skip
    assert list(lines["T2"].x) == [2001.0, 2002.0, 2004.0]
    assert list(lines["T2"].y) == [2.0, 4.0, 8.0]
    assert list(lines["T2"].text) == ["T2/Q1", "T2/Q2", "T2/Q4"]
    assert list(lines["not beaten by any point"].y) == [1.0, 4.0, 16.0]
    assert (lines["Knee: T2/Q2"].x, lines["Knee: T2/Q2"].y) == ((2002.0,), (4.0,))
    assert (lines["Max: T4/Q2"].x, lines["Max: T4/Q2"].y) == ((4002.0,), (8.0,))
    assert figure.layout.yaxis.type == "log"
    assert figure.layout.yaxis.title.text == "Average response time [ms]"
    assert figure.layout.shapes[0].y0 == 5.0


def test_intensity_marks_nothing_that_is_not_there() -> None:
    none = pd.DataFrame({"point": [], "threads": [], "queue_depth": []})
    figure = plot_demand_intensity(frame().assign(is_knee=False), none)
    assert [line.name for line in figure.data][3:] == ["not beaten by any point"]
    assert not figure.layout.shapes


def test_columns_are_as_high_as_the_system_cpu_of_the_host() -> None:
    figure = plot_host_cpu(frame())
    assert [row.name for row in figure.data] == ["T1", "T2", "T4"]
    texts = [text for row in figure.data for text in row.text[::8]]
    assert texts[:2] == ["T1/Q1: 1.010 %", "T1/Q2: 1.020 %"]
    assert max(figure.data[1].z) == pytest.approx(2.04)
    scene = figure.layout.scene
    assert list(scene.xaxis.ticktext) == ["Q1", "Q2", "Q4"]
    assert list(scene.yaxis.ticktext) == ["T1", "T2", "T4"]
    assert scene.zaxis.title.text == "System CPU [%]"


def test_point_without_processor_time_has_no_column() -> None:
    cells = frame()
    cells.loc[cells["threads"] == 2, "host_system_cpu_percent"] = float("nan")
    figure = plot_host_cpu(cells)
    assert [len(row.x or ()) for row in figure.data] == [24, 0, 24]


def test_points_of_equal_toio_stand_apart_over_one_label() -> None:
    figure = plot_toio(frame())
    bars = [trace for trace in figure.data if trace.type == "bar"]
    places = {
        text: (place, height)
        for bar in bars
        for text, place, height in zip(bar.text, bar.x, bar.y, strict=True)
    }
    # TOIO 1, 2 twice, 4 three times, 8 twice, 16; fewest threads first
    ordered = ["T1/Q1", "T1/Q2", "T2/Q1", "T1/Q4", "T2/Q2", "T4/Q1", "T2/Q4", "T4/Q2"]
    assert [places[name][0] for name in [*ordered, "T4/Q4"]] == list(range(9))
    assert places["T1/Q4"][1] == 1004.0
    assert places["T4/Q1"][1] == 4001.0
    assert list(figure.layout.xaxis.ticktext) == ["1", "2", "4", "8", "16"]
    assert list(figure.layout.xaxis.tickvals) == [0, 1.5, 4, 6.5, 8]


@pytest.mark.parametrize(
    ("second", "title", "first"),
    [
        ("lat_mean_ns", "Average response time [ms]", 1.0),
        ("bw_bytes_per_s", "Throughput [MB/s]", 1001.0),
    ],
)
def test_second_axis_has_what_is_asked(second: str, title: str, first: float) -> None:
    figure = plot_toio(frame(), second=second)  # type: ignore[arg-type] # one of two
    marks = figure.data[-1]
    assert (marks.yaxis, marks.mode) == ("y2", "markers")
    assert marks.y[0] == first
    assert len(marks.x) == 9
    assert figure.layout.yaxis2.title.text == title
    assert figure.layout.yaxis2.side == "right"


def test_all_49_points_of_the_standard_are_drawn() -> None:
    figure = plot_toio(frame(LOADS))
    assert len(figure.data[-1].x) == 49
    assert len(figure.layout.xaxis.ticktext) == 18
    assert len(plot_demand_variation(frame(LOADS)).data) == 7


def test_pre_writes_are_over_their_own_minutes() -> None:
    writes = pd.DataFrame({
        "round": [1, 2],
        "time_s": [300.0, 600.0],
        "iops": [50.0, 40.0],
    })
    figure = plot_pre_writes(writes, title="Pre-writes")
    assert list(figure.data[0].x) == [5.0, 10.0]
    assert list(figure.data[0].y) == [50.0, 40.0]
    assert figure.layout.xaxis.title.text == "Time [min]"
    short = plot_pre_writes(writes.assign(time_s=[3.0, 6.0]), title="Pre-writes")
    assert short.layout.xaxis.title.text == "Time [s]"
