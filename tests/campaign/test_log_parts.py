"""A log in parts gives what the whole log gives, whoever makes the parts."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ssdlab.campaign import log_parts
from ssdlab.campaign.log_parts import InParts, LocalParts, SlurmParts, remove_parts
from ssdlab.fio.logs.choice import THREADS, Adder
from ssdlab.fio.logs.files import OpenLog, Span, find_log
from ssdlab.fio.logs.parts import (
    PartsAsked,
    edges_sha256,
    find_parts,
    make_part,
    read_asked,
    read_part,
    write_asked,
)
from ssdlab.fio.logs.read import FioLog, read_log_file
from ssdlab.model.errors import FioOutputError, PartsMissingError
from ssdlab.system.folders import Folder
from ssdlab.system.programs import Ended
from tests.campaign.slurm_lab import SlurmLab, require_slurm

LARGE = 2**62
LOGS = {
    "plain": "".join(f"{n * 90}, {1000 + n * n}, {n % 3}, 4096\n" for n in range(14)),
    "offset that is a flag at first": (
        "0, 10, 0, 4096, 0\n1, 11, 0, 4096, 1\n" * 4 + "9, 12, 1, 4096, 512\n"
    ),
    "damaged, blank, back in time, cut short": (
        "\ufeff5, 100, 0, 4096, 0\nx\n1500, 7, 1, 512, 0\r\n\n2, 3, 0, 4096, 0\n"
        "1501, 8, 0, 4096, 0\n9, 9, 9, 9, 9\n7000, 1, 2, 4096, 0\n8, 8, 0, 4"
    ),
    "sums beyond what is exact": "".join(
        f"{n}, {LARGE + n}, 0, 4096, 0\n" for n in range(6)
    )
    + "5000, 3, 0, 4096, 0\n",
    "averaged": "".join(f"{n * 250}, {n + 5}, {n % 2}, 0, 0\n" for n in range(1, 12)),
    "microseconds of an old fio": "".join(f"{n}, {n * 7}, 1\n" for n in range(8)),
}


@dataclass(frozen=True)
class Here:
    """Makes parts in this process, the last one first; leaves out some."""

    leaves: frozenset[int] = frozenset()
    made: list[int] = field(default_factory=list)

    def make(
        self,
        folder: Folder,
        asked: PartsAsked,
        places: Sequence[int],
        *,
        tell: Callable[[int, int], object],
    ) -> str:
        for place in sorted(set(places) - self.leaves, reverse=True):
            self.made.append(place)
            make_part(folder, read_asked(folder, asked.key), place, tell=print)
            tell(place, 0)
        return "it was left out" if self.leaves else ""


@dataclass(frozen=True, kw_only=True)
class SplitAt(InParts):
    at: int

    def spans(self, log: OpenLog, begin: int) -> Sequence[Span]:
        return ((begin, self.at), (self.at, log.size))


def adder(path: Path, folder: Path, **changes: object) -> InParts:
    one = InParts(
        file=find_log(path),
        folder=folder,
        parts=3,
        engine=Here(),
        tell=lambda _asked, _missing: lambda _place, _bytes: None,
    )
    return replace(one, **changes)  # type: ignore[arg-type]


def read(path: Path, by: Adder = THREADS) -> FioLog:
    return read_log_file(find_log(path), kind="lat", adder=by)


def assert_same(one: FioLog, other: FioLog) -> None:
    assert one.issues == other.issues
    assert (one.layout, one.row_count) == (other.layout, other.row_count)
    for name in ("percentiles", "seconds", "bins"):
        left, right = (getattr(log, name)() for log in (one, other))
        pd.testing.assert_frame_equal(left, right, check_exact=True)
    pd.testing.assert_frame_equal(one.frame, other.frame)


def written(folder: Path, text: str) -> Path:
    path = folder / "a_lat.1.log"
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize("text", LOGS.values(), ids=list(LOGS))
def test_two_parts_are_the_whole_log_wherever_it_is_split(
    text: str, tmp_path: Path
) -> None:
    path = written(tmp_path, text)
    whole, content = read(path), path.read_bytes()
    base = adder(path, tmp_path / "parts")
    ends = [place + 1 for place, byte in enumerate(content) if byte == ord("\n")]
    for at in (end for end in ends if end < len(content)):
        split = SplitAt(**{name: getattr(base, name) for name in vars(base)}, at=at)
        assert_same(read(path, split), whole)


@pytest.mark.parametrize("text", LOGS.values(), ids=list(LOGS))
def test_any_number_of_parts_is_the_whole_log(text: str, tmp_path: Path) -> None:
    path = written(tmp_path, text)
    for parts in (1, 3, 1000):
        by = adder(path, tmp_path / "parts", parts=parts)
        assert_same(read(path, by), read(path))


def test_a_mean_is_missing_where_the_sum_is_not_exact(tmp_path: Path) -> None:
    path = written(tmp_path, LOGS["sums beyond what is exact"])
    log = read(path)
    assert log.seconds()["lat_mean_ns"].isna().tolist() == [True, False]
    assert "inexact-sum" in {issue.kind for issue in log.issues}


def test_only_missing_parts_are_made_again(tmp_path: Path) -> None:
    path, here = written(tmp_path, LOGS["plain"]), Here()
    by = adder(path, tmp_path / "parts", engine=here)
    read(path, by)
    next((tmp_path / "parts").glob("*-00001.part")).unlink()
    read(path, by)
    assert here.made == [2, 1, 0, 1]


@pytest.mark.parametrize(
    "damage", [lambda b: b[:-1], lambda _: b"", lambda b: b + b"x"]
)
def test_a_damaged_part_is_made_again(
    damage: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    path, here = written(tmp_path, LOGS["plain"]), Here()
    by = adder(path, tmp_path / "parts", engine=here)
    whole = read(path, by)
    part = next((tmp_path / "parts").glob("*-00002.part"))
    part.write_bytes(damage(part.read_bytes()))
    assert_same(read(path, by), whole)
    assert here.made == [2, 1, 0, 2]


def test_a_missing_part_is_named(tmp_path: Path) -> None:
    path = written(tmp_path, LOGS["plain"])
    by = adder(path, tmp_path / "parts", engine=Here(leaves=frozenset({0, 2})))
    with pytest.raises(PartsMissingError) as caught:
        read(path, by)
    assert (caught.value.places, caught.value.count) == ((1, 3), 3)
    assert caught.value.reason == "it was left out"


def asked_of(path: Path) -> PartsAsked:
    with find_log(path).open() as log:
        return PartsAsked(
            path=str(path), size=log.size, mtime_ns=path.stat().st_mtime_ns,
            edges=edges_sha256(log), roles=(0, 0, 1, 0), greatest_value=2**63 - 1,
            interval_ms=1000, spans=tuple(log.spans(0, 120)),
        )  # fmt: skip


@pytest.mark.parametrize("change", ["content", "time", "size", "layout", "split"])
def test_a_part_of_something_else_is_not_taken(change: str, tmp_path: Path) -> None:
    path = written(tmp_path, LOGS["plain"])
    folder, asked = Folder(tmp_path / "parts").make(), asked_of(path)
    make_part(folder, asked, 0, tell=print)
    status = path.stat()
    if change == "content":
        path.write_bytes(path.read_bytes().replace(b"1000", b"2000"))
    if change == "size":
        path.write_bytes(path.read_bytes() + b"4000, 1, 0, 4096\n")
    mtime_ns = 0 if change == "time" else status.st_mtime_ns
    os.utime(path, ns=(status.st_atime_ns, mtime_ns))
    other = asked_of(path)
    if change == "layout":
        other = replace(asked, roles=(0, 0, 1, 2))
    if change == "split":
        other = replace(asked, spans=((0, asked.size),))
    _, missing = find_parts(folder, asked, range(len(asked.spans)))
    assert missing[:1] == [1]
    assert read_part(folder, other, 0) is None
    stolen = folder.path / other.part_name(0)
    stolen.write_bytes((folder.path / asked.part_name(0)).read_bytes())
    assert read_part(folder, other, 0) is None


def test_a_part_of_a_log_that_has_changed_is_not_made(tmp_path: Path) -> None:
    path = written(tmp_path, LOGS["plain"])
    folder, asked = Folder(tmp_path / "parts").make(), asked_of(path)
    status = path.stat()
    path.write_bytes(path.read_bytes().replace(b"1000", b"2000"))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    with pytest.raises(FioOutputError):
        make_part(folder, asked, 0, tell=print)
    assert not list(folder.path.glob("*.part"))


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b'{"spans": 1}'])
def test_a_file_that_asks_for_no_parts_is_refused(
    content: bytes, tmp_path: Path
) -> None:
    (tmp_path / "0123456789abcdef.json").write_bytes(content)
    with pytest.raises(FioOutputError):
        read_asked(Folder(tmp_path), "0123456789abcdef")


def test_a_file_whose_digest_is_not_its_name_is_refused(tmp_path: Path) -> None:
    folder, asked = Folder(tmp_path), asked_of(written(tmp_path, LOGS["plain"]))
    write_asked(folder, asked)
    (tmp_path / asked.file_name).rename(tmp_path / "0123456789abcdef.json")
    with pytest.raises(FioOutputError):
        read_asked(folder, "0123456789abcdef")


def test_only_files_of_parts_are_removed(tmp_path: Path) -> None:
    path = written(tmp_path, LOGS["plain"])
    folder = tmp_path / "parts"
    read(path, adder(path, folder))
    (folder / "notes.txt").write_text("mine")
    remove_parts(folder)
    assert [one.name for one in folder.iterdir()] == ["notes.txt"]
    (folder / "notes.txt").unlink()
    remove_parts(folder)
    assert not folder.exists()


def test_processes_make_the_parts_and_tell_how_far_they_are(tmp_path: Path) -> None:
    path = written(tmp_path, LOGS["plain"])
    told: dict[int, int] = {}
    by = adder(
        path,
        tmp_path / "parts",
        engine=LocalParts(processes=2),
        tell=lambda _asked, _missing: told.__setitem__,
    )
    assert_same(read(path, by), read(path))
    assert sum(told.values()) == path.stat().st_size


def test_a_part_is_named_when_its_process_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = (sys.executable, "-c", "import sys; sys.exit('no room here')")
    monkeypatch.setattr(log_parts, "_WORKER", failing)
    path = written(tmp_path, LOGS["plain"])
    by = adder(path, tmp_path / "parts", engine=LocalParts(processes=1))
    with pytest.raises(PartsMissingError) as caught:
        read(path, by)
    assert (caught.value.places, caught.value.reason) == ((1, 2, 3), "no room here")


def test_processes_end_with_the_wait_for_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = tmp_path / "begun"
    sleeping = f"open({str(mark)!r}, 'w').close(); import time; time.sleep(60)"
    monkeypatch.setattr(log_parts, "_WORKER", (sys.executable, "-c", sleeping))

    def interrupt() -> None:
        while not mark.exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    path, engine = written(tmp_path, LOGS["plain"]), LocalParts(processes=1)
    thread = threading.Thread(target=interrupt)
    thread.start()
    begun_s = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        read(path, adder(path, tmp_path / "parts", engine=engine))
    thread.join()
    assert time.monotonic() - begun_s < 30


class Queue:
    """Answers for Slurm: what is submitted runs here, as the queue is looked at."""

    def __init__(self, folder: Path, *, fails: bool = False) -> None:
        self.folder, self.fails = Folder(folder), fails
        self.waiting: list[int] = []
        self.submitted: list[tuple[str, ...]] = []
        self.key = ""

    def __call__(self, *words: str) -> Ended:
        if words[0] == "squeue":
            shown = "\n".join(map(str, self.waiting))
            if self.waiting and not self.fails:
                asked = read_asked(self.folder, self.key)
                make_part(self.folder, asked, self.waiting.pop(0), tell=print)
            elif self.fails:
                self.waiting.clear()
            return Ended(exit_code=0, stdout=shown)
        self.submitted.append(words)
        options = dict(word[2:].split("=", 1) for word in words if "=" in word)
        self.key = options["job-name"].rpartition("-")[2]
        self.waiting += map(int, options["array"].split(","))
        return Ended(exit_code=0, stdout="7")


def test_slurm_makes_the_parts_as_one_array(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = Queue(tmp_path / "parts")
    monkeypatch.setattr(log_parts, "call_slurm", queue)
    path = written(tmp_path, LOGS["plain"])
    engine = SlurmParts(sleep=lambda _s: None, node="h1")
    assert_same(read(path, adder(path, tmp_path / "parts", engine=engine)), read(path))
    (words,) = queue.submitted
    assert {"--array=0,1,2", "--nodelist=h1"} <= set(words)


def test_parts_that_slurm_has_already_are_not_submitted_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = Queue(tmp_path / "parts")
    monkeypatch.setattr(log_parts, "call_slurm", queue)
    path = written(tmp_path, LOGS["plain"])
    by = adder(path, tmp_path / "parts", engine=Here(leaves=frozenset({0, 1, 2})))
    with pytest.raises(PartsMissingError):
        read(path, by)
    queue.waiting = [0, 2]
    queue.key = next((tmp_path / "parts").glob("*.json")).stem
    engine = SlurmParts(sleep=lambda _s: None)
    read(path, replace(by, engine=engine))
    assert "--array=1" in queue.submitted[0] or "--array=0,1" in queue.submitted[0]
    assert len(queue.submitted) == 1


def test_a_part_is_named_when_slurm_has_dropped_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_parts, "call_slurm", Queue(tmp_path / "parts", fails=True))
    path = written(tmp_path, LOGS["plain"])
    engine = SlurmParts(sleep=lambda _s: None)
    with pytest.raises(PartsMissingError) as caught:
        read(path, adder(path, tmp_path / "parts", engine=engine))
    assert caught.value.places == (1, 2, 3)


@pytest.fixture
def slurm(tmp_path: Path) -> Iterator[SlurmLab]:
    require_slurm()
    lab = SlurmLab(tmp_path / "lab", licences=("ssd_S1",))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SLURM_CONF", str(lab.conf))
        try:
            yield lab.set_up()
        finally:
            lab.tear_down()


@pytest.mark.lab
def test_a_real_slurm_makes_the_parts(slurm: SlurmLab, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    rows = enumerate(rng.integers(1, 10**6, 50_000).tolist())
    text = "".join(f"{n // 10}, {value}, {value % 2}, 4096\n" for n, value in rows)
    path = written(tmp_path, text)
    engine = SlurmParts(sleep=time.sleep, node="lab2")
    by = adder(path, tmp_path / "parts", engine=engine, parts=5)
    assert_same(read(path, by), read(path))
    names = {one.suffix for one in (tmp_path / "parts").iterdir()}
    assert names == {".json", ".part", ".txt"}
    assert slurm.call("squeue", "--noheader") == ""
