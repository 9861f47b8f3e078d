import ctypes
import os
from pathlib import Path

import pytest

from ssdlab.native.build import cache_folder, find_compiler
from ssdlab.native.kernels import SWITCH, WORTH_BYTES, load_kernel

SMALL = WORTH_BYTES - 1


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of an empty cache."""
    if find_compiler() is None:
        pytest.skip("no C compiler is installed")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv(SWITCH, raising=False)
    return tmp_path / "cache" / "ssdlab" / "kernels"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "half.c"
    path.write_text("int half(int number) { return number / 2; }\n")
    return path


def half_of(number: int, kernel: ctypes.CDLL | None) -> int:
    assert kernel is not None
    return int(kernel.half(number))


def test_a_kernel_is_built_when_there_is_much_to_read(source: Path) -> None:
    kernel = load_kernel("half", source, work_bytes=WORTH_BYTES)
    assert half_of(84, kernel) == 42


def test_a_kernel_is_not_built_for_little_but_used_when_it_is_there(
    source: Path, cache: Path
) -> None:
    assert load_kernel("half", source, work_bytes=SMALL) is None
    assert not cache.exists()
    load_kernel("half", source, work_bytes=WORTH_BYTES)
    assert half_of(6, load_kernel("half", source, work_bytes=SMALL)) == 3


def test_a_kernel_is_built_anew_when_what_it_includes_changes(
    source: Path, cache: Path, tmp_path: Path
) -> None:
    part = tmp_path / "part.c"
    for divisor in (2, 3):
        part.write_text(f"#define DIVISOR {divisor}\n")
        source.write_text(
            '#include "part.c"\nint half(int number) { return number / DIVISOR; }\n'
        )
        kernel = load_kernel("half", source, work_bytes=WORTH_BYTES, includes=[part])
        assert half_of(12, kernel) == 12 // divisor
    assert len(list(cache.iterdir())) == 2


def test_there_is_no_kernel_when_it_is_switched_off(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SWITCH, "1")
    assert load_kernel("half", source, work_bytes=WORTH_BYTES) is None


def test_there_is_no_kernel_without_a_compiler(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert load_kernel("half", source, work_bytes=WORTH_BYTES) is None


def test_there_is_no_kernel_when_the_source_does_not_compile(source: Path) -> None:
    source.write_text("#error\n")
    assert load_kernel("half", source, work_bytes=WORTH_BYTES) is None


def test_there_is_no_kernel_when_the_compiler_fails_to_run(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "bin" / "gcc"
    broken.parent.mkdir()
    broken.write_bytes(b"\x7fELF no program")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(broken.parent))
    assert load_kernel("half", source, work_bytes=WORTH_BYTES) is None


def test_there_is_no_kernel_when_the_cache_cannot_be_written(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "taken").write_text("a file where a folder should be")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "taken"))
    assert load_kernel("half", source, work_bytes=WORTH_BYTES) is None


def test_a_torn_kernel_is_built_anew(
    source: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_kernel("half", source, work_bytes=WORTH_BYTES)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "torn"))
    torn = cache_folder() / next(cache.iterdir()).name
    torn.parent.mkdir(parents=True)
    torn.touch()
    assert load_kernel("half", source, work_bytes=WORTH_BYTES) is None
    assert half_of(2, load_kernel("half", source, work_bytes=WORTH_BYTES)) == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_kernel_of_another_user_is_not_loaded(source: Path, cache: Path) -> None:
    load_kernel("half", source, work_bytes=WORTH_BYTES)
    os.chown(next(cache.iterdir()), 65534, 65534)
    assert load_kernel("half", source, work_bytes=SMALL) is None
    assert half_of(6, load_kernel("half", source, work_bytes=WORTH_BYTES)) == 3
    assert next(cache.iterdir()).stat().st_uid == os.geteuid()  # built anew


def test_a_kernel_that_others_may_change_is_not_loaded(
    source: Path, cache: Path
) -> None:
    load_kernel("half", source, work_bytes=WORTH_BYTES)
    assert next(cache.iterdir()).stat().st_mode & 0o777 == 0o700
    next(cache.iterdir()).chmod(0o775)
    assert load_kernel("half", source, work_bytes=SMALL) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_no_kernel_is_built_in_the_cache_of_another_user(
    source: Path, cache: Path
) -> None:
    load_kernel("half", source, work_bytes=WORTH_BYTES)
    os.chown(cache, 65534, 65534)
    next(cache.iterdir()).unlink()
    assert load_kernel("half", source, work_bytes=WORTH_BYTES) is None


def test_the_cache_is_closed_to_others(source: Path, cache: Path) -> None:
    cache.mkdir(parents=True)
    cache.chmod(0o777)
    load_kernel("half", source, work_bytes=WORTH_BYTES)
    assert cache.stat().st_mode & 0o777 == 0o700


def test_the_cache_is_in_the_home_folder_unless_told_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "ssdlab" / "kernels"
