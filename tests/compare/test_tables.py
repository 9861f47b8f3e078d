"""Tables of what each drive does, of few drives and of many."""

import math
from types import SimpleNamespace

import pandas as pd
import pytest

from ssdlab.compare.level_tables import values_table
from ssdlab.compare.texts import ratio_words


def summary(*sides: str) -> pd.DataFrame:
    return pd.DataFrame({
        "metric": "iops",
        "cell": "RND 4 KiB 0/100",
        "side": sides,
        "value": 1000.0,
        "low": 900.0,
        "high": 1100.0,
        "unit": "rounds",
        "n": 5,
    })


def test_few_drives_have_columns_and_what_was_not_measured_a_dash() -> None:
    table = values_table(summary("A", "B"), ["A", "B", "C"], caption="IOPS")
    assert table.head == ("Cell", "A, 5 rounds", "B, 5 rounds", "C")
    value = "1,000 (900.0 to 1,100)"
    assert table.rows == (("RND 4 KiB 0/100", value, value, "-"),)


def test_many_drives_have_lines_and_those_that_did_not_measure_none() -> None:
    table = values_table(summary("A", "C"), ["A", "B", "C", "D"], caption="IOPS")
    assert table.head == ("Cell", "Drive", "Mean (95 %)", "Of")
    value = "1,000 (900.0 to 1,100)"
    assert table.rows == (
        ("RND 4 KiB 0/100", "A", value, "5 rounds"),
        ("RND 4 KiB 0/100", "C", value, "5 rounds"),
    )


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (1.5, 2.5, "2.000 (1.500 to 2.500)"),
        (1.5, math.inf, "2.000 (at least 1.500)"),
        (0.0, 2.5, "2.000 (at most 2.500)"),
        (math.nan, math.nan, "2.000"),
    ],
)
def test_ratio_says_which_end_it_has(low: float, high: float, words: str) -> None:
    assert ratio_words(SimpleNamespace(ratio=2.0, low=low, high=high)) == words
