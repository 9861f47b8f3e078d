"""Write saturation, sparklines, idle gaps, histogram."""

import pandas as pd
import pytest

from ssdlab.figures import plot_confidence, plot_saturation, plot_saturation_latency
from ssdlab.pts.wsat.summary import summarise_saturation
from ssdlab.qos.confidence import summarise_confidence, summarise_histogram
from ssdlab.report.gaps import plot_idle_gaps
from ssdlab.steadiness.convergence_figures import plot_sparkline
from ssdlab.store.run import Run


@pytest.fixture(scope="session")
def rounds(run: Run) -> pd.DataFrame:
    return summarise_saturation(
        run.measurements, run.steps, percentiles=run.percentiles
    )


@pytest.mark.parametrize(
    ("x", "title", "divisor"),
    [
        ("time_s", "Time [min]", 60),
        ("total_written_bytes", "Total gigabytes written (TGBW) [GB]", 1e9),
        ("drive_fills", "Drive fills (TGBW / user capacity)", 1),
    ],
)
def test_saturation_draws_iops_over_what_is_asked(
    rounds: pd.DataFrame, x: str, title: str, divisor: float
) -> None:
    figure = plot_saturation(rounds, x=x)  # type: ignore[arg-type] # one of three
    assert figure.layout.xaxis.title.text == title
    assert list(figure.data[0].y) == rounds["iops"].tolist()
    assert figure.data[0].x[-1] == pytest.approx(float(rounds[x].iloc[-1]) / divisor)


def test_saturation_is_logarithmic_when_asked(rounds: pd.DataFrame) -> None:
    assert plot_saturation(rounds, iops_scale="log").layout.yaxis.type == "log"
    assert plot_saturation(rounds).layout.yaxis.type is None


def test_saturation_of_a_mix_draws_reads_and_writes_too(rounds: pd.DataFrame) -> None:
    mix = rounds.assign(read_iops=rounds["iops"] * 0.9, write_iops=rounds["iops"] / 10)
    figure = plot_saturation(mix, x="drive_fills", iops_scale="log")
    assert [line.name for line in figure.data] == [
        "Reads and writes",
        "Reads",
        "Writes",
    ]
    assert list(figure.data[0].y) == mix["iops"].tolist()
    assert list(figure.data[1].y) == mix["read_iops"].tolist()
    assert list(figure.data[2].y) == mix["write_iops"].tolist()
    assert len({line.line.color for line in figure.data}) == 3
    least = 10 ** figure.layout.yaxis.range[0]
    assert least <= mix["write_iops"].min()


def test_saturation_titles_name_the_stimulus_that_was_run(rounds: pd.DataFrame) -> None:
    name = "SEQ 128 KiB 90/10 T4/Q32"
    assert plot_saturation(rounds, stimulus=name).layout.title.text == (
        "Write saturation, SEQ 128 KiB 90/10 T4/Q32: IOPS vs time"
    )
    assert plot_saturation_latency(rounds, stimulus=name).layout.title.text == (
        "Write saturation, SEQ 128 KiB 90/10 T4/Q32: response times and IOPS vs drive "
        "fills"
    )
    assert plot_saturation(rounds).layout.title.text == (
        "Write saturation: IOPS vs time"
    )


def test_saturation_latency_has_iops_on_a_second_axis(rounds: pd.DataFrame) -> None:
    figure = plot_saturation_latency(rounds)
    names = [trace.name for trace in figure.data]
    assert names == [
        "Average [ms]",
        "99.999 % [ms]",
        "Maximum [ms]",
        "IOPS (right axis)",
    ]
    assert figure.data[-1].yaxis == "y2"
    assert figure.data[2].y[0] == pytest.approx(rounds["lat_max_ns"].iloc[0] / 1e6)


def test_saturation_latency_leaves_out_what_was_not_recorded(
    rounds: pd.DataFrame,
) -> None:
    figure = plot_saturation_latency(rounds.drop(columns="lat_five_nines_ns"))
    assert "99.999 % [ms]" not in [trace.name for trace in figure.data]


