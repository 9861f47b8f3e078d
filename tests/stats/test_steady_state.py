"""The steady-state rule on windows whose verdict is known."""

import csv
import math

import numpy as np
import pandas as pd
import pytest

from ssdlab.model.spec import SteadyStateCriteria
from ssdlab.stats.steady_state import (
    assess_rounds,
    assess_series,
    assess_steady_state,
    find_first_steady_round,
)
from tests.paths import REFERENCE, require_folder
from tests.stats.exact import judge_exactly

# Two public TKperf reports: the window that each test was declared steady in.
REPORTED_WINDOWS = {
    "MX200 IOPS": ("5776", "5865", "6022", "6160", "6181"),
    "MX200 TP": ("318565", "308605", "309038", "308992", "309212"),
    "MX200 LAT": ("206.155855", "205.510651", "198.602876", "192.757271", "188.223261"),
    "S3510 IOPS": ("14230", "13458", "12111", "12102", "13318"),
    "S3510 TP": ("106436", "106163", "106231", "106083", "106280"),
    "S3510 LAT": ("59.764342", "53.823514", "53.879819", "54.460851", "55.594414"),
}
PER_VALUE_CRITERIA = SteadyStateCriteria(
    max_range_ratio=None,
    max_slope_ratio=None,
    max_value_deviation_ratio=0.10,
    max_fit_deviation_ratio=0.10,
)


def reference_rows(name: str) -> list[dict[str, str]]:
    path = require_folder(REFERENCE) / name
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("texts", REPORTED_WINDOWS.values(), ids=REPORTED_WINDOWS)
def test_reported_windows_are_steady_to_full_precision(texts: tuple[str, ...]) -> None:
    verdict, exact = (
        assess_steady_state([float(t) for t in texts]),
        judge_exactly(texts),
    )

    assert verdict.is_steady
    assert verdict.reason == ""
    assert verdict.average == pytest.approx(float(exact.average), rel=4e-15, abs=0)
    assert verdict.range_ratio == pytest.approx(
        float(exact.range_ratio), rel=1e-13, abs=0
    )
    assert verdict.slope_per_round == pytest.approx(
        float(exact.slope), rel=1e-13, abs=0
    )
    assert verdict.slope_ratio == pytest.approx(
        float(exact.slope_ratio), rel=1e-13, abs=0
    )
    assert exact.correlation_squared is not None
    assert verdict.correlation == pytest.approx(
        math.copysign(math.sqrt(exact.correlation_squared), exact.slope), rel=1e-12
    )


@pytest.mark.parametrize("name", ["MX200 LAT", "S3510 IOPS"])
def test_slope_excursion_spans_four_steps_not_five(name: str) -> None:
    verdict = assess_steady_state([float(text) for text in REPORTED_WINDOWS[name]])

    assert verdict.is_slope_ok
    assert verdict.slope_ratio * 5 / 4 > 0.10
    assert abs(verdict.fit_last - verdict.fit_first) == pytest.approx(
        4 * abs(verdict.slope_per_round)
    )


def test_fit_of_a_hand_computed_window_when_rounds_count_from_one() -> None:
    verdict = assess_steady_state([5776, 5865, 6022, 6160, 6181])

    assert verdict.average == 6000.8
    assert verdict.slope_per_round == 110.5
    assert verdict.intercept == pytest.approx(5669.3, rel=1e-15)
    assert (verdict.fit_first, verdict.fit_last) == pytest.approx((5779.8, 6221.8))
    assert (verdict.minimum, verdict.maximum) == (5776, 6181)
    assert (verdict.window_first_round, verdict.window_last_round) == (1, 5)


def test_intercept_uses_true_round_numbers_when_the_window_is_late() -> None:
    verdict = assess_steady_state([9000, 7000, 5776, 5865, 6022, 6160, 6181])

    assert (verdict.window_first_round, verdict.window_last_round) == (3, 7)
    assert verdict.intercept == pytest.approx(6000.8 - 110.5 * 5)


