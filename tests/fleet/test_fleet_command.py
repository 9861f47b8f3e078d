"""The command ``fleet``, its page and its JSON."""

import json
from pathlib import Path

import pandas as pd
import pytest

import ssdlab
from ssdlab.fleet.ageing import repeated_runs
from ssdlab.fleet.figures import (
    MOST_NAMED,
    group_looks,
    plot_coverage,
    plot_drives,
)
from ssdlab.fleet.fleet import Fleet
from ssdlab.fleet.life_figures import plot_ageing, plot_firmwares, plot_history
from ssdlab.fleet.pages import TOPICS, answer_texts, fleet_document, fleet_page
from ssdlab.model.errors import UnknownNameError
from ssdlab.paper.blocks import Plot
from ssdlab.paper.document import render_document
from ssdlab.plots.figure import figure_json
from ssdlab.plots.names import figure_text
from tests.browser import visit
from tests.cli.called import call
from tests.fleet.made_fleet import SLOWER, made_fleet


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store of 40 made drives, not to be changed."""
    folder = tmp_path_factory.mktemp("fleet") / "store"
    made_fleet(folder, 40)
    return folder


@pytest.fixture(scope="module")
def fleet(place: Path) -> Fleet:
    return ssdlab.summarise_fleet(place)


def test_truth_of_a_made_store_is_found(fleet: Fleet) -> None:
    far = fleet.odd[fleet.odd["is_outlier"]]
    assert far["drive"].tolist() == ["S00002"]
    (row,) = fleet.firmwares.to_dict("records")
    assert row["is_shown"]
    assert row["ratio"] == pytest.approx(SLOWER, abs=0.01)
    changes = fleet.changes[fleet.changes["is_new_firmware"]]
    assert changes["model"].tolist() == [row["model"]]
    assert (fleet.ageing["change_percent"] < 0).all()
    assert set(fleet.runs["left_out"]) == {
        "", "no-serial", "not-steady", "neighbours", "conditions"
    }  # fmt: skip


def test_page_has_every_topic_and_escapes_what_drives_say(fleet: Fleet) -> None:
    document = fleet_document(fleet)
    assert len(document.pages) == len(TOPICS) - 1
    page = render_document(document)
    assert "<b>One</b>" not in page
    assert "Maker &lt;b&gt;One&lt;/b&gt; 1.92 TB" in page
    assert "&amp;lt;" not in page
    assert "/srv/runs/" in page
    for topic in TOPICS:
        for block in fleet_page(fleet, topic).blocks:
            if isinstance(block, Plot):
                assert "<b>" not in json.dumps(figure_json(block.figure))
    with pytest.raises(UnknownNameError):
        fleet_page(fleet, "weather")


def test_command_writes_the_page_and_prints_the_answer(
    place: Path, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    done = call("fleet", place, "-o", page, "--by", "model", "--metric", "p99")
    assert done.returncode == 0
    assert "S00002" in done.stdout
    assert page.stat().st_size > 100_000
    assert call("fleet", place, "--metric", "speed").returncode == 2
    assert call("fleet", place, "-o", tmp_path / "no" / "page.html").returncode == 2
    assert call("fleet", tmp_path / "nothing").returncode == 2


def test_json_has_every_frame(place: Path, fleet: Fleet) -> None:
    found = json.loads(call("fleet", place, "--json").stdout)
    assert found["metric"] == "iops"
    assert len(found["drives"]) == len(fleet.drives)
    assert [one["drive"] for one in found["outliers"]] == ["S00002"]
    assert found["changes"][0]["first_after"].startswith("2026-")
    assert {one["left_out"] for one in found["runs"]} == set(fleet.runs["left_out"])


def test_store_without_a_usable_run_says_so(place: Path) -> None:
    fleet = ssdlab.summarise_fleet(place)
    runs = fleet.runs.assign(left_out="not-steady")
    empty = Fleet(
        store=fleet.store,
        choice=fleet.choice,
        by="model",
        accepted=frozenset(),
        runs=runs,
    )
    assert "No run can be used" in render_document(fleet_document(empty))


def test_too_few_drives_are_not_said_to_be_without_outliers(fleet: Fleet) -> None:
    few = fleet.runs[fleet.runs["drive"].isin(["S00000", "S00001", "S00006"])]
    small = Fleet(
        store=fleet.store,
        choice=fleet.choice,
        by="model",
        accepted=frozenset(),
        runs=few.assign(left_out=""),
    )
    texts = [block.text for block in fleet_page(small, "outliers").blocks]  # type: ignore[union-attr] # notes
    assert not any(text.startswith("No drive") for text in texts)
    assert "not judged" in texts[-1]
    assert "outlier" not in " ".join(answer_texts(small))


def test_figure_of_drives_names_them_or_their_groups_and_the_outlier(
    fleet: Fleet,
) -> None:
    few = fleet.drives[fleet.drives["drive"] < "S00009"]
    figure = plot_drives(few, fleet.odd, metric="iops", title="x")
    assert set(figure.layout.yaxis.ticktext) == set(few["drive"])
    assert figure.data[-1].name == "outlier"
    many = pd.concat([
        fleet.drives.assign(drive=fleet.drives["drive"] + f"-{n}" * bool(n))
        for n in range(MOST_NAMED // len(fleet.drives) + 1)
    ])
    figure = plot_drives(many, fleet.odd, metric="iops", title="x")
    assert len(figure.layout.yaxis.ticktext) == len(fleet.groups)
    assert [note.text for note in figure.layout.annotations] == ["S00002"]
    drawn = sum(
        len(trace.x) for trace in figure.data if (trace.name or "").endswith(")")
    )
    assert drawn == len(many)


def test_figures_draw_what_the_frames_say(fleet: Fleet) -> None:
    coverage = plot_coverage(fleet.coverage, ["iops", "lat"])
    (heat,) = coverage.data
    cells = [one for row in heat.z for one in row if one is not None]
    assert len(cells) == len(fleet.coverage)
    firmwares = plot_firmwares(fleet.firmwares, title="x")
    assert list(firmwares.data[0].x) == fleet.firmwares["ratio"].tolist()
    (change,) = fleet.changes.to_dict("records")
    runs = fleet.kept[fleet.kept["model"] == change["model"]].sort_values("time")
    history = plot_history(runs, fleet.changes, metric="iops", title="x")
    assert len(history.layout.shapes) == 1
    assert len(history.data) == 2 + 2  # firmwares, levels
    repeated = repeated_runs(fleet.kept, "power_on_hours")
    ageing = plot_ageing(
        repeated, fleet.ageing, reading="power_on_hours", metric="iops"
    )
    drawn = [one for trace in ageing.data[:2] for one in trace.y if one is not None]
    assert sorted(drawn) == sorted(repeated["relative"])


def test_group_has_one_colour_in_all_figures(fleet: Fleet) -> None:
    figures = [
        block.figure
        for name in ("answer", "latency")
        for block in fleet_page(fleet, name).blocks
        if isinstance(block, Plot)
    ]
    looks = group_looks(fleet.kept["group"])
    drives, latencies = figures[0], figures[-1]
    for group, look in looks.items():
        name = figure_text(group, longest=60)
        points = [one for one in drives.data if (one.name or "").startswith(name)]
        lines = [one for one in latencies.data if (one.name or "").startswith(name)]
        assert {one.marker.color for one in points} == {look.color}
        assert {one.line.color for one in lines} == {look.color}


@pytest.mark.browser
def test_page_draws_all_its_plots(fleet: Fleet, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(render_document(fleet_document(fleet)), encoding="utf-8")
    seen = visit(path, profile=tmp_path / "profile")
    plots = sum(
        isinstance(block, Plot)
        for topic in TOPICS
        for block in fleet_page(fleet, topic).blocks
    )
    assert seen.value("data-plots") == str(plots)
    assert not seen.console
