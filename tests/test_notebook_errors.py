"""An error in a notebook is one message, and a stopped run a box that helps."""

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from ssdlab.model.errors import UnknownNameError
from ssdlab.notebook import execute_notebook
from tests.jupyter_browser import place_notebook

pytestmark = pytest.mark.notebook
STOPPED = """\
from ssdlab.model.errors import RunInterruptedError
raise RunInterruptedError(folder="data/<i>'s run", purge="<b>It goes on.")
"""


def outputs_of(source: str, folder: Path) -> list[Any]:
    """Return the outputs of a cell that a kernel ran."""
    cell = nbformat.v4.new_code_cell(source)  # type: ignore[no-untyped-call] # it has no types
    notebook = nbformat.v4.new_notebook(cells=[cell])  # type: ignore[no-untyped-call] # as above
    place = {"metadata": {"path": str(folder)}}
    NotebookClient(
        notebook, kernel_name="python3", allow_errors=True, resources=place
    ).execute()
    return list(notebook["cells"][0]["outputs"])


def test_error_is_its_message_without_a_traceback(tmp_path: Path) -> None:
    source = "import ssdlab\nssdlab.open_run('nowhere/\\x1b[31mred')"
    (error,) = outputs_of(source, tmp_path)
    assert (error["output_type"], error["ename"]) == ("error", "RunFolderError")
    (line,) = error["traceback"]
    assert "it is not a run folder" in line
    assert "ssdlab runs lists them." in line
    assert "\x1b[31m" not in line
    assert "opening.py" not in line


def test_stopped_run_is_a_box_that_says_how_to_resume(tmp_path: Path) -> None:
    box, error = outputs_of(STOPPED, tmp_path)
    html = box["data"]["text/html"]
    assert "&lt;b&gt;It goes on." in html
    assert 'resume = "data/&lt;i&gt;\'s run"' in html
    assert "ssdlab resume 'data/&lt;i&gt;'\"'\"'s run'" in html
    assert (error["output_type"], error["ename"]) == ("error", "RunInterruptedError")
    assert len(error["traceback"]) == 1
    assert "\n" not in error["traceback"][0]


def test_papermill_still_fails_with_the_error_of_the_notebook(tmp_path: Path) -> None:
    notebook = place_notebook("02_steady_state.ipynb", tmp_path)
    with pytest.raises(Exception, match="Unknown test") as caught:
        execute_notebook(notebook, tmp_path / "x.ipynb", {"test": "iosp"})
    assert caught.value.exit_code == UnknownNameError.exit_code  # type: ignore[attr-defined]
