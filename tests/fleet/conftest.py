"""Stores for the tests."""

from pathlib import Path

import pytest

import ssdlab
from ssdlab.fleet.store import Store
from tests.paths import ROOT

SAMPLES = ROOT / "data" / "samples"


@pytest.fixture(scope="session")
def samples_store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Return a store of three recorded runs, not to be changed."""
    store = ssdlab.open_store(tmp_path_factory.mktemp("fleet") / "store", create=True)
    for name in ("virtual-a", "virtual-b", "tkperf-intel-s3510"):
        store = store.add(SAMPLES / name)
    return store


@pytest.fixture
def place(tmp_path: Path) -> str:
    """Return where a store may be made."""
    return str(tmp_path / "store")
