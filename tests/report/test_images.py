"""Figures as files: by one browser, or a clear error."""

import builtins
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from ssdlab.cli import main
from ssdlab.figures import publication
from ssdlab.model.errors import BrowserFailedError, ExportError, MissingToolError
from ssdlab.report.images import run_figures, write_images
from tests.browser import find_browser
from tests.figures.test_publication import drawn, line
from tests.made_run import Recipe, make_run

SMALL = Recipe(tests=("lat",), rounds=5, histogram_ios=20_000)


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
def test_figure_that_was_not_written_is_named_and_the_others_are_there(
    tmp_path: Path,
) -> None:
    find_browser()
    (tmp_path / "a.png").mkdir()
    figures = dict.fromkeys("ab", publication(drawn(line("#111111"))))
    with pytest.raises(BrowserFailedError, match=r"a\.png were not drawn"):
        write_images(figures, tmp_path, formats=("png",))
    assert (tmp_path / "b.png").read_bytes().startswith(b"\x89PNG")


def test_figures_of_a_run_have_names_in_the_order_of_its_report(tmp_path: Path) -> None:
    names = list(run_figures(make_run(tmp_path / "run", SMALL)))
    assert len(names) == len(set(names)) >= 4
    assert names[0].startswith("lat-01-")
    assert all(name.replace("-", "").isalnum() for name in names)


def test_missing_kaleido_is_named_with_its_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without(name: str, *more: Any, **others: Any) -> Any:
        if name == "kaleido":
            raise ModuleNotFoundError(name)
        return real(name, *more, **others)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingToolError, match=r"pip install 'ssdlab\[export\]'"):
        write_images({"a": drawn()}, tmp_path)


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
    with pytest.raises(ExportError, match="/dev/null/x: figures cannot be written"):
        write_images({"a": drawn()}, Path("/dev/null/x"))
