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
    assert [trace.name for trace in figure.data] == ["50 %", "99 %", "Maximum"]
    said = "not drawn: 99.9 % where a round's 500 IOs do not support it"
    assert figure.layout.title.subtitle.text == said
    assert [trace.fill for trace in figure.data] == [None, "tonexty", None]
    assert figure.data[0].mode == ("lines" if rounds > 60 else "lines+markers")
    over_time = plot_percentile_rounds(frame, x="minutes")
    unit, first = ("min", 1 / 60) if rounds == 600 else ("s", 1)
    assert over_time.layout.xaxis.title.text == f"Time under IO [{unit}]"
    assert over_time.data[0].x[0] == pytest.approx(first)


def test_rounds_that_do_not_support_a_level_are_left_out_of_its_line() -> None:
    rounds = {"round": [1, 2, 3], "minutes": [1.0, 2.0, 3.0], "marker": "99.99 %"}
    rounds |= {"percentile": 99.99, "lat_ns": [1e6, 2e6, 3e6], "lat_max_ns": 3e6}
    counts = {"total_ios": [90_000, 9_000, 90_000]}
    frame = pd.DataFrame(rounds | counts | {"is_supported": [True, False, True]})
    line, maximum = plot_percentile_rounds(frame).data
    assert list(line.y) == [1.0, None, 3.0]
    assert list(maximum.y) == [3.0, 3.0, 3.0]
    figure = plot_percentile_rounds(frame.assign(is_supported=False))
    assert [trace.name for trace in figure.data] == ["Maximum"]
