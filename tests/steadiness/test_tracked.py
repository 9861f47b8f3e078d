"""All tracking variables of a test by their window averages."""

import pytest

from ssdlab.steadiness.tracked import summarise_tracked
from ssdlab.steadiness.window_figures import plot_tracked
from ssdlab.store.run import Run


def test_window_of_each_variable_averages_to_one(run: Run) -> None:
    frames = (run.measurements, run.windows, run.steps)
    tracked = summarise_tracked(*frames, test="iops")
    assert tracked["tracking"].nunique() == 3
    inside = tracked[tracked["is_in_window"]]
    assert (
        inside.groupby("tracking")["round"].agg(list).tolist() == [[3, 4, 5, 6, 7]] * 3
    )
    assert inside.groupby("tracking")["share"].mean().to_numpy() == pytest.approx(1)
    figure = plot_tracked(tracked)
    assert len(figure.data) == 3
    assert list(figure.data[0].marker.size) == [5, 5, *[9] * 5]
    assert summarise_tracked(run.measurements, run.windows.iloc[:0], run.steps,
                             test="iops").empty  # fmt: skip
