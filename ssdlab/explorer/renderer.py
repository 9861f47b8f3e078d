"""Draws the figures of a selection, each only when its data changed."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ssdlab.explorer.cells import PERCENTILE_METRICS
from ssdlab.explorer.figure_widget import FigureWidget
from ssdlab.explorer.run_cache import FrameKey, RunCache, Wanted
from ssdlab.explorer.selection import Selection
from ssdlab.explorer.views import (
    Picture,
    Place,
    Span,
    draw_histogram,
    draw_map,
    draw_nothing,
    draw_rounds,
    draw_time,
    frame_of_map,
    histogram_runs,
    rows_of_cell,
    series_of,
)

if TYPE_CHECKING:
    import pandas as pd


class Renderer:
    """Figures by name, as last drawn, and the frames they were drawn from."""

    def __init__(self, run_cache: RunCache, board: FigureWidget) -> None:
        self._cache, self._board = run_cache, board
        self.pictures: dict[str, Picture] = {}
        self._drawn: dict[str, object] = {}
        self._made: dict[str, tuple[object, pd.DataFrame]] = {}

    def wanted(self, chosen: Selection) -> list[Wanted]:
        """Return the large tables that a selection needs in addition to its cells."""
        wanted: list[Wanted] = [
            (name, "bins", chosen.direction)
            for name in histogram_runs(chosen)
            if name in self._cache.listed
        ]
        if chosen.over == "time" and chosen.run:
            wanted += [(chosen.run, "steps", "total"), (chosen.run, "series", "total")]
        return wanted

    def draw(self, chosen: Selection, cells: "pd.DataFrame", span: Span | None) -> None:
        """Draw what changed: the selected cell first, the matrix last."""
        if not chosen.cell:
            for name in self.pictures if chosen.test else ():
                self._show(name, chosen, lambda: draw_nothing(chosen))
            return
        places = {
            name: Place(path=one.path, drive=one.drive)
            for name, one in self._cache.listed.items()
        }
        if chosen.over == "rounds":
            self._show(
                "cell",
                (chosen, FrameKey(cells)),
                lambda: draw_rounds(chosen, self.rows(chosen, cells), places=places),
            )
        elif (series := self.series(chosen)) is not None:
            self._show(
                "cell",
                (chosen, FrameKey(series), span),
                lambda: draw_time(chosen, series, places=places, span=span),
            )
        self._draw_histogram(chosen, cells, places)
        self._draw_map(chosen, places)

    def rows(self, chosen: Selection, cells: "pd.DataFrame") -> "pd.DataFrame":
        """Return the rows of the selected cell of all runs, cached."""
        key = (_bare(chosen, runs=chosen.runs, cell=chosen.cell), FrameKey(cells))
        return self._keep("rows", key, lambda: rows_of_cell(chosen, cells))

    def series(self, chosen: Selection) -> "pd.DataFrame | None":
        """Return the joined series of the test, cached."""
        series = self._cache.table(chosen.run, "series")
        steps = self._cache.table(chosen.run, "steps")
        if series is None or steps is None:
            return None
        key = (_bare(chosen, run=chosen.run, metric=chosen.metric), FrameKey(series))
        kept = f"series of {chosen.metric}"
        return self._keep(kept, key, lambda: series_of(chosen, series, steps))

    def _draw_histogram(
        self, chosen: Selection, cells: "pd.DataFrame", places: dict[str, Place]
    ) -> None:
        runs = histogram_runs(chosen)
        found = [self._cache.table(run, "bins", chosen.direction) for run in runs]
        known = [frame for frame in found if frame is not None]
        if known:
            bare = replace(chosen, metric="", point=None, over="rounds")
            self._show(
                "histogram",
                (bare, FrameKey(cells), *map(FrameKey, known)),
                lambda: draw_histogram(
                    chosen, self.rows(chosen, cells), bins=known, places=places
                ),
            )

    def _draw_map(self, chosen: Selection, places: dict[str, Place]) -> None:
        own = self._cache.table(chosen.run, "cells", chosen.direction)
        if own is None:
            return
        pooled = (
            self._cache.table(chosen.run, "bins", chosen.direction)
            if chosen.metric in PERCENTILE_METRICS
            else None
        )
        bare = _bare(chosen, run=chosen.run, metric=chosen.metric)
        key = (bare, chosen.axes, FrameKey(own), FrameKey(pooled))
        frame = self._keep("map", key, lambda: frame_of_map(chosen, own, pooled))
        self._show(
            "matrix",
            (key, chosen.cell),
            lambda: draw_map(chosen, frame, places=places),
        )

    def _show(self, name: str, key: object, draw: Callable[[], Picture]) -> None:
        if self._drawn.get(name) != key:
            self.pictures[name] = draw()
            self._board.show(name, self.pictures[name].figure)
            self._drawn[name] = key

    def _keep(
        self, name: str, key: object, make: "Callable[[], pd.DataFrame]"
    ) -> "pd.DataFrame":
        if name not in self._made or self._made[name][0] != key:
            self._made[name] = key, make()
        return self._made[name][1]


def _bare(chosen: Selection, **parts: Any) -> Selection:
    """Return the selected test, phase, rounds and direction, and these parts."""
    return Selection(
        test=chosen.test,
        phase=chosen.phase,
        rounds=chosen.rounds,
        direction=chosen.direction,
        **parts,
    )
