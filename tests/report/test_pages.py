"""Every page, plot and table that the PTS asks for, and what the front page says."""

import base64
import csv
import gzip
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ssdlab.model.errors import RunFolderError
from ssdlab.model.finding import SEVERITY_WORDS
from ssdlab.model.schema import TABLES
from ssdlab.pts import PROFILES
from ssdlab.report import render_report, write_report
from ssdlab.store.run import Run, open_tables
from ssdlab.store.tables import write_table
from tests.made_run import PURGE_METHOD, make_run
from tests.paths import REFERENCE, require_folder
from tests.rendered import SMALL, Render, words

NOT_DRAWN = {"2t"}  # the determination data stands under plot 2


def packed(page: str, name: str) -> Any:
    """Return what a page carries compressed."""
    found = re.search(rf'id="packed-{name}">([^<]*)<', page)
    assert found
    return json.loads(gzip.decompress(base64.b64decode(found[1])))


def required_plots(version: str) -> set[str]:
    """Return the plots of the four tests that an edition of the PTS asks for."""
    table = require_folder(REFERENCE) / "pts_report_plots.csv"
    with table.open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if version in row["spec_versions"]]
    return {
        f"{row['test']} {row['plot_id']}"
        for row in rows
        if row["test"] in {"IOPS", "TP", "LAT", "WSAT"}
        and row["plot_id"] not in NOT_DRAWN
    }


def shown_plots(page: str) -> set[str]:
    """Return the plots of the pages; a page of the throughput is of all block sizes."""
    size, cell = r"\d+ KiB", r" · [^<]*"
    named = rf"((?:IOPS|TP|LAT|WSAT) \d) ?({size}(?:, {size})*)?(?:{cell})?\s*</div>"
    return {
        f"{plot} {size.replace(' ', '')}".strip()
        for plot, sizes in re.findall(named, page)
        for size in sizes.split(", ")
    }


def test_report_of_edition_2_has_every_plot_of_the_reference(page: str) -> None:
    assert shown_plots(page) == required_plots("2.0.x")


def test_report_of_edition_1_1_has_its_own_plots(render: Render) -> None:
    page = render(replace(SMALL, profile=PROFILES["pts-e-1.1"]))
    assert shown_plots(page) == required_plots("1.1")
    assert "log IOPS" in words(page)


def test_report_draws_one_figure_a_place(page: str) -> None:
    figures = packed(page, "figures")
    places = [int(n) for n in re.findall(r'data-figure="(\d+)"', page)]
    assert sorted(places) == list(range(len(figures)))
    assert len(places) > 25


def test_each_pts_page_has_the_four_columns(page: str) -> None:
    pages = page.count('class="titleblock"')
    for title in (
        "Test Platform",
        "Device Under Test",
        "Set Up Parameters",
        "Test Parameters",
    ):
        assert page.count(f"<h4>{title}</h4>") == pages
    text = words(page)
    assert "SEQ 1024 KiB 0/100, TOIO 32 (TC 1 / QD 32); 2X user capacity" in text
    assert PURGE_METHOD in text
    assert "R/W mix (outer loop) 100/0, 95/5, 65/35, 50/50, 35/65, 5/95, 0/100" in text


def test_iops_table_has_small_blocks_at_the_top_and_writes_at_the_left(
    page: str,
) -> None:
    table = page[page.index("IOPS, mean over the measurement window") :]
    heads = re.findall(r'<th scope="col">([^<]*)</th>', table)[1:8]
    assert heads == ["0/100", "5/95", "35/65", "50/50", "65/35", "95/5", "100/0"]
    rows = re.findall(r'<th scope="row">([^<]*)</th>', table)[:2]
    assert rows == ["0.5 KiB", "4 KiB"]


def test_determination_data_stands_under_each_window(page: str) -> None:
    text = words(page)
    for line in (
        "Measurement window rounds 2 - 6",
        "Data excursion (max - min)",
        "Slope excursion (4 x |slope|)",
        "Least squares fit",
        "Correlation coefficient",
    ):
        assert text.count(line) >= 6, line


