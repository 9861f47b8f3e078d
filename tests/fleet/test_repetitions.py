"""How many drives, runs and rounds: planned from pilot runs."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ssdlab
from ssdlab.fleet.contrast import METRICS
from ssdlab.fleet.pilot import Pilot
from ssdlab.fleet.population import Choice
from ssdlab.fleet.repetitions import (
    Costs,
    Repetitions,
    cost_of_run,
    plan_ways,
    read_rounds,
    variance_of_drive,
)
from ssdlab.fleet.repetitions_text import answer_lines, repetitions_as_dict
from ssdlab.fleet.store import Store
from ssdlab.model.errors import ParameterError, StoreError
from ssdlab.stats.anova import Components, analyse_nested
from ssdlab.stats.repetitions import Aim, needed_count
from tests.cli.called import call
from tests.fleet.made_fleet import made_fleet
from tests.paths import ROOT

SAMPLES = ROOT / "data" / "samples"
HOUR_S = 3600.0
TRUE = {"drive": 0.02**2, "run": 0.01**2, "round": 0.02**2}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store of 16 made drives, whose folders are not there."""
    folder = tmp_path_factory.mktemp("fleet") / "store"
    made_fleet(folder, 16)
    return folder


def pilot_of_samples(test: str, kind: str, metric: str) -> Pilot:
    """Return a pilot of recorded runs of two drives, one of them run twice."""
    choice = Choice(
        cell="", test=test, phase="histogram" if kind == "histogram" else "rounds",
        kind=kind, workload="RND 4 KiB 0/100 T2/Q16", direction="total",
        metric=METRICS[metric], others=(),
    )  # fmt: skip
    names = ("virtual-a", "virtual-a-again", "virtual-b", "gone")
    runs = pd.DataFrame({
        "drive": ["a", "a", "b", "b"], "run_id": names, "log": 0.0, "value": 1.0,
        "folder": [str(SAMPLES / name) for name in names],
        "left_out": "", "model": "M", "firmware": "F",
    })  # fmt: skip
    return Pilot(store=Store(url="lab", _tables={}), choice=choice, runs=runs)


def planned(
    values: list[float], labels: dict[str, list[int]], **more: Any
) -> Repetitions:
    """Return the plan of a pilot that has these rounds."""
    rounds = pd.DataFrame({
        "drive": labels["drive"],
        "run_id": [f"{d}-{r}" for d, r in zip(*labels.values(), strict=True)],
        "log": values,
    })
    kept = rounds.groupby(["drive", "run_id"], as_index=False)["log"].mean()
    kept = kept.assign(
        value=np.exp(kept["log"]), left_out="", model="M", firmware="F",
        drive=kept["drive"].astype(str),
    )  # fmt: skip
    choice: Any = None
    found = Repetitions(
        pilot=Pilot(store=Store(url="lab", _tables={}), choice=choice, runs=kept),
        aim=Aim(purpose="difference", percent=5),
        assurance_percent=80.0,
        costs=Costs(round_s=HOUR_S, run_s=16 * HOUR_S, drive_s=18 * HOUR_S),
        components=Components(rows=analyse_nested(values, labels, rest="round")),
        rounds_by_run=rounds,
    )
    return plan_ways(replace(found, **more))


# Two drives of two runs of two rounds, made so that the components are 17, 1 and 2 in
# units of 1 %^2: see tests/stats/test_anova.py.
VALUES = [0.01 * one for one in (1.0, 3.0, 3.0, 5.0, 7.0, 9.0, 9.0, 11.0)]
LABELS = {"drive": [1] * 4 + [2] * 4, "run": [1, 1, 2, 2, 1, 1, 2, 2]}


