"""A file is there whole or not at all."""

import os
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from ssdlab.system.durable import opened_whole, publish, replace_whole, write_whole
from tests.paths import ROOT


def test_file_is_written_over_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    write_whole(path, b"old")
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_old_file_stays_when_the_new_one_cannot_be_written(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    write_whole(path, b"old")
    with suppress(ZeroDivisionError), opened_whole(path) as file:
        file.write(b"ne")
        raise ZeroDivisionError
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_nobody_can_guess_where_a_file_is_written_until_it_is_whole(
    tmp_path: Path,
) -> None:
    seen = set()
    for _ in range(3):
        with opened_whole(tmp_path / "page.html"):
            (aside,) = tmp_path.glob(".page.html.*.part")
            seen.add(aside.name)
        (tmp_path / "page.html").unlink()
    assert len(seen) == 3


def test_folder_is_published_with_its_content(tmp_path: Path) -> None:
    aside = tmp_path / ".step"
    aside.mkdir()
    (aside / "x").write_text("1")
    publish(aside, tmp_path / "step")
    assert (tmp_path / "step" / "x").read_text() == "1"
    assert not aside.exists()


WRITER = """
import sys, pathlib, itertools
from ssdlab.system.durable import write_whole
path = pathlib.Path(sys.argv[1])
for number in itertools.count():
    write_whole(path, bytes([number % 256]) * 3_000_000)
"""


def test_file_is_whole_whenever_its_writer_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "big"
    for delay_s in (0.05, 0.08, 0.11):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path)], cwd=ROOT
        ) as writer:
            deadline = time.monotonic() + 10
            while not path.exists() and time.monotonic() < deadline:
                time.sleep(0.001)
            time.sleep(delay_s)
            writer.kill()
        content = path.read_bytes()
        assert len(content) == 3_000_000
        assert len(set(content)) == 1
        path.unlink()


def test_link_stays_a_link_when_what_it_names_is_written(tmp_path: Path) -> None:
    link = tmp_path / "newest.html"
    link.symlink_to(tmp_path / "a.html")
    write_whole(link, b"page")
    assert link.is_symlink()
    assert (tmp_path / "a.html").read_bytes() == b"page"


def test_link_that_leads_to_itself_is_replaced(tmp_path: Path) -> None:
    link = tmp_path / "loop"
    link.symlink_to(link)
    write_whole(link, b"page")
    assert link.read_bytes() == b"page"


def test_nothing_is_left_when_the_writing_ends_early(tmp_path: Path) -> None:
    with suppress(KeyboardInterrupt), opened_whole(tmp_path / "table") as file:
        file.write(b"half")
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_link_that_others_may_have_put_is_replaced_and_not_followed(
    tmp_path: Path,
) -> None:
    link = tmp_path / "journal.json"
    (tmp_path / "theirs").write_bytes(b"kept")
    link.symlink_to(tmp_path / "theirs")
    replace_whole(link, b"ours")
    assert not link.is_symlink()
    assert link.read_bytes() == b"ours"
    assert (tmp_path / "theirs").read_bytes() == b"kept"


def test_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe, heard = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: heard.append(pipe.read_bytes()))
    reader.start()
    write_whole(pipe, b"page")
    reader.join()
    assert heard == [b"page"]
    assert pipe.is_fifo()


def test_folder_is_refused_when_a_file_is_to_be_written(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        write_whole(tmp_path, b"page")
