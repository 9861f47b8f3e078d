"""What is set is undone, and nothing else."""

import errno
import os
from pathlib import Path

import pytest

from ssdlab.host import tuning
from ssdlab.host.journal import read_journal
from ssdlab.host.tuning import revert_tuning
from tests.host.made_host import BOOT_ID, write_files
from tests.host.wrong_host import (
    AIO,
    ASPM,
    GOVERNORS,
    MADE,
    REQUESTS,
    SCHEDULER,
    apply,
    read,
    snapshot,
)

NOT_EVEN_ROOT = "the kernel or the container does not let root change it"


def test_apply_makes_what_can_be_made_and_tells_each_change(
    root: Path, journal: Path
) -> None:
    tuned = apply(root, journal)
    assert {one.path.lstrip("/"): one.after for one in tuned} == MADE
    assert {name: read(root, name) for name in MADE} == MADE
    assert not any(one.fault for one in tuned)
    before = {one.path.lstrip("/"): one.before for one in tuned}
    assert (before[SCHEDULER], before[ASPM]) == ("mq-deadline", "default")
    assert before[REQUESTS] == "64"


def test_nothing_else_is_written(root: Path, journal: Path) -> None:
    before = snapshot(root)
    apply(root, journal)
    after = snapshot(root)
    assert {name for name in before if before[name] != after[name]} == set(MADE)
    assert set(after) == set(before)


def test_revert_leaves_the_host_as_it_was(root: Path, journal: Path) -> None:
    before = snapshot(root)
    apply(root, journal)
    undone = revert_tuning(journal=journal, root=root)
    assert not any(one.fault for one in undone)
    after = snapshot(root)
    # A made file does not list its choices any more; a kernel's would.
    assert {name for name in before if before[name] != after[name]} == {SCHEDULER, ASPM}
    assert (after[SCHEDULER], after[ASPM]) == ("mq-deadline", "default")
    assert not journal.exists()
    assert revert_tuning(journal=journal, root=root) == ()


def test_revert_goes_backwards(root: Path, journal: Path) -> None:
    apply(root, journal)
    _, changes = read_journal(journal)
    undone = revert_tuning(journal=journal, root=root)
    paths = [change.path for change in changes]
    assert [one.path for one in undone] == paths[::-1]
    # The scheduler is put back before the requests that the kernel sets with it.
    assert paths.index(f"/{REQUESTS}") < paths.index(f"/{SCHEDULER}")


def test_applied_twice_keeps_what_stood_there_at_first(
    root: Path, journal: Path
) -> None:
    apply(root, journal)
    write_files(root, {GOVERNORS[0]: "powersave"})
    again = apply(root, journal)
    assert [(one.path, one.before, one.after) for one in again] == [
        (f"/{GOVERNORS[0]}", "powersave", "performance")
    ]
    revert_tuning(journal=journal, root=root)
    assert read(root, GOVERNORS[0]) == "ondemand"


