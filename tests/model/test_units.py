"""Sizes and durations as people write and read them."""

import pytest

from ssdlab.model.units import (
    MIB,
    active_range_bytes,
    block_size_label,
    capacity_label,
    duration_label,
    mix_label,
    parse_size,
)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("4096", 4096),
        ("64k", 65536),
        ("64 KiB", 65536),
        ("64kB", 64000),
        ("1.5m", 1572864),
        ("256MiB", 268435456),
        ("1GB", 1000**3),
        ("1GiB", 1024**3),
        ("2t", 2 * 1024**4),
        (" 0.5 KiB ", 512),
        ("0", 0),
    ],
)
def test_size_is_binary_unless_it_says_decimal(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize(
    "text", ["", "MiB", "-1k", "1 KiB 2", "12 parsecs", "1e3", "1,5k"]
)
def test_size_is_refused_when_it_is_none(text: str) -> None:
    with pytest.raises(ValueError, match="is not a valid size"):
        parse_size(text)


@pytest.mark.parametrize("text", ["9" * 400, "9" * 30 + "TiB"])
def test_size_is_refused_when_no_device_could_have_it(text: str) -> None:
    with pytest.raises(ValueError, match="larger than any device"):
        parse_size(text)


@pytest.mark.parametrize(
    ("size", "label"),
    [
        (512, "0.5 KiB"),
        (4096, "4 KiB"),
        (1536, "1.5 KiB"),
        (1048576, "1024 KiB"),
        (1000, "1,000 B"),
        (1 << 30, "1 GiB"),
        (1000 << 20, "1,000 MiB"),
        ((1 << 30) + 512, "1,073,742,336 B"),
    ],
)
def test_block_size_is_labelled_in_the_words_of_the_pts(size: int, label: str) -> None:
    assert block_size_label(size) == label


@pytest.mark.parametrize(
    ("size", "label"),
    [
        (512, "512 B"),
        (480103981056, "480.1 GB"),
        (2e12, "2 TB"),
        (134217728, "134.2 MB"),
    ],
)
def test_capacity_is_labelled_in_decimal_units(size: float, label: str) -> None:
    assert capacity_label(size) == label


@pytest.mark.parametrize(
    ("seconds", "label"),
    [
        (0, "0 s"),
        (59.4, "59 s"),
        (59.6, "1 min"),
        (750, "12 min 30 s"),
        (3599.7, "1 h"),
        (16800, "4 h 40 min"),
        (86400, "24 h"),
    ],
)
def test_duration_is_labelled_without_parts_that_are_nothing(
    seconds: float, label: str
) -> None:
    assert duration_label(seconds) == label


def test_mix_is_reads_before_writes() -> None:
    assert [mix_label(reads) for reads in (100, 65, 0)] == ["100/0", "65/35", "0/100"]


@pytest.mark.parametrize(
    ("percent", "amount", "expected"),
    [
        (100, None, 10 * MIB + 512),
        (75, None, 7 * MIB),
        (75, 3 * MIB, 3 * MIB),
        (75, 8 * MIB, 7 * MIB),
        (100, 64 * MIB, 10 * MIB + 512),
    ],
    ids=["all", "whole MiB", "an amount of it", "no such amount", "more than all"],
)
def test_active_range_is_all_or_whole_mib_and_no_more_than_its_amount(
    percent: float, amount: int | None, expected: int
) -> None:
    held = active_range_bytes(10 * MIB + 512, percent, amount_bytes=amount)
    assert held == expected
