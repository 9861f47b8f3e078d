"""Colour scales of heat maps whose cells tell their values in dark letters."""

from typing import Final

CELL_INK: Final = "#1b2733"
# One hue, told apart in grey too; light enough that the letters stay readable.
FROM_LITTLE_TO_MUCH: Final = [[0.0, "#f4f8fb"], [0.5, "#b5d4ea"], [1.0, "#5fa3d3"]]
# Brown to green: told apart with every common form of colour blindness.
FROM_LESS_TO_MORE: Final = [[0.0, "#d8b365"], [0.5, "#f5f5f5"], [1.0, "#5ab4ac"]]
