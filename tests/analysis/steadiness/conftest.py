"""A made run of seven rounds."""

import pytest

from ssdlab.store.run import Run
from tests.made_run import Recipe, make_run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return make_run(tmp_path_factory.mktemp("made"), Recipe(rounds=7))
