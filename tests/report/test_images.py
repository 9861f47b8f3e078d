"""Figures as files: by one browser, or a clear error."""

import zlib
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import pytest
from click.testing import CliRunner

import ssdlab
from ssdlab.cli import main
from ssdlab.figures import publication
from ssdlab.model.errors import BrowserFailedError, ExportError
from ssdlab.report.images import run_figures, write_image, write_images
from ssdlab.system import browser
from tests.browser import find_browser
from tests.made_run import Recipe, make_run
from tests.paths import ROOT
from tests.plots.test_publication import drawn, line

SMALL = Recipe(tests=("lat",), rounds=5)


def dots_per_inch(image: bytes) -> float:
    """Return the resolution that a PNG states, of chunks whose sums are right."""
    place = 8
    while place < len(image):
        size = int.from_bytes(image[place : place + 4])
        body = image[place + 4 : place + 8 + size]
        check = image[place + 8 + size : place + 12 + size]
        assert zlib.crc32(body) == int.from_bytes(check)
        if body.startswith(b"pHYs"):
            across, down = int.from_bytes(body[4:8]), int.from_bytes(body[8:12])
            assert (across, body[12]) == (down, 1)
            return across * 0.0254
        place += 12 + size
    return 0.0


@pytest.mark.browser
def test_figures_of_a_run_are_files_of_the_width_of_a_column(tmp_path: Path) -> None:
    find_browser()
    figure = publication(drawn(line("#111111")))
    formats: Any = ("svg", "png", "pdf")
    svg, png, pdf = write_images({"a": figure}, tmp_path / "out", formats=formats)
    assert '<svg class="main-svg"' in svg.read_text("utf-8")
    assert f'width="{figure.layout.width:.0f}' in svg.read_text("utf-8")[:300]
    assert png.read_bytes().startswith(b"\x89PNG")
    assert int.from_bytes(png.read_bytes()[16:20]) == pytest.approx(2100, abs=9)
    assert pytest.approx(dots_per_inch(png.read_bytes()), abs=0.1) == 600
    assert pdf.read_bytes().startswith(b"%PDF")


@pytest.mark.browser
def test_ending_of_the_file_is_its_format(tmp_path: Path) -> None:
    find_browser()
    figure = go.Figure(go.Scatter(y=[1, 2], name="</script> & more"))
    assert write_image(figure, tmp_path / "a.png").read_bytes()[1:4] == b"PNG"
    svg = ssdlab.write_image(figure, str(tmp_path / "new" / "a.svg"))
    assert 'width="700"' in svg.read_text("utf-8")[:300]


@pytest.mark.parametrize("name", ["a.gif", "a"])
def test_other_ending_is_refused_with_the_ones_there_are(
    tmp_path: Path, name: str
) -> None:
    with pytest.raises(ExportError, match=r"ends in \.png, \.svg or \.pdf"):
        write_image(go.Figure(), tmp_path / name)


@pytest.mark.browser
def test_figure_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    find_browser()
    (tmp_path / "a.png").mkdir()
    with pytest.raises(ExportError, match=r"a\.png: the figure cannot be written"):
        write_image(drawn(line("#111111")), tmp_path / "a.png")


def test_browser_that_never_answers_is_a_failure_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mute = tmp_path / "mute"
    mute.write_text("#!/bin/sh\nexec sleep 100\n", "utf-8")
    mute.chmod(0o755)
    monkeypatch.setenv("BROWSER_PATH", str(mute))
    monkeypatch.setattr(browser, "_TO_START_S", 0.5)
    monkeypatch.setattr(browser, "_TO_END_S", 0.2)
    with pytest.raises(BrowserFailedError, match="took longer than 0"):
        write_image(go.Figure(), tmp_path / "a.svg")


def test_figures_of_a_run_have_names_in_the_order_of_its_report(tmp_path: Path) -> None:
    names = list(run_figures(make_run(tmp_path / "run", SMALL)))
    assert len(names) == len(set(names)) >= 4
    assert names[0].startswith("lat-01-")
    assert all(name.replace("-", "").isalnum() for name in names)


def test_names_of_figures_tell_them_apart_in_whole_words() -> None:
    names = list(run_figures(ssdlab.open_run(ROOT / "data/samples/virtual-all")))
    shown = {name.split("-", maxsplit=2)[2] for name in names if name[:4] == "iops"}
    assert len(shown) == len([name for name in names if name[:4] == "iops"])
    assert "tp-07-throughput-by-block-size" in names
    assert any(name.endswith("rnd-4-kib-0-100-t2-q16") for name in names)


def test_missing_browser_is_exit_code_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = make_run(tmp_path / "run", SMALL)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("BROWSER_PATH", raising=False)
    done = CliRunner().invoke(main, ["figures", str(run.path)])
    assert done.exit_code == 2
    assert "Chromium or Chrome is needed" in done.output


def test_folder_that_cannot_be_written_is_named() -> None:
    find_browser()
    with pytest.raises(ExportError, match=r"/dev/null/x.*: the figure cannot be"):
        write_images({"a": drawn()}, Path("/dev/null/x"))
