"""The explorer itself: it holds a selection, and shows it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any
from uuid import uuid4

import anywidget
import ipywidgets
import pandas as pd
import plotly.graph_objects as go
import traitlets

from ssdlab.analysis.exploration import PERCENTILE_METRICS
from ssdlab.campaign.live import LiveNews
from ssdlab.explorer.canvas import Canvas
from ssdlab.explorer.controls import Controls, grid
from ssdlab.explorer.details import (
    SHORT,
    job_html,
    note,
    raw_html,
    raw_text,
    rounds_html,
)
from ssdlab.explorer.selection import Choices, Selection, find_choices, fit_selection
from ssdlab.explorer.shelf import Shelf, Wanted
from ssdlab.explorer.views import (
    Picture,
    Place,
    Span,
    draw_histogram,
    draw_map,
    draw_rounds,
    draw_time,
    histogram_runs,
    series_of,
    shown_step,
)
from ssdlab.explorer.worker import Follower, Loader, post_to_kernel
from ssdlab.model.errors import UnknownNameError

PICTURES = ("matrix", "cell", "histogram")

_STYLE = """<style>
.ssdlab-explorer .ssdlab-rounds { border-collapse: collapse; font-size: 12px }
.ssdlab-explorer .ssdlab-rounds td, .ssdlab-explorer .ssdlab-rounds th {
  padding: 1px 10px; text-align: left; border-bottom: 1px solid #e3e8ee }
.ssdlab-explorer .ssdlab-saver { display: flex; gap: 4px; flex-wrap: wrap }
.ssdlab-explorer .ssdlab-saver button { width: auto; padding: 0 10px }
.ssdlab-explorer .widget-html-content { line-height: 1.4 }
.ssdlab-explorer .js-plotly-plot { width: 100% }
</style>"""


class Saver(anywidget.AnyWidget):
    """Buttons that save what is on the screen, from within the browser."""

    _esm = Path(__file__).parent / "saver.js"
    place = traitlets.Unicode().tag(sync=True)
    filename = traitlets.Unicode("ssdlab").tag(sync=True)


class Explorer(ipywidgets.VBox):  # type: ignore[misc] # ipywidgets has no types
    """Runs to look at by hand: it is shown where a cell ends with it.

    Attributes
    ----------
    selection : Selection
        What is on the screen; `choose` changes it.
    """

    def __init__(
        self, shelf: Shelf, wanted: Selection, *, refresh_s: float = 2.0
    ) -> None:
        self._shelf, self._wanted, self._refresh_s = shelf, wanted, refresh_s
        self._post = post_to_kernel()
        self.selection, self._choices = wanted, Choices()
        self._pictures: dict[str, Picture] = {}
        self._drawn: dict[str, object] = {}
        self._span: Span | None = None
        self._is_zooming = False
        self._joined: tuple[object, pd.DataFrame] | None = None
        self._raw: tuple[str, str, str] = ("", "", "")
        self._chosen_from: object = None
        self._follower: Follower | None = None
        self._followed = ""
        self._redraw_at = 1
        self._asked_for: list[Wanted] = []
        self._loader = Loader(shelf, self._loaded, self._post)
        self._key = f"ssdlab-{uuid4().hex[:12]}"
        self.controls = Controls(self.choose, self._look_again)
        self.canvases = {name: Canvas(f"{self._key}-{name}") for name in PICTURES}
        self._make_parts()
        super().__init__(self._children())
        self.add_class("ssdlab-explorer")
        self.controls.show_runs(shelf.listed.values(), wanted.runs)
        self._show()

    def choose(self, **changes: Any) -> None:
        """Show another selection.

        Parameters
        ----------
        **changes : object
            Fields of `Selection` and their new values.
        """
        if {"test", "run", "metric", "over"} & changes.keys():
            self._span = None
        if {"test", "run", "runs", "phase"} & changes.keys():
            changes = {"point": None} | changes
        self._wanted = replace(self._wanted, **changes)
        if tuple(self.controls.runs.value) != self._wanted.runs:
            self.controls.show_runs(self._shelf.listed.values(), self._wanted.runs)
        self._redraw_at = 1
        self._show()

    def figure(self, name: str) -> go.Figure:
        """Return one of the figures on the screen, to be saved or changed.

        Parameters
        ----------
        name : {"matrix", "cell", "histogram"}
            Which of them.

        Returns
        -------
        plotly.graph_objects.Figure
            A figure of its own; ``write_image`` saves it where kaleido is installed.
        """
        return go.Figure(self._picture(name).figure)

    def frame(self, name: str) -> pd.DataFrame:
        """Return the rows behind one of the figures on the screen."""
        return self._picture(name).frame.copy()

    def code(self, name: str) -> str:
        """Return the code cell that makes one of the figures on the screen."""
        return self._picture(name).code

    def close(self) -> None:
        """End what reads and follows, and take the explorer off the screen."""
        self._stop_following()
        self._loader.close()
        super().close()

    def _picture(self, name: str) -> Picture:
        if name not in self._pictures:
            raise UnknownNameError(kind="figure", name=name, known=PICTURES)
        return self._pictures[name]

    def _make_parts(self) -> None:
        self._status = ipywidgets.HTML()
        self._what = ipywidgets.Dropdown(
            options=[("matrix", "matrix"), ("rounds or time", "cell"),
                     ("response times", "histogram")],
            description="Save", layout={"width": "250px"},
            style={"description_width": "44px"},
        )  # fmt: skip
        self._saver = Saver(place=f"{self._key}-matrix")
        self._what.observe(self._name_file, "value")
        self._saver.on_msg(self._asked)
        self._job, self._said = ipywidgets.HTML(), ipywidgets.HTML()
        self._rows = ipywidgets.HTML()
        self._all = ipywidgets.Button(
            description="Show all", layout={"width": "auto", "display": "none"}
        )
        self._whole = ipywidgets.Button(
            description="Whole series", layout={"display": "none"}
        )
        self._whole.on_click(lambda _: self._zoom_to(None))
        self._all.on_click(lambda _: self._show_raw(is_whole=True))
        self._code = ipywidgets.Textarea(
            rows=14, layout={"width": "100%"}, placeholder="Code shows it here."
        )
        self._tabs = ipywidgets.Tab(
            [
                self._job,
                ipywidgets.VBox([self._said, self._all]),
                self._rows,
                self._code,
            ],
            titles=("fio job", "Raw output", "Rounds", "Code cell"),
            selected_index=0,
        )
        self._tabs.observe(self._tab_opened, "selected_index")
        self.canvases["cell"].widget.layout.on_change(self._zoomed, ("xaxis", "range"))

    def _children(self) -> list[ipywidgets.Widget]:
        boxes = [
            ipywidgets.Box([self.canvases[name].widget], layout={"overflow": "hidden"})
            for name in PICTURES
        ]
        figures = grid(boxes, least_px=400)
        saving = ipywidgets.HBox(
            [self._what, self._saver, self._whole],
            layout={"flex_flow": "row wrap", "align_items": "center"},
        )
        parts = [ipywidgets.HTML(_STYLE), self.controls.box(), self._status]
        return [*parts, figures, saving, self._tabs]

    def _loaded(self) -> None:
        """Hear that one more table was read; draw at 1, 2, 4, 8… and at the end."""
        missing = len(self._shelf.missing(self._cells_wanted()))
        if not missing and self._shelf.missing(self._asked_for):
            return
        there = len(self._wanted.runs) - missing
        if not missing or there >= self._redraw_at:
            self._redraw_at = 2 * max(1, there)
            self._show()
        else:
            self._tell(f"reading: {there} of {len(self._wanted.runs)} runs")

    def _cells_wanted(self) -> list[Wanted]:
        return [(name, "cells") for name in self._wanted.runs]

    def _show(self) -> None:
        """Show what is wanted, as far as it was read; ask for the rest."""
        shelf = self._shelf
        first = shelf.missing(self._cells_wanted())
        if first:
            self._loader.ask(first)  # without a loop it is there when this returns
        cells = shelf.cells(self._wanted.runs)
        self._find_choices(cells)
        self.selection = fit_selection(self._wanted, self._choices)
        self._follow_run()
        missing = shelf.missing(first)
        if missing:
            there = len(self._wanted.runs) - len(missing)
            self._tell(f"reading: {there} of {len(self._wanted.runs)} runs")
        elif more := shelf.missing(self._more_wanted()):
            self._tell("reading")
            self._asked_for = more
            self._loader.ask(more)
        if not missing and not shelf.missing(self._more_wanted()):
            self._tell("")
        self._whole.layout.display = "none" if self._span is None else None
        self.controls.follow(self.selection, self._choices)
        if self.selection.cell:
            self._draw(cells)
            own = self._shelf.table(self.selection.run, "cells")
            if own is not None:
                self._detail(own)

    def _find_choices(self, cells: pd.DataFrame) -> None:
        key = (id(cells), self._wanted.test, self._wanted.phase)
        if self._chosen_from != key:
            test, phase = self._wanted.test, self._wanted.phase
            self._choices = find_choices(cells, test=test, phase=phase)
            self._chosen_from = key

    def _more_wanted(self) -> list[Wanted]:
        """Return the large tables that what is on the screen needs."""
        wanted: list[Wanted] = [
            (name, "bins")
            for name in histogram_runs(self.selection)
            if name in self._shelf.listed
        ]
        if self.selection.over == "time" and self.selection.run:
            wanted += [(self.selection.run, "steps"), (self.selection.run, "series")]
        return wanted

    def _draw(self, cells: pd.DataFrame) -> None:
        """Draw each picture anew of which something changed."""
        chosen, shelf = self.selection, self._shelf
        places = {
            name: Place(path=one.path, drive=one.drive)
            for name, one in shelf.listed.items()
        }
        own = shelf.table(chosen.run, "cells")
        if own is None:
            return
        pooled = (
            shelf.table(chosen.run, "bins")
            if chosen.metric in PERCENTILE_METRICS
            else None
        )
        parts = replace(chosen, point=None, over="rounds")
        self._picture_of(
            "matrix",
            (replace(parts, runs=(chosen.run,)), id(own), id(pooled)),
            lambda: draw_map(chosen, own, bins=pooled, places=places),
            clicked=self._clicked_cell,
        )
        frames = [shelf.table(name, "bins") for name in histogram_runs(chosen)]
        known = [frame for frame in frames if frame is not None]
        if known:
            self._picture_of(
                "histogram",
                (replace(parts, metric="iops"), id(cells), *map(id, known)),
                lambda: draw_histogram(chosen, cells, bins=known, places=places),
            )
        if chosen.over == "rounds":
            self._picture_of(
                "cell",
                (chosen, id(cells)),
                lambda: draw_rounds(chosen, cells, places=places),
                clicked=self._clicked_round,
            )
        elif (series := self._series()) is not None:
            self._picture_of(
                "cell",
                (chosen, id(series), self._span),
                lambda: draw_time(chosen, series, places=places, span=self._span),
            )

    def _picture_of(
        self,
        name: str,
        key: object,
        draw: Callable[[], Picture],
        *,
        clicked: Callable[[Any, Any], None] | None = None,
    ) -> None:
        if self._drawn.get(name) == key:
            return
        self._pictures[name] = draw()
        self._is_zooming = True
        try:
            self.canvases[name].show(self._pictures[name].figure, clicked)
        finally:
            self._is_zooming = False
        self._drawn[name] = key
        self._name_file()

    def _series(self) -> pd.DataFrame | None:
        """Return the joined series of the test, made once."""
        chosen = self.selection
        series = self._shelf.table(chosen.run, "series")
        steps = self._shelf.table(chosen.run, "steps")
        if series is None or steps is None:
            return None
        key = (chosen.run, chosen.test, chosen.metric, id(series))
        if self._joined is None or self._joined[0] != key:
            self._joined = key, series_of(chosen, series, steps)
        return self._joined[1]

    def _zoomed(self, _layout: Any, span: Any) -> None:
        """Draw the part of a series that was zoomed into from its own points."""
        if self._is_zooming or self.selection.over != "time" or span is None:
            return
        series = self._series()
        if series is None or series.empty:
            return
        whole = (float(series["time_s"].iloc[0]), float(series["time_s"].iloc[-1]))
        inside = (max(float(span[0]), whole[0]), min(float(span[1]), whole[1]))
        self._zoom_to(None if inside == whole or inside[0] >= inside[1] else inside)

    def _zoom_to(self, span: Span | None) -> None:
        self._span = span
        self._show()

    def _clicked_cell(self, _trace: Any, point: Any) -> None:
        down, across = self._choices.axes
        row, column = point
        frame = self._pictures["matrix"].frame
        downs = sorted({int(value) for value in frame[down]})
        acrosses = sorted({int(value) for value in frame[across]})
        cell = ((down, downs[row]), (across, acrosses[column]))
        self.choose(cell=cell, point=None)

    def _clicked_round(self, trace: Any, point: Any) -> None:
        if trace.customdata is None:
            return  # the ring around what is shown already
        runs = self._pictures["cell"].frame["run_id"].unique()
        run = str(runs[int(trace.customdata[point][2])])
        self.choose(run=run, point=int(trace.x[point]))

    def _detail(self, cells: pd.DataFrame) -> None:
        """Fill the tab that is open; the others when they are opened."""
        step = shown_step(self.selection, cells)
        if step is None:
            return
        name, run = str(step["step_id"]), self.selection.run
        match self._tabs.selected_index:
            case 0:
                self._job.value = job_html(self._shelf.open(run), name)
            case 1 if self._raw[:2] != (run, name):
                self._raw = (run, name, raw_text(self._shelf.open(run), name))
                self._show_raw(is_whole=False)
            case 2 if self.selection.over == "rounds" and "cell" in self._pictures:
                rows = self._pictures["cell"].frame
                self._rows.value = rounds_html(rows, self.selection.metric)
            case _:
                pass

    def _tab_opened(self, _change: object) -> None:
        if self.selection.cell:
            own = self._shelf.table(self.selection.run, "cells")
            if own is not None:
                self._detail(own)

    def _show_raw(self, *, is_whole: bool) -> None:
        run, step, text = self._raw
        self._said.value = raw_html(f"{run}: {step}", text, is_whole=is_whole)
        is_cut = len(text) > SHORT and not is_whole
        self._all.description = f"Show all {len(text):,} characters"
        self._all.layout.display = None if is_cut else "none"

    def _name_file(self, _change: object = None) -> None:
        name = self._what.value
        self._saver.place = f"{self._key}-{name}"
        chosen = self.selection
        parts = (chosen.run.rpartition("/")[2], chosen.test, chosen.metric, name)
        self._saver.filename = "-".join(part for part in parts if part)

    def _asked(self, _widget: object, message: Any, _buffers: object) -> None:
        """Hear the buttons."""
        name = self._what.value
        if name not in self._pictures:
            return
        if message.get("missing"):
            self._tell("the figure is not on the screen, so it cannot be saved")
        elif message.get("asked") == "csv":
            text = self.frame(name).to_csv(index=False)
            filename = f"{self._saver.filename}.csv"
            self._saver.send({"name": filename, "text": text, "type": "text/csv"})
        elif message.get("asked") == "code":
            self._code.value = self.code(name)
            self._tabs.selected_index = 3

    def _look_again(self) -> None:
        self._shelf.look_again()
        self.controls.show_runs(self._shelf.listed.values(), self._wanted.runs)
        self._show()

    def _follow_run(self) -> None:
        """Follow the run that is shown if it goes on, or has no tables yet."""
        name = self.selection.run
        if name == self._followed:
            return
        self._stop_following()
        listed = self._shelf.listed.get(name)
        if listed is None or not (listed.is_running or listed.is_bare):
            return
        self._followed = name
        self._follower = Follower(
            Path(listed.path), self._heard, post=self._post, every_s=self._refresh_s
        )

    def _stop_following(self) -> None:
        if self._follower is not None:
            self._follower.close()
        self._follower, self._followed = None, ""

    def _heard(self, news: LiveNews) -> None:
        """Hear what a look at the run that is followed has found."""
        name = self._followed
        if news.tables is not None:
            self._shelf.put(name, news.tables)
            self._show()
        state = "goes on" if news.is_running else "has ended"
        self._tell(f"{name} {state}, {news.steps} steps read: {news.line}")

    def _tell(self, words: str) -> None:
        troubles = [
            self._shelf.troubles[name]
            for name in self._wanted.runs
            if name in self._shelf.troubles
        ]
        if not self._wanted.runs:
            troubles.append("Choose a run in the list.")
        lines = [f"<b>{escape(words)}</b>"] if words else []
        self._status.value = "".join((*lines, *map(note, troubles)))


def explore(
    runs: str | Path | Sequence[str | Path] = "data/runs",
    *,
    run: str = "",
    test: str = "",
    metric: str = "iops",
    refresh_s: float = 2.0,
) -> Explorer:
    """Look at runs by hand: pick, click, watch one that goes on, take figures away.

    Parameters
    ----------
    runs : str, Path or sequence of them, default "data/runs"
        A folder of runs, or the folders of single runs.
    run : str, optional
        The run that is shown first, by the name of its folder; without it the newest.
    test : str, optional
        The test that is shown first.
    metric : str, default "iops"
        The metric that is shown first.
    refresh_s : float, default 2.0
        How often a run that goes on is looked at [s].

    Returns
    -------
    Explorer
        A widget that shows itself in JupyterLab and in Voilà.

    Raises
    ------
    RunFolderError
        If the folder of runs is not there.
    UnknownNameError
        If there is no such run in it.
    """
    shelf = Shelf(runs)
    names = tuple(shelf.listed)
    if run and run not in names:
        raise UnknownNameError(kind="run", name=run, known=names)
    first = (run or names[0],) if names else ()
    wanted = Selection(runs=first, run=run, test=test, metric=metric)
    return Explorer(shelf, wanted, refresh_s=refresh_s)
