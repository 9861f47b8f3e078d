"""A store wherever a command takes a folder: one run of it, some of them, or all."""

import json
import shutil
from pathlib import Path

import pytest

import ssdlab
from ssdlab.compare.folders import open_runs
from ssdlab.explorer.run_cache import RunCache
from ssdlab.fleet.store import Store
from ssdlab.model.errors import RunFolderError
from ssdlab.store.places import split_store
from tests.cli.called import call
from tests.fleet.conftest import SAMPLES


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Return a store of two runs that are there and one that is gone."""
    folder = tmp_path_factory.mktemp("named")
    gone = folder / "gone"
    shutil.copytree(SAMPLES / "tkperf-intel-s3510", gone)
    made = ssdlab.open_store(folder / "lab:1", create=True)
    for path in (SAMPLES / "virtual-lat", SAMPLES / "tkperf-crucial-mx200", gone):
        made = made.add(path)
    shutil.rmtree(gone)
    return made


def test_one_run_of_a_store_is_shown_as_its_folder_is(store: Store) -> None:
    shown = call("show", SAMPLES / "virtual-lat", "--json").stdout
    for named in ("20261121", "latest", "device_model=*virtual*&profile=demo"):
        done = call("show", f"{store.url}:{named}", "--json")
        assert done.returncode == 0, done.stderr
        assert done.stdout == shown
    assert json.loads(call("qos", f"{store.url}:latest", "--list", "--json").stdout)


@pytest.mark.parametrize(
    ("named", "words"),
    [
        ("", "3 runs"),
        (":20261122", "2 runs"),
        (":nothing", "no run"),
        (":device_serial=nothing", "Values of device_serial"),
        (":colour=red", "column"),
        (":device_model=INTEL*", "gone"),
    ],
)
def test_what_names_no_single_run_that_is_there_is_refused(
    store: Store, named: str, words: str
) -> None:
    done = call("show", f"{store.url}{named}")
    assert done.returncode == 2
    assert words in done.stderr


def test_runs_of_a_store_are_compared_and_a_gone_one_is_named(store: Store) -> None:
    found = open_runs(store.url)
    names = [run.path.name for run in found.runs]
    assert names == ["tkperf-crucial-mx200", "virtual-lat"]
    (gone,) = found.left_out
    assert "add it to the store" in gone
    words = [f"{store.url}:latest", f"{store.url}:device_model=Crucial*"]
    done = call("compare", *words, "--json")
    assert done.returncode == 0, done.stderr
    with pytest.raises(RunFolderError, match="two or more"):
        open_runs(words[0])


def test_runs_of_a_store_are_checked_and_a_gone_one_is_refused(store: Store) -> None:
    limits = ("--limits", "reference:intel-s3510")
    assert call("check", f"{store.url}:latest", *limits).returncode == 3
    done = call("check", store.url, *limits)
    assert done.returncode == 2
    assert "add it to the store" in done.stderr


def test_explorer_lists_the_runs_of_a_store(store: Store) -> None:
    listed = RunCache(store.url).listed
    assert {one.name: bool(one.trouble) for one in listed.values()} == {
        "virtual-lat": False,
        "tkperf-crucial-mx200": False,
        "gone": True,
    }
    assert list(RunCache(f"{store.url}:latest").listed) == ["virtual-lat"]


def test_path_that_exists_is_no_run_of_a_store(store: Store, tmp_path: Path) -> None:
    assert split_store(f"{store.url}:x:y") == (store.url, "x:y")
    assert split_store(store.url) == (store.url, "")
    assert split_store("s3://bucket/lab:r1") == ("s3://bucket/lab", "r1")
    assert split_store(Path("s3://bucket/lab:a=b:c")) == ("s3:/bucket/lab", "a=b:c")
    odd = tmp_path / "a:b"
    odd.mkdir()
    assert split_store(odd) is None
    assert split_store("latest") is None
    assert split_store("no-store:r1") is None
