"""Records of format 1, which kept each departure as a sentence."""

import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from ssdlab.model.errors import RunFolderError
from ssdlab.model.plain import to_plain
from ssdlab.model.records import RunRecord
from ssdlab.pts import find_profile
from ssdlab.pts.conformance import find_recorded_departures
from ssdlab.store.records import read_record
from tests.departed import words_of
from tests.paths import ROOT
from tests.store.folders import record

IMPORT = {
    "name": "imported",
    "title": "results of fio",
    "tool": "fio",
    "spec_version": "PTS 2.0.2",
    "write_cache": "not known",
    "active_range_percent": None,
}
SAMPLES = sorted((ROOT / "data" / "samples").glob("*/run.json"))


def read_old(folder: Path, **changes: Any) -> RunRecord:
    """Return the record of format 1 with these values, as it is read."""
    old = to_plain(record()) | {"format_version": 1, "departures": []}
    asked = old.pop("asked")
    names = [test["test_id"] for test in asked.pop("tests")]
    del old["write_cache_fault"], asked["type"]
    demo = find_profile("demo")
    values = to_plain({key: demo.value(key) for key in demo.places})
    del asked["settings"]
    profile = asked | values | {"tests": names}
    old |= {"profile": profile, "tests": names} | changes
    (folder / "run.json").write_text(json.dumps(old), "utf-8")
    return read_record(folder)


def _bare(words: str) -> str:
    """Return the words of a departure, however they are spaced and named."""
    return re.sub("[ ,]", "", words.replace("rounds at most", "maximum rounds"))


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.parent.name)
def test_recorded_folders_depart_in_what_their_records_said(sample: Path) -> None:
    stored = json.loads(sample.read_text("utf-8"))
    assert stored["format_version"] == 1
    derived = find_recorded_departures(read_record(sample.parent))
    found = list(map(_bare, words_of(derived)))
    for said in stored["departures"]:  # some have a reason more now
        assert any(words.startswith(_bare(said)) for words in found), said
    assert "departure" not in {departure.code for departure in derived}


def test_sentences_of_what_follows_from_the_record_are_left(tmp_path: Path) -> None:
    words = [
        "the target is a virtual SSD: a model in memory, not a drive",
        "time of a cell: 1 s instead of 1 min",
        "rounds at most: 10 instead of 25",
        "no purge: none was asked for",
        "cells below the sector of 4096 B: left out",
        "active range AR75-16GiB: left out, its 75 % of 20 GB are too small",
        "test hir: not known to be one of PTS-C 1.x",
    ]
    assert read_old(tmp_path, departures=words).departures == ()


def test_sentence_that_nobody_knows_is_kept(tmp_path: Path) -> None:
    (kept,) = read_old(tmp_path, departures=["it was full moon"]).departures
    assert (kept.code, kept.words) == ("departure", "it was full moon")


def test_why_the_cache_was_not_set_is_kept(tmp_path: Path) -> None:
    said = "write cache: left as it was found instead of disabled: it has none"
    papers = read_old(tmp_path, departures=[said])
    assert papers.write_cache_fault == "it has none"
    assert papers.departures == ()


@pytest.mark.parametrize(
    ("kind", "words", "method"),
    [
        ("virtual", "trim of all LBAs of the virtual SSD", "discard"),
        ("virtual", "none: none was asked for", "none"),
        ("file", "none: a file cannot be purged", "none"),
        ("block", "blkdiscard, said a user", None),
    ],
)
def test_purge_of_a_model_is_known_and_that_of_a_drive_is_not_guessed(
    tmp_path: Path, kind: str, words: str, method: str | None
) -> None:
    target = asdict(record().target) | {"kind": kind}
    papers = read_old(tmp_path, target=target, purge_method=words)
    choice = papers.purge_choice
    assert (choice.method if choice else None) == method


@pytest.mark.parametrize(
    ("words", "code", "tests"),
    [
        ("imported: purge and write cache are not known, nor what …", "imported", ()),
        ("test: these workloads are of no test of the PTS", "import-cells", ()),
        ("order of IOPS: cells were taken by themselves", "import-cells", ("iops",)),
        ("access of LAT: sequential instead of random", "import-cells", ("lat",)),
        ("time of a cell of IOPS: 30 s instead of 1 min", "time-scaled", ("iops",)),
        ("missing rounds of LAT: 3", "import-rounds-missing", ("lat",)),
        ("rounds: the report prints those of …", "import-rounds-missing", ()),
        ("threads and queue depth of TP: T2/Q16 instead of …", "profile-value", ()),
        ("write cache: not known", "write-cache", ()),
        ("times: 3 of 3 files do not say when", "import-times", ()),
        ("gaps: the device rested 2 times", "idle-gap", ()),
        ("devices: /dev/sda, /dev/sdb in one run", "import-mixed", ()),
        ("versions of fio: fio-3.1, fio-3.5 in one run", "import-numbers", ()),
        ("raw output: TKperf kept no output of fio", "import-numbers", ()),
        ("left out: 1 files that may be of this run", "import-left-out", ()),
        ("time of a cell: 1 s instead of 1 min", "departure", ()),
    ],
)
def test_sentences_of_an_import_become_facts(
    tmp_path: Path, words: str, code: str, tests: tuple[str, ...]
) -> None:
    target = asdict(record().target) | {"kind": "imported"}
    measured: list[dict[str, object]] = [
        {"test_id": name, "title": "", "pts_section": "", "phases": []}
        for name in ("iops", "lat")
    ]
    papers = read_old(
        tmp_path,
        target=target,
        profile=IMPORT | {"tests": measured},
        tests=["iops", "lat"],
        departures=[words],
    )
    (kept,) = papers.departures
    assert (kept.code, kept.words, kept.tests) == (code, words, tests)


@pytest.mark.parametrize("departures", [None, "a text", [1], [{}]])
def test_damaged_departures_are_refused(tmp_path: Path, departures: object) -> None:
    with pytest.raises(RunFolderError, match="its departures are not texts"):
        read_old(tmp_path, departures=departures)
