"""The display of a run in a notebook: when it finishes, and what it tracks."""

import re
from dataclasses import replace
from datetime import datetime

import pytest

from ssdlab.engine.display import draw_tracked, finish_text
from ssdlab.engine.progress import Progress, Tracked

NOW = datetime(2026, 11, 24, 23, 50)  # noqa: DTZ001 - a time of day here
TRACKED = Tracked(
    metric="lat_mean_ns",
    values=(300e3, 200e3, 210e3),
    average=205e3,
    window_rounds=5,
    range_ratio=0.2,
)
PROGRESS = Progress(
    test="lat", phase="rounds", step="x", round=4, rounds_max=25, cell=1, cells=9,
    workload="RND 8 KiB 0/100", tracking="RND 4 KiB <0/100>", values=(), verdict="",
    steps_done=9, left_min_s=300.0, left_max_s=900.0, tracked=TRACKED,
)  # fmt: skip


@pytest.mark.parametrize(
    ("least", "most", "words"),
    [
        (300.0, 900.0, "finishes between 23:55 and Wed 00:05"),
        (20.0, 40.0, "finishes at 23:50"),
        (0.0, 0.0, "finished"),
        (0.0, 30 * 86400.0, "finishes between 23:50 and 24 Dec 23:50"),
    ],
)
def test_time_left_is_a_time_of_day(least: float, most: float, words: str) -> None:
    assert (
        finish_text(replace(PROGRESS, left_min_s=least, left_max_s=most), NOW) == words
    )


def test_picture_has_a_point_a_round_and_the_band_of_the_window() -> None:
    picture = draw_tracked(PROGRESS)
    assert picture.count("<circle") == len(TRACKED.values)
    heights = [float(y) for y in re.findall(r'cy="([\d.]+)"', picture)]
    assert heights[0] < heights[2] < heights[1]  # the slowest is the highest
    found = re.search(r'<rect.* y="([.0-9]+)".*height="([.0-9]+)"', picture)
    assert found is not None
    top, height = float(found[1]), float(found[2])
    assert not top <= heights[0] <= top + height  # 300 is beyond 205 + 10 %
    assert all(top <= one <= top + height for one in heights[1:])
    assert "225.5" in picture  # microseconds, the upper end
    assert "&lt;0/100&gt;" in picture


@pytest.mark.parametrize("values", [(), (1.0,)])
def test_nothing_is_drawn_of_fewer_than_two_rounds(values: tuple[float, ...]) -> None:
    short = replace(TRACKED, values=values)
    assert draw_tracked(replace(PROGRESS, tracked=short)) == ""
    assert draw_tracked(replace(PROGRESS, tracked=None)) == ""


def test_equal_values_without_a_band_are_drawn() -> None:
    flat = replace(TRACKED, values=(7.0, 7.0), range_ratio=None)
    picture = draw_tracked(replace(PROGRESS, tracked=flat))
    assert "<rect" not in picture
    assert picture.count("<circle") == 2
