"""Runs among nine storage classes: what each figure draws, and in whose colour."""

import math

import pandas as pd
import pytest

from ssdlab.analysis import summarise_saturation
from ssdlab.classes.latency_figures import plot_class_confidence, plot_class_latency
from ssdlab.classes.level_figures import plot_class_iops, plot_class_throughput
from ssdlab.classes.metrics import CLASS_METRICS, RESPONSE_METRICS
from ssdlab.classes.value_figures import plot_class_saturation, plot_class_written
from ssdlab.classes.values import summarise_class_values
from ssdlab.plots.axes import level_axis
from ssdlab.plots.looks import (
    RunLook,
    make_run_looks,
)
from ssdlab.plots.names import figure_text
from ssdlab.qos.confidence import summarise_confidence
from ssdlab.reference.storage_classes import read_storage_classes
from ssdlab.store.run import Run

HOSTILE = "<a href='x'>drive</a> %{x}"
CLASSES = read_storage_classes()
NO_VALUES = pd.DataFrame({"run_id": [], "metric": [], "value": []})


@pytest.fixture(scope="module")
def values(run: Run) -> pd.DataFrame:
    found = pd.concat([
        summarise_class_values(
            run.measurements, run.windows, steps=run.steps, metrics=metrics
        )
        for metrics in (CLASS_METRICS, RESPONSE_METRICS)
    ])
    return found.assign(run_id=run.record.run_id)


@pytest.fixture(scope="module")
def rounds(run: Run) -> pd.DataFrame:
    return summarise_saturation(
        run.measurements, run.steps, percentiles=run.percentiles
    )


@pytest.fixture(scope="module")
def looks(run: Run) -> tuple[RunLook, ...]:
    run_id = run.record.run_id
    return make_run_looks([(run_id, "made (virtual)")], virtual=[run_id])


def test_each_run_has_a_colour_of_its_own_and_models_are_dashed() -> None:
    names = [(f"r{place}", f"run {place}") for place in range(12)]
    looks = make_run_looks(names, virtual=["r1"])
    assert len({(look.color, look.symbol) for look in looks}) == 12
    assert [look.run_id for look in looks if look.dash != "solid"] == ["r1"]
    assert len({look.color for look in looks[:6]}) == 6


def test_text_of_a_device_is_no_markup_and_keeps_what_it_is() -> None:
    assert figure_text(HOSTILE).startswith("&lt;a href")
    assert "<" not in figure_text(HOSTILE)
    long = figure_text("x" * 90 + " (virtual)")
    assert len(long) == 28
    assert long.endswith("x (virtual)")
    assert "\x1b" not in figure_text("a\x1b[31mb")


def test_level_axis_holds_all_values_and_names_three_ticks_or_more() -> None:
    for values in ([4371.0, 8287.0], [9.0, 13.1], [0.01, 97.0], [134.0, 7e5], [5.0]):
        made = level_axis("x", values)
        low, high = made["range"]
        assert low < math.log10(min(values)) <= math.log10(max(values)) < high
        assert len(made["tickvals"]) == len(made["ticktext"])
        assert all(low <= math.log10(tick) <= high for tick in made["tickvals"])
        assert len(made["tickvals"]) >= 3
    assert level_axis("x", [3.0, 80.0])["ticktext"] == ["5", "10", "20", "50"]
    assert level_axis("x", [4371.0, 8287.0])["ticktext"] == [
        "4k", "5k", "6k", "7k", "8k", "9k"
    ]  # fmt: skip
    assert level_axis("x", [900.0, 2e6])["ticktext"] == ["1k", "10k", "100k", "1M"]


def test_saturation_draws_runs_over_time_and_both_levels_of_each_class(
    rounds: pd.DataFrame, looks: tuple[RunLook, ...]
) -> None:
    figure = plot_class_saturation(rounds, CLASSES, looks=looks)
    first = figure.data[0]
    assert list(first.y) == rounds["iops"].tolist()
    assert first.x[-1] == pytest.approx(rounds["time_s"].iloc[-1] / 60)
    assert first.line.color == looks[0].color
    assert first.line.dash == "dash"
    assert "made (virtual)" in first.text[0]
    levels = {trace.name: list(trace.y) for trace in figure.data if trace.name}
    assert levels["storage classes, FOB"] == CLASSES["fob_iops"].tolist()
    assert levels["storage classes, steady state"] == CLASSES["write_iops"].tolist()
    assert figure.layout.yaxis.type == "log"
    names = [text.replace("<br>", " ") for text in figure.layout.xaxis2.ticktext]
    assert names == CLASSES["storage_class"].tolist()
    assert figure.layout.xaxis.domain[1] < figure.layout.xaxis2.domain[0]


