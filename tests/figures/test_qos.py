"""Percentiles, nines, bands and the map: what was drawn."""

import math

import pandas as pd
import pytest

from ssdlab.figures import (
    plot_confidence,
    plot_exceedance,
    plot_latency_map,
    plot_percentile_rounds,
    plot_qos_levels,
)

LEVELS = pd.DataFrame({
    "marker": ["average", "99 %", "99.9999 %", "max"],
    "percentile": [math.nan, 99.0, 99.9999, math.nan],
    "lat_ns": [1.2e6, 2e6, 5e6, 5e6],
    "low_ns": [1.1e6, 1.8e6, 3e6, 5e6],
    "high_ns": [1.3e6, 2.5e6, math.inf, math.inf],
    "claimed": ["between rounds", "between rounds", "between rounds", "recorded"],
    "independent_low_ns": [math.nan, 1.9e6, 4e6, math.nan],
    "independent_high_ns": [math.nan, 2.1e6, math.inf, math.nan],
    "total_ios": 1000,
    "is_supported": [True, True, False, True],
    "confidence_percent": [60.0, 99.0, 99.9999, 100.0],
    "note": ["", "", "not supported by 1,000 IOs", ""],
})
RATES = {
    "iops": 1000.0,
    "bw_bytes_per_s": 4.096e6,
    "lat_max_ns": 5e6,
    "lat_mean_ns": 1.2e6,
    "total_ios": 1000.0,
}


def test_claimed_interval_stands_beside_that_of_independent_ios() -> None:
    figure = plot_qos_levels(LEVELS, rates=RATES, limit_ns=4e6)
    claimed, alone, arrows = figure.data
    assert claimed.name == "Claimed: between rounds"
    assert alone.name == "If IOs were independent"
    assert list(claimed.y) == [2.0, 5.0]
    assert list(claimed.error_y.array) == pytest.approx([0.5, 0.0])
    assert list(claimed.error_y.arrayminus) == pytest.approx([0.2, 2.0])
    assert list(claimed.marker.symbol) == ["circle", "circle-open"]
    assert list(arrows.x) == [1]
    assert "not supported by 1,000 IOs" in claimed.customdata[1]
    assert "no upper end" in claimed.customdata[1]
    assert "n = 1,000" in claimed.customdata[0]


def test_average_maximum_and_target_are_marked_where_they_are() -> None:
    figure = plot_qos_levels(LEVELS, rates=RATES, limit_ns=4e6)
    words = {note.text: note.y for note in figure.layout.annotations}
    assert words == {
        "Average 1.200 ms": pytest.approx(math.log10(1.2)),
        "Maximum 5.000 ms": pytest.approx(math.log10(5)),
        "Target 4.000 ms": pytest.approx(math.log10(4)),
    }
    assert [line.y0 for line in figure.layout.shapes] == [1.2, 5.0, 4.0]
    subtitle = figure.layout.title.subtitle.text
    assert subtitle == "1,000 IOPS, 4.096 MB/s, MRT 5.000 ms, 1,000 IOs"


def test_confidence_plot_takes_the_same_table() -> None:
    curve = pd.DataFrame({
        "lat_lower_ns": [1e6], "lat_upper_ns": [1.1e6], "count": [1000],
        "confidence_percent": [100.0],
    })  # fmt: skip
    names = [trace.name for trace in plot_confidence(curve, LEVELS, RATES).data]
    assert "99.9999 %: not supported by 1,000 IOs" in names
    assert "max: 5.000 ms" in names


def test_nines_are_dotted_where_they_are_not_supported() -> None:
    curve = pd.DataFrame({
        "load": ["a"] * 3 + ["b"] * 3,
        "direction": ["read"] * 3 + ["write"] * 3,
        "lat_upper_ns": [1e6, 2e6, 3e6] * 2,
        "exceedance_ratio": [0.5, 0.001, 0.0] * 2,
        "is_supported": [True, False, False] * 2,
        "total_ios": [1000] * 6,
    })
    figure = plot_exceedance(curve, limit_ns=1e6)
    assert [trace.line.dash for trace in figure.data] == ["solid", "dot"] * 2
    shown = [trace.name for trace in figure.data if trace.showlegend]
    assert shown == ["Reads, n = 1,000", "Writes, n = 1,000"]
    assert figure.layout.title.subtitle.text == "dotted: not supported by so few IOs"
    assert figure.layout.yaxis.type == "log"
    assert "1 in 100 (99 %)" in figure.layout.yaxis.ticktext
    assert "1 in 1,000 (99.9 %)" in figure.layout.yaxis.ticktext


@pytest.mark.parametrize("rounds", [1, 5, 600])
def test_bands_of_any_number_of_rounds(rounds: int) -> None:
    frame = pd.DataFrame([
        {
            "round": number,
            "minutes": number / 60,
            "marker": f"{level:g} %",
            "percentile": level,
            "lat_ns": level * 1e4,
            "lat_max_ns": 2e6,
            "total_ios": 500,
            "is_supported": level < 99.9,
        }
        for number in range(1, rounds + 1)
        for level in (50.0, 99.0, 99.9)
    ])
    figure = plot_percentile_rounds(frame)
    assert [trace.name for trace in figure.data] == [
        "50 %", "99 %", "99.9 % (not supported by a round of 500 IOs)", "Maximum"
    ]  # fmt: skip
    assert [trace.fill for trace in figure.data] == [None, "tonexty", None, None]
    assert figure.data[0].mode == ("lines" if rounds > 60 else "lines+markers")
    over_time = plot_percentile_rounds(frame, x="minutes")
    assert over_time.layout.xaxis.title.text == "Time under IO [min]"
    assert over_time.data[0].x[0] == pytest.approx(1 / 60)


def test_map_places_every_cell_and_leaves_the_rest_empty() -> None:
    cells = pd.DataFrame({
        "start": [0.5, 1.5, 1.5], "end": [1.5, 2.5, 2.5], "unit": "round",
        "origin": "rounds", "lat_lower_ns": [2.0**20, 2.0**20, 2.0**22],
        "lat_upper_ns": [2.0**20.125, 2.0**20.125, 2.0**22.125],
        "count": [10.0, 9.0, 1.0], "share_percent": [100.0, 90.0, 10.0],
    })  # fmt: skip
    (heat,) = plot_latency_map(cells).data
    assert len(heat.y) == len(heat.z) + 1
    assert list(heat.x) == [0.5, 1.5, 2.5]
    assert heat.z[0][0] == pytest.approx(2.0)
    assert heat.z[-1][1] == pytest.approx(1.0)
    assert math.isnan(heat.z[-1][0])
    assert heat.customdata[-1][1] == 1


def test_map_of_nothing_is_a_sentence() -> None:
    figure = plot_latency_map(pd.DataFrame({"start": []}))
    assert not figure.data
    assert "Nothing was kept" in figure.layout.annotations[0].text
