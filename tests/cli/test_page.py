"""``ssdlab page``: an executed notebook as one file."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ssdlab.cli import main
from tests.browser import find_browser, visit
from tests.paper.made_notebook import code_cell, figure, text_cell, write_notebook


def ssdlab(*words: object) -> Result:
    return CliRunner().invoke(main, list(map(str, words)))


def saved(folder: Path) -> Path:
    cells = (text_cell("# Fill & <b>age</b>"), code_cell("plot()", figure()))
    return write_notebook(folder / "mine.ipynb", *cells)


def test_page_lies_beside_the_notebook_and_has_its_heading(tmp_path: Path) -> None:
    done = ssdlab("page", saved(tmp_path))
    assert (done.exit_code, done.output) == (0, f"{tmp_path / 'mine.html'}\n")
    page = (tmp_path / "mine.html").read_text("utf-8")
    assert "<title>Fill &amp; &lt;b&gt;age&lt;/b&gt;</title>" in page
    assert 'src="http' not in page


@pytest.mark.browser
def test_figures_of_the_page_are_drawn_from_disk(tmp_path: Path) -> None:
    place = tmp_path / "there.html"
    assert ssdlab("page", saved(tmp_path), "-o", place).exit_code == 0
    found = visit(place, profile=tmp_path / "profile")
    assert found.dom.count('data-drawn="yes"') == 1
    assert found.console == ()


@pytest.mark.browser
def test_page_is_printed(tmp_path: Path) -> None:
    find_browser()
    assert ssdlab("page", saved(tmp_path), "--format", "pdf").exit_code == 0
    assert (tmp_path / "mine.pdf").read_bytes().startswith(b"%PDF-")


def test_notebook_that_was_not_executed_is_refused(tmp_path: Path) -> None:
    cell = code_cell("plot()") | {"execution_count": None}
    path = write_notebook(tmp_path / "new.ipynb", text_cell("# T"), cell)
    done = ssdlab("page", path)
    assert done.exit_code == 2
    assert "new.ipynb cannot be read as a page: none of its cells" in done.output
    assert "papermill" in done.output
    assert not (tmp_path / "new.html").exists()


@pytest.mark.parametrize("name", ["none.ipynb", "notes.txt"])
def test_what_is_no_notebook_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "notes.txt").write_text("nothing", "utf-8")
    done = ssdlab("page", tmp_path / name)
    assert done.exit_code == 2
    assert name in done.output
    assert not list(tmp_path.glob("*.html"))


def test_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    place = tmp_path / "no" / "page.html"
    done = ssdlab("page", saved(tmp_path), "-o", place)
    assert done.exit_code == 2
    assert f"{place} cannot be written (No such file or directory)" in done.output
    assert [path.name for path in tmp_path.iterdir()] == ["mine.ipynb"]