def test_axis_of_the_runs_is_not_stretched_by_classes_that_are_far_from_them(
    rounds: pd.DataFrame, looks: tuple[RunLook, ...]
) -> None:
    own = rounds.assign(iops=rounds["iops"] / 20)
    figure = plot_class_saturation(own, CLASSES, looks=looks, reach="runs")
    low, high = (10**end for end in figure.layout.yaxis.range)
    assert own["iops"].min() / 2 < low <= own["iops"].min()
    assert own["iops"].max() <= high < 2 * own["iops"].max()
    levels = CLASSES.set_index("storage_class")[["fob_iops", "write_iops"]]
    near = (levels.max(axis=1) >= low) & (levels.min(axis=1) <= high)
    assert 0 < near.sum() < len(near)
    names = {text.replace("<br>", " ") for text in figure.layout.xaxis2.ticktext}
    assert names == set(near.index[near])
    far = own.assign(iops=own["iops"] * 1e6)
    alone = plot_class_saturation(far, CLASSES, looks=looks, reach="runs")
    assert alone.layout.xaxis.domain == (0, 1)
    assert not alone.layout.xaxis2.visible


def test_classes_stand_alone_when_no_run_has_rounds(rounds: pd.DataFrame) -> None:
    figure = plot_class_saturation(rounds.iloc[:0], CLASSES, looks=())
    assert figure.layout.title.text == "WSAT: FOB and steady state by class"
    assert figure.layout.xaxis.visible is False
    assert tuple(figure.layout.xaxis2.domain) == (0, 1)


def test_written_has_a_panel_for_tgbw_and_one_for_drive_fills(
    rounds: pd.DataFrame, looks: tuple[RunLook, ...]
) -> None:
    figure = plot_class_written(rounds, looks=looks)
    written, fills = figure.data
    assert written.x[-1] == pytest.approx(
        float(rounds["total_written_bytes"].iloc[-1]) / 1e9
    )
    assert fills.x[-1] == pytest.approx(rounds["drive_fills"].iloc[-1])
    assert (written.xaxis, fills.xaxis) == ("x", "x2")
    assert figure.layout.xaxis.title.text == "TGBW [GB]"
    assert [trace.showlegend for trace in figure.data] == [True, False]
    assert figure.layout.xaxis2.type is None


def test_axis_is_logarithmic_when_runs_reach_far_apart(rounds: pd.DataFrame) -> None:
    short = rounds.head(3).assign(run_id="short", time_s=[1.0, 2.0, 3.0])
    both = pd.concat([rounds, short])
    looks = make_run_looks([(str(rounds["run_id"].iloc[0]), "a"), ("short", "b")])
    figure = plot_class_saturation(both, CLASSES, looks=looks)
    assert figure.layout.xaxis.type == "log"


def test_run_without_known_bytes_is_left_out(
    rounds: pd.DataFrame, looks: tuple[RunLook, ...]
) -> None:
    unknown = rounds.assign(drive_fills=math.nan, total_written_bytes=math.nan)
    assert len(plot_class_written(unknown, looks=looks).data) == 0


def points(figure: object, name: str) -> dict[str, float]:
    """Return the values of one kind of marker by the name in its hover text."""
    traces = figure.data  # type: ignore[attr-defined] # a plotly figure
    (trace,) = [t for t in traces if t.name == name and t.text is not None]
    return {
        text.split("<br>")[0]: value
        for text, value in zip(trace.text, trace.x, strict=True)
    }


def test_iops_has_a_row_for_each_class_and_run(
    values: pd.DataFrame, looks: tuple[RunLook, ...]
) -> None:
    figure = plot_class_iops(CLASSES, values, looks=looks)
    known = values.set_index("metric")["value"]
    writes = points(figure, "R/W 0/100")
    assert len(writes) == 10
    assert writes["mSATA"] == 1359
    assert writes["made (virtual)"] == known["write_iops"]
    times = points(figure, "ART 0/100")
    assert times["SSHD"] == pytest.approx(1e3 * 2 * 16 / 134)  # T2/Q16, 134 IOPS
    assert times["PCIe 8 Lane"] == pytest.approx(1e3 * 4 * 32 / 87419)
    assert times["made (virtual)"] == known["write_art_ms"]
    rows = figure.layout.yaxis.ticktext
    assert [row for row in rows if row.startswith("<b>")] == [
        "<b>HDD &amp; SSHD</b>",
        "<b>Client SSD</b>",
        "<b>Enterprise SSD</b>",
        "<b>Runs</b>",
    ]
    assert rows[-1].endswith(">made (virtual)</span>")
    assert looks[0].color in rows[-1]


def test_marks_of_equal_values_stand_apart_in_their_row() -> None:
    alike = CLASSES.assign(write_iops=500, mixed_iops=500, read_iops=500)
    figure = plot_class_iops(alike, NO_VALUES, looks=())
    kinds = ("R/W 0/100", "R/W 65/35", "R/W 100/0")
    heights = [
        trace.y[0]
        for kind in kinds
        for trace in figure.data
        if trace.name == kind and trace.text is not None
    ]
    row = list(figure.layout.yaxis.ticktext).index("SSHD")
    size = figure.layout.height - 130
    apart_px = (heights[1] - heights[0]) * size / len(figure.layout.yaxis.ticktext)
    assert heights[1] == row
    assert heights[2] - heights[1] == pytest.approx(heights[1] - heights[0])
    assert apart_px > 7  # markers are 11 px wide
    assert heights[2] - heights[0] < 0.7


