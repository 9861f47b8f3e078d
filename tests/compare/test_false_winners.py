"""Over all tables of equal drives, no more than one in 20 names a winner."""

import math

from tools.coverage_cases.comparison import CASES

TRIALS = 150
SEED = 20
FAMILIES = [case for case in CASES if case.statistic.startswith("no winner")]


def test_no_more_than_one_table_of_equal_drives_in_20_names_a_winner() -> None:
    assert len(FAMILIES) == 4
    rows = [case.measure(TRIALS, seed=SEED) for case in FAMILIES]
    wrong = sum(1 - row.covered for row in rows) / len(rows)
    trials = sum(row.trials for row in rows)
    assert wrong <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / trials)
