"""What the figures of every window drew."""

import numpy as np
import pytest

from ssdlab.steadiness.series import RoundSeries
from ssdlab.steadiness.window_figures import plot_window_means, plot_window_ratios
from ssdlab.steadiness.windows import summarise_windows
from tests.stats.made_rounds import make_rounds, settled


def test_ratios_are_open_where_a_window_is_not_steady(series: RoundSeries) -> None:
    windows = summarise_windows(series)
    figure = plot_window_ratios(windows)
    ratios = figure.data[0]
    assert list(ratios.y) == pytest.approx(list(100 * windows["range_ratio"]))
    is_open = [symbol.endswith("open") for symbol in ratios.marker.symbol]
    assert is_open == [not steady for steady in windows["is_steady"]]
    named = [shape.name for shape in figure.layout.shapes if shape.showlegend]
    assert named == ["range limit 20 %", "slope limit 10 %"]
    assert not figure.layout.annotations  # they would lie on markers
    assert "range" in ratios.customdata[0][1]


def test_means_have_their_intervals(series: RoundSeries) -> None:
    windows = summarise_windows(series)
    means, drifts = plot_window_means(windows, metric=series.metric).data
    highs = np.array(means.y) + np.array(means.error_y.array)
    assert highs == pytest.approx(windows["mean_high"] / 1e6)
    lows = np.array(drifts.y) - np.array(drifts.error_y.arrayminus)
    assert lows == pytest.approx(100 * windows["drift_low"])


def test_windows_of_samples_have_a_tick_each() -> None:
    series = make_rounds(settled(60), sample_every=10, first_sample=10)
    figure = plot_window_ratios(summarise_windows(series))
    assert list(figure.layout.xaxis.tickvals) == [50, 60]
