"""Places for the labels of points, clear of other labels and points."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import cos, pi, sin

# Widths of characters of a font of 12 px, rather too wide.
_NARROW = frozenset(" .,:;'|!()[]fijlrtI/")
_NARROW_PX, _SMALL_PX, _LARGE_PX = 4.8, 7.2, 8.7
_LINE_PX = 17.0
_MARKER_PX = 7.0
_DISTANCES_PX = (0.0, 10.0, 22.0, 36.0, 52.0, 72.0)
_DIRECTIONS = 12

Box = tuple[float, float, float, float]


@dataclass(frozen=True, kw_only=True, slots=True)
class Label:
    """A point, as shares of the plot from its left and top, and its text."""

    x_ratio: float
    y_ratio: float
    text: str


def place_labels(
    labels: Sequence[Label], *, widths_px: Sequence[float], height_px: float
) -> list[tuple[float, float]]:
    """Return where the middle of each label goes, from its point, right and down [px].

    One offset a label. Where no place is free, the one with the least overlap.
    """
    marks = [
        [_marker_box(label, (width, height_px)) for label in labels]
        for width in widths_px
    ]
    taken: list[list[Box]] = [list(boxes) for boxes in marks]
    offsets = []
    for label in labels:
        best, least = (0.0, 0.0), float("inf")
        for offset in _candidates(label.text):
            boxes = [_label_box(label, offset, (w, height_px)) for w in widths_px]
            cost = sum(
                _cost(box, others, (width, height_px))
                for box, others, width in zip(boxes, taken, widths_px, strict=True)
            )
            if cost < least:
                best, least = offset, cost
            if not cost:
                break
        offsets.append(best)
        for others, width in zip(taken, widths_px, strict=True):
            others.append(_label_box(label, best, (width, height_px)))
    return offsets


def _text_px(text: str) -> float:
    widths = (
        _NARROW_PX if sign in _NARROW else _SMALL_PX if sign.islower() else _LARGE_PX
        for sign in text
    )
    return sum(widths)


def _candidates(text: str) -> Iterator[tuple[float, float]]:
    """Yield places around a point, near ones first; right, left, above, below lead."""
    half_wide = _text_px(text) / 2
    for distance in _DISTANCES_PX:
        across = half_wide + _MARKER_PX + 5 + distance
        down = _LINE_PX / 2 + _MARKER_PX + 2 + distance
        yield from ((across, 0.0), (-across, 0.0), (0.0, -down), (0.0, down))
        for place in range(_DIRECTIONS):
            angle = 2 * pi * place / _DIRECTIONS
            yield across * cos(angle), down * sin(angle)


def _marker_box(label: Label, size: tuple[float, float]) -> Box:
    x, y = label.x_ratio * size[0], label.y_ratio * size[1]
    return x - _MARKER_PX, y - _MARKER_PX, x + _MARKER_PX, y + _MARKER_PX


def _label_box(
    label: Label, offset: tuple[float, float], size: tuple[float, float]
) -> Box:
    x = label.x_ratio * size[0] + offset[0]
    y = label.y_ratio * size[1] + offset[1]
    half = _text_px(label.text) / 2
    return x - half, y - _LINE_PX / 2, x + half, y + _LINE_PX / 2


def label_gap_px(text: str, right_px: float, down_px: float) -> float:
    """Return how far a label's box begins from its point, across or down [px]."""
    half = _text_px(text) / 2
    return max(abs(right_px) - half, abs(down_px) - _LINE_PX / 2)


def overlap_px2(one: Box, other: Box) -> float:
    """Return the area that two boxes share [px2]."""
    across = min(one[2], other[2]) - max(one[0], other[0])
    down = min(one[3], other[3]) - max(one[1], other[1])
    return max(0.0, across) * max(0.0, down)


def _cost(box: Box, taken: Sequence[Box], size: tuple[float, float]) -> float:
    """Return the overlap with all that is there, and with what is beyond the plot."""
    area = (box[2] - box[0]) * (box[3] - box[1])
    inside = overlap_px2(box, (0.0, 0.0, *size))
    return sum(overlap_px2(box, other) for other in taken) + 3 * (area - inside)
