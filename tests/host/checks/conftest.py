"""A good host that the cases of a check change one after another."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.host.made_host import Case, good_files, restore, write_files
from tests.host.wrong_host import snapshot


@pytest.fixture(scope="session")
def good_host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a host as it should be: to make one takes longer than to look at it."""
    root = tmp_path_factory.mktemp("good")
    write_files(root, good_files())
    yield root
    assert snapshot(root) == {name: text.strip() for name, text in good_files().items()}


@pytest.fixture
def host(good_host: Path, case: Case) -> Iterator[Path]:
    """Return the good host, and undo afterwards what a case changes of it."""
    yield good_host
    restore(good_host, case)
