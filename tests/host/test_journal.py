"""The journal of what was changed on the host."""

import json
from pathlib import Path

import pytest

from ssdlab.host.journal import default_journal, locked_journal
from ssdlab.host.tuning import revert_tuning
from ssdlab.model.errors import TargetRefusedError
from tests.host.wrong_host import AIO, apply, read


def test_second_process_is_told_to_wait(root: Path, journal: Path) -> None:
    with (
        locked_journal(journal),
        pytest.raises(TargetRefusedError, match="another process is changing"),
    ):
        apply(root, journal)
    assert read(root, AIO) == "1024"


@pytest.mark.parametrize(
    "content",
    [
        "",
        "no JSON",
        "[]",
        '{"format": 2, "boot_id": "b-1", "changes": []}',
        '{"format": 1, "boot_id": "b-1", "changes": [{"path": "/sys"}]}',
    ],
)
def test_journal_that_is_none_is_refused_and_left(
    content: str, root: Path, journal: Path
) -> None:
    journal.parent.mkdir()
    journal.write_text(content)
    with pytest.raises(TargetRefusedError, match="not a journal"):
        revert_tuning(journal=journal, root=root)
    with pytest.raises(TargetRefusedError, match="not a journal"):
        apply(root, journal)
    assert journal.read_text() == content
    assert read(root, AIO) == "1024"


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "/sys/block/../../etc/passwd/queue/scheduler",
        "/sys/block/sda/queue/scheduler/../../../x",
        "/proc/sysrq-trigger",
        "/proc/sys/kernel/core_pattern",
        "/sys/bus/pci/devices/0000:01:00.0/remove",
        "sys/module/pcie_aspm/parameters/policy",
    ],
)
def test_journal_that_names_another_file_is_refused(
    path: str, root: Path, journal: Path
) -> None:
    apply(root, journal)
    held = json.loads(journal.read_text())
    held["changes"][0]["path"] = path
    journal.write_text(json.dumps(held))
    with pytest.raises(TargetRefusedError, match="not a journal"):
        revert_tuning(journal=journal, root=root)


def test_journal_that_cannot_be_kept_stops_before_anything_is_changed(
    root: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TargetRefusedError, match="cannot be written"):
        apply(root, tmp_path / "file/journal.json")
    assert read(root, AIO) == "1024"


def test_journal_lies_where_the_user_keeps_state(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = Path("/home/me/.local/state/ssdlab/host-tuning.json")
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.delenv("XDG_STATE_HOME")
    assert default_journal() == own
    monkeypatch.setenv("XDG_STATE_HOME", "/var/my")
    assert default_journal() == Path("/var/my/ssdlab/host-tuning.json")
    # A relative path is to be ignored: XDG base directory specification.
    monkeypatch.setenv("XDG_STATE_HOME", "my")
    assert default_journal() == own
