"""A file target is held as a drive is: nothing but the file that was made is written.

Each way in which another file can have its name was one by which that was destroyed.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from ssdlab.model.errors import TargetRefusedError
from ssdlab.model.units import KIB, MIB
from ssdlab.system.births import read_birth_ns
from ssdlab.targets import Target, file_note, held_file, open_target, reopen_target
from ssdlab.targets.file_note import Note, note_path, read_note
from ssdlab.targets.opening import read_shape
from tests.fio.jobs import CONTEXT, cell, job_of, new_chain, request_of, workload
from tests.paths import ROOT
from tests.targets.conftest import MakeLoop
from tests.targets.stored import stored_record

SIZE = "1MiB"


def open_at(path: Path, size: str = SIZE) -> Target:
    spec = f"file:{path}" + (f",size={size}" if size else "")
    return open_target(spec, folder=Path("/nowhere"))


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Return a folder beside the code: one in memory gives no inode a second time."""
    build = ROOT / "build"
    build.mkdir(exist_ok=True)
    with TemporaryDirectory(dir=build) as folder:
        yield Path(folder)


@pytest.fixture
def made(tmp_path: Path) -> Target:
    """Return a target that a session used and let go of."""
    target = open_at(tmp_path / "drive")
    assert not target.release()
    return target


def path_of(target: Target) -> Path:
    return Path(str(target.identity.options["path"]))


