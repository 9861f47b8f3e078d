"""Commands that measure nothing: at once, and without a trace."""

import json
import statistics
import sys
import time
from typing import Any

import pytest

import ssdlab
from ssdlab.cli.outcome import answer_lines
from ssdlab.pts.conformance import find_recorded_departures
from tests.integration.lab import TARGET, Lab, files_below

GENEROUS_S = 1.0  # the goal is 0.3 s; a busy machine may take longer


def test_help_answers_at_once(lab: Lab) -> None:
    took = []
    for _ in range(5):
        began = time.monotonic()
        answered = lab.start(sys.executable, "-m", "ssdlab.cli", "--help")
        assert answered.wait() == 0
        took.append(time.monotonic() - began)
        for command in ("plan", "run", "resume", "report", "runs", "steady-state"):
            assert f"\n  {command} " in answered.said
    assert statistics.median(took) < GENEROUS_S


def test_plan_shows_what_a_run_costs_and_touches_nothing(lab: Lab) -> None:
    before = files_below(lab.folder)
    asked = ("plan", "--target", "virtual", "--profile", "pts-2.0-enterprise")
    shown, as_json = lab.cli(*asked), lab.cli(*asked, "--json")
    assert (shown.wait(), as_json.wait()) == (0, 0)
    plan = json.loads(as_json.said)
    by_test = {test["test"]: test for test in plan["tests"]}
    assert list(by_test) == ["iops", "tp", "lat", "wsat"]
    iops = by_test["iops"]
    assert (iops["steps_after_purge_min"], iops["steps_after_purge_max"]) == (281, 1401)
    assert (iops["rounds_min"], iops["rounds_max"]) == (5, 25)
    for test in by_test.values():
        assert 0 < test["seconds_min"] <= test["seconds_max"]
        assert 0 <= test["written_bytes_min"] < test["written_bytes_max"]
        assert (
            test["drive_fills_max"] * plan["capacity_bytes"]
            == (test["written_bytes_max"])
        )
    bound = 8 * 4096 / 450e-6  # dies x page / program time
    assert plan["assumed_write_bytes_per_s"] == pytest.approx(bound)
    assert "assumed write speed 72.82 MB/s: the most that the virtual" in shown.said
    assert "least bytes written = preconditioning fills" in shown.said
    assert "this command writes nothing" in shown.said
    assert " 282-1,402 " in shown.said
    after = {n: c for n, c in files_below(lab.folder).items() if "words-" not in n}
    assert after == before
    assert not lab.find("nbdkit")


def test_plan_sets_its_columns_apart_whatever_they_hold(lab: Lab) -> None:
    asked = ("--profile", "pts-2.0-enterprise", "--write-speed", "500")
    shown = lab.cli("plan", "--target", "virtual:size=60GiB", *asked)
    assert shown.wait() == 0
    lines = shown.said.splitlines()
    assert "assumed write speed 500 MB/s: as given" in lines
    start = next(n for n, line in enumerate(lines) if line.startswith("test "))
    table = lines[start : start + 5]
    names = ("test", "steps", "rounds", "time", "written", "drive fills")
    places = [table[0].index(f" {name}") for name in names[1:]]
    for row in table:
        assert all(row[place - 1 : place + 1] == "  " for place in places), table
        assert all(row[place + 1] != " " for place in places), table


def test_plan_takes_names_in_any_case(lab: Lab) -> None:
    plans = []
    for target, profile, tests in (
        ("virtual", "tiny", "lat"),
        ("VIRTUAL", "Tiny", "LAT"),
    ):
        asked = ("--target", target, "--profile", profile, "--tests", tests)
        shown = lab.cli("plan", *asked, "--json")
        assert shown.wait() == 0, shown.said
        plans.append(json.loads(shown.said) | {"target": ""})
    assert plans[0] == plans[1]


def test_plan_guesses_the_speed_of_a_file_and_makes_none(lab: Lab) -> None:
    shown = lab.cli("plan", "--target", "file:drive,size=64MiB", "--tests", "tp")
    assert shown.wait() == 0
    assert "assumed write speed 500 MB/s: a guess" in shown.said
    assert "  no purge: a file cannot be purged\n" in shown.said
    assert not list(lab.folder.glob("drive*"))


def test_runs_are_none_when_the_usual_folder_is_not_there(lab: Lab) -> None:
    listed = lab.cli("runs")
    assert listed.wait() == 0
    assert listed.said.startswith("No runs in data/runs. ")


@pytest.mark.fio
@pytest.mark.notebook
def test_run_ends_with_its_verdicts_and_departs_as_planned(lab: Lab) -> None:
    asked = ("--target", TARGET, "--profile", "Tiny", "--tests", "lat")
    planned = lab.cli("plan", *asked, "--json")
    started = lab.cli("run", *asked, "--runs", lab.runs)
    assert started.wait(180) == 0, started.said
    (folder,) = lab.runs.glob("[!.]*")
    run = ssdlab.open_run(folder)
    planned_departures: list[Any] = json.loads(planned.said)["departures"]
    departures = find_recorded_departures(run.record)
    assert [departure.words for departure in departures] == planned_departures
    said = started.out.read_text("utf-8").splitlines()
    final = run.windows[run.windows["is_final"]].iloc[0]
    span = f"{final['window_first_round']} - {final['window_last_round']}"
    expected = f"steady in rounds {span}"
    if not final["is_round_steady"]:
        expected = f"NOT steady: {final['reason']}"
    words = set(run.findings["words"])
    assert words >= set(planned_departures)
    assert len(planned_departures) > 3
    assert said[-5].split(maxsplit=1) == ["lat", expected]
    assert said[-3:] == answer_lines(run)
    assert said[-3].startswith("procedure                 departs from PTS 2.0.2 in ")