def test_worked_examples_of_the_reference_agree() -> None:
    for row in reference_rows("steady_state_worked_examples.csv"):
        verdict = assess_steady_state([float(row[f"y{i}"]) for i in range(1, 6)])
        assert verdict.average == pytest.approx(float(row["average"]), rel=1e-15)
        assert verdict.slope_per_round == pytest.approx(
            float(row["slope_per_round"]), rel=1e-13
        )
        assert verdict.intercept == pytest.approx(
            float(row["intercept_x_1_to_5"]), abs=5.1e-8
        )
        assert 100 * verdict.range_ratio == pytest.approx(
            float(row["range_pct_of_average"]), abs=5.1e-5
        )
        assert 100 * verdict.slope_ratio == pytest.approx(
            float(row["slope_excursion_pct_of_average"]), abs=5.1e-5
        )
        assert verdict.correlation == pytest.approx(
            float(row["correlation_r"]), abs=5.1e-7
        )
        assert str(verdict.is_range_ok) == row["range_ok"]
        assert str(verdict.is_slope_ok) == row["slope_ok"]


def test_windows_of_the_reference_are_those_judged_here() -> None:
    windows: dict[tuple[str, str], list[str]] = {}
    for row in reference_rows("tkperf_steady_state_windows.csv"):
        windows.setdefault((row["device"], row["test"]), []).append(row["value"])

    assert [tuple(values) for values in windows.values()] == list(
        REPORTED_WINDOWS.values()
    )


def test_edge_vectors_of_the_reference_get_their_verdicts() -> None:
    rows = reference_rows("steady_state_edge_vectors.csv")
    assert len(rows) == 10
    for row in rows:
        values = [float(row[f"y{i}"]) for i in range(1, 6)]
        verdict = assess_steady_state(values)
        assert str(verdict.is_steady) == row["steady_inclusive_le"], row["case"]
        assert 100 * verdict.slope_ratio == pytest.approx(
            float(row["slope_excursion_pct"]), rel=1e-13, abs=1e-13
        )
        per_value = assess_steady_state(values, PER_VALUE_CRITERIA).is_steady
        expected = row["variant_each_value_and_fit_end_within_10pct_of_average"]
        assert str(per_value) == expected, row["case"]


@pytest.mark.parametrize("unit", [1e-9, 1e-6, 1e-3, 0.1, 1 / 3, 1.1, 1e3, 1e6, 4096.0])
@pytest.mark.parametrize(
    "window",
    [(90, 100, 110, 100, 100), (95, 97.5, 100, 102.5, 105), (110, 100, 90, 100, 100)],
    ids=["range", "slope", "range-reversed"],
)
def test_a_value_at_its_limit_is_steady_in_every_unit(
    window: tuple[float, ...], unit: float
) -> None:
    assert assess_steady_state([value * unit for value in window]).is_steady


@pytest.mark.parametrize(
    ("window", "reason"),
    [
        (
            (90, 100, 110.000001, 100, 100),
            "range 20.000001 % of the average exceeds 20 %",
        ),
        (
            (95, 97.5, 100, 102.5, 105.000001),
            "slope excursion 10.000001 % of the average exceeds 10 %",
        ),
        (
            (80, 90, 100, 110, 120),
            (
                "range 40 % of the average exceeds 20 %; "
                "slope excursion 40 % of the average exceeds 10 %"
            ),
        ),
        (
            (93, 96.5, 100, 103.5, 107),
            "slope excursion 14 % of the average exceeds 10 %",
        ),
    ],
    ids=["range-by-a-hair", "slope-by-a-hair", "both", "bare-slope-misuse"],
)
def test_reason_names_ratio_and_limit_when_not_steady(
    window: tuple[float, ...], reason: str
) -> None:
    verdict = assess_steady_state(window)

    assert not verdict.is_steady
    assert verdict.reason == reason


