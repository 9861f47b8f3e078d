"""A file as a target: only what ssdlab made is ever written to."""

import resource
import zlib
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from ssdlab.model.drive import DriveChoices, PurgeOutcome
from ssdlab.model.errors import TargetRefusedError, UnknownNameError
from ssdlab.model.records import TargetIdentity
from ssdlab.model.units import KIB, MIB
from ssdlab.targets import Target, file, open_target, reopen_target
from ssdlab.targets.opening import read_shape
from tests.fio.jobs import CONTEXT, cell, job_of, run_step, workload
from tests.targets.stored import stored_record

NOT_OURS = "was not made by ssdlab"


def open_at(path: Path | str, size: str = "") -> Target:
    """Open a file as a run does."""
    spec = f"file:{path}" + (f",size={size}" if size else "")
    return open_target(spec, folder=Path("/nowhere"))


def used_at(path: Path | str, size: str = "") -> Target:
    """Open a file, and let go of it as a session does that ended."""
    target = open_at(path, size)
    assert not target.release()
    return target


def note_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.ssdlab.json")


def reopen(target: Target, identity: TargetIdentity | None = None) -> Target:
    """Open again what a run's record says, as read from its JSON, and let go of it."""
    with TemporaryDirectory() as folder:
        record = stored_record(Path(folder), target, identity)
    again = reopen_target(record, folder=Path("/nowhere"))
    assert not again.release()
    return again


def test_file_is_made_with_random_content(tmp_path: Path) -> None:
    path = tmp_path / "drive"
    target = open_at(path, "3MiB")
    content = path.read_bytes()
    assert len(content) == target.identity.capacity_bytes == 3 * MIB
    assert len(zlib.compress(content)) > 3 * MIB
    assert content[:MIB] != content[MIB : 2 * MIB]
    assert not target.find_trouble()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["drive", "drive.ssdlab.json"]


def test_file_says_what_it_is_not(tmp_path: Path) -> None:
    target = open_at(tmp_path / "drive", "1MiB")
    assert target.identity.is_virtual
    assert target.purge_choice.method == "none"
    assert target.purge(print) == PurgeOutcome(said="none: a file cannot be purged")
    assert (target.read_counters(), target.read_telemetry()) == ({}, {})
    assert (target.find_alarm(), target.release(), target.release()) == ("", "", "")


def test_file_is_purged_in_no_other_way(tmp_path: Path) -> None:
    spec = f"file:{tmp_path / 'drive'},size=1MiB"
    with pytest.raises(UnknownNameError, match="Unknown purge of a file 'discard'"):
        open_target(spec, folder=tmp_path, choices=DriveChoices(purge="discard"))
    assert list(tmp_path.iterdir()) == []


def test_file_is_opened_again_as_the_same_device(tmp_path: Path) -> None:
    path = tmp_path / "drive"
    made = used_at(path, "1MiB")
    content = path.read_bytes()
    assert used_at(path).identity == made.identity
    assert used_at(path, "1MiB").identity == made.identity
    assert reopen(made).identity == made.identity
    assert path.read_bytes() == content


def test_size_is_rounded_down_to_sectors_each_time(tmp_path: Path) -> None:
    path = tmp_path / "drive"
    assert used_at(path, "1000001").identity.capacity_bytes == 999_936
    assert used_at(path, "1000001").identity.capacity_bytes == 999_936
    assert read_shape(f"file:{path},size=1000001").capacity_bytes == 999_936


@pytest.mark.parametrize("size", ["", "1MiB"])
def test_file_is_refused_when_ssdlab_did_not_make_it(tmp_path: Path, size: str) -> None:
    path = tmp_path / "letters"
    path.write_text("dear mother")
    with pytest.raises(TargetRefusedError, match=NOT_OURS):
        open_at(path, size)
    assert path.read_text() == "dear mother"
    assert list(tmp_path.iterdir()) == [path]


def test_file_made_anew_is_not_the_one_of_the_run(tmp_path: Path) -> None:
    path = tmp_path / "drive"
    made = used_at(path, "1MiB")
    path.unlink()
    used_at(path, "1MiB")
    with pytest.raises(TargetRefusedError, match="Attach the device of this run"):
        reopen(made)
    assert not open_at(path).release()  # the refusal let go of it


def test_name_that_looks_like_a_size_is_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "a,size=5"
    made = used_at(path, "1MiB")
    assert reopen(made).identity == made.identity
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize("size", ["2MiB", "512KiB"])
def test_file_is_refused_when_another_size_is_asked_for(
    tmp_path: Path, size: str
) -> None:
    path = tmp_path / "drive"
    used_at(path, "1MiB")
    with pytest.raises(TargetRefusedError, match="it has 1048576 bytes instead of the"):
        open_at(path, size)


