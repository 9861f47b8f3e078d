"""The strip under a figure over time, and the drive over the whole run."""

import pandas as pd
import pytest

from ssdlab.procedures.saturate.figures import plot_single_stimulus
from ssdlab.pts.wsat.figures import plot_saturation
from ssdlab.telemetry.figures import add_drive_strip, plot_drive_health
from ssdlab.telemetry.trace import DriveTrace
from ssdlab.text.quantities import QUANTITIES, time_quantity

NAN = float("nan")
MINUTES = QUANTITIES["time_s"]
ROUNDS = pd.DataFrame({"time_s": [60.0, 120.0], "iops": [9e4, 2e4], "round": [1, 2]})


def trace(
    warm: tuple[float, ...] = (40.0, 55.0, 60.0),
    written: tuple[float, ...] = (0.0, 2e9, 5e9),
    **more: object,
) -> DriveTrace:
    columns = {"temperature_celsius": warm, "written_bytes": written}
    frame = pd.DataFrame({"time_s": [0.0, 60.0, 120.0]} | columns)
    return DriveTrace(readings=frame, **more)  # type: ignore[arg-type] # as named


def test_strip_shares_the_time_axis_and_leaves_the_plot_as_it_was() -> None:
    plot = plot_saturation(ROUNDS)
    before = plot.to_json()
    figure = add_drive_strip(plot, trace(), unit=MINUTES)
    assert plot.to_json() == before
    iops, warm, written = figure.data
    assert iops.y == plot.data[0].y
    assert list(warm.x) == [0, 1, 2]
    assert list(warm.y) == [40, 55, 60]
    assert list(written.y) == [0, 2, 5]
    assert {line.xaxis for line in figure.data} == {None}
    assert (iops.yaxis, warm.yaxis, written.yaxis) == (None, "y2", "y3")
    assert figure.layout.xaxis.anchor == "y2"
    assert figure.layout.yaxis.domain[0] > figure.layout.yaxis2.domain[1]
    assert figure.layout.yaxis2.title.text == "Temperature [°C]"
    assert figure.layout.yaxis3.title.text == "Written [GB]"
    assert figure.layout.yaxis3.overlaying == "y2"
    assert figure.layout.height > plot.layout.height


def test_strip_goes_below_both_axes_of_a_plot_that_has_two() -> None:
    rounds = ROUNDS.assign(lat_mean_ns=1e6, lat_max_ns=9e6)
    seconds = time_quantity(120.0)
    figure = add_drive_strip(plot_single_stimulus(rounds), trace(), unit=seconds)
    layout = figure.layout
    assert layout.yaxis.domain == layout.yaxis2.domain
    assert [line.yaxis for line in figure.data[-2:]] == ["y3", "y4"]
    assert list(figure.data[-1].x) == [0, 60, 120]


def test_reading_that_was_not_told_has_neither_line_nor_axis() -> None:
    cold = add_drive_strip(plot_saturation(ROUNDS), trace((NAN,) * 3), unit=MINUTES)
    assert [line.name for line in cold.data] == ["IOPS", "Written, by its counter"]
    assert cold.layout.yaxis2.title.text == "Written [GB]"
    assert cold.layout.yaxis3.overlaying is None
    warm = add_drive_strip(
        plot_saturation(ROUNDS), trace(written=(NAN,) * 3), unit=MINUTES
    )
    assert [line.name for line in warm.data] == ["IOPS", "Temperature"]


@pytest.mark.parametrize(
    ("most", "drawn"),
    [(60.0, ["warning 70 °C"]), (72.0, ["warning 70 °C", "critical 80 °C"])],
)
def test_critical_limit_is_drawn_once_the_warning_is_reached(
    most: float, drawn: list[str]
) -> None:
    hot = trace((40.0, 55.0, most), warning_celsius=70, critical_celsius=80)
    figure = add_drive_strip(plot_saturation(ROUNDS), hot, unit=MINUTES)
    assert [text.text for text in figure.layout.annotations] == drawn
    low, high = figure.layout.yaxis2.range
    assert low < 40
    assert high > 70 + 10 * (len(drawn) - 1)


def test_throttled_time_is_shaded_over_both_parts_and_named_once() -> None:
    slow = trace(throttled=((30.0, 60.0), (90.0, 120.0)))
    figure = add_drive_strip(plot_saturation(ROUNDS), slow, unit=MINUTES)
    shapes = [shape for shape in figure.layout.shapes if shape.type == "rect"]
    assert [(shape.x0, shape.x1) for shape in shapes] == [(0.5, 1), (1.5, 2)]
    assert {(shape.yref, shape.y0, shape.y1) for shape in shapes} == {("paper", 0, 1)}
    assert [shape.showlegend for shape in shapes] == [True, False]


def test_lines_and_shades_are_told_apart_without_colour() -> None:
    warm, written = plot_drive_health(trace()).data
    assert warm.line.dash is None
    assert written.line.dash == "dot"


def test_whole_run_has_a_band_for_each_test_and_names_those_with_room() -> None:
    spans = [("IOPS", 0.0, 60.0), ("<b>x</b>", 60.0, 118.0), ("TP", 118.0, 120.0)]
    figure = plot_drive_health(trace(), spans)
    bands = [shape for shape in figure.layout.shapes if shape.type == "rect"]
    assert [(band.x0, band.x1) for band in bands] == [(0, 60), (60, 118), (118, 120)]
    names = [text.text for text in figure.layout.annotations if text.text]
    assert names == ["IOPS", "&lt;b&gt;x&lt;/b&gt;"]
    assert figure.layout.xaxis.range == (0, 120)
    assert figure.layout.xaxis.title.text == "Time [s]"


@pytest.mark.parametrize(("end_s", "names"), [(3.1, ["TP"]), (2.3, [])])
def test_band_is_named_from_a_fortieth_of_the_width_on(
    end_s: float, names: list[str]
) -> None:
    figure = plot_drive_health(trace(), [("TP", 0.0, end_s)])
    assert [text.text for text in figure.layout.annotations if text.text] == names


def test_names_of_tests_stand_above_the_temperatures() -> None:
    figure = plot_drive_health(trace((40.0, 80.0, 60.0)))
    _, high = figure.layout.yaxis.range
    assert high > 90
