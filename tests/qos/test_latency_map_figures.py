"""The map of response times: what was drawn."""

import math

import pandas as pd
import pytest

from ssdlab.figures import plot_latency_map


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
    assert "were not recorded" in figure.layout.annotations[0].text
