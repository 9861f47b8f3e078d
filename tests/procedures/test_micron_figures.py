"""One stimulus, a sequence of stimuli, two hosts."""

import pandas as pd
import pytest

from ssdlab.procedures.saturate.figures import plot_single_stimulus
from ssdlab.procedures.sequence.figures import plot_sequence
from ssdlab.report.hosts import plot_hosts


def fall(**columns: list[float]) -> pd.DataFrame:
    frame = pd.DataFrame({
        "round": [1, 2, 3],
        "time_s": [300.0, 600.0, 900.0],
        "iops": [9e4, 3e4, 2e4],
        "bw_bytes_per_s": [9e8, 3e8, 2e8],
        "lat_mean_ns": [1e6, 2e6, 3e6],
        "lat_max_ns": [9e6, 9e6, 9e7],
    })
    return frame.assign(**columns)


def test_single_stimulus_draws_rate_and_response_times_over_minutes() -> None:
    figure = plot_single_stimulus(fall(), metric="bw_bytes_per_s")
    rate, average, maximum = figure.data
    assert rate.name == "Throughput [MB/s]"
    assert (rate.x, rate.y) == ((5.0, 10.0, 15.0), (900.0, 300.0, 200.0))
    assert (average.yaxis, average.y) == ("y2", (1.0, 2.0, 3.0))
    assert maximum.y == (9.0, 9.0, 90.0)
    assert figure.layout.xaxis.title.text == "Time [min]"
    assert figure.layout.yaxis2.type == "log"


def test_single_stimulus_marks_window_and_first_steady_round() -> None:
    figure = plot_single_stimulus(fall(), window=(2, 3), first_steady=2)
    mark = figure.data[-1]
    assert (mark.name, mark.x, mark.y) == ("first steady, round 2", (10.0,), (3e4,))
    (shade,) = figure.layout.shapes
    assert (shade.x0, shade.x1) == (5.0, 15.0)


def test_window_from_the_first_round_begins_at_zero() -> None:
    (shade,) = plot_single_stimulus(fall(), window=(1, 3)).layout.shapes
    assert shade.x0 == 0


def stages() -> pd.DataFrame:
    def stage(number: int, access: str, times: list[float]) -> pd.DataFrame:
        is_random = access == "rnd"
        return pd.DataFrame({
            "phase": f"stage{number}",
            "stimulus": "RND 4 KiB 0/100" if is_random else "SEQ 128 KiB 0/100",
            "time_s": times,
            "metric": "iops" if is_random else "bw_bytes_per_s",
            "value": [2e4, 1e4] if is_random else [5e8, 4e8],
        })

    return pd.concat([
        stage(1, "rnd", [600.0, 1200.0]),
        stage(2, "seq", [1800.0, 2400.0]),
        stage(3, "rnd", [3000.0, 3600.0]),
    ])


def test_sequence_has_an_axis_a_stimulus_and_a_band_a_stage() -> None:
    figure = plot_sequence(stages(), last_rounds=2)
    lines = [line for line in figure.data if line.mode == "lines+markers"]
    assert [(line.name, line.yaxis) for line in lines] == [
        ("RND 4 KiB 0/100", "y"),
        ("SEQ 128 KiB 0/100", "y2"),
        ("RND 4 KiB 0/100", "y"),
    ]
    assert lines[1].y == (500.0, 400.0)
    assert figure.layout.yaxis.title.text == "RND 4 KiB 0/100: IOPS"
    assert figure.layout.yaxis2.title.text == "SEQ 128 KiB 0/100: Throughput [MB/s]"
    bands = [(shape.x0, shape.x1) for shape in figure.layout.shapes]
    assert bands == [(0, 20), (20, 40), (40, 60)]
    assert [note.text for note in figure.layout.annotations] == [
        "stage 1",
        "stage 2",
        "stage 3",
    ]


def test_sequence_draws_the_mean_of_the_last_rounds() -> None:
    means = [line.y for line in plot_sequence(stages()).data if line.line.width == 4]
    assert means == [(15e3, 15e3), (450.0, 450.0), (15e3, 15e3)]


def test_sequence_names_a_stimulus_once_in_the_legend() -> None:
    shown = [line.name for line in plot_sequence(stages()).data if line.showlegend]
    assert shown == ["RND 4 KiB 0/100", "SEQ 128 KiB 0/100"]


def test_sequence_of_one_stimulus_has_one_axis() -> None:
    only = stages()
    figure = plot_sequence(only[only["stimulus"] == "RND 4 KiB 0/100"])
    assert {line.yaxis for line in figure.data} == {"y"}
    assert "yaxis2" not in figure.layout.to_plotly_json()


@pytest.mark.parametrize(
    ("x", "title", "places"),
    [
        ("time_s", "Time [min]", (5.0, 10.0, 15.0)),
        (
            "stimulus_fills",
            "Drive fills by this stimulus (bytes written / user capacity)",
            (1.0, 2.0, 3.0),
        ),
    ],
)
def test_hosts_lie_over_each_other(
    x: str, title: str, places: tuple[float, ...]
) -> None:
    one = fall(stimulus_fills=[1.0, 2.0, 3.0])
    figure = plot_hosts({"Host A": one, "Host B": one.assign(iops=1e4)}, x=x)  # type: ignore[arg-type]
    assert [line.name for line in figure.data] == ["Host A", "Host B"]
    assert figure.data[0].x == places
    assert figure.data[1].y == (1e4, 1e4, 1e4)
    assert figure.layout.xaxis.title.text == title
    assert len({line.line.color for line in figure.data}) == 2


def test_sequence_escapes_names_that_files_hold() -> None:
    figure = plot_sequence(stages().assign(stimulus="<a href='x'>x</a> 0/100"))
    texts = [line.name for line in figure.data if line.showlegend]
    texts.append(figure.layout.yaxis.title.text)
    for text in texts:
        assert text.startswith("&lt;a href")
        assert "<" not in text
