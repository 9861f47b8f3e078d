"""What must hold of the steady-state rule for any series."""

from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ssdlab.model.spec import SteadyStateCriteria
from ssdlab.stats.steady_state import assess_series, assess_steady_state
from ssdlab.stats.window_verdict import SteadyStateVerdict
from ssdlab.stats.windows import WindowVerdicts
from tests.stats.exact import judge_exactly

# Near 10 and near 100 many windows lie exactly on a limit; the others are realistic.
windows = st.one_of(
    *(
        st.lists(st.integers(low, high), min_size=5, max_size=5)
        for low, high in ((8, 12), (85, 115), (1, 20_000))
    )
)
factors = st.floats(1e-9, 1e9)
odd_values = st.sampled_from([0.0, -1.0, float("nan"), float("inf")])


def without_rounds(verdict: SteadyStateVerdict) -> dict[str, object]:
    moved = {"intercept", "window_first_round", "window_last_round"}
    return {
        name: str(value) for name, value in asdict(verdict).items() if name not in moved
    }


@given(windows)
@example([90, 100, 110, 100, 100])
def test_verdict_is_that_of_exact_arithmetic(values: list[int]) -> None:
    verdict, exact = assess_steady_state(values), judge_exactly(values)

    assert verdict.is_steady == exact.is_steady
    assert verdict.slope_ratio == pytest.approx(float(exact.slope_ratio), abs=1e-14)


@given(windows, st.integers(-9, 9))
def test_verdict_on_decimal_values_is_that_of_exact_arithmetic(
    values: list[int], exponent: int
) -> None:
    texts = [f"{value}e{exponent}" for value in values]

    assert (
        assess_steady_state([float(text) for text in texts]).is_steady
        == judge_exactly(texts).is_steady
    )


@given(windows, factors)
def test_unit_change_keeps_verdict_and_ratios(values: list[int], factor: float) -> None:
    before = assess_steady_state(values)
    after = assess_steady_state([value * factor for value in values])

    assert (after.is_range_ok, after.is_slope_ok) == (
        before.is_range_ok,
        before.is_slope_ok,
    )
    assert after.range_ratio == pytest.approx(before.range_ratio, abs=1e-13)
    assert after.slope_ratio == pytest.approx(before.slope_ratio, abs=1e-13)
    assert after.slope_per_round == pytest.approx(
        before.slope_per_round * factor, rel=1e-9, abs=1e-13 * factor * max(values)
    )


@given(windows, st.integers(1, 1000))
def test_round_shift_changes_only_the_intercept(values: list[int], shift: int) -> None:
    before = assess_steady_state(values)
    after = assess_steady_state(values, first_round=1 + shift)

    assert without_rounds(after) == without_rounds(before)
    assert after.window_first_round == 1 + shift
    assert after.intercept == pytest.approx(
        before.intercept - shift * before.slope_per_round, rel=1e-12, abs=1e-6
    )


@given(windows)
def test_reversal_flips_the_sign_of_the_slope(values: list[int]) -> None:
    before, after = assess_steady_state(values), assess_steady_state(values[::-1])

    assert after.is_steady == before.is_steady
    assert after.slope_per_round == pytest.approx(-before.slope_per_round, abs=1e-9)
    assert after.correlation == pytest.approx(
        -before.correlation, abs=1e-9, nan_ok=True
    )


@given(st.floats(1e-9, 1e12), st.integers(2, 100))
@example(7.281545012691692, 15)
def test_equal_values_are_steady_without_correlation(value: float, width: int) -> None:
    criteria = SteadyStateCriteria(window_rounds=width)
    verdict = assess_steady_state([value] * width, criteria)

    assert verdict.is_steady
    assert (verdict.average, verdict.slope_per_round) == (value, 0.0)
    assert str(verdict.correlation) == "nan"


@given(
    st.lists(st.one_of(st.floats(0.5, 2.0), odd_values), min_size=0, max_size=60),
    st.integers(2, 20),
)
def test_series_verdicts_are_those_of_single_windows(
    values: list[float], width: int
) -> None:
    criteria = SteadyStateCriteria(
        window_rounds=width, max_range_ratio=1.0, max_slope_ratio=0.5
    )
    judged = assess_series(values, criteria)

    for end in range(width, len(values) + 1):
        single = assess_steady_state(values[:end], criteria)
        for name in WindowVerdicts.__dataclass_fields__:
            together = getattr(judged, name)[end - 1].item()
            assert str(together) == str(getattr(single, name)), name


@pytest.mark.parametrize("width", [5, 60, 1000])
def test_long_series_agrees_with_single_windows_and_with_polyfit(width: int) -> None:
    random = np.random.default_rng(2)
    series = 1e5 * (1 + 0.03 * random.standard_normal(50_000))
    series[20_000] = np.nan
    criteria = SteadyStateCriteria(window_rounds=width)
    judged = assess_series(series, criteria)

    block_edges = [width, *range(16_380, 16_400), *range(32_760, 32_790), len(series)]
    for end in [*block_edges, *random.integers(width, len(series), 50)]:
        single = assess_steady_state(series[:end], criteria)
        assert str(judged.slope_ratio[end - 1]) == str(np.float64(single.slope_ratio))
        assert judged.is_steady[end - 1] == single.is_steady
        if np.isfinite(single.average):
            rounds = np.arange(width)
            slope = np.polyfit(rounds, series[end - width : end], 1)[0]
            error = abs(slope - judged.slope_per_round[end - 1]) * (width - 1)
            assert error < 1e-9 * 0.10 * single.average


def test_bad_value_spoils_the_windows_that_hold_it_and_no_other() -> None:
    series = np.full(100, 7.0)
    series[50] = np.nan
    steady = assess_series(series).is_steady

    assert np.flatnonzero(~steady).tolist() == [0, 1, 2, 3, *range(50, 55)]
