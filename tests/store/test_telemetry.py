"""Readings beside a measurement: before, meanwhile, after, and never in its way."""

import resource
import threading
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from ssdlab.store.telemetry import Source, read_telemetry, recording
from ssdlab.system.folders import Folder


def read_nothing() -> Mapping[str, float]:
    return {}


def test_each_source_is_read_before_and_after_at_least(tmp_path: Path) -> None:
    folder = Folder(tmp_path) / "telemetry"
    slow = Source(name="block", read=lambda: {"wear_percent": 3.0}, interval_s=600)
    with recording(folder, "s.jsonl", (slow,), clock=lambda: 7.0):
        assert list(read_telemetry(folder)) == [(7.0, "block", "wear_percent", 3)]
    assert len(list(read_telemetry(folder))) == 2


def test_each_source_is_read_at_its_own_interval(tmp_path: Path) -> None:
    enough = threading.Event()
    counts: Counter[str] = Counter()

    def often() -> Mapping[str, float]:
        counts["host"] += 1
        if counts["host"] == 12:
            enough.set()
        return {"load": counts["host"]}

    sources = (
        Source(name="host", read=often, interval_s=0.01),
        Source(name="block", read=lambda: {"wear_percent": 3.0}, interval_s=600),
    )
    with recording(Folder(tmp_path / "t"), "s.jsonl", sources, clock=time.time):
        assert enough.wait(20)
    rows = list(read_telemetry(Folder(tmp_path / "t")))
    kept = Counter(source for _, source, _, _ in rows)
    assert kept == {"host": counts["host"], "block": 2}
    values = [value for _, source, _, value in rows if source == "host"]
    assert values == list(range(1, counts["host"] + 1))


def test_slow_source_holds_no_other_up(tmp_path: Path) -> None:
    let_go, others = threading.Event(), threading.Event()
    calls: Counter[str] = Counter()

    def hangs_once_begun() -> Mapping[str, float]:
        calls["block"] += 1
        if calls["block"] == 2:
            let_go.wait(20)
        return {"wear_percent": 3.0}

    def host() -> Mapping[str, float]:
        calls["host"] += 1
        if calls["block"] == 2 and calls["host"] > 10:
            others.set()
        return {"load": 1.0}

    sources = (
        Source(name="block", read=hangs_once_begun, interval_s=0.001),
        Source(name="host", read=host, interval_s=0.001),
    )
    with recording(Folder(tmp_path / "t"), "s.jsonl", sources, clock=time.time):
        assert others.wait(20)
        let_go.set()


@pytest.mark.parametrize("error", [OSError("gone"), ValueError("odd"), KeyError("x")])
def test_reading_that_fails_is_left_out_and_stops_nothing(
    tmp_path: Path, error: Exception
) -> None:
    calls: Counter[str] = Counter()
    worked = threading.Event()

    def fails_at_first() -> Mapping[str, float]:
        calls["block"] += 1
        if calls["block"] < 4:
            raise error
        worked.set()
        return {"wear_percent": 3.0}

    source = Source(name="block", read=fails_at_first, interval_s=0.001)
    with recording(Folder(tmp_path / "t"), "s.jsonl", (source,), clock=time.time):
        assert worked.wait(20)
    assert len(list(read_telemetry(Folder(tmp_path / "t")))) == calls["block"] - 3


def test_full_disk_stops_nothing_either(tmp_path: Path) -> None:
    source = Source(name="drive", read=lambda: {"temperature": 40.0}, interval_s=0.01)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))  # no file may grow
    try:
        with recording(Folder(tmp_path), "s.jsonl", [source], clock=time.monotonic):
            time.sleep(0.05)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (tmp_path / "s.jsonl").read_bytes() == b""


def test_what_tells_nothing_leaves_no_line(tmp_path: Path) -> None:
    source = Source(name="file", read=read_nothing)
    with recording(Folder(tmp_path), "s.jsonl", (source,), clock=time.time):
        pass
    assert (tmp_path / "s.jsonl").read_text("utf-8") == ""


def test_line_that_a_crash_cut_is_left_out(tmp_path: Path) -> None:
    whole = '{"time_s": 1.0, "host": {"load": 2.0}, "virtual": {"erases": 3.0}}\n'
    (tmp_path / "s.jsonl").write_text(f'{whole}{{"time_s": 2.0, "ho', "utf-8")
    assert list(read_telemetry(Folder(tmp_path))) == [
        (1.0, "host", "load", 2.0),
        (1.0, "virtual", "erases", 3.0),
    ]
