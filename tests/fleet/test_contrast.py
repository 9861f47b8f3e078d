"""Two populations of drives: hand-computed ratios, and what few drives do not show."""

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from ssdlab.fleet.contrast import (
    METRICS,
    Contrast,
    DriveValues,
    contrast_drives,
    find_contrasts,
    summarise_contrasts,
)

levels = st.lists(st.floats(1.0, 1e6), min_size=3, max_size=8)


def drives(values: Sequence[float], prefix: str = "d") -> DriveValues:
    named = {f"{prefix}{at}": value for at, value in enumerate(values)}
    return DriveValues(by_drive=named, runs=len(named))


def contrast(first: Sequence[float], second: Sequence[float]) -> Contrast:
    return contrast_drives(drives(first, "a"), drives(second, "b"))


def rows(
    serials: Sequence[str],
    values: Sequence[float],
    *,
    cell: str = "one",
    **more: object,
) -> pd.DataFrame:
    return pd.DataFrame({
        "cell": cell,
        "test": "iops",
        "phase": "rounds",
        "kind": "cell",
        "workload": "RND 4 KiB 0/100",
        "direction": "total",
        "device_model": "M",
        "device_serial": list(serials),
        "iops": list(values),
        "lat_p9999_ns": list(values),
        "is_p9999_supported": True,
        **more,
    })


def test_ratio_of_drives_equals_the_hand_computed_welch_interval() -> None:
    """Logs 0, 1, 2 and 4, 5, 6: variances 1, so 1/3 + 1/3 with 4 degrees of freedom."""
    found = contrast([math.e**n for n in (0, 1, 2)], [math.e**n for n in (4, 5, 6)])
    ratio = found.difference().ratio
    reach = 2.7764451 * math.sqrt(2 / 3)
    assert math.log(ratio.estimate) == pytest.approx(4)
    assert math.log(ratio.low) == pytest.approx(4 - reach)
    assert math.log(ratio.high) == pytest.approx(4 + reach)
    assert found.reason == ""


def test_same_drives_are_compared_each_with_itself() -> None:
    """Log ratios 1, 2, 3: mean 2, variance 1/3, t of 2 degrees of freedom 4.3027."""
    first = [1.0, 10.0, 100.0]
    second = [value * math.e**n for value, n in zip(first, (1, 2, 3), strict=True)]
    found = contrast_drives(drives(first), drives(second))
    ratio = found.difference().ratio
    assert math.log(ratio.estimate) == pytest.approx(2)
    assert math.log(ratio.low) == pytest.approx(2 - 4.3026527 / math.sqrt(3))
    oracle = stats.ttest_1samp([1, 2, 3], 0)
    assert found.difference().p_value == pytest.approx(oracle.pvalue)


def test_runs_of_a_drive_are_one_value_however_many_they_are() -> None:
    first = rows(["a", "b", "c", "c", "c"], [100, 110, 90, 100, 1000 / 9])
    second = rows(["d", "e", "f"], [50, 55, 45])
    (found,) = find_contrasts(first, second, metrics=[METRICS["iops"]])
    assert (found.baseline.drives, found.baseline.runs) == (3, 5)
    own = contrast([100, 110, 100], [50, 55, 45])
    assert found.difference().ratio.low == pytest.approx(own.difference().ratio.low)


@given(levels, levels, st.floats(0.01, 100))
@settings(max_examples=30)
def test_swapped_or_scaled_populations_have_the_inverse_or_the_scaled_ratio(
    first: list[float], second: list[float], scale: float
) -> None:
    found = contrast(first, second).difference()
    swapped = contrast(second, first).difference()
    scaled = contrast(first, [scale * one for one in second]).difference()
    if math.isnan(found.p_value):  # none of them scatters
        return
    assert swapped.ratio.low == pytest.approx(1 / found.ratio.high, rel=1e-9)
    assert scaled.ratio.high == pytest.approx(scale * found.ratio.high, rel=1e-9)


