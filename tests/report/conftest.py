"""Reports of made runs."""

import re
from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest

from ssdlab.report import render_report
from tests.made_run import Recipe, make_run

SMALL = Recipe(saturation_rounds=40, histogram_ios=60_000)
Render = Callable[[Recipe], str]


@pytest.fixture(scope="session")
def render(tmp_path_factory: pytest.TempPathFactory) -> Render:
    """Return what makes a run and renders its report."""

    def make(recipe: Recipe) -> str:
        folder: Path = tmp_path_factory.mktemp("made") / "run"
        return render_report(make_run(folder, recipe))

    return make


@pytest.fixture(scope="session")
def page(render: Render) -> str:
    """Return the report of a whole run."""
    return render(SMALL)


def words(page: str) -> str:
    """Return the text that a reader of a page sees, on one line."""
    body = re.sub(r"<(script|style)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", body)))
