"""fio must be there, answer, and be new enough."""

from pathlib import Path

import pytest

from ssdlab.fio.installed import require_fio
from ssdlab.model.errors import MissingToolError


def make_fio(folder: Path, script: str) -> str:
    path = folder / "fio"
    path.write_text(script)
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    "version", ["fio-3.16", "fio-3.33", "fio-3.41-12-gabc", "fio-4.0"]
)
def test_new_enough_fio_is_taken_from_the_path(
    version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_fio(tmp_path, f"#!/bin/sh\necho {version}\n")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert require_fio() == (path, version)


def test_missing_fio_is_named_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingToolError, match=r"fio is needed.*apt-get install fio"):
        require_fio()


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("#!/bin/sh\necho fio-3.9\n", "fio-3.9"),
        ("#!/bin/sh\necho fio-2.21\n", "fio-2.21"),
        ("#!/bin/sh\necho nonsense\n", "nonsense"),
        ("#!/bin/sh\necho broken library >&2; exit 127\n", "broken library"),
        ("#!/no/such/shell\n", "No such file"),
        ("\x7fELF", "Exec format error"),
    ],
    ids=["old", "very old", "no version", "broken", "no shell", "no program"],
)
def test_fio_that_cannot_be_trusted_is_refused_in_its_words(
    script: str, said: str, tmp_path: Path
) -> None:
    path = make_fio(tmp_path, script)
    with pytest.raises(MissingToolError, match=rf"3\.16 or newer.*reports.*{said}"):
        require_fio(path)
