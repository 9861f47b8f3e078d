import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ssdlab.model.errors import MissingToolError
from ssdlab.virtual import build
from ssdlab.virtual.build import build_plugin


def _folder_of_programs(folder: Path, **scripts: str) -> str:
    folder.mkdir()
    for name, script in scripts.items():
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
    return str(folder)


def test_build_plugin_compiles_once_and_then_takes_the_cache(tmp_path: Path) -> None:
    first = build_plugin(tmp_path / "cache")
    made = first.path.stat()
    assert build_plugin(tmp_path / "cache") == first
    assert first.path.stat().st_mtime_ns == made.st_mtime_ns
    assert [file.name for file in (tmp_path / "cache").iterdir()] == [first.path.name]


def test_build_plugin_leaves_one_whole_file_when_many_build_at_once(
    tmp_path: Path,
) -> None:
    code = (
        "import sys; from pathlib import Path; "
        "from ssdlab.virtual.build import build_plugin; "
        "print(build_plugin(Path(sys.argv[1])).path)"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]

    def build_aside(_: int) -> str:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    with ThreadPoolExecutor(3) as pool:
        paths = set(pool.map(build_aside, range(3)))
    assert paths == {str(file) for file in tmp_path.iterdir()}
    assert len(paths) == 1


def test_build_plugin_builds_anew_when_the_compiler_changes(tmp_path: Path) -> None:
    other = _folder_of_programs(
        tmp_path / "bin",
        gcc='case $1 in --version) echo "other 1.0";; *) exec /usr/bin/gcc "$@";; esac',
        nbdkit="exit 0",
    )
    paths = {
        build_plugin(tmp_path / "cache").path,
        build_plugin(tmp_path / "cache", search_path=other).path,
    }
    assert len(paths) == 2


def test_build_plugin_says_how_to_get_nbdkit_when_it_is_missing(tmp_path: Path) -> None:
    path = _folder_of_programs(tmp_path / "bin", gcc="exit 0")
    with pytest.raises(MissingToolError, match=r"^nbdkit is needed.*apt-get install"):
        build_plugin(tmp_path / "cache", search_path=path)
    assert not (tmp_path / "cache").exists()


def test_build_plugin_says_how_to_get_gcc_when_no_compiler_is_there(
    tmp_path: Path,
) -> None:
    path = _folder_of_programs(tmp_path / "bin", nbdkit="exit 0")
    with pytest.raises(MissingToolError, match=r"^gcc is needed.*apt-get install"):
        build_plugin(tmp_path / "cache", search_path=path)


def test_build_plugin_names_the_header_package_when_the_header_is_missing(
    tmp_path: Path,
) -> None:
    path = _folder_of_programs(
        tmp_path / "bin", nbdkit="exit 0", gcc='exec /usr/bin/gcc -nostdinc "$@"'
    )
    with pytest.raises(MissingToolError, match=r"^nbdkit-plugin-dev") as caught:
        build_plugin(tmp_path / "cache", search_path=path)
    assert "nbdkit-plugin-dev gcc" in str(caught.value)
    assert list((tmp_path / "cache").iterdir()) == []


def test_build_plugin_shows_what_a_broken_compiler_said(tmp_path: Path) -> None:
    path = _folder_of_programs(
        tmp_path / "bin",
        nbdkit="exit 0",
        gcc='case $* in *-E*) exit 0;; *) echo "no space" >&2; exit 1;; esac',
    )
    with pytest.raises(MissingToolError, match="said: no space"):
        build_plugin(tmp_path / "cache", search_path=path)


def test_plugin_source_has_no_warnings(tmp_path: Path) -> None:
    source = Path(build.__file__).with_name("ftl.c")
    flags = ["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Wshadow", "-Werror", "-fPIC"]
    command = ["gcc", *flags, "-shared", "-o", str(tmp_path / "ftl.so"), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
