"""Whether a drive is worse than the first one: shown, refuted, or not to be told."""

import numpy as np
import pandas as pd
import pytest

from ssdlab.compare.gate import Gate, find_gate, gate_lines
from ssdlab.compare.side_cells import SideCell, pool_runs
from ssdlab.compare.verdicts import Rules
from tests.compare.test_verdicts import NO_CONDITIONS, PLACE, about, side

LATENCY = ("lat", "lat_mean_ns", "RND 4 KiB 0/100")


def gate(*sides: SideCell, place: tuple[str, str, str] = PLACE) -> Gate:
    table = pd.DataFrame({
        "run_id": [run for one in sides for run in one.run_ids],
        "side": [one.side for one in sides for _ in one.run_ids],
    })
    return find_gate(
        pool_runs({place: {one.side: one for one in sides}}),
        table,
        conditions=NO_CONDITIONS,
        rules=Rules(),
        percent=5.0,
    )


def runs(name: str, level: float) -> SideCell:
    return side(name, *(about(level * share) for share in (1.0, 1.005, 0.995, 1.002)))


@pytest.mark.parametrize(
    ("level", "outcome"),
    [(80.0, "worse"), (99.0, "not worse"), (150.0, "not worse"), (95.3, "unknown")],
)
def test_rate_is_judged_against_the_first_drive(level: float, outcome: str) -> None:
    found = gate(runs("A", 100.0), runs("B", level))
    assert (found.baseline, found.outcome) == ("A", outcome)
    assert (
        next(gate_lines(found, {"A": "A", "B": "B"})).split(":")[0]
        == {
            "worse": "FAIL",
            "not worse": "PASS",
            "unknown": "UNKNOWN",
        }[outcome]
    )


@pytest.mark.parametrize(
    ("level", "outcome"), [(125.0, "worse"), (101.0, "not worse"), (50.0, "not worse")]
)
def test_longer_response_time_is_worse(level: float, outcome: str) -> None:
    assert gate(runs("A", 100.0), runs("B", level), place=LATENCY).outcome == outcome


def test_single_runs_show_nothing_of_drives_however_far_they_are_apart() -> None:
    found = gate(side("A", about(100)), side("B", about(10)))
    assert found.outcome == "unknown"
    assert list(found.unknown["reason"]) == ["too few runs for a claim about drives"]


def test_cell_that_a_drive_lacks_cannot_be_told() -> None:
    both = {PLACE: {"A": runs("A", 100.0), "B": runs("B", 100.0)}}
    alone = {LATENCY: {"A": runs("A", 100.0)}}
    sides = pd.DataFrame({
        "run_id": [run for one in both[PLACE].values() for run in one.run_ids],
        "side": [name for name in "AB" for _ in range(4)],
    })
    found = find_gate(
        pool_runs(both | alone),
        sides,
        conditions=NO_CONDITIONS,
        rules=Rules(),
        percent=5.0,
    )
    assert (found.n_cells, found.outcome) == (2, "unknown")
    assert list(found.unknown["test"]) == ["lat"]


@pytest.mark.simulation
@pytest.mark.parametrize(("ratio", "wrong"), [(1.0, "worse"), (1.06, "not worse")])
def test_either_answer_is_wrong_in_at_most_one_of_twenty(
    ratio: float, wrong: str
) -> None:
    random = np.random.default_rng(17)

    def drive(name: str, level: float) -> SideCell:
        levels = level * random.lognormal(0.0, 0.01, 4)
        rounds = (tuple(random.lognormal(np.log(one), 0.005, 5)) for one in levels)
        return side(name, *rounds)

    trials = 300
    outcomes: list[str] = [
        gate(drive("A", 100.0 * ratio), drive("B", 100.0)).outcome
        for _ in range(trials)
    ]
    assert (
        sum(one == wrong for one in outcomes) / trials < 0.08
    )  # 5 %, and three standard errors
