"""Components of variance of nested and crossed data."""

import math
from collections.abc import Mapping
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdlab.stats.anova import (
    Components,
    MeanSquare,
    analyse_crossed,
    analyse_nested,
)
from ssdlab.stats.variance import estimate_variance_components


def by_name(rows: tuple[MeanSquare, ...]) -> dict[str, MeanSquare]:
    return {row.name: row for row in rows}


def test_nested_rows_equal_the_hand_computed_table() -> None:
    """Two drives of two runs of two rounds.

    Run means 2, 4 and 8, 10, drive means 3 and 9, mean 6: SS of drives 4 (9 + 9) = 72,
    of runs 2 (4 x 1) = 8, of rounds 4 (1 + 1) = 8. So the mean squares are 72, 4 and 2,
    and the components (72 - 4) / 4 = 17, (4 - 2) / 2 = 1, 2.
    """
    values = [1.0, 3.0, 3.0, 5.0, 7.0, 9.0, 9.0, 11.0]
    levels = {"drive": [1] * 4 + [2] * 4, "run": [1, 1, 2, 2, 1, 1, 2, 2]}
    rows = by_name(analyse_nested(values, levels, rest="round"))
    assert [row.square for row in rows.values()] == pytest.approx([72, 4, 2])
    assert [row.freedom for row in rows.values()] == [1, 2, 4]
    assert dict(rows["drive"].expected) == pytest.approx({
        "drive": 4,
        "run": 2,
        "round": 1,
    })
    found = Components(rows=tuple(rows.values()))
    assert found.estimates == pytest.approx({"drive": 17, "run": 1, "round": 2})
    # (17)^2 / ((72 / 4)^2 / 1 + (4 / 4)^2 / 2)
    assert found.freedom("drive") == pytest.approx(17**2 / (18**2 + 0.5))
    assert found.freedom("round") == pytest.approx(4)


def test_coefficients_of_unequal_numbers_equal_those_counted_by_hand() -> None:
    """Drive 1 has runs of 2 and 1 rounds, drive 2 one run of 3; N = 6.

    Of drives: runs (4 + 1) / 3 + 9 / 3 - (4 + 1 + 9) / 6 = 7 / 3, drives
    6 - (9 + 9) / 6 = 3. Of runs within drives: 6 - (5 / 3 + 3) = 4 / 3. Sums of drive 1
    are 2 + 4 and 6, of drive 2 6: SS of runs 18 + 36 - 48 = 6, of drives
    48 + 12 - 54 = 6, of rounds 2 + 2 = 4 with 3 degrees of freedom.
    """
    values = [2.0, 4.0, 6.0, 1.0, 2.0, 3.0]
    levels = {"drive": [1, 1, 1, 2, 2, 2], "run": [1, 1, 2, 1, 1, 1]}
    rows = by_name(analyse_nested(values, levels, rest="round"))
    assert rows["drive"].expected["run"] == pytest.approx(7 / 3)
    assert rows["drive"].expected["drive"] == pytest.approx(3)
    assert rows["run"].expected["run"] == pytest.approx(4 / 3)
    assert [row.square for row in rows.values()] == pytest.approx([6, 6, 4 / 3])
    found = Components(rows=tuple(rows.values())).solved
    run = (6 - 4 / 3) / (4 / 3)
    assert found["run"] == pytest.approx(run)
    assert found["drive"] == pytest.approx((6 - 4 / 3 - 7 / 3 * run) / 3)


def test_one_level_equals_the_one_way_analysis() -> None:
    groups = [[1.0, 2.0, 3.5], [6.0], [4.0, 9.0]]
    values = [one for group in groups for one in group]
    labels = [at for at, group in enumerate(groups) for _ in group]
    rows = analyse_nested(values, {"drive": labels}, rest="run")
    known = estimate_variance_components(groups)
    assert known is not None
    found = Components(rows=rows).estimates
    assert found["drive"] == pytest.approx(known.between)
    assert found["run"] == pytest.approx(known.within.estimate)


# Three hosts and three drives, each pair measured twice: the sums below by hand.
CROSSED = {
    ("h1", "a"): (10.0, 12.0), ("h1", "b"): (20.0, 20.0), ("h1", "c"): (31.0, 33.0),
    ("h2", "a"): (12.0, 14.0), ("h2", "b"): (21.0, 23.0), ("h2", "c"): (32.0, 32.0),
    ("h3", "a"): (15.0, 15.0), ("h3", "b"): (24.0, 26.0), ("h3", "c"): (34.0, 36.0),
}  # fmt: skip


def crossed_rows(
    values: Mapping[tuple[str, str], tuple[float, ...]],
) -> tuple[MeanSquare, ...]:
    flat = [(*key, one) for key, own in values.items() for one in own]
    hosts, drives, numbers = zip(*flat, strict=True)
    return analyse_crossed(
        numbers, ("host", hosts), ("drive", drives), both="both", rest="run"
    )


