"""The nines: what was drawn."""

import pandas as pd
import pytest

from ssdlab.figures import plot_exceedance


def test_nines_are_dotted_where_they_are_not_supported() -> None:
    curve = pd.DataFrame({
        "load": ["a"] * 3 + ["b"] * 3,
        "direction": ["read"] * 3 + ["write"] * 3,
        "lat_upper_ns": [1e6, 2e6, 3e6] * 2,
        "exceedance_ratio": [0.5, 0.001, 0.0] * 2,
        "is_supported": [True, False, False] * 2,
        "total_ios": [1000] * 6,
        "is_censored": False,
    })
    figure = plot_exceedance(curve, limit_ns=1e6)
    assert [trace.line.dash for trace in figure.data] == ["solid", "dot"] * 2
    shown = [trace.name for trace in figure.data if trace.showlegend]
    assert shown == ["Reads, n = 1,000", "Writes, n = 1,000"]
    assert figure.layout.title.subtitle.text == "dotted: too few IOs to support it"
    assert figure.layout.yaxis.type == "log"
    assert "1 in 100 (99 %)" in figure.layout.yaxis.ticktext
    assert "1 in 1,000 (99.9 %)" in figure.layout.yaxis.ticktext


def test_end_of_a_histogram_before_its_ios_is_marked() -> None:
    curve = pd.DataFrame({
        "load": "a",
        "direction": "read",
        "lat_lower_ns": [1e6, 17.1e9],
        "lat_upper_ns": [2e6, 20e9],
        "count": [997, 3],
        "exceedance_ratio": [0.003, 0.0],
        "is_supported": True,
        "is_censored": [False, True],
        "total_ios": 1000,
    })
    *_, mark = plot_exceedance(curve).data
    assert (list(mark.x), list(mark.y)) == ([17_100.0], [0.003])
    assert mark.marker.symbol == "triangle-right-open"
    assert "3 IOs at least this slow, not resolved (censored)" in mark.name


@pytest.mark.parametrize(("limit_ns", "side"), [(0.2e6, "left"), (5e6, "right")])
def test_words_of_a_target_stand_where_there_is_more_room(
    limit_ns: float, side: str
) -> None:
    curve = pd.DataFrame({
        "load": "a",
        "direction": "read",
        "lat_upper_ns": [0.15e6, 2e6],
        "exceedance_ratio": [0.5, 0.1],
        "is_supported": True,
        "is_censored": False,
        "total_ios": 1000,
    })
    (words,) = plot_exceedance(curve, limit_ns=limit_ns).layout.annotations
    assert words.xanchor == side
