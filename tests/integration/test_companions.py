"""The companion notebooks, carried out on recorded runs and turned into pages."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ssdlab.model.errors import UnknownNameError
from ssdlab.notebook import execute_notebook, find_notebook
from ssdlab.paper.notebook_page import write_notebook_page
from tests.browser import is_chatter
from tests.executed import COMPANIONS, Companion, executed
from tests.jupyter_browser import browse
from tests.looks import FITTED, figure_faults, look_at_figures, too_wide
from tests.paths import ROOT
from tests.rendered import words

pytestmark = pytest.mark.notebook
PLOTLY = "application/vnd.plotly.v1+json"

each_companion = pytest.mark.parametrize(
    "companion", COMPANIONS, ids=lambda companion: companion.notebook
)


@dataclass(frozen=True, kw_only=True)
class Done:
    """A companion that was carried out: the notebook and its page."""

    companion: Companion
    executed: Path
    page: Path


@pytest.fixture(
    scope="module", params=COMPANIONS, ids=lambda companion: companion.notebook
)
def done(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Done:
    companion = request.param
    notebook = executed(companion, tmp_path_factory)
    page = tmp_path_factory.mktemp("companion") / "page.html"
    write_notebook_page(notebook, page)
    return Done(companion=companion, executed=notebook, page=page)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with browse() as page:
        yield page.context.browser


def test_notebook_runs_on_samples_and_becomes_a_page(done: Done) -> None:
    companion, page = done.companion, done.page
    said = words(page.read_text("utf-8"))
    assert [text for text in companion.texts if text not in said] == []
    assert page.read_text("utf-8").count('class="plot"') >= companion.figures
    assert figures_of(done.executed) >= companion.figures
    assert warnings_of(done.executed) == []


@pytest.mark.browser
def test_page_opens_from_disk_with_the_network_off(done: Done, browser: Any) -> None:
    asked: list[str] = []
    said: list[str] = []
    with browser.new_page(viewport={"width": 1280, "height": 900}) as page:
        page.context.set_offline(True)
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(done.page.as_uri())
        page.wait_for_selector("html[data-plots]", state="attached")
        for width in (1280, 800):
            page.set_viewport_size({"width": width, "height": 900})
            page.wait_for_function(FITTED)
            assert len(look_at_figures(page)) >= done.companion.figures
            assert figure_faults(page) == []
            assert too_wide(page, "html") == []
    kinds = {url.partition(":")[0] for url in asked if url != done.page.as_uri()}
    assert kinds <= {"data", "blob"}
    assert [text for text in said if not is_chatter(text)] == []


@each_companion
def test_notebook_fails_clearly_on_a_parameter_it_does_not_have(
    companion: Companion, tmp_path: Path
) -> None:
    source = find_notebook(companion.notebook)
    with pytest.raises(UnknownNameError, match="Unknown parameter 'rnu'"):
        execute_notebook(source, tmp_path / "x.ipynb", {"rnu": "x"}, keeps_saving=False)


def test_every_companion_notebook_has_a_case() -> None:
    there = {path.name for path in (ROOT / "notebooks").glob("0[02-9]_*.ipynb")}
    assert there == {companion.notebook for companion in COMPANIONS}


def outputs_of(notebook: Path) -> list[dict[str, object]]:
    cells = json.loads(notebook.read_bytes())["cells"]
    return [output for cell in cells for output in cell.get("outputs", ())]


def figures_of(notebook: Path) -> int:
    return sum(PLOTLY in str(output.get("data")) for output in outputs_of(notebook))


def warnings_of(notebook: Path) -> list[object]:
    said = outputs_of(notebook)
    return [output["text"] for output in said if output.get("name") == "stderr"]
