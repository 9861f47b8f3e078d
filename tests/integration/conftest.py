"""A lab a test, every process of which is ended with it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.lab import Lab, build_lab


@pytest.fixture(scope="session")
def plugin_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("plugins")


@pytest.fixture
def lab(tmp_path: Path, plugin_cache: Path) -> Iterator[Lab]:
    built = build_lab(tmp_path, plugin_cache)
    yield built
    built.close()
