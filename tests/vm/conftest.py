"""The guest's image, and guests that are shared by the tests of a module."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ssdlab.virtual.options import VirtualSsdOptions
from ssdlab.virtual.server import VirtualSsd, start_server
from tests.vm.devices import Device, make_image
from tests.vm.guest import Guest
from tests.vm.image import GuestImage, ImageError, cache_folder, prepare_image

HERE = Path(__file__).resolve().parent

Boot = Callable[..., Guest]
Disk = Callable[..., Path]
Serve = Callable[[VirtualSsdOptions], VirtualSsd]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test beside this file: it needs a guest."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.vm)


@pytest.fixture(scope="session")
def guest_image() -> GuestImage:
    """Return what guests start from, or skip with the reason why there is none."""
    try:
        return prepare_image(cache_folder())
    except ImageError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def boot(guest_image: GuestImage) -> Iterator[Boot]:
    """Return what boots a guest that lives until the module's last test."""
    with ExitStack() as stack:
        yield lambda *devices, **options: stack.enter_context(
            _guest(guest_image, devices, options)
        )


@pytest.fixture
def boot_once(guest_image: GuestImage) -> Iterator[Boot]:
    """Return what boots a guest that lives until the end of the test."""
    with ExitStack() as stack:
        yield lambda *devices, **options: stack.enter_context(
            _guest(guest_image, devices, options)
        )


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Disk:
    """Return the path of a module's image file, by name; the first call makes it."""
    folder = tmp_path_factory.mktemp("disks")

    def find(name: str, size_mib: int = 64) -> Path:
        path = folder / f"{name}.img"
        return path if path.exists() else make_image(path, size_mib)

    return find


@pytest.fixture
def virtual_ssd(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Serve]:
    """Return what serves a virtual SSD for a drive to stand on, until the test ends."""
    cache = tmp_path_factory.getbasetemp() / "plugin"
    with ExitStack() as stack:

        def serve(options: VirtualSsdOptions) -> VirtualSsd:
            lonely = replace(options, linger_s=60)  # should we be killed
            folder = tmp_path / f"ssd-{len(list(tmp_path.glob('ssd-*')))}"
            ssd = start_server(lonely, folder, cache_folder=cache)
            stack.callback(ssd.stop)
            return ssd

        yield serve


def _guest(
    image: GuestImage, devices: tuple[Device, ...], options: dict[str, Any]
) -> Guest:
    return Guest(image, devices=devices, **options)