def digests(folder: Path) -> dict[str, str]:
    """Return what stands in all files of a folder, those that links lead to as well."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.iterdir()
        if path.is_file() and not path.name.endswith(".ssdlab.json")
    }


def reopen(target: Target) -> Target:
    with TemporaryDirectory() as folder:
        record = stored_record(Path(folder), target)
    return reopen_target(record, folder=Path("/nowhere"))


def require_refused(target: Target, why: str) -> None:
    """Require that a new run, a plan and a resumed run are refused, nothing changed."""
    path = path_of(target)
    before = digests(path.parent)
    ways: tuple[Callable[[], object], ...] = (
        lambda: open_at(path),
        lambda: open_at(path, ""),
        lambda: read_shape(f"file:{path}"),
        lambda: reopen(target),
    )
    for way in ways:
        with pytest.raises(TargetRefusedError, match=why) as refusal:
            way()
        assert refusal.value.exit_code == 2
    assert digests(path.parent) == before


def make_file_of_the_inode(path: Path, inode: int) -> bool:
    """Save a file under a name until the file system gives it an inode again."""
    spares: list[Path] = []
    for number in range(64):
        path.write_bytes(os.urandom(200 * KIB))
        if path.stat().st_ino == inode:
            break
        spares.append(path.replace(path.with_name(f"spare-{number}")))
    for spare in spares:
        spare.unlink()
    return path.exists()


def test_users_file_with_the_inode_of_the_deleted_one_is_refused(
    tmp_path: Path, made: Target
) -> None:
    path = path_of(made)
    inode = path.stat().st_ino
    path.unlink()
    if not make_file_of_the_inode(path, inode):
        pytest.skip(f"the file system of {tmp_path} gives no inode twice at once")
    require_refused(made, "not the file that ssdlab made here")


def test_users_file_of_the_same_size_is_refused(made: Target) -> None:
    path = path_of(made)
    path.unlink()
    path.write_bytes(os.urandom(MIB))
    require_refused(made, "not the file that ssdlab made here: it was made at another")


def test_link_in_its_place_is_refused(tmp_path: Path, made: Target) -> None:
    path, precious = path_of(made), tmp_path / "precious"
    precious.write_bytes(os.urandom(MIB))
    path.unlink()
    path.symlink_to(precious)
    require_refused(made, "it is a symbolic link")


def test_link_to_the_file_itself_is_refused(tmp_path: Path, made: Target) -> None:
    path, moved = path_of(made), tmp_path / "moved"
    path.rename(moved)
    path.symlink_to(moved)
    require_refused(made, "it is a symbolic link")


def test_hard_link_is_refused_under_either_name(tmp_path: Path, made: Target) -> None:
    path, other = path_of(made), tmp_path / "other"
    other.hardlink_to(path)
    require_refused(made, "it has a second name")
    note_path(other).write_bytes(note_path(path).read_bytes())
    with pytest.raises(TargetRefusedError, match="it has a second name"):
        open_at(other)


@pytest.mark.parametrize("content", [b"dear mother", os.urandom(MIB)], ids=len)
def test_file_rewritten_in_place_is_refused(made: Target, content: bytes) -> None:
    """As ``cat mine > a.img`` does: inode, mark and birth time are as they were."""
    path = path_of(made)
    inode = path.stat().st_ino
    path.write_bytes(content)
    assert path.stat().st_ino == inode
    require_refused(made, "not the file that ssdlab made here: it ")


def test_file_written_to_in_its_middle_is_refused(made: Target) -> None:
    """As ``dd conv=notrunc`` does, also where its time is set back."""
    path = path_of(made)
    before = path.stat()
    with path.open("r+b") as file:
        file.seek(512 * KIB)
        file.write(b"dear mother")
    require_refused(made, "it was written to since")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    require_refused(made, "it was written to since")  # by what stands at its ends


def test_copy_is_not_the_file(tmp_path: Path, made: Target) -> None:
    """Not even one with all that can be copied: mark, times, owner, and its note."""
    path = path_of(made)
    copy = tmp_path / "copy"
    for source, place in ((path, copy), (note_path(path), note_path(copy))):
        subprocess.run(["cp", "--archive", source, place], check=True)
    with pytest.raises(TargetRefusedError, match="it was made at another time"):
        open_at(copy)
    copy.replace(path)
    require_refused(made, "it was made at another time")


def test_block_device_is_refused_by_its_name_and_behind_a_link(
    tmp_path: Path, make_loop: MakeLoop
) -> None:
    device, path = make_loop(512), tmp_path / "drive"
    backing = tmp_path / "backing-0.img"
    subprocess.run(["mkfs.ext4", "-qF", device], check=True)
    made = open_at(path)
    made.release()
    path.unlink()
    path.symlink_to(device)
    before = hashlib.sha256(backing.read_bytes()).hexdigest()
    require_refused(made, "it is a symbolic link")
    path.unlink()
    os.mknod(path, 0o600 | 0o060000, Path(device).stat().st_rdev)
    require_refused(made, "it is a block device")
    assert hashlib.sha256(backing.read_bytes()).hexdigest() == before


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, Path.touch])
def test_what_is_no_file_of_ours_is_refused_at_once(
    made: Target, make: Callable[[Path], None]
) -> None:
    path = path_of(made)
    path.unlink()
    make(path)
    require_refused(made, "it is a |not the file that ssdlab made here")


def test_second_run_on_a_file_is_refused(
    made: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held_file, "_PAUSE_S", 0.01)
    first = open_at(path_of(made))
    require_refused(made, "another run uses it")
    assert not first.find_trouble()
    first.release()
    assert not open_at(path_of(made)).release()


def test_file_stays_locked_while_a_fio_lives_that_was_handed_it(made: Target) -> None:
    """A fio that outlives its ssdlab by a moment keeps the next one out."""
    target = open_at(path_of(made))
    assert target.descriptor is not None
    child = subprocess.Popen(
        [sys.executable, "-c", "input()"],
        stdin=subprocess.PIPE,
        pass_fds=[target.descriptor],
    )
    target.release()
    with path_of(made).open("rb") as other, pytest.raises(BlockingIOError):
        fcntl.flock(other, fcntl.LOCK_SH | fcntl.LOCK_NB)
    child.communicate(b"\n")
    assert not open_at(path_of(made)).release()


def test_trouble_is_told_while_it_is_held(tmp_path: Path, made: Target) -> None:
    path = path_of(made)
    target = open_at(path)
    link = tmp_path / "link"
    link.hardlink_to(path)
    assert "it has a second name" in target.find_alarm()
    link.unlink()
    moved = path.rename(tmp_path / "moved")
    assert target.find_trouble() == f"{path} is gone"
    path.write_text("dear mother")
    assert "another file has its name" in target.find_alarm()
    path.unlink()
    moved.rename(path)
    assert not target.find_trouble()
    os.truncate(path, 512)
    assert "it has 512 bytes instead of 1,048,576" in target.find_alarm()
    target.release()
    assert "was released" in target.find_trouble()


def kill_session(path: Path) -> None:
    """Open a file in another process, and kill that."""
    script = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from ssdlab.targets.file import open_file\n"
        "held = open_file(sys.argv[1])\n"
        "os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(path)], check=False)
    assert done.returncode == -9


def test_killed_session_is_taken_up_and_no_other_begun(made: Target) -> None:
    path = path_of(made)
    kill_session(path)
    for way in (open_at, lambda path: read_shape(f"file:{path}")):
        with pytest.raises(TargetRefusedError, match="session on it was killed"):
            way(path)
    again = reopen(made)
    assert again.identity == made.identity
    assert not again.release()
    assert not open_at(path).release()


def test_file_rewritten_after_a_killed_session_is_refused(made: Target) -> None:
    path = path_of(made)
    kill_session(path)
    path.write_bytes(b"dear mother\n" * (MIB // 12) + b"love")
    assert path.stat().st_size == MIB
    require_refused(made, "session on it was killed")


def test_blocks_that_fio_marked_before_it_was_killed_are_its_own(made: Target) -> None:
    path = path_of(made)
    kill_session(path)
    with path.open("r+b") as file:
        for place in range(0, MIB, 4096):
            file.seek(place + 1000)
            file.write(bytes(100))  # as scramble_buffers writes, at the most
    assert not reopen(made).release()


def test_session_that_was_killed_long_ago_is_taken_up(
    made: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held_file, "_LAST_WRITE_NS", 0)
    kill_session(path_of(made))
    assert not reopen(made).release()


@pytest.mark.parametrize("is_time_kept", [False, True], ids=["now", "as rsync -t"])
def test_file_given_compressed_data_after_a_killed_session_is_refused(
    made: Target, monkeypatch: pytest.MonkeyPatch, *, is_time_kept: bool
) -> None:
    """Of the same size, in place: mark, birth time and randomness are as they were."""
    monkeypatch.setattr(held_file, "_LAST_WRITE_NS", 0)
    path = path_of(made)
    kill_session(path)
    before = path.stat()
    path.write_bytes(zlib.compress(os.urandom(2 * MIB))[:MIB])
    if is_time_kept:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    require_refused(made, "session on it was killed")


def test_note_tells_that_its_session_lives(made: Target) -> None:
    path = path_of(made)
    target = open_at(path)
    note = note_path(path)
    content = note.read_bytes()
    os.utime(note, (0, 0))
    assert not target.find_alarm()
    touched_ns = note.stat().st_mtime_ns
    assert abs(touched_ns - time.time_ns()) < 60e9
    assert not target.find_alarm()  # too soon to be told again
    assert (note.stat().st_mtime_ns, note.read_bytes()) == (touched_ns, content)
    note.unlink()
    target.held.beat_s = 0.0  # type: ignore[attr-defined]
    assert not target.find_alarm()
    assert not note.exists()
    target.release()


def test_file_whose_filling_was_cut_short_is_refused(tmp_path: Path) -> None:
    script = (
        "import os, sys\n"
        "from ssdlab.targets import file\n"
        "file._fill = lambda *_: os.kill(os.getpid(), 9)\n"
        "file.open_file(sys.argv[1])\n"
    )
    spec = f"{tmp_path / 'drive'},size=1MiB"
    done = subprocess.run([sys.executable, "-c", script, spec], check=False)
    assert done.returncode == -9
    with pytest.raises(
        TargetRefusedError, match=r"cut short\. If it is not needed, remove"
    ):
        open_at(tmp_path / "drive")


def test_nothing_is_left_when_the_filling_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ssdlab.targets.file._fill", stop)
    with pytest.raises(KeyboardInterrupt):
        open_at(tmp_path / "drive")
    assert list(tmp_path.iterdir()) == []


def test_file_lives_on_where_it_cannot_be_marked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a file system without extended attributes and without birth times."""
    monkeypatch.setattr("ssdlab.targets.file.put_mark", lambda *_: False)
    for module in ("file", "held_file"):
        monkeypatch.setattr(f"ssdlab.targets.{module}.read_birth_ns", lambda _fd: None)
    target = open_at(tmp_path / "drive")
    target.release()
    assert not reopen(target).release()
    path = path_of(target)
    path.rename(tmp_path / "moved")
    path.write_bytes((tmp_path / "moved").read_bytes())
    require_refused(target, "it was made at another time")


