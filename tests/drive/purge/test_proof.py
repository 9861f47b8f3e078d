"""Where marks stand, and what is said of what is found there."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.drive.purge.proof import (
    Marks,
    ReadBack,
    find_doubt,
    find_fault,
    spread_places,
)
from ssdlab.model.drive import PurgeMethod

MARKED = Marks(size_bytes=4096, digests={0: b"", 4096: b"", 8192: b""})


def test_places_are_the_first_the_last_and_evenly_between() -> None:
    size, places = spread_places(64 * 4096 * 10, 4096)
    assert size == 4096
    assert (len(places), places[0], places[-1]) == (64, 0, 639 * 4096)
    assert places[1] == 639 // 63 * 4096


@pytest.mark.parametrize(
    ("capacity", "expected"),
    [(0, ()), (512, ()), (4096, (0,)), (8192, (0, 4096)), (4096 + 512, (0,))],
)
def test_small_device_has_fewer_places(
    capacity: int, expected: tuple[int, ...]
) -> None:
    assert spread_places(capacity, 512)[1] == expected


@given(
    st.integers(min_value=0, max_value=2**44),
    st.sampled_from([512, 4096, 16384]),
)
def test_no_mark_overlaps_another_or_the_end(sectors: int, sector: int) -> None:
    capacity = sectors * sector
    size, places = spread_places(capacity, sector)
    assert all(place % sector == 0 for place in places)
    assert all(b - a >= size for a, b in pairwise(places))
    assert all(place + size <= capacity for place in places)
    assert len(places) <= 64
    if places:
        assert capacity - places[-1] - size < sector or len(places) == 1


def test_zeros_and_changes_are_counted_and_no_fault() -> None:
    found = ReadBack(zeros=(0, 4096), changed=(8192,))
    assert found.line == "3 places read back: 2 zeros, 1 changed"
    assert (find_fault("discard", found), find_doubt(MARKED, found)) == ("", "")


def test_zeros_after_an_overwrite_are_a_fault() -> None:
    found = ReadBack(zeros=(4096, 8192), changed=(0,))
    assert find_fault("overwrite", found) == (
        "byte 4096 reads as zeros though random data was written and at 1 more places"
    )


def test_unreadable_places_are_a_doubt_after_an_erasure() -> None:
    found = ReadBack(unreadable=(0, 4096), zeros=(8192,))
    assert find_fault("nvme-sanitize-crypto", found) == ""
    assert find_doubt(MARKED, found) == (
        "2 of 3 places cannot be read after the purge, the first at byte 0"
    )
    lost = ReadBack(unreadable=(0, 4096), changed=(8192,))
    assert "cannot be read though it was written" in find_fault("overwrite", lost)


def test_purge_without_a_mark_is_a_doubt() -> None:
    marks = Marks(size_bytes=4096, lost=(0, 4096), trouble="byte 0: Input/output error")
    assert marks.line == (
        "0 places marked with random data; 2 could not be (byte 0: Input/output error)"
    )
    assert "no mark could be written before it (byte 0: Input/output error)" in (
        find_doubt(marks, ReadBack())
    )
    assert "the drive did not keep them" in find_doubt(
        Marks(size_bytes=4096, lost=(0,)), ReadBack()
    )


@pytest.mark.parametrize(
    ("method", "unchanged", "is_fault"),
    [
        ("discard", (0,), False),
        ("discard", (0, 12288), False),
        ("discard", (4096,), True),
        ("nvme-format-user-data", (12288,), True),
    ],
)
def test_end_of_a_drive_may_be_left_out_of_a_discard_and_of_nothing_else(
    method: PurgeMethod, unchanged: tuple[int, ...], *, is_fault: bool
) -> None:
    places = (0, 4096, 8192, 12288)
    marks = Marks(size_bytes=4096, digests=dict.fromkeys(places, b""))
    gone = tuple(place for place in places if place not in unchanged)
    found = ReadBack(zeros=gone, unchanged=unchanged)
    assert bool(find_fault(method, found)) == is_fault
    assert is_fault or f"at byte {unchanged[0]}" in find_doubt(marks, found)


def test_discard_that_left_everything_is_a_fault() -> None:
    assert find_fault("discard", ReadBack(unchanged=(0, 4096)))
