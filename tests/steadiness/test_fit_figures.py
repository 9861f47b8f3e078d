"""What the figure of the measurement window drew."""

import pytest

from ssdlab.steadiness.series import RoundSeries
from ssdlab.steadiness.window_figures import plot_window_fit
from ssdlab.steadiness.windows import summarise_fit
from tests.stats.made_rounds import make_rounds


def test_window_has_its_line_its_limits_and_its_residuals(series: RoundSeries) -> None:
    fit = summarise_fit(series)
    figure = plot_window_fit(series, fit)
    names = [trace.name for trace in figure.data]
    limits = figure.data[names.index("±10 % range")]
    average = fit["average"].iloc[0] / 1e6
    assert list(limits.y[:2]) == pytest.approx([1.1 * average] * 2)
    assert list(limits.y[3:]) == pytest.approx([0.9 * average] * 2)
    assert "±5 % slope" in names
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
    assert "±10 % each value" in names
    assert "±10 % fit" in names
    assert not any("slope" in name for name in names)


def test_series_without_a_window_shows_its_rounds(series: RoundSeries) -> None:
    short = make_rounds(series.measured[:3])
    figure = plot_window_fit(short, summarise_fit(short))
    assert [len(trace.x) for trace in figure.data] == [3]
    assert "no window by this rule" in figure.layout.title.subtitle.text
