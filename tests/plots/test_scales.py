"""Letters in the cells of heat maps stay readable on every colour."""

import pytest

from ssdlab.plots.heat import CELL_INK, FROM_LESS_TO_MORE, FROM_LITTLE_TO_MUCH

LEAST_CONTRAST = 4.5  # WCAG 2, level AA


def luminance(color: str) -> float:
    """Return the relative luminance as WCAG 2 defines it."""
    parts = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [
        p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts
    ]
    return sum(
        share * p for share, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True)
    )


@pytest.mark.parametrize("scale", [FROM_LITTLE_TO_MUCH, FROM_LESS_TO_MORE])
def test_letters_stand_out_from_each_color(scale: list[list[float | str]]) -> None:
    for _, color in scale:
        contrast = (luminance(str(color)) + 0.05) / (luminance(CELL_INK) + 0.05)
        assert contrast >= LEAST_CONTRAST, color


def test_more_is_darker_in_grey_too() -> None:
    greys = [luminance(str(color)) for _, color in FROM_LITTLE_TO_MUCH]
    assert greys == sorted(greys, reverse=True)
    assert greys[0] / greys[-1] > 2
