"""run.json and state.json: what was written comes back, the rest is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ssdlab.model.errors import RunFolderError
from ssdlab.store.records import (
    read_record,
    read_state,
    write_record,
    write_state,
)
from ssdlab.store.run import open_tables
from tests.store.folders import STATE, make_run, record

Change = Callable[[dict[str, Any]], object]


def change(folder: Path, name: str, change: Change) -> None:
    path = folder / name
    data = json.loads(path.read_bytes())
    change(data)
    path.write_text(json.dumps(data))


def plain(value: object) -> object:
    return json.loads(json.dumps(value))


def test_record_comes_back_as_it_was(tmp_path: Path) -> None:
    write_record(tmp_path, record())
    assert read_record(tmp_path) == record()


def test_state_comes_back_as_it_was(tmp_path: Path) -> None:
    write_state(tmp_path, STATE)
    assert read_state(tmp_path) == STATE


def test_json_is_readable_and_keeps_letters(tmp_path: Path) -> None:
    write_record(tmp_path, record())
    text = (tmp_path / "run.json").read_text("utf-8")
    assert '"label": "läbel"' in text
    assert text.endswith("}\n")


@pytest.mark.parametrize("name", ["run.json", "state.json"])
def test_folder_without_its_papers_is_no_run(tmp_path: Path, name: str) -> None:
    make_run(tmp_path / "run")
    (tmp_path / "run" / name).unlink()
    with pytest.raises(RunFolderError, match=rf"it has no {name}, so it is not a run"):
        open_tables(tmp_path / "run")


@pytest.mark.parametrize("name", ["run.json", "state.json"])
@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b'"x"', b"\xff\xfe", b"[" * 100_000, b"{}x"],
    ids=["empty", "cut", "list", "text", "bytes", "deep", "more"],
)
def test_papers_are_refused_when_they_are_damaged(
    tmp_path: Path, name: str, content: bytes
) -> None:
    folder = make_run(tmp_path / "run")
    (folder / name).write_bytes(content)
    with pytest.raises(
        RunFolderError, match=rf"{name} (is damaged|has format)"
    ) as told:
        open_tables(folder)
    assert str(folder) in str(told.value)
    assert told.value.exit_code == 2


@pytest.mark.parametrize("version", [0, 3, "1", True, None])
def test_record_of_another_version_is_refused(tmp_path: Path, version: object) -> None:
    folder = make_run(tmp_path / "run")
    change(folder, "run.json", lambda data: data.update(format_version=version))
    with pytest.raises(
        RunFolderError,
        match=rf"has format {version}; this ssdlab reads 1 and 2\. Open it with",
    ):
        read_record(folder)


DAMAGE: dict[str, Change] = {
    "no seed": lambda data: data.pop("seed"),
    "a key too many": lambda data: data.update(colour="red"),
    "no target": lambda data: data.update(target=None),
    "half a host": lambda data: data["host"].pop("cpu"),
    "tests are a number": lambda data: data["asked"].update(tests=4),
    "nothing was asked for": lambda data: data.update(asked="demo"),
    "of no kind": lambda data: data["asked"].pop("type"),
    "profile without name": lambda data: data["asked"].pop("name"),
    "import of a virtual SSD": lambda data: data["asked"].update(type="Import"),
    "start is no text": lambda data: data.update(started_at=5),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_record_is_refused_when_its_content_is_none(
    tmp_path: Path, damage: str
) -> None:
    folder = make_run(tmp_path / "run")
    change(folder, "run.json", DAMAGE[damage])
    with pytest.raises(
        RunFolderError, match=r"run\.json is damaged \(.+\)\. Restore it from a copy"
    ):
        read_record(folder)


@pytest.mark.parametrize(
    "damage",
    [
        {"status": "asleep"},
        {"sessions": 5},
        {"sessions": [["a", "b"]]},
        {"sessions": [None]},
        {"colour": "red"},
    ],
    ids=str,
)
def test_state_is_refused_when_its_content_is_none(
    tmp_path: Path, damage: dict[str, object]
) -> None:
    folder = make_run(tmp_path / "run")
    change(folder, "state.json", lambda data: data.update(damage))
    with pytest.raises(RunFolderError, match=r"state\.json is damaged"):
        read_state(folder)