@pytest.mark.parametrize(
    ("counts", "reason"),
    [
        ((1, 9), "too few drives"),
        ((9, 1), "too few drives"),
        ((2, 2), "too few drives"),
        ((2, 3), "too few drives"),
        ((2, 4), ""),
        ((3, 3), ""),
    ],
)
def test_few_drives_claim_nothing(counts: tuple[int, int], reason: str) -> None:
    first, second = ([100.0 + at for at in range(n)] for n in counts)
    assert contrast(first, [2 * one for one in second]).reason == reason


def test_drives_that_do_not_scatter_at_all_claim_nothing() -> None:
    assert contrast([1.0] * 3, [2.0] * 3).reason == "no scatter"


def test_percentile_of_a_run_that_nothing_bounds_claims_nothing() -> None:
    first = rows("abc", [100, 101, 102])
    second = rows("def", [200, 201, 202], is_p9999_supported=[True, True, None])
    found = find_contrasts(first, second, metrics=[METRICS["iops"], METRICS["p99.99"]])
    assert [one.reason for one in found] == ["", "percentile not bounded"]
    table = summarise_contrasts(found)
    assert table["low"].notna().tolist() == [True, False]


def test_drives_without_a_serial_number_count_as_one() -> None:
    first = rows(["", "", ""], [100, 101, 102])
    second = rows("def", [200, 201, 202])
    (found,) = find_contrasts(first, second, metrics=[METRICS["iops"]])
    assert (found.baseline.drives, found.reason) == (1, "too few drives")


def test_cell_that_scatters_by_luck_little_has_the_scatter_of_the_others() -> None:
    calm, wild = [100.0, 100.1, 100.2], [90.0, 100.0, 110.0]
    first = pd.concat([rows("abc", calm), rows("abc", wild, cell="two")])
    second = pd.concat([rows("def", calm), rows("def", wild, cell="two")])
    found = find_contrasts(first, second, metrics=[METRICS["iops"]])
    alone = contrast(calm, calm).difference().ratio
    assert [one.names["cell"] for one in found] == ["one", "two"]
    assert found[0].difference().ratio.high > 10 * (alone.high - 1) + 1


def test_value_that_was_not_measured_is_no_drive() -> None:
    first = rows("abcd", [100, 101, 102, math.nan])
    (found,) = find_contrasts(
        first, rows("def", [100, 101, 102]), metrics=[METRICS["iops"]]
    )
    assert found.baseline.drives == 3
    assert not find_contrasts(
        first, rows("def", [math.nan] * 3), metrics=[METRICS["iops"]]
    )


def test_drives_needed_are_what_t_quantiles_of_the_scatter_ask_for() -> None:
    """With variance v a drive and n a side: (t.975 + t.8) sqrt(2 v / n) <= ln 1.05."""
    found = contrast([95.0, 100.0, 105.0], [95.0, 100.0, 105.0])
    variance = np.log([95.0, 100.0, 105.0]).var(ddof=1)

    def reach(n: int) -> float:
        quantiles = stats.t.ppf([0.975, 0.8], 2 * n - 2).sum()
        return float(quantiles * math.sqrt(2 * variance / n))

    least = next(n for n in range(3, 100) if reach(n) <= math.log(1.05))
    needed = found.drives_needed(1.05)
    assert needed is not None
    assert needed in {2 * (least - 3), 2 * (least - 3) - 1}


def test_drives_needed_are_at_least_those_that_a_claim_takes() -> None:
    assert contrast([100.0], [100.0, 100.1]).drives_needed(2.0) == 3
    assert contrast([100.0], [100.0]).drives_needed(2.0) is None
    assert contrast([100.0, 200.0], [100.0, 200.0]).drives_needed(1.001) is None


def test_same_drives_need_more_drives_and_not_more_of_either_side() -> None:
    found = contrast_drives(drives([100.0, 200.0]), drives([101.0, 200.0]))
    assert found.drives_needed(1.5) == 1
