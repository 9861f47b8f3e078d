"""A run that was changed after it was written says so."""

import gzip
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ssdlab.ingest.ingest import ingest_run
from ssdlab.model.errors import RunFolderError
from ssdlab.store.manifest import find_changes, seal_run
from ssdlab.store.raw import read_all_steps, steps_folder
from ssdlab.store.records import read_record, write_record
from ssdlab.store.run import open_tables
from ssdlab.system.folders import Folder
from tests.engine.plans import INPUTS, drive, write_papers
from tests.fakes import FakeBackend


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sealed") / "run"
    drive(folder, FakeBackend())
    write_papers(folder)
    return folder


@pytest.fixture
def run(written: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(written, tmp_path / "run"))


def codes(run: Path) -> set[str]:
    ingest_run(run, INPUTS)
    return set(open_tables(run).findings["code"])


def first_cell(run: Path) -> Path:
    return next(run.glob("steps/*/fio.json.gz")).parent


def of_seal(found: set[str]) -> set[str]:
    return found & {"record-changed", "raw-changed", "not-sealed"}


def test_run_as_it_was_written_says_nothing(run: Path) -> None:
    changes = find_changes(run, read_all_steps(run))
    assert (changes.is_sealed, changes.record, changes.raw) == (True, (), ())
    assert of_seal(codes(run)) == set()
    kept = [record.files for record in read_all_steps(run)]
    assert all(kept)
    assert {"fio.json.gz", "exitcode"} <= set().union(*kept)


def edit_record(run: Path) -> None:
    write_record(run, replace(read_record(run), seed=8))


def edit_step(run: Path) -> None:
    path = first_cell(run) / "step.json"
    plain = json.loads(path.read_text())
    path.write_text(json.dumps(plain | {"was_armed": not plain["was_armed"]}))


def edit_raw(run: Path) -> None:
    path = first_cell(run) / "fio.json.gz"
    path.write_bytes(gzip.compress(gzip.decompress(path.read_bytes()) + b"\n"))


def remove_beside(run: Path) -> None:
    (first_cell(run) / "exitcode").unlink()


def forget(run: Path) -> None:
    (run / "manifest.json").unlink()


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (edit_record, "record-changed"),
        (edit_step, "record-changed"),
        (edit_raw, "raw-changed"),
        (remove_beside, "raw-changed"),
        (forget, "not-sealed"),
    ],
)
def test_each_change_is_found(
    run: Path, change: Callable[[Path], None], code: str
) -> None:
    change(run)
    assert of_seal(codes(run)) == {code}
    opened = open_tables(run)
    assert opened.answers.conforms is False  # the record departs besides
    assert opened.answers.has_doubts == (code != "record-changed")


def test_run_that_is_sealed_again_is_as_it_was_written(run: Path) -> None:
    edit_record(run)
    seal_run(run)
    assert of_seal(codes(run)) == set()


@pytest.mark.parametrize(
    "content", [b"{", b"[]", b"{}", b'{"sha256": []}', b'{"sha256": null}']
)
def test_damaged_manifest_is_refused_with_the_remedy(run: Path, content: bytes) -> None:
    (run / "manifest.json").write_bytes(content)
    with pytest.raises(RunFolderError, match=r"manifest\.json is damaged"):
        ingest_run(run, INPUTS)


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "../outside", "steps/../run.json", "steps/x/../../run.json"]
)
def test_manifest_leads_nowhere_else(run: Path, name: str) -> None:
    (run / "manifest.json").write_text(json.dumps({"sha256": {name: "0" * 64}}))
    try:
        found = find_changes(run, ()).record
    except RunFolderError:
        return
    assert found == (name,)


def test_file_of_terabytes_costs_no_time(run: Path) -> None:
    os.truncate(first_cell(run) / "exitcode", 2**42)
    changes = find_changes(run, read_all_steps(run))
    assert len(changes.raw) == 1


def test_link_in_the_place_of_raw_output_is_not_followed(
    run: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("x")
    place = first_cell(run) / "exitcode"
    place.unlink()
    place.symlink_to(secret)
    with pytest.raises(RunFolderError, match="link"):
        find_changes(run, read_all_steps(run))
    assert Folder(run).has("run.json")
    assert steps_folder(run).is_there()
