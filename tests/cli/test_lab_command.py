"""``ssdlab lab``: one line with the address, quiet, and not as root unasked."""

import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from click.testing import CliRunner

from ssdlab.cli import main
from ssdlab.notebook import copy_notebooks
from tests.jupyter_browser import TOKEN, browse, serve_lab
from tests.paths import ROOT

pytestmark = pytest.mark.notebook
LAB = (sys.executable, "-m", "ssdlab.cli", "lab")


@pytest.mark.skipif(os.geteuid() != 0, reason="it is root that is refused")
def test_root_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    done = CliRunner().invoke(main, ["lab", str(folder)])
    assert done.exit_code == 2
    assert "--allow-root" in done.output
    assert not folder.exists()


def test_one_line_has_the_address_that_answers(tmp_path: Path) -> None:
    state = tmp_path / "state"
    places = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "HOME")
    environment = os.environ | {name: str(state / name) for name in places}
    environment |= {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    words = (*LAB, tmp_path / "mine", "--no-browser", "--allow-root")
    process = subprocess.Popen(
        words,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        copied, line = process.stdout.readline(), process.stdout.readline()
        assert copied.startswith("Copied to ")
        assert line.startswith("JupyterLab: http://")
        address = line.split()[1]
        with urllib.request.urlopen(address, timeout=60) as page:
            assert page.status == 200
            assert '"news": {"disabled": true}' in page.read().decode()
    finally:
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert stdout == ""
    assert stderr == "ssdlab: JupyterLab was stopped.\n"


@pytest.mark.browser
def test_launcher_has_a_card_for_each_notebook(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    copy_notebooks(folder)
    cards = f"--LabApp.extra_labextensions_path={ROOT / 'ssdlab/cli/launcher'}"
    with serve_lab(folder, cards) as server, browse() as page:
        page.goto(f"{server.url}/lab?reset&token={TOKEN}")
        ours = page.locator(".jp-LauncherCard[data-category=ssdlab]")
        ours.first.wait_for()
        titles = [card.get_attribute("title") for card in ours.all()]
        names = sorted(path.name for path in folder.glob("*.ipynb"))
        assert titles == [f"Open {name}" for name in names]
        ours.last.click()
        page.wait_for_selector(".jp-NotebookPanel .jp-CodeCell", state="attached")
        assert names[-1] in page.locator(".lm-TabBar-tabLabel").all_text_contents()
        assert not page.locator(":text('Jupyter news')").count()


def test_log_is_shown_when_jupyterlab_fails(tmp_path: Path) -> None:
    environment = os.environ | {"JUPYTER_RUNTIME_DIR": "/proc/no/such/folder"}
    words = (*LAB, tmp_path / "mine", "--no-browser", "--allow-root")
    done = subprocess.run(
        words, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "/proc/no" in done.stderr
    assert "JupyterLab failed with exit code" in done.stderr
