"""The benchmark of the parsers: each reader gives our answer, and the table prints."""

import importlib
import re
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

from benchmarks import fleet_store
from benchmarks.bench_downsample import measure_reduction
from benchmarks.commands import measure_commands
from benchmarks.ingest import measure_ingest
from benchmarks.parse.__main__ import main
from benchmarks.parse.answers import Answer, differences
from benchmarks.parse.make_documents import write_documents
from benchmarks.parse.make_histograms import write_histograms
from benchmarks.parse.make_log import write_log
from benchmarks.parse.works import DOCUMENTS, HISTOGRAMS, LOG, OURS, Peer, Work
from ssdlab.fleet.delta import create_tables
from ssdlab.fleet.place import place_of

SCALE = 0.002
SHOWN = ("ssdlab, no kernels", "numpy loadtxt", "plain Python")  # a process each
WORKS: Mapping[str, Work] = {
    "log": LOG,
    "documents": DOCUMENTS,
    "histograms": HISTOGRAMS,
}
READERS = [
    pytest.param(work, peer, id=f"{name}-{peer.name}".replace(" ", "-"))
    for name, work in WORKS.items()
    for peer in work.peers
    if peer.reader.startswith("peers_") and peer.name != work.floor
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("bench")
    for write in (write_log, write_documents, write_histograms):
        write(target, SCALE)
    return target


@cache
def answer_of(reader: str, folder: Path) -> Answer:
    module, _, function = reader.partition(":")
    read = getattr(importlib.import_module(f"benchmarks.parse.{module}"), function)
    answer: Answer = read(folder)
    return answer


@pytest.mark.parametrize(("work", "peer"), READERS)
def test_peer_gives_the_same_answer(work: Work, peer: Peer, folder: Path) -> None:
    for name in peer.needs:
        package = name.partition(".")[0]
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    reference = peer.reference or next(p.reader for p in work.peers if p.name == OURS)
    ours, theirs = answer_of(reference, folder), answer_of(peer.reader, folder)
    assert set(ours) & set(theirs)
    assert differences(ours, theirs) == []


def test_table_tells_what_was_measured_and_what_was_reached(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    readers = f"--readers={'|'.join(SHOWN)}"
    main([
        *("histograms", f"--scale={SCALE}", "--rounds=1"),
        *(readers, f"--data={tmp_path}"),
    ])
    told = capsys.readouterr().out
    for name in (OURS, *SHOWN):
        assert re.search(rf"^{name} +\d+\.\d", told, re.MULTILINE), told
    assert re.search(
        r"at most 10 x wc -l( +\d+\.\d x){3} +(process|work|warm|NOT MET)", told
    )
    assert "apart" not in told


def test_commands_are_timed_beside_their_imports() -> None:
    found = measure_commands(["runs"], rounds=1)

    assert min(found["runs"]) > 0  # what it takes is judged in no unit test


def test_reduction_of_a_series_is_timed_by_its_floor() -> None:
    found = measure_reduction(points=300_000)

    assert set(found) == {"whole_ms", "with_gaps_ms", "whole_ratio", "with_gaps_ratio"}
    assert min(found.values()) > 0


def test_tables_of_a_run_with_series_are_timed_by_the_step() -> None:
    found = measure_ingest(steps=12)

    assert found["steps"] >= 12
    assert found["ms_per_step"] > 0
    assert found["ratio_to_reading"] > 1


def test_store_of_runs_is_timed_by_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fleet_store, "SAMPLE", fleet_store.SAMPLE.parent / "virtual-b")
    rows, place = fleet_store.template(), place_of(tmp_path / "store", is_new=True)
    create_tables(place)
    fleet_store.fill(place, rows, 3)
    took = fleet_store.measure_questions(place, 1)
    took["add"] = fleet_store.measure_add(place, rows, 3, 1)
    assert len(took) == 5
    assert all(one.wall_ms > 0 for one in took.values())
