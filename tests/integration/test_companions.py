"""The companion notebooks, carried out on recorded runs and turned into pages."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from ssdlab.model.errors import UnknownNameError
from ssdlab.notebook import execute_notebook, find_notebook
from ssdlab.report.notebook_page import write_notebook_page
from tests.browser import is_chatter
from tests.jupyter_browser import browse
from tests.looks import figure_faults, look_at_figures, too_wide
from tests.paths import ROOT
from tests.report.conftest import words

pytestmark = pytest.mark.notebook
SAMPLES = ROOT / "data" / "samples"
PLOTLY = "application/vnd.plotly.v1+json"


@dataclass(frozen=True, kw_only=True)
class Companion:
    """A notebook, what it is asked, and what its page has then to say."""

    notebook: str
    parameters: Mapping[str, str | int | float | bool]
    texts: Sequence[str]
    figures: int  # at least


# One entry a case; `parameters` may name a sample run by its path under data/samples.
COMPANIONS: tuple[Companion, ...] = (
    Companion(
        notebook="02_steady_state.ipynb",
        parameters={"run": str(SAMPLES / "tkperf-crucial-mx200"), "test": "lat"},
        texts=(
            "PTS 2.0.2: steady in rounds 1 - 5",
            "Beyond the PTS:",
            "each value and fit end within 10 %",
            "fewer than 20 rounds",
            "The record names PTS-E 1.1. By the rule of PTS 2.0.2",
            "Every cell; each can be named in tracking",
            "Nothing is left to foretell.",
        ),
        figures=7,
    ),
    Companion(
        notebook="03_latency_qos.ipynb",
        parameters={"run": str(SAMPLES / "virtual-all")},
        texts=(
            "A model in memory, not a drive",
            "not supported by",
            "The intervals of percentiles hold if the IOs are independent",
            "met, with a certainty of more than 99.9 %",
            "All 82 loads of this run",
        ),
        figures=7,
    ),
    Companion(
        notebook="04_compare_drives.ipynb",
        parameters={
            "runs": f"{SAMPLES}/tkperf-crucial-mx200, {SAMPLES}/tkperf-intel-s3510",
            "accept": "fio version, operating system, kernel",
            "score": "tp 1024 KiB: 1, lat mean 4 KiB: 1",
        },
        texts=(
            "Accepted as equal, though they differ: fio version, kernel,",
            "Known of no run: host, processor, memory, engine, data pattern.",
            "In how many cells which drive is better",
            "nothing is claimed but that these runs differ",
            "Measured by no run: Write saturation.",
            "The power of no drive is known",
            "Score and its parts",
        ),
        figures=8,
    ),
    Companion(
        notebook="05_explore.ipynb",
        parameters={"runs": str(SAMPLES), "run": "virtual-all"},
        texts=("Explore", "Take away"),
        figures=3,  # stills of the widget's, which a page cannot hold
    ),
)

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
    companion, folder = request.param, tmp_path_factory.mktemp("companion")
    executed, page = folder / "executed.ipynb", folder / "page.html"
    source = find_notebook(companion.notebook)
    execute_notebook(source, executed, companion.parameters, keeps_saving=False)
    write_notebook_page(executed, page)
    return Done(companion=companion, executed=executed, page=page)


def test_notebook_runs_on_samples_and_becomes_a_page(done: Done) -> None:
    companion, executed, page = done.companion, done.executed, done.page
    said = words(page.read_text("utf-8"))
    assert [text for text in companion.texts if text not in said] == []
    assert page.read_text("utf-8").count('class="plot"') >= companion.figures
    assert figures_of(executed) >= companion.figures
    assert warnings_of(executed) == []


@pytest.mark.browser
def test_page_opens_from_disk_with_the_network_off(done: Done) -> None:
    asked: list[str] = []
    said: list[str] = []
    with browse() as page:
        page.context.set_offline(True)
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        for width in (1280, 800):
            page.set_viewport_size({"width": width, "height": 900})
            page.goto(done.page.as_uri())
            page.wait_for_selector("html[data-plots]", state="attached")
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
    with pytest.raises(UnknownNameError, match="There is no parameter 'rnu'"):
        execute_notebook(source, tmp_path / "x.ipynb", {"rnu": "x"}, keeps_saving=False)


def test_every_companion_notebook_has_a_case() -> None:
    there = {path.name for path in (ROOT / "notebooks").glob("0[2-9]_*.ipynb")}
    assert there == {companion.notebook for companion in COMPANIONS}


def outputs_of(executed: Path) -> list[dict[str, object]]:
    cells = json.loads(executed.read_bytes())["cells"]
    return [output for cell in cells for output in cell.get("outputs", ())]


def figures_of(executed: Path) -> int:
    return sum(PLOTLY in str(output.get("data")) for output in outputs_of(executed))


def warnings_of(executed: Path) -> list[object]:
    said = outputs_of(executed)
    return [output["text"] for output in said if output.get("name") == "stderr"]
