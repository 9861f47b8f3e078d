"""What the figure of the forecast drew."""

import math

import numpy as np

from ssdlab.steadiness.forecast import forecast_steady_state
from ssdlab.steadiness.phase_figures import plot_forecast
from ssdlab.steadiness.series import RoundSeries
from tests.stats.made_rounds import make_rounds


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
    hopeless = plot_forecast(endless.assign(more_rounds=math.inf)).data[0]
    assert set(hopeless.marker.symbol) == {"triangle-up-open"}
    assert hopeless.mode == "markers"  # words at the last mark would be cut off
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
