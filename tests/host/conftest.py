"""A wrong host, and where the journal of its changes lies."""

from pathlib import Path

import pytest

from tests.host.wrong_host import make


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return tmp_path / "state/host-tuning.json"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a host on which much is wrong."""
    make(tmp_path / "root")
    return tmp_path / "root"
