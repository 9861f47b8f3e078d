"""Virtual SSDs that are stopped when their test ends."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ssdlab.virtual.options import VirtualSsdOptions
from ssdlab.virtual.server import VirtualSsd, start_server

Serve = Callable[[VirtualSsdOptions], VirtualSsd]


@pytest.fixture(scope="session")
def plugin_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("plugins")


@pytest.fixture
def serve(tmp_path: Path, plugin_cache: Path) -> Iterator[Serve]:
    started: list[VirtualSsd] = []

    def start(options: VirtualSsdOptions) -> VirtualSsd:
        folder = tmp_path / f"run {len(started)}"
        started.append(start_server(options, folder, cache_folder=plugin_cache))
        return started[-1]

    yield start
    for ssd in started:
        ssd.stop()