def test_run_without_a_value_of_a_plot_has_no_row_in_it(
    values: pd.DataFrame, looks: tuple[RunLook, ...]
) -> None:
    other = values[values["metric"] == "tp_read_mrt_ms"].assign(run_id="other")
    both = pd.concat([values, other])
    two = (*looks, *make_run_looks([("other", "only a maximum")]))
    shown = {
        plot: [row for row in figure.layout.yaxis.ticktext if "only a maximum" in row]
        for plot, figure in (
            ("iops", plot_class_iops(CLASSES, both, looks=two)),
            ("throughput", plot_class_throughput(CLASSES, both, looks=two)),
        )
    }
    assert shown["iops"] == []
    assert len(shown["throughput"]) == 1
    alone = plot_class_iops(CLASSES, other, looks=two)
    assert "<b>Runs</b>" not in alone.layout.yaxis.ticktext


def test_response_times_of_throughput_are_those_of_its_own_cells(
    values: pd.DataFrame, looks: tuple[RunLook, ...]
) -> None:
    figure = plot_class_throughput(CLASSES, values, looks=looks)
    known = values.set_index("metric")["value"]
    average = points(figure, "ART 0/100")
    # 32 IOs of 1 MiB outstanding at 107 MB/s.
    assert average["SSHD"] == pytest.approx(1e3 * 32 * 1.048576 / 107)
    assert average["made (virtual)"] == known["tp_write_art_ms"]
    maximum = points(figure, "MRT 0/100")
    assert maximum == {"made (virtual)": known["tp_write_mrt_ms"]}
    assert known["tp_write_mrt_ms"] >= known["tp_write_art_ms"]
    (trace,) = [t for t in figure.data if t.name == "ART 0/100" and t.text]
    computed = [text.endswith("computed as TC x QD / IOPS") for text in trace.text]
    assert computed == [True] * 9 + [False]


def test_what_a_run_did_not_measure_is_not_drawn(
    values: pd.DataFrame, looks: tuple[RunLook, ...]
) -> None:
    partly = values[values["metric"] != "tp_read_mb_per_s"]
    figure = plot_class_throughput(CLASSES, partly, looks=looks)
    assert len(points(figure, "R/W 0/100")) == 10
    assert len(points(figure, "R/W 100/0")) == 9
    without = values.assign(value=math.nan)
    assert len(points(plot_class_iops(CLASSES, without, looks=looks), "R/W 0/100")) == 9


def test_latency_names_each_point_on_two_logarithmic_axes(
    values: pd.DataFrame, looks: tuple[RunLook, ...]
) -> None:
    figure = plot_class_latency(CLASSES, values, looks=looks)
    names = [note.text for note in figure.layout.annotations]
    assert sorted(names) == sorted([*CLASSES["storage_class"], "made (virtual)"])
    assert figure.layout.xaxis.type == figure.layout.yaxis.type == "log"
    known = values.set_index("metric")["value"]
    assert figure.data[-1].x == (known["lat_mean_ms"],)
    assert figure.data[-1].y == (known["lat_max_ms"],)
    assert figure.data[-1].marker.color == looks[0].color
    in_legend = [trace.name for trace in figure.data if trace.showlegend is not False]
    assert in_legend == ["HDD &amp; SSHD", "Client SSD", "Enterprise SSD"]
    *groups, own = figure.data
    of_groups = {
        symbol.removesuffix("-open") for g in groups for symbol in g.marker.symbol
    }
    assert own.marker.symbol not in of_groups
    (at,) = [note for note in figure.layout.annotations if note.text == "mSATA"]
    assert (10**at.x, 10**at.y) == pytest.approx((0.74, 543.41))


def test_confidence_marks_levels_of_too_few_ios(
    run: Run, looks: tuple[RunLook, ...]
) -> None:
    levels = summarise_confidence(run.bins, run.measurements, test="lat")
    levels = levels.assign(taken_with="RND 4 KiB 0/100, T1/Q1, <8> s", iops=16775.0)
    figure = plot_class_confidence(levels, looks=looks, title="LAT")
    (line,) = figure.data
    known = levels.set_index("marker")["lat_ns"]
    assert list(line.y) == pytest.approx([
        known[name] / 1e6
        for name in ("average", "99 %", "99.9 %", "99.99 %", "99.999 %", "max")
    ])
    assert [symbol.endswith("-open") for symbol in line.marker.symbol] == [
        False, False, False, False, True, False
    ]  # fmt: skip
    assert line.text[-2].endswith("not supported: too few IOs")
    assert line.name == "made (virtual), 16,775 IOPS"
    assert list(figure.layout.xaxis.ticktext)[::5] == ["ART", "MRT"]
    assert "<br>RND 4 KiB 0/100, T1/Q1, &lt;8&gt; s" in line.text[0]
    assert figure.layout.title.subtitle.text
    enough = levels.assign(is_supported=True)
    whole = plot_class_confidence(enough, looks=looks, title="LAT")
    assert whole.layout.title.subtitle.text == ""
