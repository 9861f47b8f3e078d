"""Commands that measure nothing: at once, and without a trace."""

import json
import statistics
import time

from tests.integration.lab import Lab, files_below

GENEROUS_S = 1.0  # the goal is 0.3 s; a busy machine may take longer


def test_help_answers_at_once(lab: Lab) -> None:
    took = []
    for _ in range(5):
        began = time.monotonic()
        answered = lab.cli("--help")
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
    assert "nothing is touched" in shown.said
    assert " 282-1402 " in shown.said
    after = {n: c for n, c in files_below(lab.folder).items() if "words-" not in n}
    assert after == before
    assert not lab.find("nbdkit")
