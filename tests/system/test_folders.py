"""Nothing in a folder of strangers leads out of it, waits for ever or has no end."""

import gzip
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from ssdlab.model.errors import RunFolderError
from ssdlab.system import held
from ssdlab.system.folders import PRIVATE, Folder
from tests.system.hostile import NO_FILES, SECRET, Plant, _huge

FD = Path("/proc/self/fd")
NOT_OPENED = ", and was not opened"


@pytest.fixture(params=["descriptors", "paths"], autouse=True)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use the folder as on Linux and macOS, and as on Windows."""
    if request.param == "paths":
        monkeypatch.setattr(held, "HAS_DESCRIPTORS", False)


@pytest.fixture
def victim(tmp_path: Path) -> Iterator[Path]:
    """Yield a file and, beside it, a folder that nobody may touch."""
    file = tmp_path / "victim"
    file.write_bytes(SECRET)
    (tmp_path / "theirs").mkdir()
    yield file
    assert file.read_bytes() == SECRET
    assert list((tmp_path / "theirs").iterdir()) == []


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """Return a new folder, with one more in it."""
    (Folder(tmp_path / "run") / "steps").make()
    return Folder(tmp_path / "run")


@pytest.fixture(params=list(NO_FILES.values()), ids=list(NO_FILES))
def plant(request: pytest.FixtureRequest) -> Plant:
    """Return what puts something that is no file in the place of one."""
    found: Plant = request.param
    return found


def test_file_is_read_as_it_was_written(folder: Folder) -> None:
    step = folder / "steps" / "00001"
    assert step.make_new().names() == ()
    step.write("step.json", b"{}")
    step.write("step.json", b"[]")
    assert (step.names(), step.read("step.json")) == (("step.json",), b"[]")
    assert step.has_file("step.json")
    assert not step.has_file("other")
    assert stat.S_IMODE((step.path / "step.json").stat().st_mode) & 0o400


def test_what_is_no_file_is_not_read(
    folder: Folder, victim: Path, plant: Plant
) -> None:
    plant(folder.path / "steps" / "step.json", victim)
    steps = folder / "steps"
    for read in (steps.read, steps.unpack, steps.has_file, steps.find_text):
        with pytest.raises(RunFolderError, match=f"steps/step.json is .*{NOT_OPENED}"):
            read("step.json")
    with (
        pytest.raises(RunFolderError, match=NOT_OPENED),
        steps.opened_in_place("step.json"),
    ):
        pass


def test_what_is_no_file_is_not_replaced(
    folder: Folder, victim: Path, plant: Plant
) -> None:
    plant(folder.path / "report.html", victim)
    with pytest.raises(RunFolderError, match=f"report.html is .*{NOT_OPENED}"):
        folder.write("report.html", b"page")
    assert folder.names() == ("report.html", "steps")


def test_what_is_planted_while_a_file_is_written_is_not_replaced(
    folder: Folder, victim: Path, plant: Plant
) -> None:
    def write() -> None:
        with folder.writing("t") as file:
            file.write(b"page")
            plant(folder.path / "t", victim)

    with pytest.raises(RunFolderError, match=NOT_OPENED):
        write()
    assert folder.names() == ("steps", "t")


def test_file_is_not_read_through_a_folder_that_is_a_link(
    folder: Folder, victim: Path
) -> None:
    (folder.path / "telemetry").symlink_to(victim.parent)
    linked = folder / "telemetry"
    theirs = linked / "theirs"
    acts = (
        linked.names,
        linked.is_there,
        linked.make,
        linked.remove_tree,
        linked.sweep,
        linked.sync_files,
        theirs.make_new,
        theirs.remove_empty,
        lambda: linked.read("victim"),
        lambda: linked.write("x", b""),
        lambda: linked.remove("victim"),
        lambda: linked.move("victim", folder, "mine"),
        lambda: (folder / "steps").move("x", linked, "x"),
    )
    for act in acts:
        with pytest.raises(
            RunFolderError, match=r"telemetry is a symbolic link instead"
        ):
            act()


def test_file_where_a_folder_belongs_is_refused(folder: Folder) -> None:
    folder.write("tables", b"")
    with pytest.raises(
        RunFolderError, match="tables is a regular file instead of a folder"
    ):
        (folder / "tables").make()


def test_link_that_the_user_named_is_followed(folder: Folder, tmp_path: Path) -> None:
    (tmp_path / "latest").symlink_to(folder.path)
    Folder(tmp_path / "latest").write("report.html", b"page")
    assert folder.read("report.html") == b"page"


def test_file_of_10_gb_is_refused_before_it_is_read(folder: Folder) -> None:
    _huge(folder.path / "run.json", folder.path)
    before = time.process_time()
    with pytest.raises(
        RunFolderError, match=r"run\.json has 10 GB, more than the limit of 16 MB"
    ):
        folder.read("run.json")
    assert time.process_time() - before < 1


def test_bomb_is_unpacked_as_far_as_its_limit(folder: Folder) -> None:
    folder.write("fio.json.gz", gzip.compress(bytes(5_000_000)) * 3)
    assert len(folder.unpack("fio.json.gz", limit=15_000_000)) == 15_000_000
    with pytest.raises(RunFolderError, match=r"fio\.json\.gz .* more than"):
        folder.unpack("fio.json.gz", limit=14_999_999)


@pytest.mark.parametrize("cut", [1, 5, 30])
def test_packed_file_that_is_cut_is_damaged(folder: Folder, cut: int) -> None:
    folder.write("fio.json.gz", gzip.compress(b"x" * 5000)[:-cut])
    with pytest.raises(OSError, match=r"."):
        folder.unpack("fio.json.gz")


def test_file_with_a_second_name_is_read_and_not_written_in_place(
    folder: Folder, victim: Path
) -> None:
    (folder.path / "lock").hardlink_to(victim)
    assert folder.read("lock") == SECRET
    with (
        pytest.raises(RunFolderError, match=r"lock has a second name"),
        folder.opened_in_place("lock"),
    ):
        pass


def test_file_with_a_second_name_is_replaced_and_that_name_kept(
    folder: Folder, victim: Path
) -> None:
    (folder.path / "report.html").hardlink_to(victim)
    folder.write("report.html", b"page")
    assert folder.read("report.html") == b"page"


def test_file_is_written_to_where_it_is(folder: Folder) -> None:
    for text in (b"1\n", b"2\n"):
        with folder.opened_in_place("log") as file:
            file.write(text)
    assert folder.read("log") == b"1\n2\n"
    with pytest.raises(FileNotFoundError), folder.opened_in_place("no", makes=False):
        pass


def test_nothing_is_left_when_the_writing_ends_early(folder: Folder) -> None:
    with suppress(KeyboardInterrupt), folder.writing("table") as file:
        file.write(b"half")
        raise KeyboardInterrupt
    assert folder.names() == ("steps",)


def test_what_a_crash_left_is_swept_away_and_nothing_else(folder: Folder) -> None:
    for name in (".t.0123456789abcdef.part", ".t.part", "t.0123456789abcdef.part"):
        folder.write(name, b"")
    folder.sweep()
    assert folder.names() == (".t.part", "steps", "t.0123456789abcdef.part")


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "/etc", "../x", "x\0"])
def test_name_that_is_a_path_is_refused(folder: Folder, name: str) -> None:
    for act in (folder.read, folder.has, folder.remove, folder.__truediv__):
        with pytest.raises(RunFolderError, match="is not a valid file name"):
            act(name)


def test_new_folder_is_refused_where_anything_stands(
    folder: Folder, victim: Path, plant: Plant
) -> None:
    plant(folder.path / "steps" / ".00001", victim)
    with pytest.raises(FileExistsError):
        (folder / "steps" / ".00001").make_new(PRIVATE)


def test_private_folder_gets_the_rights_of_its_folder(folder: Folder) -> None:
    step = (folder / "steps" / ".00001").make_new(PRIVATE)
    assert stat.S_IMODE(step.path.stat().st_mode) == PRIVATE
    (folder.path / "steps").chmod(0o751)
    step.give_usual_rights()
    assert stat.S_IMODE(step.path.stat().st_mode) == 0o751


def test_tree_is_removed_and_what_its_links_lead_to_is_kept(
    folder: Folder, victim: Path
) -> None:
    tree = (folder / "ceiling" / "point").make()
    (tree.path / "file").symlink_to(victim)
    (tree.path / "folder").symlink_to(victim.parent)
    (folder / "ceiling").remove_tree()
    (folder / "ceiling").remove_tree()
    assert folder.names() == ("steps",)


def test_link_is_removed_and_not_what_it_leads_to(folder: Folder, victim: Path) -> None:
    (folder.path / "x").symlink_to(victim)
    folder.remove("x")
    folder.remove("x")
    assert folder.names() == ("steps",)


def test_folder_is_moved_where_nothing_stands(folder: Folder) -> None:
    (folder / "steps" / ".1").make_new()
    (folder / "steps" / "2").make_new()
    steps = folder / "steps"
    with pytest.raises(RunFolderError, match="steps/2 already exists"):
        steps.move(".1", steps, "2")
    steps.move(".1", steps, "1")
    assert steps.names() == ("1", "2")


@pytest.mark.skipif(not held.HAS_DESCRIPTORS, reason="needs descriptors of folders")
def test_exchange_of_a_folder_for_a_link_leads_nowhere(
    folder: Folder, victim: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held, "HAS_DESCRIPTORS", True)
    with (folder / "steps").writing("victim") as file:
        (folder.path / "steps").rename(folder.path / "away")
        (folder.path / "steps").symlink_to(victim.parent)
        file.write(b"page")
    assert (folder.path / "away" / "victim").read_bytes() == b"page"


def test_no_descriptor_is_left_open(folder: Folder) -> None:
    before = len(list(FD.iterdir()))
    for _ in range(10):
        (folder / "steps").write("a", b"1")
        (folder / "steps").read("a")
        with suppress(RunFolderError):
            folder.read("steps")
    assert len(list(FD.iterdir())) == before
