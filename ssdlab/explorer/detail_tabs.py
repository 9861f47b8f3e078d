"""The tabs below the figures with the details of a cell, filled when opened."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import ipywidgets

from ssdlab.explorer.details import SHORT, job_html, raw_html, raw_text, rounds_html

if TYPE_CHECKING:
    import pandas as pd

    from ssdlab.store.run import Run

_JOB, _RAW, _ROUNDS, _CODE = range(4)


class DetailTabs:
    """Job, raw output and rounds of the step shown, and the requested code.

    ``opened`` is called when another tab is opened, to fill it.
    """

    def __init__(self, opened: Callable[[], None]) -> None:
        self._job, self._raw_html = ipywidgets.HTML(), ipywidgets.HTML()
        self._rows = ipywidgets.HTML()
        self._all = ipywidgets.Button(
            description="Show all", layout={"width": "auto", "display": "none"}
        )
        self._code = ipywidgets.Textarea(
            rows=14, layout={"width": "100%"}, placeholder="The button Code fills this."
        )
        raw = ipywidgets.VBox([self._raw_html, self._all])
        self.tabs = ipywidgets.Tab(
            [self._job, raw, self._rows, self._code],
            titles=("fio job", "Raw output", "Rounds", "Code cell"),
            selected_index=_JOB,
        )
        self._raw = ("", "")
        self._of: tuple[str, str] = ("", "")
        self._all.on_click(lambda _: self._show_raw(is_whole=True))
        self.tabs.observe(lambda _: opened(), "selected_index")

    def show_step(self, name: str, run: "Run", step: str) -> None:
        """Show the job or the output of a step, if its tab is open."""
        match self.tabs.selected_index:
            case tab if tab == _JOB:
                self._job.value = job_html(run, step)
            case 1 if self._of != (name, step):
                self._of = (name, step)
                self._raw = (f"{name}: {step}", raw_text(run, step))
                self._show_raw(is_whole=False)
            case _:
                pass

    def show_rounds(self, rows: "pd.DataFrame", metric: str) -> None:
        """Show rows of the cell, if their tab is open."""
        if self.tabs.selected_index == _ROUNDS:
            self._rows.value = rounds_html(rows, metric)

    def show_code(self, code: str) -> None:
        """Show a code cell, and open its tab."""
        self._code.value = code
        self.tabs.selected_index = _CODE

    def show_nothing(self) -> None:
        """Clear the tabs of a cell that is no longer shown."""
        self._of = self._raw = ("", "")
        for part in (self._job, self._raw_html, self._rows):
            part.value = ""
        self._all.layout.display = "none"

    def _show_raw(self, *, is_whole: bool) -> None:
        step, text = self._raw
        self._raw_html.value = raw_html(step, text, is_whole=is_whole)
        is_cut = len(text) > SHORT and not is_whole
        self._all.description = f"Show all {len(text):,} characters"
        self._all.layout.display = None if is_cut else "none"
