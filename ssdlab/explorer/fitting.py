"""Fits a requested selection to the tables read so far."""

from dataclasses import replace
from typing import TYPE_CHECKING

from ssdlab.explorer.run_cache import FrameKey, RunCache, Wanted
from ssdlab.explorer.selection import (
    Choices,
    Selection,
    find_choices,
    fit_selection,
)
from ssdlab.model.spec import Direction

if TYPE_CHECKING:
    import pandas as pd


class SelectionFitter:
    """Fits selections to the cells of cached runs; keeps the choices of each."""

    def __init__(self, run_cache: RunCache) -> None:
        self._cache = run_cache
        self._found: dict[Direction, tuple[object, Choices]] = {}

    def wanted(self, selection: Selection) -> list[Wanted]:
        """Return the cells needed: of all directions together, and of the selected."""
        directions = dict.fromkeys(("total", selection.direction))
        return [(run, "cells", one) for run in selection.runs for one in directions]

    def fit(self, wanted: Selection) -> "tuple[Selection, Choices, pd.DataFrame]":
        """Return what can be shown, the other choices, and its cells."""
        cells = self._cache.cells(wanted.runs)
        choices = self._find(cells, wanted, "total")
        chosen = fit_selection(wanted, choices)
        if chosen.direction == "total":
            return chosen, choices, cells
        part = self._cache.cells(wanted.runs, chosen.direction)
        if part.empty:  # not read yet
            return replace(chosen, direction="total"), choices, cells
        choices = self._find(part, wanted, chosen.direction)
        return fit_selection(wanted, choices), choices, part

    def _find(
        self, cells: "pd.DataFrame", wanted: Selection, direction: Direction
    ) -> Choices:
        key = (FrameKey(cells), wanted.test, wanted.phase)
        found = self._found.get(direction)
        if found is None or found[0] != key:
            kept = {
                one for run in wanted.runs for one in self._cache.kept_directions(run)
            }
            choices = find_choices(
                cells, test=wanted.test, phase=wanted.phase, kept=kept
            )
            self._found[direction] = found = key, choices
        return found[1]
