"""The explorer itself: it holds a selection, and shows it."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape
from typing import Any

import ipywidgets
import pandas as pd
import plotly.graph_objects as go

from ssdlab.campaign.live import LiveNews
from ssdlab.explorer.asking import fallback_lines, require_known, require_measured
from ssdlab.explorer.behind import Behind
from ssdlab.explorer.board import PICTURES, Board
from ssdlab.explorer.choosing import Chooser
from ssdlab.explorer.controls import Controls
from ssdlab.explorer.details import note
from ssdlab.explorer.easel import Easel
from ssdlab.explorer.following import Following
from ssdlab.explorer.selection import Choices, Selection
from ssdlab.explorer.shelf import Shelf, Wanted
from ssdlab.explorer.style import STYLE
from ssdlab.explorer.views import Picture, Span, shown_step
from ssdlab.explorer.worker import Loader, post_to_kernel
from ssdlab.model.errors import UnknownNameError
from ssdlab.report.display import show_figure

_OF_VOILA = "VOILA_BASE_URL"


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
        self._shelf, self._wanted = shelf, wanted
        self._post = post_to_kernel()
        self.selection, self._choices = wanted, Choices()
        self._cells = pd.DataFrame()
        self._span: Span | None = None
        self._redraw_at = 1
        self._asked_for: list[Wanted] = []
        self._following = Following(
            shelf, self._heard, post=self._post, every_s=refresh_s
        )
        self._chooser = Chooser(shelf)
        self._loader = Loader(shelf, self._loaded, self._post)
        self.controls = Controls(self.choose, self._look_again)
        self._status = ipywidgets.HTML()
        self.board = Board(self._hear)
        self._easel = Easel(shelf, self.board)
        self._behind = Behind(self._show_behind)
        style, box = ipywidgets.HTML(STYLE), self.controls.box()
        super().__init__([style, box, self._status, self.board, self._behind.tabs])
        self.add_class("ssdlab-explorer")
        self.controls.show_runs(shelf.listed.values(), wanted.runs)
        self._show()

    def choose(self, **changes: Any) -> None:
        """Show another selection.

        Parameters
        ----------
        **changes : object
            Fields of `Selection` and their new values.

        Raises
        ------
        UnknownNameError
            If one of them names what there is not.
        """
        asked = replace(self._wanted, **changes)
        require_known(asked, changes, self._shelf.listed)
        if "cell" in changes and not {"run", "runs", "test", "phase"} & changes.keys():
            require_measured(asked, self._choices)
        if {"test", "run", "metric", "direction", "over"} & changes.keys():
            self._span = None
        if {"test", "run", "runs", "phase"} & changes.keys():
            changes = {"point": None} | changes
        before = self._wanted.runs
        self._wanted = replace(self._wanted, **changes)
        if tuple(self.controls.runs.value) != self._wanted.runs:
            self.controls.show_runs(self._shelf.listed.values(), self._wanted.runs)
        self._redraw_at = 1
        if self._wanted.runs == before or not self._reads_first():
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
            A figure of its own; `ssdlab.write_image` saves it.
        """
        return go.Figure(self._picture(name).figure)

    def frame(self, name: str) -> pd.DataFrame:
        """Return the rows behind one of the figures on the screen."""
        return self._picture(name).frame.copy()

    def code(self, name: str) -> str:
        """Return the code cell that makes one of the figures on the screen."""
        return self._picture(name).code

    def show_stills(self) -> None:
        """Show the figures as they are now, so that the notebook's page keeps them.

        Runs that are being read are waited for; one that goes on is shown as far as it
        was read. In Voilà, where nothing is kept, nothing is shown.
        """
        if _OF_VOILA in os.environ:
            return
        for _ in range(2):  # the cells, then what the figures of them need
            self._loader.wait()
            self._show()
        for name in PICTURES:
            if name in self._easel.pictures:
                show_figure(self.figure(name))

    def close(self) -> None:
        """End what reads and follows, and take the explorer off the screen."""
        self._following.close()
        self._loader.close()
        super().close()

    def _picture(self, name: str) -> Picture:
        if name not in self._easel.pictures:
            raise UnknownNameError(kind="figure", name=name, known=PICTURES)
        return self._easel.pictures[name]

    def _loaded(self) -> None:
        """Hear that one more table was read; draw at 1, 2, 4, 8… and at the end."""
        missing = self._missing_runs()
        if not missing and self._shelf.missing(self._asked_for):
            return
        there = len(self._wanted.runs) - missing
        if not missing or there >= self._redraw_at:
            self._redraw_at = 2 * max(1, there)
            self._show()
        else:
            self._tell_reading(missing)

    def _missing_runs(self) -> int:
        missing = self._shelf.missing(self._chooser.wanted(self._wanted))
        return len({run for run, *_ in missing})

    def _show(self) -> None:
        """Show what is wanted, as far as it was read; ask for the rest."""
        self._following.follow(self._wanted.shown)
        self._ask(self._chooser.wanted(self._wanted))
        chosen, self._choices, self._cells = self._chooser.fit(self._wanted)
        self.selection = chosen
        missing = self._missing_runs()
        more = [] if missing else self._shelf.missing(self._easel.wanted(chosen))
        self._asked_for = self._ask(more)
        self.controls.follow(chosen, self._choices)
        self.board.is_zoomed = self._span is not None
        parts = (chosen.run.rpartition("/")[2], chosen.test, chosen.metric)
        self.board.filename = "-".join(part for part in parts if part)
        # The figures come after the lists: who sees them chooses from what there is.
        self._easel.draw(chosen, self._cells, self._span)
        if missing:
            self._tell_reading(missing)
        else:
            self._tell("reading" if self._shelf.missing(more) else self._following.line)
        self._show_behind()

    def _reads_first(self) -> bool:
        """Tell whether other runs are drawn when the first of them was read."""
        self._following.follow(self._wanted.shown)
        asked = self._ask(self._chooser.wanted(self._wanted))
        if not self._shelf.missing(asked):
            return False
        self._tell_reading(self._missing_runs())
        return True

    def _ask(self, wanted: list[Wanted]) -> list[Wanted]:
        """Have tables read, but for those of a run that is followed.

        Where the kernel has no loop they are there when this returns.
        """
        followed = self._following.name
        asked = [
            one
            for one in self._shelf.missing(wanted)
            if one[0] != followed or self._shelf.has_put(followed)
        ]
        if asked:
            self._loader.ask(asked)
        return asked

    def _show_behind(self) -> None:
        """Fill the tab that is open with what stands behind the cell."""
        chosen = self.selection
        if not chosen.cell:
            return
        rows = self._easel.rows(chosen, self._cells)
        step = shown_step(chosen, rows)
        if step is not None:
            run = self._shelf.open(chosen.run)
            self._behind.show_step(chosen.run, run, str(step["step_id"]))
        self._behind.show_rounds(rows, chosen.metric)

    def _hear(self, said: Mapping[str, Any]) -> None:
        """Hear what was done to a figure."""
        name = str(said["name"])
        match said["kind"]:
            case "click" if name == "matrix":
                self._clicked_cell(said["point"])
            case "click" if name == "cell" and self.selection.over == "rounds":
                self._clicked_round(said["trace"], said["point"])
            case "zoom" if name == "cell" and self.selection.over == "time":
                self._zoomed(said["span"])
            case "csv" if name in self._easel.pictures:
                filename = f"{self.board.filename}-{name}.csv"
                text = self.frame(name).to_csv(index=False)
                self.board.give(filename, text, view=said["view"])
            case "code" if name in self._easel.pictures:
                self._behind.show_code(self.code(name))

    def _clicked_cell(self, point: Sequence[int]) -> None:
        axes = self.selection.axes
        frame = self._easel.pictures["matrix"].frame
        places = [sorted({int(value) for value in frame[axis]}) for axis in axes]
        self.choose(
            cell=tuple(
                (axis, values[place])
                for axis, values, place in zip(axes, places, point, strict=True)
            ),
            point=None,
        )

    def _clicked_round(self, trace: int, point: int) -> None:
        picture = self._easel.pictures["cell"]
        clicked = picture.figure.data[trace]
        if clicked.customdata is None:
            return  # the ring around what is shown already
        runs = picture.frame["run_id"].unique()
        run = str(runs[int(clicked.customdata[point][1])])
        self.choose(run=run, point=int(clicked.x[point]))

    def _zoomed(self, span: Sequence[float] | None) -> None:
        """Draw the part of a series that was zoomed into from its own points."""
        series = self._easel.series(self.selection)
        if series is None or series.empty:
            return
        first, last = (float(series["time_s"].iloc[end]) for end in (0, -1))
        begin, end = (first, last) if span is None else span
        inside = (max(begin, first), min(end, last))
        is_part = inside[0] < inside[1] and inside != (first, last)
        self._span = inside if is_part else None
        self._show()

    def _look_again(self) -> None:
        self._shelf.look_again(self._following.name)
        there = tuple(run for run in self._wanted.runs if run in self._shelf.listed)
        self._wanted = replace(self._wanted, runs=there)
        self.controls.show_runs(self._shelf.listed.values(), self._wanted.runs)
        self._show()

    def _heard(self, name: str, news: LiveNews) -> None:
        """Hear what a look at the run that is followed has found."""
        if news.tables is not None:
            self._shelf.put(name, news.tables)
            self._show()
        else:
            self._tell(self._following.line)

    def _tell_reading(self, missing: int) -> None:
        count = len(self._wanted.runs)
        self._tell(f"reading: {count - missing} of {count} runs")

    def _tell(self, words: str) -> None:
        troubles = [
            self._shelf.troubles[name]
            for name in self._wanted.runs
            if name in self._shelf.troubles
        ]
        if not self._missing_runs():
            troubles += fallback_lines(self._wanted, self.selection)
        if not self._wanted.runs:
            troubles.append("Choose a run in the list.")
        lines = [f"<b>{escape(words)}</b>"] if words else []
        self._status.value = "".join((*lines, *map(note, troubles)))
