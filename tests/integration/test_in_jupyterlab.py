"""Notebooks 00 to 04 in JupyterLab: drawn, pointed at, in a narrow window too."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.executed import executed, find_companion
from tests.integration.lab import TARGET, Lab, build_lab
from tests.jupyter_browser import (
    Server,
    browse,
    error_outputs,
    open_notebook,
    place_notebook,
    run_notebook,
    serve_lab,
)
from tests.looks import FITTED, figure_faults, hover_text, look_at_figures, too_wide
from tests.paths import ROOT

pytestmark = [pytest.mark.browser, pytest.mark.notebook]
PICTURES = ROOT / "build" / "pictures"
HEIGHT = 900


@dataclass(frozen=True, kw_only=True)
class Opened:
    """A notebook, and what is to be seen of it when it has been carried out."""

    notebook: str
    figures: int  # at least
    hovered: str  # what a point says
    parameters: Mapping[str, object] = field(default_factory=dict)
    may_scroll: bool = False  # its tables, in a narrow window


# The first is run here; the others were, and only JupyterLab can show how they look.
RUN = Opened(
    notebook="01_run_pts.ipynb",
    parameters={"target": TARGET, "profile": "tiny", "tests": "lat"},
    figures=4,
    hovered="round",
    may_scroll=True,
)
NOTEBOOKS = (
    RUN,
    Opened(notebook="00_start.ipynb", figures=5, hovered="fills"),
    Opened(notebook="02_steady_state.ipynb", figures=7, hovered="round"),
    Opened(notebook="03_latency_qos.ipynb", figures=7, hovered="n = "),
    Opened(notebook="04_compare_drives.ipynb", figures=20, hovered="n = "),
)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    place = tmp_path_factory.mktemp("lab")
    built = build_lab(place)
    yield built
    built.close()


@pytest.fixture(scope="module")
def server(lab: Lab) -> Iterator[Server]:
    environment = {"PYTHONPATH": lab.environment["PYTHONPATH"]} | dict(lab.mark)
    with serve_lab(lab.folder, **environment) as server:
        yield server


@pytest.fixture(scope="module")
def window() -> Iterator[Any]:
    with browse(height=HEIGHT) as page:
        yield page


@pytest.fixture(scope="module", params=NOTEBOOKS, ids=lambda case: case.notebook)
def case(request: pytest.FixtureRequest) -> Opened:
    return request.param  # type: ignore[no-any-return] # one of the above


@pytest.fixture(scope="module")
def page(
    case: Opened,
    server: Server,
    window: Any,
    tmp_path_factory: pytest.TempPathFactory,
) -> Any:
    """Return the window with the notebook in it, carried out."""
    window.set_viewport_size({"width": 1280, "height": HEIGHT})
    with pictured(window, f"{case.notebook}-run"):
        if case == RUN:
            place_notebook(case.notebook, server.folder, **case.parameters)
            assert run_notebook(window, server, case.notebook) == []
        else:
            done = executed(find_companion(case.notebook), tmp_path_factory)
            shutil.copy(done, server.folder / case.notebook)
            open_notebook(window, server, case.notebook)
            assert error_outputs(window) == []
    return window


@contextmanager
def pictured(page: Any, name: str) -> Iterator[None]:
    """Keep a picture of what is on the screen when something is wrong with it."""
    try:
        yield
    except BaseException:
        PICTURES.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=PICTURES / f"{name}.png")
        raise


def test_figures_are_drawn(case: Opened, page: Any) -> None:
    with pictured(page, f"{case.notebook}-drawn"):
        page.wait_for_function(
            "least => document.querySelectorAll('.js-plotly-plot .main-svg').length"
            " >= least",
            arg=case.figures,
        )
        seen = look_at_figures(page)
        assert len(seen) >= case.figures
        assert [one["title"] for one in seen if not one["is_drawn"]] == []


def test_a_point_tells_what_it_is(case: Opened, page: Any) -> None:
    with pictured(page, f"{case.notebook}-hover"):
        assert case.hovered in hover_text(page, 0)


@pytest.mark.parametrize("width", [1280, 800])
def test_nothing_overlaps_or_is_cut_off(case: Opened, page: Any, width: int) -> None:
    show_files(page, is_shown=width > 1000)
    page.set_viewport_size({"width": width, "height": HEIGHT})
    page.wait_for_function(FITTED)
    with pictured(page, f"{case.notebook}-{width}"):
        assert figure_faults(page) == []
        assert too_wide(page, outputs_at(case, width)) == []
        assert error_outputs(page) == []


def outputs_at(case: Opened, width: int) -> str:
    """Return which outputs have to fit."""
    some = case.may_scroll and width < 1000
    return ".jp-OutputArea-output" + (":not(:has(table))" if some else "")


def show_files(page: Any, *, is_shown: bool) -> None:
    """Have the list of files beside the notebook or, as one does when narrow, not."""
    if page.locator("#jp-left-stack").is_visible() != is_shown:
        page.keyboard.press("Control+b")
        state = "visible" if is_shown else "hidden"
        page.locator("#jp-left-stack").wait_for(state=state)