def test_crossed_rows_equal_the_hand_computed_gauge() -> None:
    """Cell sums 22 40 64, 26 44 64, 30 50 70; hosts 126 134 150, drives 78 134 198.

    N = 18, sum 410, correction 410^2 / 18. Hosts: (126^2 + 134^2 + 150^2) / 6, drives:
    (78^2 + 134^2 + 198^2) / 6, cells: sum of squares / 2. Inside cells: 2 for each of
    the six pairs that differ by 2.
    """
    fixed = 410**2 / 18
    hosts = (126**2 + 134**2 + 150**2) / 6 - fixed
    drives = (78**2 + 134**2 + 198**2) / 6 - fixed
    sums = (22, 40, 64, 26, 44, 64, 30, 50, 70)
    cells = sum(one**2 for one in sums) / 2 - fixed
    both = cells - hosts - drives
    rows = by_name(crossed_rows(CROSSED))
    assert [row.freedom for row in rows.values()] == [2, 2, 4, 9]
    assert [row.square for row in rows.values()] == pytest.approx([
        hosts / 2,
        drives / 2,
        both / 4,
        12 / 9,
    ])
    found = Components(rows=tuple(rows.values())).solved
    assert found["host"] == pytest.approx((hosts / 2 - both / 4) / 6)
    assert found["drive"] == pytest.approx((drives / 2 - both / 4) / 6)
    assert found["both"] == pytest.approx((both / 4 - 12 / 9) / 2)


def test_effects_of_one_factor_do_not_leak_into_the_other_when_cells_are_empty() -> (
    None
):
    """Exact sums of both effects: nothing is left for both, hosts are as they are."""
    host = {"h1": 0.0, "h2": 4.0}
    drive = {"a": 0.0, "b": 100.0, "c": 700.0}
    values = {
        (h, d): (host[h] + drive[d] - 0.5, host[h] + drive[d] + 0.5)
        for h, d in product(host, drive)
        if (h, d) != ("h2", "c")
    }
    rows = by_name(crossed_rows(values))
    assert rows["host"].expected["drive"] == pytest.approx(0, abs=1e-9)
    assert rows["both"].square == pytest.approx(0, abs=1e-6)
    assert rows["host"].square == pytest.approx(4 * 4**2 * 2 / 4)  # 8 in pairs of 4


def test_what_cannot_be_told_has_no_row() -> None:
    apart = {("h1", "a"): (1.0, 2.0), ("h2", "b"): (3.0, 5.0)}
    assert set(by_name(crossed_rows(apart))) == {"run"}
    once = analyse_nested([1.0, 2.0], {"drive": [1, 2]}, rest="run")
    assert [row.name for row in once] == ["drive"]


def test_negative_estimate_is_set_to_0_and_named() -> None:
    values = [1.0, 9.0, 2.0, 8.0, 3.0, 12.0]
    rows = analyse_nested(values, {"drive": [1, 1, 2, 2, 3, 3]}, rest="run")
    found = Components(rows=rows)
    assert found.solved["drive"] < 0
    assert found.estimates["drive"] == 0
    assert found.truncated == ("drive",)
    part = found.interval(lambda of: of["drive"])
    assert part.low == part.estimate == 0 < part.high


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.floats(0.01, 100), st.floats(-50, 50))
def test_components_follow_the_scale_and_neither_level_nor_names(
    seed: int, scale: float, shift: float
) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 4, (2, 3))
    hosts = [h for h, d in np.ndindex(2, 3) for _ in range(sizes[h, d])] + [0]
    drives = [d for h, d in np.ndindex(2, 3) for _ in range(sizes[h, d])] + [0]
    values = rng.standard_normal(len(hosts))
    order = rng.permutation(len(hosts))
    names = rng.permutation(10)

    def solve(
        y: "np.typing.NDArray[np.float64]", h: list[int], d: list[int]
    ) -> list[float]:
        rows = analyse_crossed(y, ("h", h), ("d", d), both="hd", rest="e")
        nested = analyse_nested(y, {"h": h, "d": d}, rest="e")
        return [
            one
            for found in (rows, nested)
            for one in Components(rows=found).solved.values()
        ]

    plain = solve(values, hosts, drives)
    renamed = solve(
        scale * values[order] + shift,
        [int(names[hosts[at]]) for at in order],
        [int(names[drives[at]]) for at in order],
    )
    assert renamed == pytest.approx(
        [scale**2 * one for one in plain],
        rel=1e-6,
        abs=1e-8 * scale**2 * (1 + shift**2),
    )


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 4), st.integers(2, 4), st.integers(2, 3))
def test_balanced_data_give_the_table_of_the_textbook(
    seed: int, hosts: int, drives: int, runs: int
) -> None:
    y = np.random.default_rng(seed).standard_normal((hosts, drives, runs))
    cells, of_hosts, of_drives = (
        y.mean(axis=2),
        y.mean(axis=(1, 2)),
        y.mean(axis=(0, 2)),
    )
    both = cells - of_hosts[:, None] - of_drives + y.mean()
    expected = {
        "host": drives * runs * of_hosts.var(ddof=1),
        "drive": hosts * runs * of_drives.var(ddof=1),
        "both": runs * (both**2).sum() / ((hosts - 1) * (drives - 1)),
        "run": ((y - cells[..., None]) ** 2).sum() / (hosts * drives * (runs - 1)),
    }
    values = {
        (f"h{h}", f"d{d}"): tuple(y[h, d].tolist())
        for h, d in np.ndindex(hosts, drives)
    }
    rows = by_name(crossed_rows(values))
    assert {name: row.square for name, row in rows.items()} == pytest.approx(expected)
    assert dict(rows["host"].expected) == pytest.approx(
        {"host": drives * runs, "drive": 0, "both": runs, "run": 1}, abs=1e-9
    )


def test_interval_of_one_row_is_that_of_chi_squared() -> None:
    rows = (MeanSquare(name="run", square=2.0, freedom=8, expected={"run": 1.0}),)
    found = Components(rows=rows).interval(lambda of: of["run"])
    assert math.isclose(found.low, 16 / 17.535, rel_tol=0.02)
    assert math.isclose(found.high, 16 / 2.180, rel_tol=0.04)
