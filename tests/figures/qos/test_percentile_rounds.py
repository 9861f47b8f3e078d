"""Percentiles over rounds: what was drawn."""

import pandas as pd
import pytest

from ssdlab.figures import plot_percentile_rounds


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
        "50 %", "99 %", "99.9 %: not supported", "Maximum"
    ]  # fmt: skip
    said = "dotted: not supported by the 500 IOs of a round"
    assert figure.layout.title.subtitle.text == said
    assert [trace.fill for trace in figure.data] == [None, "tonexty", None, None]
    assert figure.data[0].mode == ("lines" if rounds > 60 else "lines+markers")
    over_time = plot_percentile_rounds(frame, x="minutes")
    unit, first = ("min", 1 / 60) if rounds == 600 else ("s", 1)
    assert over_time.layout.xaxis.title.text == f"Time under IO [{unit}]"
    assert over_time.data[0].x[0] == pytest.approx(first)
