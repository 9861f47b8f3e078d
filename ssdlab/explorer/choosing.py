"""Makes what is wanted fit what was read of the runs."""

from dataclasses import replace
from typing import TYPE_CHECKING

from ssdlab.explorer.selection import (
    Choices,
    Selection,
    find_choices,
    fit_selection,
)
from ssdlab.explorer.shelf import Same, Shelf, Wanted
from ssdlab.model.spec import Direction

if TYPE_CHECKING:
    import pandas as pd


class Chooser:
    """Finds selections in the cells of a shelf, what can be chosen once for each."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._found: dict[Direction, tuple[object, Choices]] = {}

    def wanted(self, selection: Selection) -> list[Wanted]:
        """Return the cells that are needed: those of both directions always."""
        directions = dict.fromkeys(("total", selection.direction))
        return [(run, "cells", one) for run in selection.runs for one in directions]

    def fit(self, wanted: Selection) -> "tuple[Selection, Choices, pd.DataFrame]":
        """Return what can be shown, what can be chosen beside it, and its cells."""
        cells = self._shelf.cells(wanted.runs)
        choices = self._find(cells, wanted, "total")
        chosen = fit_selection(wanted, choices)
        if chosen.direction == "total":
            return chosen, choices, cells
        part = self._shelf.cells(wanted.runs, chosen.direction)
        if part.empty:  # not read yet
            return replace(chosen, direction="total"), choices, cells
        choices = self._find(part, wanted, chosen.direction)
        return fit_selection(wanted, choices), choices, part

    def _find(
        self, cells: "pd.DataFrame", wanted: Selection, direction: Direction
    ) -> Choices:
        key = (Same(cells), wanted.test, wanted.phase)
        found = self._found.get(direction)
        if found is None or found[0] != key:
            kept = {
                one for run in wanted.runs for one in self._shelf.kept_directions(run)
            }
            choices = find_choices(
                cells, test=wanted.test, phase=wanted.phase, kept=kept
            )
            self._found[direction] = found = key, choices
        return found[1]