def test_file_without_its_mark_is_refused(made: Target) -> None:
    if not hasattr(os, "removexattr"):
        pytest.skip("this system has no extended attributes")
    path = path_of(made)
    with suppress(OSError):
        os.removexattr(path, file_note._ATTRIBUTE)
        require_refused(made, "it lacks the mark of its note")


def _to_a_link(note: Path, folder: Path) -> None:
    note.rename(folder / "elsewhere")
    note.symlink_to(folder / "elsewhere")


def _to_a_pipe(note: Path, _folder: Path) -> None:
    note.unlink()
    os.mkfifo(note)


def _to_a_giant(note: Path, _folder: Path) -> None:
    os.truncate(note, 10 << 30)


def _to_depth(note: Path, _folder: Path) -> None:
    note.write_text("[" * 4000)


def _to_another_serial(note: Path, _folder: Path) -> None:
    note.write_text(note.read_text().replace("file-", "file-\\u001b"))


def _to_nothing(note: Path, _folder: Path) -> None:
    note.unlink()


def _to_zero(note: Path, _folder: Path) -> None:
    note.unlink()
    note.symlink_to("/dev/zero")


@pytest.mark.parametrize(
    "spoil",
    [
        *(_to_a_link, _to_a_pipe, _to_a_giant, _to_depth, _to_another_serial),
        *(_to_nothing, _to_zero),
    ],
)
def test_note_of_strangers_is_no_note(
    tmp_path: Path, made: Target, spoil: Callable[[Path, Path], None]
) -> None:
    path = path_of(made)
    spoil(note_path(path), tmp_path)
    require_refused(made, "was not made by ssdlab|of another version of ssdlab")


