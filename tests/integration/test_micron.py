"""Micron's procedures with real fio on a small virtual SSD."""

import re
from pathlib import Path

import pytest

import ssdlab
from ssdlab.report import render_report
from tests.integration.lab import TARGET, Lab
from tests.rendered import words

pytestmark = pytest.mark.fio


def carried_out(lab: Lab, *arguments: str) -> ssdlab.Run:
    started = lab.cli(
        *arguments, "--target", TARGET, "--minutes", "0.005", "--runs", lab.runs
    )
    assert started.wait(120) == 0, started.said
    (folder,) = lab.runs.glob("2*")
    return ssdlab.open_run(folder)


def test_saturation_by_sequential_writes_gives_a_precondition_time(lab: Lab) -> None:
    run = carried_out(
        lab, "saturate", "--stimulus", "seq 128k 0/100 T1/Q8", "--iterations", "5"
    )
    phases = list(dict.fromkeys(run.steps["phase"]))
    assert phases[:3] == ["purge1", "fill1", "attempt1"]
    capacity = run.record.target.capacity_bytes
    fill = run.steps[run.steps["phase"] == "fill1"].iloc[0]
    assert fill["written_bytes"] == 2 * capacity
    assert fill["queue_depth"] == 32
    first = run.steps[run.steps["phase"] == "attempt1"]
    assert (len(first), set(first["queue_depth"])) == (5, {8})
    last = run.windows[run.windows["is_final"]].sort_values("phase").iloc[-1]
    is_first_steady = phases == ["purge1", "fill1", "attempt1"]
    assert is_first_steady == (last["phase"] == "attempt1")
    check_precondition_time(lab, run.path, is_steady=bool(last["is_round_steady"]))
    assert "Precondition time" in words(render_report(run))


def check_precondition_time(lab: Lab, run: Path, *, is_steady: bool) -> None:
    """A loaded host may keep the drive from getting steady: then there is no rate."""
    asked = lab.cli("precondition-time", run)
    code = asked.wait(60)
    assert code == (0 if is_steady else 2), asked.said
    assert ("2 fills, as measured" if is_steady else "not get steady") in asked.said


def test_sequences_are_measured_and_reported(lab: Lab) -> None:
    run = carried_out(lab, "sequence", "--rounds", "5")
    rounds = run.steps[run.steps["kind"] == "cell"]
    for test, wanted in (
        ("sequence-1", ["rnd", "seq", "rnd"]),
        ("sequence-2", ["seq", "rnd", "seq"]),
    ):
        own = rounds[rounds["test"] == test]
        assert own[own["round"] == 1]["access"].tolist() == wanted
        assert len(own) == 15
    assert (run.steps["kind"] == "purge").sum() == 2
    page = words(render_report(run))
    told = r"(The second run of|The effect of the order on) {} 0/100 T1/Q32"
    for stimulus in ("RND 4 KiB", "SEQ 128 KiB"):  # told, or why it is not
        assert re.search(told.format(stimulus), page)
    assert "So purge before each stimulus" in page