def test_requests_are_put_back_after_the_scheduler_that_sets_them(
    root: Path, journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel does so: here whatever is written to the scheduler sets 256."""
    write_files(root, {REQUESTS: "700"})
    write = tuning._write

    def like_a_kernel(path: str, value: str, of: Path) -> int:
        if path == f"/{SCHEDULER}":
            write_files(of, {REQUESTS: "256" if value == "mq-deadline" else "700"})
        return write(path, value, of)

    monkeypatch.setattr(tuning, "_write", like_a_kernel)
    apply(root, journal)
    revert_tuning(journal=journal, root=root)
    assert (read(root, SCHEDULER), read(root, REQUESTS)) == ("mq-deadline", "700")
    assert not journal.exists()


def test_what_somebody_changed_since_is_left_and_said(
    root: Path, journal: Path
) -> None:
    apply(root, journal)
    write_files(root, {AIO: "4096"})
    undone = revert_tuning(journal=journal, root=root)
    faults = {one.path: one.fault for one in undone if one.fault}
    assert list(faults) == [f"/{AIO}"]
    assert "from 1048576 to 4096; left as it is" in faults[f"/{AIO}"]
    assert read(root, AIO) == "4096"
    assert not journal.exists()


def test_file_of_another_device_is_left(root: Path, journal: Path) -> None:
    apply(root, journal)
    path = root / SCHEDULER
    path.rename(path.with_name("kept"))  # its inode stays taken
    path.write_text("none\n")
    undone = revert_tuning(journal=journal, root=root)
    faults = {one.path: one.fault for one in undone if one.fault}
    assert faults == {
        f"/{SCHEDULER}": "it now belongs to another device; left as it is"
    }
    assert read(root, SCHEDULER) == "none"


def test_file_that_is_gone_is_told_and_forgotten(root: Path, journal: Path) -> None:
    apply(root, journal)
    (root / REQUESTS).unlink()
    undone = revert_tuning(journal=journal, root=root)
    faults = [(one.path, one.fault) for one in undone if one.fault]
    assert faults == [(f"/{REQUESTS}", "it is gone; nothing to undo")]
    assert not (root / REQUESTS).exists()


def test_after_another_start_there_is_nothing_to_undo(
    root: Path, journal: Path
) -> None:
    apply(root, journal)
    write_files(root, {BOOT_ID: "b-2"})
    assert revert_tuning(journal=journal, root=root) == ()
    assert read(root, AIO) == "1048576"
    assert not journal.exists()


def test_changes_of_an_earlier_start_do_not_count_as_the_first(
    root: Path, journal: Path
) -> None:
    apply(root, journal)
    write_files(root, {BOOT_ID: "b-2", GOVERNORS[0]: "powersave"})
    apply(root, journal)
    boot, changes = read_journal(journal)
    assert boot == "b-2"
    assert [(change.path, change.before) for change in changes] == [
        (f"/{GOVERNORS[0]}", "powersave")
    ]


def test_what_stood_before_is_on_the_disk_before_it_is_changed(
    root: Path, journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, str | None]] = []
    write = tuning._write

    def spy(path: str, value: str, of: Path) -> int:
        held = {change.path: change for change in read_journal(journal)[1]}
        seen.append((held[path].before, held[path].after))
        assert read(root, path.lstrip("/")).find(held[path].before) >= 0
        return write(path, value, of)

    monkeypatch.setattr(tuning, "_write", spy)
    apply(root, journal)
    assert len(seen) == len(MADE)
    assert {after for _, after in seen} == {None}


def test_crash_between_two_writes_is_undone(
    root: Path, journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = snapshot(root)
    write = tuning._write

    def crash(path: str, value: str, of: Path) -> int:
        if path == f"/{GOVERNORS[1]}":
            raise KeyboardInterrupt
        return write(path, value, of)

    with monkeypatch.context() as patched:
        patched.setattr(tuning, "_write", crash)
        with pytest.raises(KeyboardInterrupt):
            apply(root, journal)
    assert read(root, GOVERNORS[0]) == "performance"
    revert_tuning(journal=journal, root=root)
    assert snapshot(root) == before


def test_value_that_does_not_stay_is_told(
    root: Path, journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = tuning._write

    def lose(path: str, value: str, of: Path) -> int:
        return 0 if path == f"/{AIO}" else write(path, value, of)

    monkeypatch.setattr(tuning, "_write", lose)
    tuned = apply(root, journal)
    faults = {one.path: one.fault for one in tuned if one.fault}
    assert faults == {f"/{AIO}": "it still reads 1024"}
    assert f"/{AIO}" not in {change.path for change in read_journal(journal)[1]}


@pytest.mark.parametrize(
    ("number", "is_root", "words", "needs_root"),
    [
        (errno.EACCES, False, "not permitted", True),
        (errno.EPERM, False, "not permitted", True),
        (errno.EPERM, True, f"not permitted: {NOT_EVEN_ROOT}", False),
        (errno.EACCES, True, f"not permitted: {NOT_EVEN_ROOT}", False),
        (errno.EROFS, False, "mounted read-only", False),
        (errno.EROFS, True, f"it is mounted read-only: {NOT_EVEN_ROOT}", False),
        (errno.EIO, True, "the kernel does not allow changing this one", False),
        (errno.EINVAL, False, "the kernel refuses this value", False),
        (errno.EBUSY, False, os.strerror(errno.EBUSY), False),
    ],
)
def test_refusal_is_told_with_its_reason(
    number: int,
    is_root: bool,  # noqa: FBT001 - a case
    words: str,
    needs_root: bool,  # noqa: FBT001 - a case
    root: Path,
    journal: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tuning, "_write", lambda *_: number)
    monkeypatch.setattr(tuning, "_is_root", lambda: is_root)
    tuned = apply(root, journal)
    assert {one.path.lstrip("/") for one in tuned} == set(MADE)
    assert all(words in one.fault and one.needs_root is needs_root for one in tuned)
    assert not journal.exists()


def test_what_could_not_be_undone_stays_in_the_journal(
    root: Path, journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    apply(root, journal)
    write = tuning._write

    def refuse(path: str, value: str, of: Path) -> int:
        return errno.EACCES if path == f"/{AIO}" else write(path, value, of)

    with monkeypatch.context() as patched:
        patched.setattr(tuning, "_write", refuse)
        patched.setattr(tuning, "_is_root", lambda: False)
        undone = revert_tuning(journal=journal, root=root)
    assert [one.path for one in undone if one.needs_root] == [f"/{AIO}"]
    assert [change.path for change in read_journal(journal)[1]] == [f"/{AIO}"]
    revert_tuning(journal=journal, root=root)
    assert read(root, AIO) == "1024"


def test_file_without_permission_is_not_written(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write anything")
    path = tmp_path / "file"
    path.write_text("1\n")
    path.chmod(0o444)
    assert tuning._write("/file", "2", tmp_path) == errno.EACCES


def test_file_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    assert tuning._write("/file", "2", tmp_path) == errno.ENOENT
    assert not (tmp_path / "file").exists()