def test_plan_equals_the_hand_computed_one() -> None:
    """Rounds sqrt(16 / 1 x 2 / 1) = 5.7, so 6; a run then costs 22 h and has 4 / 3.

    Runs sqrt(18 / 22 x (4 / 3) / 17) = 0.25, so 1. As estimated a drive has 17 + 4 / 3.
    """
    found = planned(VALUES, LABELS)
    assert found.planned is not None
    assert (found.planned.rounds, found.planned.runs) == (6, 1)
    variance = (17 + 4 / 3) * 1e-4
    assert found.planned.drives_as_estimated == needed_count(variance, found.aim)
    assert found.planned.drives is not None
    assert found.planned.cost_s == 2 * found.planned.drives * (18 + 22) * HOUR_S
    assert [way.runs for way in found.ways] == [1, 2, 3, 4]
    costly = planned(VALUES, LABELS, costs=Costs(round_s=1, run_s=16, drive_s=2000))
    assert costly.planned is not None
    # sqrt(2000 / 22 x (4 / 3) / 17) = 2.67: three, or two if that costs less
    two, three = costly.ways[1:3]
    assert two.cost_s is not None
    assert three.cost_s is not None
    assert costly.planned == (two if two.cost_s < three.cost_s else three)


def test_same_drives_are_planned_without_the_scatter_of_drives() -> None:
    found = planned(VALUES, LABELS, aim=Aim(purpose="change", percent=5))
    assert found.planned is not None
    variance = (1 + 2 / 6) * 1e-4
    assert found.planned.drives_as_estimated == needed_count(variance, found.aim)
    assert variance_of_drive(TRUE, runs=2, rounds=4, is_same=True) == pytest.approx(
        (TRUE["run"] + TRUE["round"] / 4) / 2
    )


def test_whole_window_is_the_least_and_the_pilot_counts_where_runs_do_not_scatter() -> (
    None
):
    few = planned(VALUES, LABELS, costs=Costs(round_s=1, run_s=1))
    assert few.planned is not None
    assert few.planned.rounds == 5
    flat = [0.01 * one for one in [1, 3] * 2 + [7, 9] * 2]
    found = planned(flat, LABELS)
    assert found.components is not None
    assert found.components.truncated == ("run",)
    assert found.planned is not None
    assert found.planned.rounds == 5  # the pilot had 2, a window has 5


def test_few_drives_are_run_more_often_or_that_is_told() -> None:
    at = np.indices((10, 4, 2)).reshape(3, -1)
    log = 0.002 * (at[0] % 3) + 0.03 * ((at[0] + at[1]) % 4) + 0.01 * at[2]
    known = planned(log.tolist(), {"drive": at[0].tolist(), "run": at[1].tolist()})
    assert known.planned is not None
    again = plan_ways(known, most_drives=known.ways[-1].drives)
    assert again.planned is not None
    assert 1 < again.planned.runs <= 4
    never = plan_ways(known, most_drives=2)
    assert never.planned is None
    assert never.reason == "too-few-drives"
    assert never.ways


def test_cost_of_a_run_is_that_of_its_steps() -> None:
    """Purge 10 s, fill 100 s; rounds of 20 and 2 x 30 s, the last two in the window."""
    choice: Any = type("Choice", (), {"test": "iops", "phase": "rounds"})
    steps = pd.DataFrame({
        "test": ["iops"] * 5 + ["lat"],
        "phase": ["purge", "fill", "rounds", "rounds", "rounds", "rounds"],
        "round": pd.array([None, None, 1, 2, 3, 2], "Int64"),
        "duration_s": [10.0, 98.0, 19.0, 29.0, 29.0, 500.0],
        "idle_before_s": [np.nan, 2.0, 1.0, 1.0, 1.0, 9.0],
    })
    assert cost_of_run(steps, choice, [2, 3]) == pytest.approx((30, 130))
    assert cost_of_run(steps, choice, []) == pytest.approx((0, 190))
    assert cost_of_run(steps, choice, [7]) is None
    unknown = steps.assign(duration_s=np.nan)
    assert cost_of_run(unknown, choice, [2, 3]) is None


