"""What is claimed: of drives by runs, of runs by rounds, never more."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdlab.compare.cell_choice import parse_cells
from ssdlab.compare.conditions import name_conditions
from ssdlab.compare.pairs import compare_cells, compare_repeats
from ssdlab.compare.rest_gains import summarise_rest_gains
from ssdlab.compare.side_cells import SideCell, pool_runs
from ssdlab.compare.sides import with_run_word
from ssdlab.compare.verdicts import (
    NO_DIFFERENCE,
    Rules,
    tally_verdicts,
)
from ssdlab.stats.differences import compare_levels, widest_difference
from ssdlab.stats.levels import (
    estimate_level,
    estimate_log_level,
    join_levels,
)
from ssdlab.stats.states import chance_of_states, more_runs_needed

PLACE = ("iops", "iops", "RND 4 KiB 0/100")
NO_CONDITIONS = pd.DataFrame({
    "condition": pd.Series(dtype=str),
    "run_id": pd.Series(dtype=str),
    "value": pd.Series(dtype=str),
    "standing": pd.Series(dtype=str),
    "tests": pd.Series(dtype=str),
    "is_barring": pd.Series(dtype=bool),
})


def side(name: str, *rounds: tuple[float, ...]) -> SideCell:
    return SideCell(
        side=name,
        run_ids=tuple(f"{name}{place}" for place in range(len(rounds))),
        rounds=rounds,
        dependences=(0.0,) * len(rounds),
        printed=(),
        workers=frozenset({"T1/Q1"}),
        doubts=(),
    )


def compare(*sides: SideCell, rules: Rules | None = None) -> pd.DataFrame:
    return compare_table({PLACE: {one.side: one for one in sides}}, rules=rules)


def compare_table(
    found: dict[tuple[str, str, str], dict[str, SideCell]],
    rules: Rules | None = None,
) -> pd.DataFrame:
    sides = next(iter(found.values())).values()
    table = pd.DataFrame({
        "run_id": [run for one in sides for run in one.run_ids],
        "side": [one.side for one in sides for _ in one.run_ids],
    })
    return compare_cells(
        pool_runs(found), table, conditions=NO_CONDITIONS, rules=rules or Rules()
    )


def about(level: float, spread: float = 0.01) -> tuple[float, ...]:
    return tuple(level * (1 + spread * step) for step in (-1, 0.5, 0, -0.5, 1))


def test_single_runs_are_claimed_to_differ_and_their_drives_are_not() -> None:
    row = compare(side("A", about(100)), side("B", about(150))).iloc[0]
    assert (row["unit"], row["claim"], row["better"]) == ("rounds", "runs", "B")
    assert row["verdict"].startswith("B ahead of A in these runs by 50.0 %")
    assert math.isnan(row["p_drives"])


def test_drives_that_were_measured_again_beat_each_other() -> None:
    first = side("A", about(100), about(101), about(99.5), about(100.5))
    second = side("B", about(150), about(151), about(149), about(150.5))
    row = compare(first, second).iloc[0]
    assert (row["unit"], row["claim"], row["better"]) == ("runs", "drives", "B")
    assert row["verdict"].startswith("B beats A by ")


def test_two_runs_a_side_claim_nothing_of_drives_and_say_how_many_it_takes() -> None:
    first = side("A", about(100), about(100.1))
    second = side("B", about(150), about(150.1))
    row = compare(first, second).iloc[0]
    assert (row["claim"], row["better"]) == ("runs", "B")
    assert math.isnan(row["p_drives"])
    assert (row["more_runs_a"], row["more_runs_b"]) == (1, 1)
    assert "not shown for the drives" in row["verdict"]


@pytest.mark.parametrize(
    ("runs", "pairs", "more"),
    [
        ((3, 3), 1, (0, 0)),
        ((2, 2), 1, (1, 1)),
        ((2, 4), 1, (0, 0)),
        ((2, 3), 1, (1, 0)),
        ((7, 1), 1, (0, 0)),
        ((6, 1), 1, (0, 1)),
        ((4, 4), 6, (0, 0)),
        ((4, 4), 7, (1, 0)),
    ],
)
def test_runs_that_a_claim_of_drives_takes(
    runs: tuple[int, int], pairs: int, more: tuple[int, int]
) -> None:
    """Seven runs against one fall apart in (7/8)^7 / 8 + 1/8^7 * 7/8 = 4.9 %."""
    assert more_runs_needed(*runs, pairs=pairs) == more
    assert more_runs_needed(*runs[::-1], pairs=pairs) in {more, more[::-1]}


def test_chance_of_states_is_that_of_all_ways_to_fall_apart() -> None:
    """Counted: of the 2^5 ways that two and three runs fall, two are apart."""
    assert chance_of_states(2, 3) == pytest.approx(2 / 2**5)
    assert chance_of_states(7, 1) == pytest.approx((7 / 8) ** 7 / 8, rel=1e-3)


def test_drives_that_hardly_differ_are_the_same_and_which_wins_is_not_asked() -> None:
    first = side("A", *(about(100 + step, 0.001) for step in (0, 0.1, -0.1, 0.05)))
    second = side("B", *(about(100.2 + step, 0.001) for step in (0, 0.1, -0.2, 0.1)))
    row = compare(first, second).iloc[0]
    assert (row["same"], row["claim"], row["better"]) == ("drives", "", "")
    assert row["verdict"] == "the same within 3 %"
    single = compare(side("A", about(100, 0.001)), side("B", about(100.1, 0.001)))
    assert single.iloc[0]["verdict"] == "the same within 3 % in these runs"
    tight = Rules(same_percent=0.01)
    row = compare(first, second, rules=tight).iloc[0]
    assert (row["same"], row["verdict"]) == ("", NO_DIFFERENCE)


def test_shown_difference_is_told_rather_than_that_it_is_small() -> None:
    """Two percent, sure to a tenth: a winner, though it is within three."""
    first = side("A", *(about(100 + step, 0.001) for step in (0, 0.02, -0.02, 0.01)))
    second = side("B", *(about(102 + step, 0.001) for step in (0, 0.02, -0.02, 0.01)))
    row = compare(first, second).iloc[0]
    assert row["p_same_drives_adjusted"] < 0.05
    assert (row["better"], row["claim"], row["same"]) == ("B", "drives", "")


def test_cell_whose_runs_are_alike_by_luck_has_the_scatter_of_its_metric() -> None:
    """Three runs of either drive agree in one cell, and in no other."""
    runs = (0.9, 1.0, 1.1)
    table = {
        (*PLACE[:2], f"cell {place}"): {
            name: side(name, *(about(level * one, 0.001) for one in runs))
            for name, level in (("A", 100), ("B", 105))
        }
        for place in range(8)
    }
    alike = {
        name: side(name, *(about(level * one, 0.001) for one in (0.9999, 1, 1.0001)))
        for name, level in (("A", 100), ("B", 105))
    }
    alone = compare_table({PLACE: alike}).iloc[0]
    assert alone["claim"] == "drives"
    rows = compare_table({PLACE: alike, **table})
    assert rows.iloc[0]["claim"] == "runs"
    assert rows.iloc[0]["p_drives"] > 0.3
    assert rows.iloc[0]["low"] < 1 < rows.iloc[0]["high"]


def test_declared_cell_has_half_of_the_error() -> None:
    """Holm alone leaves it unshown among 40 others, and declared it is shown."""
    runs = ((0.99, 1.0, 1.01), (1.06, 1.07, 1.08))
    found = {
        (*PLACE[:2], name): {
            letter: side(letter, *(about(100 * one, 0.001) for one in levels))
            for letter, levels in zip("AB", (runs[0], which), strict=True)
        }
        for name, which in {
            PLACE[2]: runs[1],
            **{f"cell {n}": runs[0] for n in range(40)},
        }.items()
    }
    plain = compare_table(found)
    rules = Rules(primary=parse_cells("iops 4 KiB 0/100"))
    declared = compare_table(found, rules=rules)
    assert declared["is_primary"].tolist() == [True] + [False] * 40
    first, then = (table.iloc[0]["p_drives_adjusted"] for table in (plain, declared))
    assert first == pytest.approx(41 * plain.iloc[0]["p_drives"])
    assert then == pytest.approx(2 * declared.iloc[0]["p_drives"])


def test_false_discovery_rate_is_a_named_choice_that_finds_more() -> None:
    rng = np.random.default_rng(4)
    found = {
        (*PLACE[:2], f"cell {n}"): {
            name: side(
                name,
                *(about(level * (1 + 0.01 * rng.standard_normal())) for _ in range(4)),
            )
            for name, level in (("A", 100.0), ("B", 104.0 if n < 20 else 100.0))
        }
        for n in range(40)
    }
    counts = [
        int(
            (compare_table(found, rules=Rules(control=name))["claim"] == "drives").sum()
        )
        for name in ("fwer", "fdr")
    ]
    assert counts[0] < counts[1] <= 22


def test_two_runs_that_are_far_apart_leave_the_drives_open() -> None:
    """Every run of B is ahead, and two runs of A tell next to nothing of A."""
    first, second = side("A", about(100), about(120)), side("B", about(150))
    row = compare(first, second).iloc[0]
    assert (row["claim"], row["better"]) == ("runs", "B")
    assert row["low"] < 1 < row["high"]
    assert "not shown for the drives" in row["verdict"]


def test_runs_on_both_sides_of_the_other_show_nothing() -> None:
    row = compare(side("A", about(90), about(110)), side("B", about(100))).iloc[0]
    assert row["p_runs"] == 1.0
    assert row["verdict"] == NO_DIFFERENCE


def test_drives_measured_once_each_claim_nothing_by_the_repeats_of_a_third() -> None:
    """Four runs of A, alike, tell how A differs from run to run, and not B or C."""
    repeated = side("A", about(100), about(100.1), about(99.9), about(100.05))
    others = (side("B", about(150)), side("C", about(130)))
    table = compare(repeated, *others)
    row = table[(table["a"] == "B") & (table["b"] == "C")].iloc[0]
    alone = compare(*others).iloc[0]
    assert (row["unit"], row["claim"], row["better"]) == ("rounds", "runs", "B")
    assert row["verdict"].startswith("B ahead of C in these runs by ")
    assert math.isnan(row["p_drives"])
    assert (row["low"], row["high"]) == (alone["low"], alone["high"])
    assert set(table[table["a"] == "A"]["unit"]) == {"runs"}


def test_runs_that_are_alike_by_luck_are_no_surer_than_their_rounds() -> None:
    first = side("A", about(100, 0.2), about(100.001, 0.2))
    second = side("B", about(110, 0.2))
    row = compare(first, second).iloc[0]
    joined = join_levels(first.run_levels)
    by_rounds = compare_levels(joined, second.run_levels[0]).ratio
    assert row["low"] <= by_rounds.low
    assert row["high"] >= by_rounds.high
    assert row["verdict"] == NO_DIFFERENCE
    of_rounds = math.exp(first.reaches()[1])
    assert of_rounds > 1.05


@settings(deadline=None, max_examples=25)
@given(
    st.lists(st.integers(50, 200), min_size=2, max_size=6, unique=True),
    st.floats(0.01, 0.3),
)
def test_interval_by_runs_holds_that_by_rounds(
    levels: list[int], spread: float
) -> None:
    first = side("A", *(about(level, spread) for level in levels))
    row = compare(first, side("B", about(100, spread))).iloc[0]
    joined = join_levels(first.run_levels)
    inner = compare_levels(joined, estimate_level(about(100, spread))).ratio
    assert row["low"] <= inner.low * (1 + 1e-9)
    assert row["high"] >= inner.high * (1 - 1e-9)


def test_wider_of_two_judgements_has_both_ends_and_the_greater_p() -> None:
    narrow = compare_levels(estimate_level(about(100)), estimate_level(about(101)))
    wide = compare_levels(
        estimate_level(about(100, 0.1)), estimate_level(about(101, 0.1))
    )
    found = widest_difference(narrow, wide)
    assert found.ratio.estimate == narrow.ratio.estimate
    assert (found.ratio.low, found.ratio.high) == (wide.ratio.low, wide.ratio.high)
    assert found.p_value == wide.p_value


def test_joined_levels_have_the_hand_computed_variance() -> None:
    one, other = estimate_level([90.0, 110.0]), estimate_level([95.0, 105.0])
    joined = join_levels([one, other])
    assert joined.variance == pytest.approx((0.01 + 0.0025) / 4)
    assert joined.freedom == pytest.approx(0.0125**2 / (0.01**2 + 0.0025**2))
    assert joined.log_mean == pytest.approx(estimate_log_level([100, 100]).log_mean)


def test_repeats_tell_in_how_many_cells_runs_of_one_drive_differ() -> None:
    near, far = side("A", about(100), about(100.1)), side("A", about(100), about(130))
    found = {PLACE: {"A": near}, ("tp", "bw_bytes_per_s", "SEQ"): {"A": far}}
    row = compare_repeats(found).iloc[0]
    assert (row["n_cells"], row["n_runs"], row["n_differing"]) == (2, 2, 1)
    assert row["max_percent"] == pytest.approx(30)
    assert compare_repeats({PLACE: {"A": side("A", about(100))}}).empty


def test_runs_of_one_drive_that_differ_by_rounds_only_are_seldom_told_apart() -> None:
    rng = np.random.default_rng(8)
    wrong = 0
    for _ in range(200):
        runs = tuple(tuple(100 + rng.standard_normal(5)) for _ in range(2))
        wrong += int(
            compare_repeats({PLACE: {"A": side("A", *runs)}})["n_differing"][0]
        )
    assert wrong <= 200 * 0.05 + 3 * math.sqrt(200 * 0.05 * 0.95)


def test_tally_counts_every_cell_once() -> None:
    rows = compare(side("A", about(100)), side("B", about(150)))
    found = tally_verdicts(rows)
    assert found["b_ahead"] == 1
    assert sum(found.values()) == 2 * found["n_cells"] == 2


def test_profile_stands_for_its_values_and_they_for_themselves() -> None:
    values = ["profile: iops max rounds", "kernel"]
    assert name_conditions(["profile", *values]) == ("profile", "kernel")
    assert name_conditions(values) == tuple(values)


def test_run_that_a_person_named_keeps_its_name() -> None:
    assert with_run_word("Model", "my-run") == "my-run"
    assert with_run_word("Model", "20261122-101112-demo-0af3") == "Model 0af3"


def test_gain_of_rest_has_the_interval_of_a_ratio_of_means() -> None:
    """Twelve accesses after rest and twelve without, none depending on another."""
    rng = np.random.default_rng(3)
    rested, baseline = 200 + rng.standard_normal(12), 100 + rng.standard_normal(12)
    accesses = pd.DataFrame({
        "run_id": "r",
        "wait_state": 1,
        "is_baseline": [False] * 12 + [True] * 12,
        "wait_s": [5.0] * 12 + [0.0] * 12,
        "idle_before_s": [5.0] * 12 + [0.0] * 12,
        "runtime_s": 5.0,
        "is_contiguous": True,
        "iops": [*rested, *baseline],
    })
    row = summarise_rest_gains(accesses).iloc[0]
    assert row["iops_ratio_low"] < 2 < row["iops_ratio_high"]
    assert row["iops_ratio_high"] / row["iops_ratio_low"] < 1.06
    single = accesses.drop_duplicates("is_baseline")
    assert summarise_rest_gains(single).empty
