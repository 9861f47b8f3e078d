"""JupyterLab in a headless browser: open a notebook, run it, look at it, use it."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.browser import find_browser
from tests.paths import ROOT

TOKEN = "made-for-this-test"
_PATIENCE_S = 120
_POLL_MS = 200  # to look at each frame that is drawn would slow down what is waited for


@dataclass(frozen=True, kw_only=True)
class Server:
    """A Jupyter server of our own on a free port of this machine."""

    url: str
    folder: Path

    def lab(self, notebook: str) -> str:
        return f"{self.url}/lab/tree/{notebook}?reset&token={TOKEN}"


def place_notebook(name: str, folder: Path, **parameters: object) -> Path:
    """Copy a notebook of ours with other values of its parameters."""
    notebook = json.loads((ROOT / "notebooks" / name).read_bytes())
    if parameters:
        lines = [f"{key} = {value!r}\n" for key, value in parameters.items()]
        cells = notebook["cells"]
        tagged = [cell["metadata"].get("tags", []) for cell in cells]
        place = next(n for n, tags in enumerate(tagged) if "parameters" in tags)
        extra: dict[str, Any] = {
            "cell_type": "code",
            "execution_count": None,
            "outputs": [],
        }
        extra |= {"id": "given", "metadata": {}, "source": ["# Parameters\n", *lines]}
        cells.insert(place + 1, extra)
    path = folder / name
    path.write_text(json.dumps(notebook), "utf-8")
    return path


@contextmanager
def serve_lab(folder: Path, *more: str, **environment: str) -> Iterator[Server]:
    """Run JupyterLab on a folder, with nothing of the user's own settings."""
    flags = [*more, "--LabApp.extension_manager=readonly", "--LabApp.news_url=None"]
    with _serve(folder, "jupyterlab", flags, environment) as url:
        yield Server(url=url, folder=folder)


@contextmanager
def serve_voila(folder: Path, notebook: str) -> Iterator[Server]:
    """Run Voilà on one notebook."""
    pytest.importorskip("voila", reason="Voilà is not installed")
    flags = [notebook]
    with _serve(folder, "voila", flags, {}) as url:
        yield Server(url=url, folder=folder)


@contextmanager
def _serve(
    folder: Path, module: str, flags: Sequence[str], more: Mapping[str, str]
) -> Iterator[str]:
    port = _free_port()
    state = folder / ".jupyter"
    state.mkdir(exist_ok=True)
    places = ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR")
    environment = os.environ | {name: str(state / name.lower()) for name in places}
    environment |= {"JUPYTER_RUNTIME_DIR": str(state / "run"), "HOME": str(state)}
    environment |= {"PYTHONPATH": str(ROOT), "JUPYTER_PREFER_ENV_PATH": "1"}
    environment |= {"JUPYTERLAB_SETTINGS_DIR": str(state / "settings"), **more}
    _write_settings(state / "settings")
    command = [sys.executable, "-m", module, *flags, "--no-browser", f"--port={port}"]
    if module == "voila":
        command += ["--Voila.ip=127.0.0.1", f"--token={TOKEN}"]
    else:
        command += ["--allow-root", "--ServerApp.ip=127.0.0.1"]
        command += [
            f"--IdentityProvider.token={TOKEN}",
            f"--ServerApp.root_dir={folder}",
        ]
    with (state / "server.log").open("wb") as log:
        server = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=log, stderr=log
        )
        try:
            url = f"http://127.0.0.1:{port}"
            _wait_for(server, url, state / "server.log")
            yield url
        finally:
            server.terminate()
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def _write_settings(folder: Path) -> None:
    """Let JupyterLab lay out all cells, also those that are not on the screen."""
    place = folder / "@jupyterlab" / "notebook-extension"
    place.mkdir(parents=True, exist_ok=True)
    chosen = json.dumps({"windowingMode": "none"})
    (place / "tracker.jupyterlab-settings").write_text(chosen, "utf-8")


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def _wait_for(server: "subprocess.Popen[bytes]", url: str, log: Path) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while time.monotonic() < deadline:
        if server.poll() is not None:
            break
        try:
            urllib.request.urlopen(f"{url}/static/", timeout=2).close()
        except urllib.error.HTTPError:
            return  # it answers
        except OSError:
            time.sleep(0.2)
        else:
            return
    pytest.fail(f"the server did not start: {log.read_text('utf-8')[-2000:]}")


@contextmanager
def browse(*, width: int = 1280, height: int = 900) -> Iterator[Any]:
    """Open a browser window; it yields a page of playwright."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is missing")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_browser(), args=["--no-sandbox", "--disable-quic"]
        )
        page = browser.new_page(viewport={"width": width, "height": height})
        page.set_default_timeout(_PATIENCE_S * 1000)
        try:
            yield page
        finally:
            browser.close()


def open_notebook(page: Any, server: Server, notebook: str) -> None:
    """Open a notebook in JupyterLab and wait until its kernel is there."""
    page.goto(server.lab(notebook))
    page.wait_for_selector(".jp-Notebook .jp-CodeCell")
    page.wait_for_selector(".jp-StatusBar-Widget :text('| Idle')")
    _dismiss(page)


def run_notebook(page: Any, server: Server, notebook: str) -> list[str]:
    """Open a notebook in JupyterLab and run every cell; return what went wrong."""
    open_notebook(page, server, notebook)
    page.click(".lm-MenuBar-itemLabel:text-is('Run')")
    page.click(".lm-Menu-itemLabel:text-is('Run All Cells')")
    try:
        page.wait_for_function(_ALL_RAN, polling=_POLL_MS)
    except Exception:
        page.screenshot(path=server.folder / "not-run.png")  # to be looked at
        raise
    return error_outputs(page)


_ALL_RAN = """() => {
  if (document.querySelector('.jp-OutputArea-output[data-mime-type*="error"]'))
    return true;
  const prompts = [...document.querySelectorAll(".jp-CodeCell")].filter(
    (cell) => cell.querySelector(".cm-content")?.textContent.trim()
  ).map((cell) => cell.querySelector(".jp-InputPrompt")?.textContent || "");
  return prompts.length && prompts.every((text) => /\\[\\d+\\]/.test(text));
}"""


def error_outputs(page: Any) -> list[str]:
    """Return every traceback, and what was written to stderr."""
    texts = page.locator(
        '.jp-OutputArea-output[data-mime-type*="error"],'
        ' .jp-OutputArea-output[data-mime-type*="stderr"]'
    ).all_text_contents()
    return [
        text if len(text) < 2000 else f"{text[:1000]}…{text[-900:]}" for text in texts
    ]


def _dismiss(page: Any) -> None:
    """Close what JupyterLab asks at the first start."""
    for words in ("No", "Dismiss"):
        button = page.locator(f".jp-toast-button:text-is('{words}')")
        if button.count():
            button.first.click()