def test_note_of_another_owner_is_no_note(made: Target) -> None:
    if os.geteuid():
        pytest.skip("only root may give a file away")
    path = path_of(made)
    os.chown(note_path(path), 65534, 65534)
    require_refused(made, "of another owner")
    os.chown(path, 65534, 65534)
    assert not open_at(path).release()


def test_note_of_an_older_version_is_told(made: Target) -> None:
    note_path(path_of(made)).write_text(
        '{"made_by": "ssdlab", "serial": "file-1", "size_bytes": 5, "inode": 1, '
        '"device": 2}'
    )
    require_refused(made, r"of another version of ssdlab.*remove it and its note")


def test_note_is_kept_by_what_it_says(made: Target) -> None:
    note = read_note(path_of(made), os.geteuid())
    assert isinstance(note, Note)
    assert (note.state, note.size_bytes) == ("at rest", MIB)
    target = open_at(path_of(made))
    used = read_note(path_of(made), os.geteuid())
    assert used == replace(note, state="in use", ends="", changed_ns=0)
    target.release()
    assert read_note(path_of(made), os.geteuid()) == note  # nothing was written to it


def test_birth_time_is_that_of_the_system(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    told = subprocess.run(
        ["stat", "--format=%W", path], capture_output=True, text=True, check=True
    )
    with path.open("rb") as file:
        birth_ns = read_birth_ns(file.fileno())
    assert (birth_ns or 0) // 10**9 == int(told.stdout)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a file system in memory that has no room for much."""
    if os.geteuid():
        pytest.skip("only root may mount a file system")
    place = tmp_path / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "none", str(place)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("this machine mounts no file system in memory")
    yield place
    subprocess.run(["umount", "--lazy", place], check=True)


def test_note_that_cannot_be_written_is_told_and_the_run_may_go_on(
    small_disk: Path,
) -> None:
    target = open_at(small_disk / "drive")
    with suppress(OSError), (small_disk / "rest").open("wb", buffering=0) as rest:
        while rest.write(bytes(4096)) == 4096:
            pass
    assert "was not written" in target.release()
    (small_disk / "rest").unlink()
    assert not reopen(target).release()


@pytest.mark.fio
@pytest.mark.parametrize("thread", ["0", "1"], ids=["processes", "threads"])
def test_fio_writes_to_the_held_file_whatever_has_its_name(
    tmp_path: Path, made: Target, thread: str
) -> None:
    """The name is given away while the next fio stands ready, held at its gate."""
    path = path_of(made)
    target = open_at(path)
    context = replace(CONTEXT, capacity_bytes=MIB)
    step = cell(workload("seq", 4 * KIB, threads=2), seconds=0.2, context=context)
    request = request_of(step, target.fio_options, tmp_path / "steps")
    job = request.job.replace("thread=1", f"thread={thread}")
    moved = tmp_path / "moved"
    before = path.read_bytes()
    path.rename(moved)
    precious = os.urandom(MIB)
    path.write_bytes(precious)
    with new_chain() as chain:
        outcome = chain.run(replace(request, job=job, descriptor=target.descriptor))
    assert outcome.exit_code == 0, outcome.said
    assert job_of(outcome)["write"]["io_bytes"] > 0
    assert path.read_bytes() == precious
    assert moved.read_bytes() != before
    job_file = outcome.request.folder.text("job.fio")
    assert f"filename={path}\n" in job_file  # for who reads it
    target.release()
    shutil.rmtree(tmp_path / "steps")
