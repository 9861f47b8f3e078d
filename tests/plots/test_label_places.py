"""Labels lie on no point and on no other label, at every width of the plot."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdlab.plots.label_places import (
    Box,
    Label,
    _label_box,
    _marker_box,
    label_gap_px,
    overlap_px2,
    place_labels,
)

WIDTHS = (590.0, 760.0, 940.0)
HEIGHT = 430.0


def boxes_of(
    labels: list[Label], places: list[tuple[float, float]], width: float
) -> list[Box]:
    size = (width, HEIGHT)
    return [
        *(_marker_box(label, size) for label in labels),
        *(
            _label_box(label, place, size)
            for label, place in zip(labels, places, strict=True)
        ),
    ]


def overlaps(labels: list[Label], width: float) -> float:
    """Return what labels share with each other and with the points [px2]."""
    places = place_labels(labels, widths_px=WIDTHS, height_px=HEIGHT)
    found = boxes_of(labels, places, width)
    return sum(
        overlap_px2(one, other)
        for place, one in enumerate(found)
        for other in found[:place]
        if place >= len(labels)
    )


def test_overlap_of_boxes_is_their_common_area() -> None:
    assert overlap_px2((0, 0, 10, 10), (4, 6, 20, 20)) == 24
    assert overlap_px2((0, 0, 10, 10), (10, 0, 20, 10)) == 0
    assert overlap_px2((0, 0, 10, 10), (11, 11, 12, 12)) == 0


def test_label_of_a_lone_point_stands_to_its_right() -> None:
    ((right, down),) = place_labels(
        [Label(x_ratio=0.5, y_ratio=0.5, text="name")],
        widths_px=WIDTHS,
        height_px=HEIGHT,
    )
    assert right > 0
    assert down == 0
    assert 8 <= label_gap_px("name", right, down) <= 16


@pytest.mark.parametrize("corner", [(0.99, 0.5), (0.5, 0.0), (0.01, 0.99)])
def test_label_at_an_edge_stays_inside(corner: tuple[float, float]) -> None:
    label = Label(x_ratio=corner[0], y_ratio=corner[1], text="SATA Client")
    (place,) = place_labels([label], widths_px=WIDTHS, height_px=HEIGHT)
    for width in WIDTHS:
        left, top, right, bottom = _label_box(label, place, (width, HEIGHT))
        assert left >= 0
        assert right <= width
        assert top >= 0
        assert bottom <= HEIGHT


@pytest.mark.parametrize("width", WIDTHS)
def test_labels_of_four_points_in_a_heap_are_apart(width: float) -> None:
    labels = [
        Label(x_ratio=0.5 + 0.01 * place, y_ratio=0.5, text=f"storage class {place}")
        for place in range(4)
    ]
    assert overlaps(labels, width) == 0


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(0.03, 0.97), st.floats(0.03, 0.97)), min_size=1, max_size=8
    )
)
def test_labels_of_eight_points_are_apart(points: list[tuple[float, float]]) -> None:
    labels = [
        Label(x_ratio=x, y_ratio=y, text=f"class {place}")
        for place, (x, y) in enumerate(points)
    ]
    assert all(overlaps(labels, width) == 0 for width in WIDTHS)
