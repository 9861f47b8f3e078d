"""One made run for all figures."""

from pathlib import Path

import pytest

from ssdlab.store.run import Run
from tests.made_run import Recipe, make_run


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder: Path = tmp_path_factory.mktemp("made") / "run"
    return make_run(folder, Recipe(saturation_rounds=40, histogram_ios=60_000))
