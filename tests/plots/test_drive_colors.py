"""A drive has its colour."""

from hypothesis import given
from hypothesis import strategies as st

from ssdlab.plots.looks import drive_colors


@given(st.sets(st.text(), max_size=8))
def test_up_to_eight_drives_are_told_apart(drives: set[str]) -> None:
    assert len(set(drive_colors(drives).values())) == len(drives)


@given(st.sets(st.text(), min_size=1, max_size=20))
def test_drive_keeps_its_colour_unless_one_before_it_draws_the_same(
    drives: set[str],
) -> None:
    own = {drive: drive_colors([drive])[drive] for drive in drives}
    for drive, color in drive_colors(drives).items():
        before = {own[other] for other in drives if other < drive}
        assert (color == own[drive]) or own[drive] in before


@given(st.lists(st.text(), max_size=20))
def test_order_and_repetition_do_not_matter(drives: list[str]) -> None:
    assert drive_colors(drives) == drive_colors([*reversed(drives), *drives])
