"""The gallery has every figure, and a browser draws each of them."""

import re
from pathlib import Path

import pytest

from ssdlab.paper.document import write_document
from tests.browser import visit
from tests.paths import ROOT
from tools import build_gallery
from tools.site.gallery import render_pages, show_all
from tools.site.recipes import RECIPES, draw


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> build_gallery.Drawn:
    return build_gallery.draw_all(tmp_path_factory.mktemp("gallery"))


@pytest.mark.notebook
def test_gallery_shows_every_figure(drawn: build_gallery.Drawn) -> None:
    assert drawn.missing() == []
    document = build_gallery.gallery(drawn)
    assert {page.title for page in document.pages} >= set(build_gallery.PLOTS)


@pytest.mark.notebook
@pytest.mark.parametrize("name", RECIPES)
def test_lines_of_a_figure_draw_it(
    name: str, drawn: build_gallery.Drawn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    figure = draw(RECIPES[name])
    assert f"ssdlab.figures.{name}(" in RECIPES[name].splitlines()[-1]
    kinds = {trace.type for trace in drawn.figures[name][1].data}
    assert {trace.type for trace in figure.data} & kinds


@pytest.mark.notebook
def test_every_figure_has_a_place_in_the_gallery_of_the_site(
    drawn: build_gallery.Drawn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    text = "".join(render_pages(show_all(drawn)).values())
    for name in build_gallery.PLOTS:
        assert f'data-figure="{name}"' in text


@pytest.mark.notebook
@pytest.mark.browser
def test_every_figure_of_the_gallery_is_drawn(
    drawn: build_gallery.Drawn, tmp_path: Path
) -> None:
    page = tmp_path / "gallery.html"
    write_document(build_gallery.gallery(drawn), page)
    found = visit(page, profile=tmp_path / "profile")
    places = len(re.findall(r'data-figure="', found.dom))
    assert places >= len(build_gallery.PLOTS)
    assert found.value("data-plots") == str(places)
    assert found.console == ()
