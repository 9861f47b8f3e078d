import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.fio.bins import (
    BIN_COUNT,
    BIN_COUNT_US,
    bin_count,
    bin_edges,
    bin_index,
    bin_value,
    is_bin_value,
    is_last_bin,
)
from tests.fio.samples import captured
from tests.paths import FIO_SAMPLES, require_folder


def fio_index(value: int) -> int:
    """plat_val_to_idx of fio's stat.c, line by line."""
    msb = 0 if value == 0 else value.bit_length() - 1
    if msb <= 6:
        return value
    error_bits = msb - 6
    base = (error_bits + 1) << 6
    offset = 63 & (value >> error_bits)
    return min(base + offset, 1855)


def fio_value(index: int) -> int:
    """plat_idx_to_val of fio's stat.c, line by line."""
    if index < 128:
        return index
    error_bits = (index >> 6) - 1
    base = 1 << (error_bits + 6)
    return int(base + (index % 64 + 0.5) * (1 << error_bits))


def test_every_bin_has_the_name_that_fio_gives_it() -> None:
    assert BIN_COUNT == 1856
    names = bin_value(np.arange(BIN_COUNT)).tolist()
    assert names == [fio_value(index) for index in range(BIN_COUNT)]


def test_every_bin_in_microseconds_has_the_name_that_fio_2_gives_it() -> None:
    assert bin_count(1000) == BIN_COUNT_US == 1216
    names = bin_value(np.arange(BIN_COUNT_US), 1000)
    assert names.tolist() == [1000 * fio_value(index) for index in range(BIN_COUNT_US)]
    assert is_bin_value(names, 1000).all()
    lower, upper = bin_edges(names, 1000)
    assert (lower[1:] == upper[:-1]).all()
    assert ((lower <= names) & (names < upper)).all()
    assert np.flatnonzero(is_last_bin(names, 1000)).tolist() == [1215]


@given(st.lists(st.integers(0, 2**62), min_size=1))
def test_a_latency_in_microseconds_is_in_the_bin_that_fio_2_puts_it_in(
    values: list[int],
) -> None:
    expected = [min(fio_index(value // 1000), 1215) for value in values]
    assert bin_index(values, 1000).tolist() == expected


def test_each_latency_may_have_a_unit_of_its_own() -> None:
    values = np.array([141, 141_000, 17_112_760_320, 16_711_680_000])
    units = np.array([1, 1000, 1, 1000])
    lower, upper = bin_edges(values, units)
    assert lower[:2].tolist() == [140, 140_000]
    assert upper[:2].tolist() == [142, 142_000]
    assert is_bin_value(values, units).all()
    assert is_last_bin(values, units).tolist() == [False, False, True, True]


def test_a_bin_that_fio_2_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match="from 0 to 1215"):
        bin_value([1216], 1000)


@given(st.lists(st.integers(0, 2**62), min_size=1))
def test_a_latency_is_in_the_bin_that_fio_puts_it_in(values: list[int]) -> None:
    assert bin_index(values).tolist() == [fio_index(value) for value in values]


@pytest.mark.parametrize("power", range(1, 63))
def test_a_latency_beside_a_power_of_two_is_in_fios_bin(power: int) -> None:
    values = [2**power - 1, 2**power, 2**power + 1]
    assert bin_index(values).tolist() == [fio_index(value) for value in values]


def test_edges_meet_and_hold_the_name() -> None:
    names = bin_value(np.arange(BIN_COUNT))
    lower, upper = bin_edges(names)
    assert lower[0] == 0
    assert (lower[1:] == upper[:-1]).all()
    assert ((lower <= names) & (names < upper)).all()


@given(st.integers(128, 2**34 - 1))
def test_a_bin_is_at_most_one_64th_wide(value: int) -> None:
    lower, upper = bin_edges([value])
    assert lower[0] <= value < upper[0]
    assert (upper[0] - lower[0]) / lower[0] <= 1 / 64


def test_only_the_last_bin_is_censored() -> None:
    assert is_last_bin([17_112_760_320, 2**40, 17_000_000_000, 5]).tolist() == [
        True,
        True,
        False,
        False,
    ]


def test_a_name_that_fio_does_not_give_is_told() -> None:
    assert is_bin_value([127, 128, 129, 17_112_760_320]).tolist() == [
        True,
        False,
        True,
        True,
    ]


def test_a_negative_latency_is_refused() -> None:
    with pytest.raises(ValueError, match="-1 ns is negative"):
        bin_index([3, -1])


@pytest.mark.parametrize("index", [-1, BIN_COUNT])
def test_a_bin_that_does_not_exist_is_refused(index: int) -> None:
    with pytest.raises(ValueError, match="from 0 to 1855"):
        bin_value([index])


def printed_bins(text: str) -> set[int]:
    names: set[int] = set()
    for job in json.loads(text)["jobs"]:
        for side in ("read", "write", "trim"):
            for kind in ("slat_ns", "clat_ns", "lat_ns"):
                names.update(map(int, job[side][kind].get("bins", {})))
    return names


def test_every_bin_that_fio_3_33_printed_is_a_bin() -> None:
    names = printed_bins(captured("randrw.json").read_text())
    names |= printed_bins(captured("target-lost.json").read_text())
    assert len(names) > 200
    assert is_bin_value(sorted(names)).all()


def test_every_bin_of_a_real_pts_run_is_a_bin() -> None:
    names: set[int] = set()
    for path in require_folder(FIO_SAMPLES).glob("ssspt_hp_*/*.json"):
        names |= printed_bins(path.read_text())
    assert len(names) > 500
    assert is_bin_value(sorted(names)).all()
