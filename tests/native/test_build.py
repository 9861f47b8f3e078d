import os
import stat
from pathlib import Path

import pytest

from ssdlab.native.build import Refusal, build_shared, find_compiler, fingerprint


@pytest.fixture
def compiler() -> str:
    found = find_compiler()
    if found is None:
        pytest.skip("no C compiler is installed")
    return found


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "half.c"
    path.write_text("int half(int number) { return number / 2; }\n")
    return path


def test_no_compiler_is_found_where_there_is_none(tmp_path: Path) -> None:
    assert find_compiler(str(tmp_path)) is None


def test_the_first_compiler_by_name_is_found_when_there_are_several(
    tmp_path: Path,
) -> None:
    for name in ("clang", "cc"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    assert find_compiler(str(tmp_path)) == str(tmp_path / "cc")


def test_a_source_is_built_once(compiler: str, source: Path, tmp_path: Path) -> None:
    built = tmp_path / "cache" / "half.so"
    assert build_shared(compiler, [source], flags=(), built=built) == built
    made = built.stat().st_mtime_ns
    source.write_text("no C at all")
    assert build_shared(compiler, [source], flags=(), built=built) == built
    assert built.stat().st_mtime_ns == made
    assert [file.name for file in built.parent.iterdir()] == ["half.so"]


def test_a_refusal_says_what_the_compiler_said_and_leaves_nothing(
    compiler: str, source: Path, tmp_path: Path
) -> None:
    source.write_text("#error nobody builds this\n")
    built = tmp_path / "cache" / "half.so"
    done = build_shared(compiler, [source], flags=(), built=built)
    assert isinstance(done, Refusal)
    assert "nobody builds this" in done.said
    assert list(built.parent.iterdir()) == []


def test_a_build_differs_by_all_that_it_depends_on(
    compiler: str, source: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.c"
    other.write_text("int other;\n")
    marks = [
        fingerprint(compiler, [source], flags=("-O2",)),
        fingerprint(compiler, [source], flags=("-O3",)),
        fingerprint(compiler, [source, other], flags=("-O2",)),
        fingerprint(compiler, [source], flags=("-O2",), machine="another"),
        fingerprint(_other_compiler(tmp_path), [source], flags=("-O2",)),
    ]
    source.write_text("int changed;\n")
    marks.append(fingerprint(compiler, [source], flags=("-O2",)))
    assert len(set(marks)) == len(marks)


def _other_compiler(folder: Path) -> str:
    path = folder / "gcc"
    path.write_text("#!/bin/sh\necho other 1.0\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    assert os.access(path, os.X_OK)
    return str(path)
