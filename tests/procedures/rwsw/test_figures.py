"""Figures of captured streams, their replay and the sweep."""

import pandas as pd
import pytest

from ssdlab.model.capture import EXPERIMENTAL
from ssdlab.procedures.rwsw.figures import (
    plot_oio_intensity,
    plot_oio_sweep,
    plot_replay,
    plot_stream_map,
)
from ssdlab.streams.capture import read_capture
from ssdlab.streams.extents import tabulate_capture
from tests.paths import ROOT

SHOP = ROOT / "tests" / "data" / "capture-made-shop.csv"


def sweep() -> pd.DataFrame:
    return pd.DataFrame({
        "oio": [1, 2, 4],
        "iops": [100.0, 190.0, 200.0],
        "lat_mean_ns": [1e6, 1.1e6, 2e7],
        "is_knee": [False, True, False],
    })


def test_map_stacks_streams_as_wide_as_their_steps() -> None:
    capture = read_capture(SHOP)
    figure = plot_stream_map(tabulate_capture(capture), duration_s=3600)
    assert figure.layout.barmode == "stack"
    assert figure.data[0].name == "RND 4 KiB read"
    assert len(figure.data) == 7
    assert figure.data[0].x[0] == pytest.approx(2.5)  # the middle of 5 minutes
    assert set(figure.data[0].width) == {5.0}
    sums = [sum(bar.y[place] for bar in figure.data) for place in range(11)]
    assert sums == pytest.approx([100.0] * 11)
    named = [note.text for note in figure.layout.annotations]
    assert named == ["SEQ 64 KiB read", "SEQ 128 KiB write"]


def test_map_with_many_streams_has_others_in_grey() -> None:
    frame = tabulate_capture(read_capture(SHOP), most=2)
    figure = plot_stream_map(frame, duration_s=3600)
    assert [bar.name for bar in figure.data][-1] == "All other streams"


def test_replay_is_on_a_log_axis_only_where_it_spans_decades() -> None:
    frame = pd.DataFrame({
        "step": [1, 2],
        "start_s": [0.0, 60.0],
        "duration_s": [60.0, 60.0],
        "iops": [9e4, 8e4],
        "native_iops": [100.0, 90],
    })
    assert plot_replay(frame).layout.yaxis.type == "log"
    near = frame.assign(native_iops=[5e4, 6e4])
    assert plot_replay(near).layout.yaxis.type != "log"
    alone = plot_replay(frame.assign(lat_mean_ns=2e6), metric="lat_mean_ns", native="")
    assert [line.name for line in alone.data] == ["Replay"]
    assert list(alone.data[0].y) == [2.0, 2.0]


def test_replay_is_not_joined_across_an_idle_step() -> None:
    """Step 3 was idle; of steps 4 and 5 the table leaves the time between out."""
    frame = pd.DataFrame({
        "step": [1, 2, 4, 5],
        "start_s": [0.0, 10.0, 30.0, 90.0],
        "duration_s": [10.0] * 4,
        "iops": [9.0, 8.0, 7.0, 6.0],
        "native_iops": [1.0, 2.0, 3.0, 4.0],
    })
    figure = plot_replay(frame)
    for line, values in zip(figure.data, ([9, 8, 7, 6], [1, 2, 3, 4]), strict=True):
        a, b, c, d = values
        assert list(line.x) == [1, 2, None, 4, None, 5]
        assert list(line.y) == [a, b, None, c, None, d]
        assert not line.connectgaps


def test_sweep_has_a_logarithmic_axis_of_its_points() -> None:
    figure = plot_oio_sweep(sweep())
    assert figure.layout.xaxis.type == "log"
    assert list(figure.layout.xaxis.ticktext) == ["1", "2", "4"]
    assert list(figure.data[1].y) == pytest.approx([1, 1.1, 20])


def test_intensity_marks_its_knee() -> None:
    figure = plot_oio_intensity(sweep())
    assert figure.data[1].name.startswith("Knee: OIO 2, 190.0 IOPS")
    assert len(plot_oio_intensity(sweep().assign(is_knee=False)).data) == 1


@pytest.mark.parametrize("plot", [plot_oio_sweep, plot_oio_intensity])
def test_every_figure_says_what_it_is_not(plot: "type") -> None:
    assert plot(sweep()).layout.title.subtitle.text == EXPERIMENTAL


def test_map_escapes_names_that_files_hold() -> None:
    frame = tabulate_capture(read_capture(SHOP)).assign(stream="<b>%{x}</b>")
    figure = plot_stream_map(frame, duration_s=3600)
    texts = [bar.name for bar in figure.data]
    texts += [note.text for note in figure.layout.annotations]
    assert len(texts) > 7
    assert all(text == "&lt;b&gt;%{x}&lt;/b&gt;" for text in texts)
    assert not any("&lt;" in bar.hovertemplate for bar in figure.data)
