"""What the guest starts from."""

import gzip
import lzma
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.vm.image import (
    GuestImage,
    ImageError,
    cache_folder,
    prepare_image,
    unpack_kernel,
)

KERNEL = b"\x7fELF" + bytes(range(256)) * 64


def zstd(data: bytes) -> bytes:
    command = ["zstd", "--stdout", "--quiet"]
    return subprocess.run(command, input=data, capture_output=True, check=True).stdout


@pytest.mark.parametrize(
    "pack", [lzma.compress, gzip.compress, zstd], ids=["xz", "gzip", "zstd"]
)
def test_kernel_is_found_behind_what_only_looks_like_one(
    pack: Callable[[bytes], bytes],
) -> None:
    packed = pack(KERNEL)
    decoys = packed[:6] + b"nothing" + gzip.compress(b"no kernel")
    assert unpack_kernel(b"MZ" + decoys + packed + b"what follows") == KERNEL


def test_image_without_a_kernel_is_refused() -> None:
    with pytest.raises(ImageError, match="no known way"):
        unpack_kernel(b"MZ" + gzip.compress(b"no kernel") * 3)


def test_nothing_is_made_anew_when_it_is_there(guest_image: GuestImage) -> None:
    made = guest_image.kernel.stat().st_mtime_ns
    assert prepare_image(cache_folder()) == guest_image
    assert guest_image.kernel.stat().st_mtime_ns == made


def test_failed_making_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = tmp_path / "empty.conf"
    empty.write_text(
        f'Dir::State "{tmp_path}"; Dir::Cache "{tmp_path}"; Dir::Etc "{tmp_path}";\n'
    )
    monkeypatch.setenv("APT_CONFIG", str(empty))  # an apt that knows of no package
    with pytest.raises(ImageError, match="cannot be got"):
        prepare_image(tmp_path / "cache")
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["lock"]
