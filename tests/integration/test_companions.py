"""The companion notebooks, carried out on recorded runs and turned into pages."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from ssdlab.model.errors import UnknownNameError
from ssdlab.notebook import execute_notebook, find_notebook
from ssdlab.report.notebook_page import write_notebook_page
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
            "fewer than 10 rounds",
        ),
        figures=6,
    ),
    Companion(
        notebook="03_latency_qos.ipynb",
        parameters={"run": str(SAMPLES / "virtual-all")},
        texts=("not supported by", "The intervals that are claimed"),
        figures=7,
    ),
    Companion(
        notebook="04_compare_drives.ipynb",
        parameters={
            "runs": f"{SAMPLES}/tkperf-crucial-mx200, {SAMPLES}/tkperf-intel-s3510",
            "accept": "fio version, operating system",
            "score": "tp 1024 KiB: 1, lat mean 4 KiB: 1",
        },
        texts=(
            "Accepted as equal, though they differ: fio version, operating system.",
            "SSD1 (imported) is better in",
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
        figures=0,  # they are a widget's, which a page cannot hold
    ),
)

each_companion = pytest.mark.parametrize(
    "companion", COMPANIONS, ids=lambda companion: companion.notebook
)


@each_companion
def test_notebook_runs_on_samples_and_becomes_a_page(
    companion: Companion, tmp_path: Path
) -> None:
    executed, page = tmp_path / "executed.ipynb", tmp_path / "page.html"
    source = find_notebook(companion.notebook)
    execute_notebook(source, executed, companion.parameters, keeps_saving=False)
    said = words(write_notebook_page(executed, page, title="Page").read_text("utf-8"))
    assert [text for text in companion.texts if text not in said] == []
    assert page.read_text("utf-8").count('class="plot"') >= companion.figures
    assert figures_of(executed) >= companion.figures
    assert warnings_of(executed) == []


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