def test_latency_excursion_is_not_rounded_away_when_values_are_small() -> None:
    falling_ms = [0.0206, 0.0205, 0.0198, 0.0192, 0.0180]

    assert not assess_steady_state(falling_ms).is_slope_ok


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (math.nan, "data error: round 8 has no value"),
        (None, "data error: round 8 has no value"),
        (0, "data error: round 8 is 0, not a positive number"),
        (-100, "data error: round 8 is -100, not a positive number"),
        (math.inf, "data error: round 8 is inf, not a positive number"),
        (-math.inf, "data error: round 8 is -inf, not a positive number"),
    ],
    ids=["nan", "missing", "zero", "negative", "infinite", "negative-infinite"],
)
def test_bad_value_in_the_window_is_a_data_error(
    bad: float | None, reason: str
) -> None:
    verdict = assess_steady_state([100, 100, 100, 100, bad, 100], first_round=4)  # type: ignore[arg-type,list-item,unused-ignore] # None is missing

    assert not any([verdict.is_steady, verdict.is_range_ok, verdict.is_slope_ok])
    assert verdict.reason == reason
    assert math.isnan(verdict.average)


def test_bad_value_before_the_window_does_not_matter() -> None:
    assert assess_steady_state([math.nan, 0, 100, 100, 100, 100, 100]).is_steady


def test_values_too_large_to_add_are_a_data_error() -> None:
    verdict = assess_steady_state([1.7e308] * 4 + [1.6e308])

    assert not any([verdict.is_steady, verdict.is_range_ok, verdict.is_slope_ok])
    assert math.isnan(verdict.average)
    assert verdict.reason == "data error: values too large to add up"


def test_missing_value_of_a_nullable_column_is_a_data_error() -> None:
    column = pd.Series([100, 100, None, 100, 100], dtype="Int64")

    assert assess_steady_state(column.to_numpy()).reason.startswith("data error")  # type: ignore[arg-type,unused-ignore] # a column as a frame holds it
    assert assess_steady_state(column).reason == "data error: round 3 has no value"


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([100.0] * 4, "4 rounds are fewer than the 5"),
        ([], "0 rounds are fewer"),
        ([[100.0] * 5], "one dimension, not 2"),
        (["a"] * 5, "could not convert"),
    ],
    ids=["four", "none", "two-dimensional", "text"],
)
def test_what_is_no_window_is_refused(values: list[float], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        assess_steady_state(values)


def test_window_of_one_round_is_refused() -> None:
    with pytest.raises(ValueError, match="window of 1 rounds has no slope"):
        assess_steady_state([1.0], SteadyStateCriteria(window_rounds=1))


def test_optional_limits_are_named_when_passed() -> None:
    verdict = assess_steady_state([100, 100, 118, 100, 100], PER_VALUE_CRITERIA)

    assert verdict.reason == "value deviation 13.9 % of the average exceeds 10 %"
    assert [(limit.what, limit.is_kept) for limit in verdict.limits] == [
        ("value deviation", False),
        ("fit deviation", True),
    ]


def test_rounds_have_no_verdict_before_the_window_is_full() -> None:
    verdicts = assess_rounds([150, 100, 101, 99, 100, 100, 100])

    assert [None if v is None else v.is_steady for v in verdicts] == [
        *[None] * 4, False, True, True,
    ]  # fmt: skip
    assert verdicts[-1] == assess_steady_state([150, 100, 101, 99, 100, 100, 100])


def test_window_never_spans_a_gap() -> None:
    verdicts = assess_rounds([100.0] * 14, segment_starts=[1, 4, 10, 10])

    judged = [number for number, v in enumerate(verdicts, start=1) if v is not None]
    assert judged == [8, 9, 14]
    last = verdicts[-1]
    assert last is not None
    assert (last.window_first_round, last.window_last_round) == (10, 14)


def test_rounds_refuse_a_segment_that_starts_before_round_one() -> None:
    with pytest.raises(ValueError, match="rounds count from 1"):
        assess_rounds([100.0] * 5, segment_starts=[0])


def test_first_steady_round_is_the_last_of_the_first_steady_window() -> None:
    series = [400, 300, 200, 150, 100, 101, 99, 100, 100, 500]

    assert find_first_steady_round(series) == 9
    assert find_first_steady_round(series[:8]) is None
    assert find_first_steady_round(series[:3]) is None


def test_series_leaves_rounds_without_a_window_open() -> None:
    judged = assess_series([100.0, 100.0, 100.0])

    assert np.isnan(judged.average).all()
    assert not judged.is_steady.any()
    assert len(assess_series([]).is_steady) == 0