def test_file_is_refused_when_there_is_no_room(tmp_path: Path) -> None:
    with pytest.raises(
        TargetRefusedError, match=r"bytes do not fit: .* bytes are free"
    ):
        open_at(tmp_path / "drive", "8000TiB")
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_left_when_the_file_cannot_be_filled(tmp_path: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (MIB, limits[1]))
    try:
        with pytest.raises(TargetRefusedError, match=r"cannot be filled \(File too la"):
            open_at(tmp_path / "drive", "3MiB")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert list(tmp_path.iterdir()) == []


def test_file_is_refused_without_size_or_folder(tmp_path: Path) -> None:
    with pytest.raises(TargetRefusedError, match="no size was given"):
        open_at(tmp_path / "drive")
    with pytest.raises(TargetRefusedError, match="its folder does not exist"):
        open_at(tmp_path / "no" / "drive", "1MiB")
    with pytest.raises(TargetRefusedError, match="is not a valid size"):
        open_at(tmp_path / "drive", "big")
    assert list(tmp_path.iterdir()) == []


def test_note_never_overwrites_a_file_of_somebody_else(tmp_path: Path) -> None:
    note = tmp_path / "drive.ssdlab.json"
    note.write_text('{"mine": true}')
    with pytest.raises(TargetRefusedError, match="which ssdlab did not make"):
        open_at(tmp_path / "drive", "1MiB")
    assert note.read_text() == '{"mine": true}'
    assert not (tmp_path / "drive").exists()


def test_file_that_appears_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "drive"
    path.write_text("dear mother")
    with pytest.raises(TargetRefusedError, match=r"it cannot be made \(File exists\)"):
        file._make(path, MIB)
    assert path.read_text() == "dear mother"
    assert not note_of(path).exists()


@pytest.mark.parametrize(
    "name", ["a\nb", "a$HOME", "a`id`", "a;b", "a#b", "a\\b", "a\x00b"], ids=ascii
)
def test_hostile_name_is_refused_and_nothing_made(tmp_path: Path, name: str) -> None:
    with pytest.raises(TargetRefusedError, match="cannot contain this name"):
        open_at(tmp_path / name, "1MiB")
    with pytest.raises(TargetRefusedError, match="cannot contain this name"):
        read_shape(f"file:{tmp_path / name},size=1MiB")
    assert list(tmp_path.iterdir()) == []


def test_home_of_nobody_is_refused() -> None:
    with pytest.raises(TargetRefusedError, match="Write the path in full"):
        open_at("~no-such-user-here/drive", "1MiB")


@pytest.mark.parametrize("spec", ["", "file", "file:", "tape:x", "/etc/passwd", "sda"])
def test_text_that_names_no_target_is_refused(spec: str) -> None:
    with pytest.raises(UnknownNameError, match=r"target .* Choose from: virtual"):
        open_target(spec, folder=Path("/n"))
    with pytest.raises(UnknownNameError, match="Unknown target"):
        read_shape(spec)


def test_shape_is_read_without_touching_anything(tmp_path: Path) -> None:
    path = tmp_path / "drive"
    shape = read_shape(f"file:{path},size=1MiB")
    assert (shape.capacity_bytes, shape.sector_bytes) == (MIB, 512)
    assert list(tmp_path.iterdir()) == []
    used_at(path, "2000")
    left = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    shape = read_shape(f"FILE:{path}")
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == left
    assert (shape.capacity_bytes, shape.write_bytes_per_s) == (1536, None)
    assert (shape.kind, shape.is_loop) == ("file", False)
    with pytest.raises(TargetRefusedError, match="no size was given"):
        read_shape(f"file:{tmp_path / 'none'}")


def test_shape_is_refused_when_opening_would_be(tmp_path: Path) -> None:
    path, other = tmp_path / "drive", tmp_path / "other"
    used_at(path, "1MiB")
    other.write_text("dear mother")
    refused = {
        f"{other}": NOT_OURS,
        f"{path},size=2MiB": "it has 1048576 bytes instead of the",
        f"{tmp_path / 'new'},size=8000TiB": "do not fit",
        f"{tmp_path / 'no' / 'new'},size=1MiB": "its folder does not exist",
    }
    for text, why in refused.items():
        with pytest.raises(TargetRefusedError, match=why):
            read_shape(f"file:{text}")
        with pytest.raises(TargetRefusedError, match=why):
            open_at(text)


@pytest.mark.fio
@pytest.mark.parametrize(
    "name", ["drive", "a drive", "a:b", 'a"b', "a%b", "a=b", "[x]", "a,b", "ä'(*|&"]
)
def test_fio_writes_to_this_file_and_to_no_other(tmp_path: Path, name: str) -> None:
    path = tmp_path / "here" / name
    path.parent.mkdir()
    target = open_at(path, "1MiB")
    before = path.read_bytes()
    context = replace(CONTEXT, capacity_bytes=MIB)
    step = cell(workload("seq", 4 * KIB), seconds=0.1, context=context)
    outcome = run_step(step, target.fio_options, tmp_path / "steps")
    assert job_of(outcome)["write"]["io_bytes"] > 0
    assert path.read_bytes() != before
    assert {p.name for p in path.parent.iterdir()} == {name, f"{name}.ssdlab.json"}
    target.release()