@pytest.mark.parametrize("weak", [1, 39])
def test_saturation_latency_draws_no_percentile_of_too_few_ios(
    rounds: pd.DataFrame, weak: int
) -> None:
    supported = [number > weak for number in rounds["round"]]
    frame = rounds.assign(is_five_nines_supported=supported)
    figure = plot_saturation_latency(frame)
    nines = figure.data[1]
    assert nines.name == "99.999 % [ms]"
    assert [value is not None for value in nines.y] == supported
    assert nines.mode == "lines+markers"
    subtitle = figure.layout.title.subtitle.text
    assert subtitle.startswith(f"99.999 % not drawn for {weak} of 40 rounds")
    assert plot_saturation_latency(rounds).layout.title.subtitle.text == ""


def test_saturation_latency_has_no_percentile_when_no_round_supports_it(
    rounds: pd.DataFrame,
) -> None:
    figure = plot_saturation_latency(rounds.assign(is_five_nines_supported=False))
    names = [trace.name for trace in figure.data]
    assert names == ["Average [ms]", "Maximum [ms]", "IOPS (right axis)"]


def test_sparkline_marks_the_last_round_and_the_window() -> None:
    series = pd.Series([5.0, 3.0, 2.0], index=[1, 2, 4])
    figure = plot_sparkline(series, name="IOPS", window=(2, 4))
    line, point = figure.data
    assert list(line.x) == [1, 2, 4]
    assert list(line.y) == [5.0, 3.0, 2.0]
    assert (point.x, point.y) == ((4,), (2.0,))
    assert figure.layout.xaxis.visible is False
    (shade,) = figure.layout.shapes
    assert 1 < shade.x0 < 2
    assert shade.x1 > 4


def test_idle_gaps_part_steps_whose_fio_stood_ready_from_others(run: Run) -> None:
    figure = plot_idle_gaps(run.steps)
    ready, started = figure.data
    assert ready.name == "fio was waiting"
    assert len(ready.x) == int(run.steps["was_armed"].sum())
    assert len(ready.x) + len(started.x) == int(run.steps["idle_before_s"].count())
    assert figure.layout.yaxis.type == "log"
    assert figure.layout.yaxis.title.text == "Idle before the step [ms]"


@pytest.fixture(scope="session")
def confidence(run: Run) -> tuple[pd.DataFrame, pd.DataFrame, "pd.Series[float]"]:
    long_run = run.measurements
    long_run = long_run[
        (long_run["test"] == "lat")
        & (long_run["kind"] == "histogram")
        & (long_run["direction"] == "total")
    ]
    return (
        summarise_histogram(run.bins, run.measurements, test="lat"),
        summarise_confidence(run.bins, run.measurements, test="lat"),
        long_run.iloc[0],
    )


def test_confidence_shows_counts_curve_and_markers(
    confidence: tuple[pd.DataFrame, pd.DataFrame, "pd.Series[float]"],
) -> None:
    frame, markers, measurement = confidence
    figure = plot_confidence(frame, markers, measurement)
    bars, curve, *marks = figure.data
    assert sum(bars.y) == int(measurement["total_ios"])
    assert curve.yaxis == "y2"
    assert curve.y[-1] == pytest.approx(100)
    assert [mark.name.split(":")[0] for mark in marks] == [
        "average", "99 %", "99.9 %", "99.99 %", "99.999 %", "max"
    ]  # fmt: skip
    assert marks[-1].x[0] == pytest.approx(measurement["lat_max_ns"] / 1e6)
    assert figure.layout.xaxis.type == figure.layout.yaxis.type == "log"


def test_confidence_title_carries_rates_and_maximum(
    confidence: tuple[pd.DataFrame, pd.DataFrame, "pd.Series[float]"],
) -> None:
    subtitle = plot_confidence(*confidence).layout.title.subtitle.text
    assert f"{confidence[2]['iops']:,.0f} IOPS" in subtitle
    assert "MB/s" in subtitle
    assert "max " in subtitle


def test_confidence_says_which_nines_the_count_does_not_support(
    confidence: tuple[pd.DataFrame, pd.DataFrame, "pd.Series[float]"],
) -> None:
    names = [trace.name for trace in plot_confidence(*confidence).data]
    assert [n for n in names if n.startswith("99.999 %: not supported by")]
    assert not [n for n in names if n.startswith("99.99 %") and "not supported" in n]
