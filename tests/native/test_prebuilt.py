import platform
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from ssdlab.native import kernels, prebuilt
from ssdlab.native.build import find_compiler
from ssdlab.native.kernels import SWITCH, load_kernel
from ssdlab.native.prebuilt import LEVELS, Level, find_prebuilt, library_name

BASE = Level(name="base", machine=platform.machine())
FAST = Level(name="fast", machine=platform.machine(), flags=frozenset({"fast"}))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of prebuilt libraries, with two levels of this machine."""
    place = tmp_path / "prebuilt"
    for level in (BASE, FAST):
        (place / level.name).mkdir(parents=True)
    monkeypatch.setattr(prebuilt, "FOLDER", place)
    monkeypatch.setattr(prebuilt, "LEVELS", (FAST, BASE))
    monkeypatch.delenv(SWITCH, raising=False)
    return place


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "half.c"
    path.write_text("int half(int number) { return number / 2; }\n")
    return path


def put(folder: Path, level: Level, source: Path, data: bytes = b"library") -> Path:
    path = folder / level.name / library_name("half", [source])
    path.write_bytes(data)
    return path


def test_checkout_has_no_prebuilt_library(source: Path) -> None:
    assert find_prebuilt("half", [source]) is None


def test_library_of_other_sources_is_not_found(folder: Path, source: Path) -> None:
    built = put(folder, BASE, source)
    assert find_prebuilt("half", [source]) == built
    source.write_text("int half(int number) { return number / 3; }\n")
    assert find_prebuilt("half", [source]) is None


def test_name_differs_when_bytes_move_from_one_source_to_another(
    tmp_path: Path,
) -> None:
    first, second = tmp_path / "first.c", tmp_path / "second.c"
    names = set()
    for texts in (("ab", "c"), ("a", "bc")):
        first.write_text(texts[0])
        second.write_text(texts[1])
        names.add(library_name("half", [first, second]))
    assert len(names) == 2


@pytest.mark.parametrize(("flags", "chosen"), [({"fast"}, FAST), (set(), BASE)])
def test_fastest_level_of_the_processor_is_chosen(
    folder: Path,
    source: Path,
    monkeypatch: pytest.MonkeyPatch,
    flags: set[str],
    chosen: Level,
) -> None:
    monkeypatch.setattr(prebuilt, "_cpu_flags", lambda: frozenset(flags))
    for level in (BASE, FAST):
        put(folder, level, source)
    found = find_prebuilt("half", [source])
    assert found is not None
    assert found.parent.name == chosen.name


def test_library_of_another_machine_is_not_found(
    folder: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(folder, BASE, source)
    monkeypatch.setattr(platform, "machine", lambda: "sparc64")
    assert find_prebuilt("half", [source]) is None


def test_levels_of_a_machine_are_sorted_the_fastest_first() -> None:
    for machine in {level.machine for level in LEVELS}:
        flags = [level.flags for level in LEVELS if level.machine == machine]
        assert flags == sorted(flags, key=len, reverse=True)
        assert all(fast >= slow for fast, slow in pairwise(flags))


def test_kernel_of_the_wheel_is_used_without_a_compiler(
    folder: Path, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = find_compiler()
    if compiler is None:
        pytest.skip("no C compiler is installed")
    built = put(folder, BASE, source)
    command = [compiler, "-shared", "-fPIC", "-o", str(built), str(source)]
    subprocess.run(command, check=True)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(kernels, "find_compiler", lambda: None)
    kernel = load_kernel("half", source, work_bytes=1)
    assert kernel is not None
    assert kernel.half(84) == 42
    assert not (tmp_path / "cache").exists()


def test_kernel_is_built_where_that_of_the_wheel_cannot_be_loaded(
    folder: Path, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("no C compiler is installed")
    broken = put(folder, BASE, source, b"no library")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    kernel = load_kernel("half", source, work_bytes=kernels.WORTH_BYTES)
    assert kernel is not None
    assert kernel.half(6) == 3
    assert broken.read_bytes() == b"no library"
