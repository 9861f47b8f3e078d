"""The page of storage classes: tables, places, plots, and what is said of a model."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from ssdlab.classes.pages import (
    storage_class_document,
)
from ssdlab.classes.runs import (
    ClassRun,
    _names,
    class_runs_as_dict,
    read_class_runs,
)
from ssdlab.model.errors import RepeatedNameError
from ssdlab.paper.blocks import Page, Plot
from ssdlab.paper.document import Document, render_document, write_document
from ssdlab.reference.storage_classes import read_storage_classes
from ssdlab.store.run import Run
from ssdlab.text.table import Table
from tests.browser import visit
from tests.made_run import ENTERPRISE, Recipe, make_run
from tests.rendered import words
from tests.report.test_browser import FRAMES
from tests.report.test_safety import HOSTILE, tags_of

CLASSES = read_storage_classes()
SMALL = Recipe(saturation_rounds=12, rounds=5)
PLOTS = (
    "WSAT IOPS vs time",
    "WSAT IOPS vs TGBW and drive fills",
    "IOPS and response times by class",
    "Bandwidth and response times by class",
    "Average vs maximum latency",
    "Confidence levels of the LAT histogram",
    "Confidence levels of the WSAT histogram",
)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return make_run(tmp_path_factory.mktemp("made") / "model", SMALL)


@pytest.fixture(scope="module")
def drive(tmp_path_factory: pytest.TempPathFactory) -> Run:
    recipe = replace(SMALL, kind="block", tests=("iops", "tp"), label="drive")
    return make_run(tmp_path_factory.mktemp("made") / "drive", recipe)


def placed(run: Run) -> ClassRun:
    (found,) = read_class_runs([run], CLASSES)
    return found


def document(*runs: ClassRun) -> Document:
    return storage_class_document(runs, CLASSES)


def tables(page: Page) -> list[Table]:
    return [block for block in page.blocks if isinstance(block, Table)]


def page_of(found: Document, title: str) -> Page:
    (page,) = [page for page in found.pages if page.title == title]
    return page


def test_page_of_a_run_has_every_plot(model: Run) -> None:
    found = document(placed(model))
    plots = {
        page.title: block.figure
        for page in found.pages
        for block in page.blocks
        if isinstance(block, Plot)
    }
    assert tuple(plots) == PLOTS
    assert all(len(figure.data) for figure in plots.values())


def test_model_is_marked_in_every_table_and_plot(model: Run) -> None:
    run = placed(model)
    assert run.name == "made by a model (virtual)"
    found = document(run)
    for page in found.pages:
        for table in tables(page):
            if "nine devices" not in table.caption:
                assert run.name in (*(row[0] for row in table.rows), table.caption) or (
                    table.caption.startswith(run.name)
                )
        for block in page.blocks:
            if isinstance(block, Plot):
                assert "(virtual)" in block.figure.to_json()
    assert "Not a drive: made by a model (virtual)." in found.notes[0].text


def test_model_takes_no_part_in_ranking_unless_asked(model: Run) -> None:
    run = placed(model)
    assert not run.is_ranked
    assert run.places.empty
    assert run.nearest.empty
    page = page_of(document(run), f"Where {run.name} falls")
    assert tables(page) == []
    (asked,) = read_class_runs([model], CLASSES, virtual="ranked")
    assert len(asked.places) == 8
    assert len(asked.nearest) == 9
    page = page_of(document(asked), f"Where {run.name} falls")
    assert "ranked by request" in str(page.blocks[0])
    assert len(tables(page)) == 2


def test_drive_is_placed_and_missing_columns_stay_missing(drive: Run) -> None:
    run = placed(drive)
    assert (run.name, run.is_ranked) == ("drive", True)
    assert run.places["metric"].tolist() == [
        "write_iops", "mixed_iops", "read_iops", "tp_write_mb_per_s", "tp_read_mb_per_s"
    ]  # fmt: skip
    found = document(run)
    (table, _) = tables(page_of(found, "The nine classes and the runs"))
    assert table.rows[-1][0] == "drive"
    assert [cell == "-" for cell in table.rows[-1][1:]] == [
        True, False, False, False, False, False, True, True
    ]  # fmt: skip
    titles = [page.title for page in found.pages]
    alone = page_of(found, "WSAT: FOB and steady state by class").blocks
    assert "No run measured write saturation" in str(alone[0])
    assert "Confidence levels" in titles
    assert "Not a drive" not in found.notes[0].text


def test_nine_classes_alone_are_as_printed() -> None:
    found = document()
    (table, devices) = tables(page_of(found, "The nine classes"))
    assert table.rows[1] == (
        "2. SAS HDD", "350", "340", "398", "401", "84", "90", "55.39 *", "97.28 *"
    )  # fmt: skip
    assert table.rows[8][4] == "742,674"
    assert len(table.rows) == len(devices.rows) == 9
    assert [note.tone for note in found.notes] == ["plain"]
    text = words(render_document(found))
    assert "Row 2, SAS HDD: an average of 55.39 ms at T1/Q1 is about 18 IOPS" in text
    assert "T2/Q16 for rows 1 to 5 and at T4/Q32 for rows 6 to 9" in text
    assert [page.title for page in found.pages][1:] == [
        "WSAT: FOB and steady state by class", *PLOTS[2:5]
    ]  # fmt: skip


def test_conditions_stand_in_words_for_each_value(model: Run) -> None:
    found = document(placed(model))
    assert "differ from those of the nine classes" in found.notes[1].text
    (table,) = tables(page_of(found, "Conditions"))
    assert len(table.rows) == 8
    write = table.rows[1]
    assert write[0] == "RND 4 KiB 0/100"
    assert "rows 1 to 5 have T2/Q16" in write[3]
    assert "profile pts-2.0-enterprise" in str(page_of(found, "Conditions").blocks[0])


def test_run_that_is_there_twice_is_refused(model: Run) -> None:
    with pytest.raises(RepeatedNameError, match="appears twice"):
        read_class_runs([model, model], CLASSES)


def test_runs_of_one_name_are_told_apart() -> None:
    row = {
        "label": "", "device_model": "SSD", "is_virtual": False, "target": "/dev/x",
        "profile": "p",
    }  # fmt: skip
    rows = [pd.Series({**row, "run_id": f"run-{tail}"}) for tail in ("aaaa", "bbbb")]
    other = pd.Series({**row, "label": "mine", "run_id": "c", "profile": "imported"})
    assert _names([*rows, other]) == ["SSD aaaa", "SSD bbbb", "mine (imported)"]
    assert _names([rows[0], rows[0]]) == ["1. SSD aaaa", "2. SSD aaaa"]


def test_plain_data_is_json_and_what_is_missing_is_null(drive: Run) -> None:
    run = placed(drive)
    plain = class_runs_as_dict([run], CLASSES)
    read = json.loads(json.dumps(plain, allow_nan=False))
    assert [row["row"] for row in read["classes"]] == list(range(1, 10))
    values = {row["metric"]: row for row in read["runs"][0]["values"]}
    assert values["fob_iops"]["value"] is None
    assert values["fob_iops"]["source"] == "WSAT was not run"
    assert values["write_iops"]["unit"] == "IOPS"
    assert isinstance(values["write_iops"]["conditions"], list)
    assert read["runs"][0]["nearest"][0]["n_metrics"] == 5


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_a_device_is_text_wherever_it_stands(text: str, tmp_path: Path) -> None:
    quick = replace(SMALL, tests=("lat",))
    recipe = replace(
        quick, label=text, model=text, profile=replace(ENTERPRISE, name=text)
    )
    pages = [
        render_document(document(placed(make_run(tmp_path / name, one))))
        for name, one in (("hostile", recipe), ("calm", quick))
    ]
    hostile, calm = ([tag for tag, _ in tags_of(page)] for page in pages)
    assert hostile == calm
    assert re.sub(r"\s+", " ", text) in words(pages[0])


# How many tables of each frame reach beyond their place, and whether a shade says so.
CUT = """
  const cut = (root) => [...root.querySelectorAll(".scroll")].filter(
    (place) => place.scrollWidth > place.clientWidth).length;
  const isShaded = (root) => [...root.querySelectorAll(".scroll")].every(
    (place) => getComputedStyle(place).backgroundImage.includes("gradient"));
  found.cut = roots().map(cut).join(" ");
  found.shaded = roots().map(isShaded).join(" ");
  found.empty"""


@pytest.mark.browser
def test_page_draws_all_plots_and_shows_every_column_beside_long_names(
    model: Run, tmp_path: Path
) -> None:
    label = "Crucial MX200 250 GB, TKperf report of 2015-04-01 (imported)"
    assert len(label) == 60
    recipe = replace(SMALL, tests=("lat", "wsat"), kind="block", label=label)
    long = placed(make_run(tmp_path / "long", recipe))
    long = replace(long, run_id="long", rounds=long.rounds.assign(run_id="long"))
    (ranked,) = read_class_runs([model], CLASSES, virtual="ranked")
    assert long.name == label
    write_document(document(long, ranked), tmp_path / "report.html")
    frames = "".join(
        f'<iframe src="report.html" style="width:{width}px;height:900px"></iframe>'
        for width in (1280, 800)
    )
    whole = FRAMES.format(frames=frames).replace("found.empty", CUT.strip("\n"), 1)
    (tmp_path / "frames.html").write_text(whole, "utf-8")
    found = visit(
        tmp_path / "frames.html",
        profile=tmp_path / "profile",
        flags=("--allow-file-access-from-files",),
    )
    assert found.value("data-overflow") == "0 0"
    assert found.value("data-empty") == "0 0"
    assert found.value("data-cut").split()[0] == "0"
    assert found.value("data-shaded") == "true true"
    assert found.console == ()
