"""The explorer: holds a selection and shows it."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape
from typing import Any

import ipywidgets
import pandas as pd
import plotly.graph_objects as go

from ssdlab.explorer.cell_map import matrix_html
from ssdlab.explorer.controls import Controls
from ssdlab.explorer.detail_tabs import DetailTabs
from ssdlab.explorer.details import note
from ssdlab.explorer.figure_widget import PICTURES, FigureWidget
from ssdlab.explorer.fitting import SelectionFitter
from ssdlab.explorer.live import LiveUpdates
from ssdlab.explorer.renderer import Renderer
from ssdlab.explorer.run_cache import RunCache, Wanted
from ssdlab.explorer.run_table import still, table_html
from ssdlab.explorer.selection import Choices, Selection
from ssdlab.explorer.style import STYLE
from ssdlab.explorer.validation import fallback_lines, require_known, require_measured
from ssdlab.explorer.views import Picture, Span, shown_step
from ssdlab.explorer.worker import Loader, post_to_kernel
from ssdlab.ingest.live import LiveNews
from ssdlab.model.errors import UnknownNameError
from ssdlab.model.spec import label_of_test
from ssdlab.report.display import show_figure

_OF_VOILA = "VOILA_BASE_URL"
_MOST_STILL = 20  # runs of a still picture


class Explorer(ipywidgets.VBox):  # type: ignore[misc] # ipywidgets has no types
    """An interactive view of runs, displayed as the last expression of a cell.

    Attributes
    ----------
    selection : Selection
        What is on screen; `choose` changes it.
    """

    def __init__(
        self, run_cache: RunCache, wanted: Selection, *, refresh_s: float = 2.0
    ) -> None:
        self._cache, self._wanted = run_cache, wanted
        self._post = post_to_kernel()
        self.selection, self._choices = wanted, Choices()
        self._cells = pd.DataFrame()
        self._span: Span | None = None
        self._redraw_at = 1
        self._requested: list[Wanted] = []
        self._following = LiveUpdates(
            run_cache, self._on_news, post=self._post, every_s=refresh_s
        )
        self._fitter = SelectionFitter(run_cache)
        self._loader = Loader(run_cache, self._on_loaded, self._post)
        self.controls = Controls(self.choose, self._refresh)
        self._status = ipywidgets.HTML()
        self.board = FigureWidget(self._on_event)
        self._renderer = Renderer(run_cache, self.board)
        self._details = DetailTabs(self._show_details)
        style, box = ipywidgets.HTML(STYLE), self.controls.box()
        super().__init__([style, box, self._status, self.board, self._details.tabs])
        self.add_class("ssdlab-explorer")
        self.controls.show_runs(run_cache.listed.values(), wanted.runs)
        self._show()

    def choose(self, **changes: Any) -> None:
        """Show another selection."""
        asked = replace(self._wanted, **changes)
        require_known(asked, changes, self._cache.listed)
        if "cell" in changes and not {"run", "runs", "test", "phase"} & changes.keys():
            require_measured(asked, self._choices)
        if {"test", "run", "metric", "direction", "over"} & changes.keys():
            self._span = None
        if {"test", "run", "runs", "phase"} & changes.keys():
            changes = {"point": None} | changes
        before = self._wanted.runs
        self._wanted = replace(self._wanted, **changes)
        if tuple(self.controls.runs.value) != self._wanted.runs:
            self.controls.show_runs(self._cache.listed.values(), self._wanted.runs)
        self._redraw_at = 1
        if self._wanted.runs == before or not self._must_read():
            self._show()

    def figure(self, name: str) -> go.Figure:
        """Return one of the figures on screen, to save or change."""
        return go.Figure(self._picture(name).figure)

    def frame(self, name: str) -> pd.DataFrame:
        """Return the rows behind one of the figures on screen."""
        return self._picture(name).frame.copy()

    def code(self, name: str) -> str:
        """Return the code cell that reproduces one of the figures on screen."""
        return self._picture(name).code

    def show_stills(self) -> None:
        """Show the figures as they are now, so that the saved notebook has them.

        Waits for runs that are being read; a running one is shown as far as it was
        read. In Voilà, which saves nothing, nothing is shown.
        """
        if _OF_VOILA in os.environ:
            return
        self._catch_up()
        for name in PICTURES:
            if name in self._renderer.pictures:
                show_figure(self.figure(name))

    def __repr__(self) -> str:
        """Return what a place without widgets shows."""
        return "Explorer: run this cell to explore"

    def _ipython_display_(self) -> None:
        """Show the widget, and a still picture, which it hides while it lives."""
        from IPython.display import HTML, display  # noqa: PLC0415 - notebooks alone

        if _OF_VOILA not in os.environ:
            display(HTML(still(self._still_html())))  # type: ignore[no-untyped-call] # IPython has no types
        display(self._repr_mimebundle_(), raw=True)  # type: ignore[no-untyped-call] # as above

    def _still_html(self) -> str:
        """Return the list of runs and the matrix that is shown, as HTML."""
        if not self._following.name:  # a run that is followed grows at its own pace
            self._catch_up()
        rows = [one.row for one in self._cache.listed.values()]
        picture = self._renderer.pictures.get("matrix")
        selection = self.selection
        matrix = (
            ""
            if picture is None or not selection.axes or picture.frame.empty
            else matrix_html(picture.frame, selection.metric, axes=selection.axes)
        )
        return (
            f"<p><b>Explorer</b>, a still picture of {escape(selection.run)}, "
            f"{escape(label_of_test(selection.test))}. Run this cell to explore.</p>"
            f"{table_html(rows[:_MOST_STILL])}{matrix}"
        )

    def close(self) -> None:
        """Stop reading and following, and remove the explorer from the screen."""
        self._following.close()
        self._loader.close()
        super().close()

    def _catch_up(self) -> None:
        """Wait for what is being read, and draw it."""
        for _ in range(2):  # the cells, then what their figures need
            self._loader.wait()
            self._show()

    def _picture(self, name: str) -> Picture:
        if name in PICTURES and name not in self._renderer.pictures:
            self._catch_up()
        if name not in self._renderer.pictures:
            raise UnknownNameError(kind="figure", name=name, known=PICTURES)
        return self._renderer.pictures[name]

    def _on_loaded(self) -> None:
        """Handle one more table read: draw after 1, 2, 4, 8… runs and at the end."""
        missing = self._missing_runs()
        if not missing and self._cache.missing(self._requested):
            return
        there = len(self._wanted.runs) - missing
        if not missing or there >= self._redraw_at:
            self._redraw_at = 2 * max(1, there)
            self._show()
        else:
            self._show_progress(missing)

    def _missing_runs(self) -> int:
        missing = self._cache.missing(self._fitter.wanted(self._wanted))
        return len({run for run, *_ in missing})

    def _show(self) -> None:
        """Show what is wanted as far as it was read; request the rest."""
        self._following.follow(self._wanted.shown)
        self._request(self._fitter.wanted(self._wanted))
        chosen, self._choices, self._cells = self._fitter.fit(self._wanted)
        self.selection = chosen
        missing = self._missing_runs()
        more = [] if missing else self._cache.missing(self._renderer.wanted(chosen))
        self._requested = self._request(more)
        self.controls.follow(chosen, self._choices)
        self.board.is_zoomed = self._span is not None
        parts = (chosen.run.rpartition("/")[2], chosen.test, chosen.metric)
        self.board.filename = "-".join(part for part in parts if part)
        # Lists before figures: who sees a figure can select from lists that match it.
        self._renderer.draw(chosen, self._cells, self._span)
        if missing:
            self._show_progress(missing)
        else:
            self._show_status(
                "reading" if self._cache.missing(more) else self._following.line
            )
        self._show_details()

    def _must_read(self) -> bool:
        """Tell whether tables of other runs must be read before anything is drawn."""
        self._following.follow(self._wanted.shown)
        asked = self._request(self._fitter.wanted(self._wanted))
        if not self._cache.missing(asked):
            return False
        self._show_progress(self._missing_runs())
        return True

    def _request(self, wanted: list[Wanted]) -> list[Wanted]:
        """Request tables, except those of a run that is followed.

        Without an event loop in the kernel they are read when this returns.
        """
        followed = self._following.name
        asked = [
            one
            for one in self._cache.missing(wanted)
            if one[0] != followed or self._cache.has_put(followed)
        ]
        if asked:
            self._loader.request(asked)
        return asked

    def _show_details(self) -> None:
        """Fill the open tab with the details of the cell."""
        chosen = self.selection
        if not chosen.cell:
            return
        rows = self._renderer.rows(chosen, self._cells)
        step = shown_step(chosen, rows)
        if step is not None:
            run = self._cache.open(chosen.run)
            self._details.show_step(chosen.run, run, str(step["step_id"]))
        self._details.show_rounds(rows, chosen.metric)

    def _on_event(self, event: Mapping[str, Any]) -> None:
        """Handle an event of a figure."""
        name = str(event["name"])
        match event["kind"]:
            case "click" if name == "matrix":
                self._on_cell_click(event["point"])
            case "click" if name == "cell" and self.selection.over == "rounds":
                self._on_round_click(event["trace"], event["point"])
            case "zoom" if name == "cell" and self.selection.over == "time":
                self._on_zoom(event["span"])
            case "csv" if name in self._renderer.pictures:
                filename = f"{self.board.filename}-{name}.csv"
                text = self.frame(name).to_csv(index=False)
                self.board.send_file(filename, text, view=event["view"])
            case "code" if name in self._renderer.pictures:
                self._details.show_code(self.code(name))

    def _on_cell_click(self, point: Sequence[int]) -> None:
        axes = self.selection.axes
        frame = self._renderer.pictures["matrix"].frame
        places = [sorted({int(value) for value in frame[axis]}) for axis in axes]
        self.choose(
            cell=tuple(
                (axis, values[place])
                for axis, values, place in zip(axes, places, point, strict=True)
            ),
            point=None,
        )

    def _on_round_click(self, trace: int, point: int) -> None:
        picture = self._renderer.pictures["cell"]
        clicked = picture.figure.data[trace]
        if clicked.customdata is None:
            return  # the ring around the round that is shown
        runs = picture.frame["run_id"].unique()
        run = str(runs[int(clicked.customdata[point][1])])
        self.choose(run=run, point=int(clicked.x[point]))

    def _on_zoom(self, span: Sequence[float] | None) -> None:
        """Redraw the visible part of a series from its own points."""
        series = self._renderer.series(self.selection)
        if series is None or series.empty:
            return
        first, last = (float(series["time_s"].iloc[end]) for end in (0, -1))
        begin, end = (first, last) if span is None else span
        inside = (max(begin, first), min(end, last))
        is_part = inside[0] < inside[1] and inside != (first, last)
        self._span = inside if is_part else None
        self._show()

    def _refresh(self) -> None:
        self._cache.refresh(self._following.name)
        there = tuple(run for run in self._wanted.runs if run in self._cache.listed)
        self._wanted = replace(self._wanted, runs=there)
        self.controls.show_runs(self._cache.listed.values(), self._wanted.runs)
        self._show()

    def _on_news(self, name: str, news: LiveNews) -> None:
        """Handle the news of the run that is followed."""
        if news.tables is not None:
            self._cache.put(name, news.tables)
            self._show()
        else:
            self._show_status(self._following.line)

    def _show_progress(self, missing: int) -> None:
        count = len(self._wanted.runs)
        self._show_status(f"reading: {count - missing} of {count} runs")

    def _show_status(self, status: str) -> None:
        troubles = [
            self._cache.troubles[name]
            for name in self._wanted.runs
            if name in self._cache.troubles
        ]
        if not self._missing_runs():
            troubles += fallback_lines(self._wanted, self.selection)
        if not self._wanted.runs:
            troubles.append("Select a run in the list.")
        lines = [f"<b>{escape(status)}</b>"] if status else []
        self._status.value = "".join((*lines, *map(note, troubles)))
