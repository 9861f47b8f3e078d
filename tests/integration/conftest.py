"""A lab a test, every process of which is ended with it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.lab import Lab, build_lab


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    built = build_lab(tmp_path)
    yield built
    built.close()
