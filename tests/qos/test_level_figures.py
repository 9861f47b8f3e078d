"""Percentiles with their intervals: what was drawn."""

import math

import pandas as pd
import pytest

from ssdlab.figures import plot_confidence, plot_qos_levels

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
    "seen_rounds": [math.nan, 5, 5, math.nan],
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
    assert "not supported by 1,000 IOs" in claimed.text[1]
    assert "no upper end" in claimed.text[1]
    assert "n = 1,000" in claimed.text[0]


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
    assert subtitle == (
        "1,000 IOPS, 4.096 MB/s, max 5.000 ms, 1,000 IOs; "
        "5 rounds show nothing of what hits fewer than 45 % of rounds"
    )


def test_one_run_has_no_rounds_to_be_bounded_by() -> None:
    alone = LEVELS.assign(claimed="independent IOs", seen_rounds=math.nan)
    assert (
        "rounds" not in plot_qos_levels(alone, rates=RATES).layout.title.subtitle.text
    )


def test_confidence_plot_takes_the_same_table() -> None:
    curve = pd.DataFrame({
        "lat_lower_ns": [1e6], "lat_upper_ns": [1.1e6], "count": [1000],
        "confidence_percent": [100.0],
    })  # fmt: skip
    names = [trace.name for trace in plot_confidence(curve, LEVELS, RATES).data]
    assert "99.9999 %: not supported by 1,000 IOs" in names
    assert "max: 5.000 ms" in names


@pytest.mark.parametrize(
    ("limit_ns", "anchors"), [(6e6, ("top", "bottom")), (4e6, ("bottom", "top"))]
)
def test_words_of_maximum_and_target_keep_away_from_both_lines(
    limit_ns: float, anchors: tuple[str, str]
) -> None:
    figure = plot_qos_levels(LEVELS, rates=RATES, limit_ns=limit_ns)
    _, greatest, target = figure.layout.annotations
    assert (greatest.yanchor, target.yanchor) == anchors
    assert (greatest.xanchor, target.xanchor) == ("left", "right")
