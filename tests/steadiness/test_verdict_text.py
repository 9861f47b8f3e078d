"""What a verdict says to people and to programs."""

import json
import math

from ssdlab.model.spec import SteadyStateCriteria
from ssdlab.stats.steady_state import assess_steady_state
from ssdlab.steadiness.verdict_text import verdict_as_dict, verdict_lines

REQUIRED_KEYS = {
    "is_steady", "window_first_round", "window_last_round", "average", "range_ratio",
    "slope_ratio", "slope_per_round", "intercept", "correlation", "max_range_ratio",
    "max_slope_ratio", "first_steady_round",
}  # fmt: skip


def test_lines_name_each_number_beside_its_limit() -> None:
    verdict = assess_steady_state([14230, 13458, 12111, 12102, 13318], first_round=2)

    assert verdict_lines(verdict, first_steady_round=6) == [
        "Measurement window  rounds 2 - 6",
        "Average             13043.8",
        "Range               2128 = 16.314 % of the average (at most 20 %): pass",
        "Slope excursion     1272 = 9.752 % of the average (at most 10 %): pass",
        "Best linear fit     -318 * round + 14315.8",
        "Correlation         -0.544",
        "Verdict             steady",
        "First steady round  6",
    ]


def test_lines_say_why_when_not_steady() -> None:
    lines = verdict_lines(assess_steady_state([1, 2, 3, 4, 5]))

    assert lines[2].endswith("4 = 133.333 % of the average (at most 20 %): FAIL")
    assert lines[4] == "Best linear fit     1 * round + 0"
    assert lines[6].startswith("Verdict             NOT steady: range 133.3 % of the")
    assert lines[7] == "First steady round  none"


def test_lines_show_a_negative_intercept_as_a_difference() -> None:
    verdict = assess_steady_state([1, 2, 3, 4, 5], first_round=3)

    assert verdict_lines(verdict)[4] == "Best linear fit     1 * round - 2"


def test_lines_show_what_does_not_exist_as_not_available() -> None:
    flat = verdict_lines(assess_steady_state([5.0] * 5))
    broken = verdict_lines(assess_steady_state([5.0, 5.0, math.nan, 5.0, 5.0]))

    assert flat[5] == "Correlation         n/a"
    assert broken[1] == "Average             n/a"
    assert (
        broken[6] == "Verdict             NOT steady: data error: round 3 has no value"
    )


def test_lines_keep_the_digits_of_small_values() -> None:
    lines = verdict_lines(
        assess_steady_state([0.000198, 0.0002, 0.0002, 0.0002, 0.0002])
    )

    assert lines[1] == "Average             0.0001996"


def test_lines_name_only_limits_that_were_asked_for() -> None:
    criteria = SteadyStateCriteria(
        max_range_ratio=None, max_slope_ratio=None, max_value_deviation_ratio=0.1
    )
    lines = verdict_lines(assess_steady_state([100, 100, 118, 100, 100], criteria))

    assert [line.split("  ")[0] for line in lines[1:4]] == [
        "Average",
        "Value deviation",
        "Best linear fit",
    ]
    assert lines[2].endswith("14.4 = 13.900 % of the average (at most 10 %): FAIL")


def test_dict_holds_full_precision_and_survives_json() -> None:
    window = [206.155855, 205.510651, 198.602876, 192.757271, 188.223261]
    verdict = assess_steady_state(window)
    plain = verdict_as_dict(verdict, first_steady_round=5)
    read = json.loads(json.dumps(plain, allow_nan=False))

    assert read.keys() >= REQUIRED_KEYS
    assert read["slope_ratio"] == verdict.slope_ratio
    assert read["correlation"] == verdict.correlation
    assert (read["max_range_ratio"], read["max_slope_ratio"]) == (0.20, 0.10)
    assert read["is_steady"] is True
    assert read["first_steady_round"] == 5


def test_dict_holds_null_for_what_does_not_exist() -> None:
    broken = verdict_as_dict(assess_steady_state([1.0, 1.0, 1.0, 1.0, 0.0]))

    assert broken["average"] is None
    assert broken["first_steady_round"] is None
    assert json.dumps(broken, allow_nan=False)
    assert verdict_as_dict(assess_steady_state([5.0] * 5))["correlation"] is None
