"""Figures as files: by one browser, or a clear error."""

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
from tests.plots.test_publication import drawn, line

SMALL = Recipe(tests=("lat",), rounds=5)


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