def test_recorded_runs_tell_rounds_and_costs() -> None:
    rounds, costs = read_rounds(pilot_of_samples("iops", "cell", "iops"))
    assert rounds.groupby("run_id").size().to_dict() == dict.fromkeys(
        ("virtual-a", "virtual-a-again", "virtual-b"), 5
    )
    assert costs.recorded_runs == 3
    assert costs.round_s is not None
    assert costs.run_s is not None
    steps = ssdlab.open_run(SAMPLES / "virtual-a").steps
    own = steps[steps["test"] == "iops"]
    whole = own["duration_s"].sum() + own["idle_before_s"].sum()
    assert costs.run_s + 5 * costs.round_s == pytest.approx(whole, rel=0.3)


def test_percentile_of_a_histogram_has_no_rounds_and_costs_a_whole_test() -> None:
    rounds, costs = read_rounds(pilot_of_samples("lat", "histogram", "p99"))
    assert rounds.empty
    assert costs.round_s == 0
    assert costs.run_s is not None
    assert costs.run_s > 8


def test_level_that_was_not_sampled_is_not_told(place: Path) -> None:
    one = ssdlab.find_repetitions(place, where=["device_serial=S00001"])
    assert one.reason == "one-drive"
    known = planned(VALUES, LABELS)
    kept = known.pilot.runs.drop_duplicates("drive")
    once = plan_ways(
        replace(known, components=None, pilot=replace(known.pilot, runs=kept))
    )
    assert once.reason == "no-repeats"
    for found in (one, replace(once, pilot=one.pilot)):
        assert found.planned is None
        assert not found.ways
        assert [*answer_lines(found)][1].startswith("CANNOT BE TOLD")
    with pytest.raises(StoreError):
        ssdlab.find_repetitions(place, where=["device_serial=NONE"])


@pytest.mark.parametrize(
    "wrong",
    [
        {"percent": 0.0}, {"percent": math.nan}, {"power_percent": 100.0},
        {"confidence_percent": 10.0}, {"round_s": -1.0}, {"run_s": math.inf},
        {"drive_s": -1.0}, {"most_drives": 1}, {"purpose": "fun"},
    ],
)  # fmt: skip
def test_number_out_of_its_range_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        ssdlab.find_repetitions("nowhere", **wrong)


def test_command_plans_or_says_what_is_lacking(place: Path) -> None:
    asked = (
        "store",
        "plan",
        place,
        "--difference",
        "1%",
        "--where",
        "device_firmware=F1",
    )
    lacking = call(*asked)
    assert lacking.returncode == 4
    assert "--run-hours" in lacking.stdout
    done = call(*asked, "--run-hours", "6", "--round-hours", "1.5", "--json")
    assert done.returncode == 0
    plan = json.loads(done.stdout)
    assert [one["name"] for one in plan["components"]] == ["drive", "run"]
    assert plan["planned"]["drives"] >= plan["planned"]["drives_as_estimated"] >= 3
    cost_s = 2 * plan["planned"]["drives"] * (6 + 5 * 1.5) * HOUR_S
    assert plan["planned"]["cost_s"] == pytest.approx(cost_s)
    shown = call(*asked, "--run-hours", "6", "--round-hours", "1.5")
    assert "planned" in shown.stdout
    assert "left out" in shown.stdout
    for wrong in (
        (), ("--difference", "x"), ("--half-width", "1%", "--same-drives"),
        ("--difference", "1%", "--half-width", "1%"), ("--difference", "0%"),
        ("--difference", "1%", "--run-hours", "nan"),
    ):  # fmt: skip
        assert call("store", "plan", place, *wrong).returncode == 2


def test_json_has_no_number_that_json_lacks() -> None:
    found = planned(VALUES, LABELS)
    pilot = replace(found.pilot, choice=pilot_of_samples("iops", "cell", "iops").choice)
    plain = repetitions_as_dict(replace(found, pilot=pilot))
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert plain["components"][0]["percent"] == pytest.approx(math.sqrt(17))