def test_determination_data_is_that_of_the_stored_judgement(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", replace(SMALL, tests=("iops",)))
    final = run.windows[(run.windows["test"] == "iops") & run.windows["is_final"]]
    verdict = final.iloc[0]
    text = words(write_report(run).read_text("utf-8"))
    assert f"{verdict['average']:,.3f}" in text
    assert f"({verdict['range_ratio'] * 100:.3f} %)" in text
    assert f"({verdict['slope_ratio'] * 100:.3f} %)" in text


def test_front_page_names_each_departure(page: str) -> None:
    text = words(page)
    assert "Procedure departs from PTS 2.0.2 in 5 points (5 major)" in text
    meaning = SEVERITY_WORDS["major"]
    assert (
        f"Major {meaning} the target is a virtual SSD: a model in memory, not a drive"
        in text
    )
    assert "conforms to" not in text


def test_front_page_of_a_conformant_drive_says_so(render: Render) -> None:
    text = words(render(replace(SMALL, departures=(), kind="block", tests=("lat",))))
    assert "Procedure conforms to PTS 2.0.2" in text
    assert "Virtual SSD" not in text


def test_banner_says_that_a_virtual_ssd_is_a_model(page: str) -> None:
    assert "A virtual SSD, not a drive" in words(page)


def test_front_page_measures_the_idle_gaps(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", replace(SMALL, tests=("iops",)))
    steps = run.steps
    inner = steps[(steps["kind"] == "cell") & (steps["cell"] > 1)]["idle_before_s"]
    text = words(write_report(run).read_text("utf-8"))
    expected = f"within a round {len(inner)} {inner.median() * 1e3:.3f} ms"
    assert expected in text


def test_missing_steady_state_is_marked_plainly(render: Render) -> None:
    text = words(render(replace(SMALL, steady=False, tests=("iops",))))
    assert "steady state NOT achieved" in text
    assert "Note SS NOT ACHIEVED" in text
    assert "Steady state achieved" not in text


def test_commands_and_job_files_are_in_the_page(page: str) -> None:
    assert "fio --output-format=json+" in page
    assert "rwmixread=65" in page
    jobs = packed(page, "jobs")
    assert len(jobs) > 400
    command, job = jobs[max(jobs)]
    assert command.startswith("fio ")
    assert "[global]" in job


def test_write_report_lies_in_the_run_folder_without_a_path(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", replace(SMALL, tests=("lat",)))
    assert write_report(run) == run.path / "report.html"
    elsewhere = write_report(run, tmp_path / "mine.html")
    assert elsewhere.read_bytes() == (run.path / "report.html").read_bytes()


def test_report_is_small(page: str) -> None:
    assert len(page.encode()) < 3_000_000


@pytest.mark.parametrize("table", ["steps", "windows", "bins", "measurements"])
def test_report_says_which_table_is_missing(tmp_path: Path, table: str) -> None:
    run = make_run(
        tmp_path / "run", replace(SMALL, status="interrupted", tests=("lat",))
    )
    (run.path / "tables" / f"{table}.parquet").unlink()
    fresh = Run(path=run.path, record=run.record, state=run.state)
    with pytest.raises(RunFolderError, match=rf"{table}\.parquet does not exist yet"):
        write_report(fresh)
    assert not (run.path / "report.html").exists()


@pytest.mark.parametrize("harm", ["no-tables", "no-table", "cut-table"])
def test_report_of_a_finished_run_stays_when_a_table_is_lost(
    tmp_path: Path, harm: str
) -> None:
    run = make_run(tmp_path / "run", replace(SMALL, tests=("lat",)))
    good = write_report(run).read_bytes()
    table = run.path / "tables" / "measurements.parquet"
    if harm == "no-tables":
        shutil.rmtree(table.parent)
    elif harm == "no-table":
        table.unlink()
    else:
        table.write_bytes(table.read_bytes()[:100])
    with pytest.raises(RunFolderError, match="ssdlab ingest") as refusal:
        write_report(open_tables(run.path))

    assert str(run.path) in str(refusal.value)
    assert (run.path / "report.html").read_bytes() == good


def test_appendix_says_which_lines_fio_ran_beside_the_job_file(page: str) -> None:
    said = "plus two gate lines, exec_prerun and exec_postrun , which hold it until"
    assert said in words(page)


def test_front_page_says_how_right_the_idle_gaps_are(page: str) -> None:
    assert "accurate to a few ms" in words(page)


@pytest.mark.parametrize(("supported", "stars"), [(False, 121), (True, 1)])
def test_wsat_marks_percentiles_of_too_few_ios_and_does_not_draw_them(
    tmp_path: Path, *, supported: bool, stars: int
) -> None:
    recipe = replace(SMALL, tests=("wsat",), histogram_s=1.0)
    run = make_run(tmp_path / "run", recipe)
    rows = run.percentiles.assign(is_supported=supported)
    table = TABLES["percentiles"]
    write_table(
        run.folder / "tables", table, {str(name): rows[name].tolist() for name in rows}
    )
    page = render_report(open_tables(run.path))
    assert page.count(" *</td>") == stars  # with 99.999 % of the histogram
    assert ("not drawn for 40 of 40 rounds" in words(page)) is not supported
    assert ("Such a 99.999 % is not drawn" in words(page)) is not supported
    assert "* not supported: too few IOs" in words(page)


def test_fit_of_wsat_counts_samples_and_of_the_others_rounds(render: Render) -> None:
    assert " x sample + " in words(render(replace(SMALL, tests=("wsat",))))
    latency = words(render(replace(SMALL, tests=("lat",))))
    assert " x round + " in latency
    assert " x sample " not in latency


def test_table_and_bars_of_the_throughput_have_every_block_size(page: str) -> None:
    table = page[page.index("Throughput [MB/s, decimal]") :]
    assert re.findall(r'<th scope="row">([^<]*)</th>', table)[:2] == [
        "128 KiB",
        "1024 KiB",
    ]
    assert words(page).count("2D plot, throughput by block size") == 2  # and contents


def test_write_saturation_marks_the_fresh_drive_and_the_steady_window(
    page: str,
) -> None:
    figures = packed(page, "figures")
    falls = [one for one in figures if one["data"][-1].get("name") == "FOB"]
    assert len(falls) == 4  # that of the first screen has no markers
    for one in falls:
        assert one["data"][1]["name"] == "FOB"
        assert one["data"][1]["y"] == one["data"][0]["y"][:1]
        (shade,) = one["layout"]["shapes"]
        assert one["data"][0]["x"][0] < shade["x0"] < shade["x1"]
        assert shade["x1"] <= one["data"][0]["x"][-1]


def test_histogram_has_the_share_of_slower_ios_beside_it(page: str) -> None:
    assert words(page).count("How many IOs are slower: RND 4 KiB") == 2
