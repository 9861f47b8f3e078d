"""What the figures of steadiness drew."""

import math

import numpy as np
import pandas as pd
import pytest

from ssdlab.analysis.steadiness.fit import (
    summarise_fit,
    summarise_onsets,
    summarise_phases,
    summarise_precision,
    summarise_windows,
)
from ssdlab.analysis.steadiness.forecast import forecast_steady_state
from ssdlab.analysis.steadiness.series import RoundSeries
from ssdlab.figures.readable import readable_table
from ssdlab.figures.steadiness.forecast import plot_forecast
from ssdlab.figures.steadiness.series import (
    plot_onsets,
    plot_phases,
    plot_window_fit,
    plot_window_means,
    plot_window_ratios,
)
from tests.analysis.made_rounds import make_rounds


@pytest.fixture(scope="module")
def series() -> RoundSeries:
    rng = np.random.default_rng(3)
    decay = 1 + 1.5 * np.exp(-np.arange(24) / 3)
    values = 3e8 * decay * (1 + 0.01 * rng.standard_normal(24))
    return make_rounds(values, metric="bw_bytes_per_s", test="tp")


def test_window_has_its_line_its_limits_and_its_residuals(series: RoundSeries) -> None:
    fit = summarise_fit(series)
    figure = plot_window_fit(series, fit)
    names = [trace.name for trace in figure.data]
    assert "data excursion limit, 110% of average" in names
    assert "slope excursion limit, 95% of average" in names
    line = figure.data[names.index("least-squares fit")]
    assert list(line.y) == pytest.approx(list(fit["fit"].iloc[[0, -1]] / 1e6))
    assert figure.layout.yaxis.title.text == "Throughput [MB/s]"
    bars = figure.data[names.index("residual")]
    assert list(bars.y) == pytest.approx(list(fit["residual"] / 1e6))
    points = figure.data[names.index("RND 4 KiB 0/100")]
    assert len(points.x) == 24


def test_other_rule_has_other_limits(series: RoundSeries) -> None:
    fit = summarise_fit(series, "each-value")
    names = [t.name for t in plot_window_fit(series, fit, rule="each-value").data]
    assert "value limit, 110% of average" in names
    assert "fit limit, 90% of average" in names
    assert not any("slope excursion" in name for name in names)


def test_series_without_a_window_shows_its_rounds(series: RoundSeries) -> None:
    short = make_rounds(series.measured[:3])
    figure = plot_window_fit(short, summarise_fit(short))
    assert [len(trace.x) for trace in figure.data] == [3]
    assert "fewer rounds" in figure.layout.title.subtitle.text


def test_ratios_are_open_where_a_window_is_not_steady(series: RoundSeries) -> None:
    windows = summarise_windows(series)
    figure = plot_window_ratios(windows)
    ratios = figure.data[0]
    assert list(ratios.y) == pytest.approx(list(100 * windows["range_ratio"]))
    is_open = [symbol.endswith("open") for symbol in ratios.marker.symbol]
    assert is_open == [not steady for steady in windows["is_steady"]]
    assert len(figure.layout.shapes) == 2
    assert "range" in ratios.customdata[0][1]


def test_means_have_their_intervals(series: RoundSeries) -> None:
    windows = summarise_windows(series)
    means, drifts = plot_window_means(windows, metric=series.metric).data
    highs = np.array(means.y) + np.array(means.error_y.array)
    assert highs == pytest.approx(windows["mean_high"] / 1e6)
    lows = np.array(drifts.y) - np.array(drifts.error_y.arrayminus)
    assert lows == pytest.approx(100 * windows["drift_low"])


def test_phases_have_a_colour_each_and_all_rounds(series: RoundSeries) -> None:
    phases = summarise_phases(series)
    figure = plot_phases(series, phases)
    points = [trace for trace in figure.data if trace.mode == "markers"]
    assert sum(len(trace.x) for trace in points) == 24
    legend = [trace.name for trace in figure.data if trace.showlegend]
    assert sorted(legend) == sorted(set(phases["phase"]))


def test_onsets_have_a_row_a_rule(series: RoundSeries) -> None:
    onsets = summarise_onsets(series)
    figure = plot_onsets(onsets)
    assert list(figure.layout.yaxis.ticktext) == list(onsets["title"])
    found = onsets[onsets["first_round"].notna()]
    assert len(figure.data) == len(found)
    assert [note.text for note in figure.layout.annotations] == list(
        onsets[onsets["first_round"].isna()]["note"]
    )


def test_forecast_has_what_came_and_an_open_end(series: RoundSeries) -> None:
    forecast = forecast_steady_state(series)
    came = forecast["came_after"].iloc[0]
    assert forecast["after_round"].tolist() == list(range(4, came))
    assert (forecast["more_low"] <= came - forecast["after_round"]).all()
    assert (forecast["more_high"] >= came - forecast["after_round"]).all()
    figure = plot_forecast(forecast)
    assert f"steady after round {came}" in figure.layout.annotations[0].text
    endless = forecast.assign(more_high=math.inf)
    assert set(plot_forecast(endless).data[0].marker.symbol) == {"triangle-up"}
    nothing = plot_forecast(forecast.iloc[:0])
    assert "fewer than four" in nothing.layout.annotations[0].text


def test_fresh_drive_is_not_foretold() -> None:
    rng = np.random.default_rng(1)
    fresh = 300 + rng.standard_normal(8)
    saturation = make_rounds(fresh, test="wsat", sample_every=2, first_sample=2)
    forecast = forecast_steady_state(saturation)
    assert forecast["after_round"].tolist() == [4, 6, 8]
    assert not forecast["is_supported"].any()
    assert "still fresh" in forecast["note"].iloc[0]


def test_table_has_units_in_its_head_and_scaled_numbers(series: RoundSeries) -> None:
    table = readable_table(summarise_precision(series), metric=series.metric)
    units = set(table["unit"])
    assert {"MB/s", "MB/s per round", "%", "rounds"} <= units
    level = table[table["quantity"] == "level"].iloc[0]
    assert float(level["estimate"]) == pytest.approx(300, rel=0.2)
    plain = pd.DataFrame({"average": [math.inf, math.nan], "is_steady": [True, None]})
    shown = readable_table(plain, metric="lat_mean_ns")
    assert shown["average [ms]"].tolist() == ["open", ""]
    assert shown["steady"].tolist() == ["yes", ""]
