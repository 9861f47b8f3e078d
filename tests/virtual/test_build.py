import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ssdlab.model.errors import MissingToolError
from ssdlab.targets import open_target
from ssdlab.virtual import build
from ssdlab.virtual.build import build_plugin, opened_plugin
from ssdlab.virtual.server import start_server
from tests.virtual.lab import UNTIMED


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


PLANTED = """
#include <stdio.h>
#include <unistd.h>
__attribute__((constructor)) static void run (void)
{ FILE *file = fopen ("PLANTED", "a"); if (file) fclose (file); }
"""


@pytest.fixture
def cache(plugin_cache: Path, tmp_path: Path) -> Path:
    """Return a cache that holds the plugin, which need not be compiled for it."""
    build_plugin(plugin_cache)
    return Path(shutil.copytree(plugin_cache, tmp_path / "cache"))


def _plant(so: Path, *, owner: int = -1, mode: int = 0o755) -> None:
    """Put a library where a plugin is looked for, that tells when it is loaded."""
    source = so.with_suffix(".c")
    told = source.with_name("loaded")
    source.write_text(PLANTED.replace("PLANTED", str(told)))
    so.unlink(missing_ok=True)
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", so, source], check=True)
    source.unlink()
    so.chmod(mode)
    os.chown(so, owner, owner)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
@pytest.mark.parametrize("given", ["file", "folder"])
def test_plugin_of_another_user_is_not_loaded(
    cache: Path, tmp_path: Path, given: str
) -> None:
    so = build_plugin(cache).path
    _plant(so, owner=65534 if given == "file" else -1)
    if given == "folder":
        os.chown(cache, 65534, 65534)
    ssd = start_server(UNTIMED, tmp_path / "run", cache_folder=cache)
    ssd.stop()
    assert not (cache / "loaded").exists()


def test_plugin_that_others_may_change_is_built_anew(
    cache: Path, tmp_path: Path
) -> None:
    so = build_plugin(cache).path
    assert (so.stat().st_mode & 0o777, cache.stat().st_mode & 0o777) == (0o700, 0o700)
    _plant(so, mode=0o775)
    start_server(UNTIMED, tmp_path / "run", cache_folder=cache).stop()
    assert not (cache / "loaded").exists()
    assert so.stat().st_mode & 0o777 == 0o700


def test_plugin_in_a_folder_of_runs_is_never_loaded(
    plugin_cache: Path, tmp_path: Path
) -> None:
    planted = tmp_path / "runs" / ".cache"
    planted.mkdir(parents=True)
    name = build_plugin(plugin_cache).path.name
    _plant(planted / name)
    target = open_target("virtual:size=32MiB", folder=tmp_path / "runs/one/target")
    target.close()
    assert [path.name for path in planted.iterdir()] == [name]


@pytest.mark.parametrize("home", ["a file", "none"])
def test_plugin_is_built_aside_where_there_is_no_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: str
) -> None:
    (tmp_path / "taken").write_text("a file where a folder should be")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "taken"))
    if home == "none":
        monkeypatch.delenv("XDG_CACHE_HOME")
        monkeypatch.setattr(Path, "home", _no_home)
    with opened_plugin() as plugin:
        assert os.fstat(plugin.descriptor).st_size > 10_000


def _no_home() -> Path:
    msg = "no home"
    raise RuntimeError(msg)


def test_build_plugin_leaves_one_whole_file_when_many_build_at_once(
    tmp_path: Path,
) -> None:
    code = (
        "import sys; from pathlib import Path; "
        "from ssdlab.virtual.build import build_plugin, opened_plugin; "
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


def test_build_plugin_builds_anew_when_the_compiler_changes(
    cache: Path, tmp_path: Path
) -> None:
    other = _folder_of_programs(
        tmp_path / "bin",
        gcc='case $1 in --version) echo "other 1.0";; *) exec /usr/bin/gcc "$@";; esac',
        nbdkit="exit 0",
    )
    paths = {
        build_plugin(cache).path,
        build_plugin(cache, search_path=other).path,
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
