"""A figure on the screen that becomes another one without being made anew."""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ssdlab.figures.labels import CONFIG

Clicked = Callable[[Any, Any], None]  # the trace, and which of its points

_KEPT = frozenset({"template"})


class Canvas:
    """A plotly widget and what it shows; only what differs is sent to the browser."""

    def __init__(self, css_class: str) -> None:
        # plotly loads nbformat for it, and that 35 grammars that nobody here needs.
        sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
        layout = {"template": None, "height": 400, "autosize": True}
        self.widget = go.FigureWidget(layout=layout)
        self.widget._config = dict(CONFIG)  # noqa: SLF001 - plotly has no other way
        self.widget.add_class(css_class)
        self._traces: list[dict[str, Any]] = []
        self._layout: dict[str, Any] = {}

    def show(self, figure: go.Figure, clicked: Clicked | None = None) -> None:
        """Show another figure; all figures of a canvas have traces of one kind."""
        new = figure.to_dict()
        traces, layout = new["data"], new["layout"] | {"autosize": True}
        # No trace is ever taken away: what is left over stays, empty. New ones come
        # last: plotly may lose a change of the layout that follows them closely.
        left = [_nothing(old) for old in self._traces[len(traces) :]]
        more = traces[len(self._traces) :]
        kept = [*traces[: len(self._traces)], *left]
        with self.widget.batch_update():
            for trace, old, one in zip(
                self.widget.data, self._traces, kept, strict=True
            ):
                _set(trace, _differing(old, one))
            _set(self.widget.layout, _differing(self._layout, layout))
        if more:
            self.widget.add_traces(more)
            for trace in self.widget.data if clicked else ():
                trace.on_click(_hearing(clicked))
        self._traces, self._layout = [*kept, *more], layout
        self._keep_for_views_to_come()

    def _keep_for_views_to_come(self) -> None:
        """Let a page that is opened later begin with what is shown now.

        plotly sends changes as messages, and what a new view begins with stays that of
        the first moment. Changed in place these are sent to nobody until one asks.
        """
        widget = self.widget
        widget._widget_data[:] = [trace.to_plotly_json() for trace in widget.data]  # noqa: SLF001
        widget._widget_layout.clear()  # noqa: SLF001
        widget._widget_layout.update(widget.layout.to_plotly_json())  # noqa: SLF001


def _nothing(trace: dict[str, Any]) -> dict[str, Any]:
    return {"type": trace["type"], "x": [], "y": [], "showlegend": False}


def _set(part: Any, values: dict[str, Any]) -> None:
    for path, value in values.items():
        part[path] = value


def _differing(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """Return what is to be set, by its path, so that the old becomes the new.

    Leaves alone: plotly refuses a part and something inside of it at once.
    """
    found = dict.fromkeys(old.keys() - new.keys() - _KEPT)
    for name in new.keys() - _KEPT:
        before: Any = old.get(name)
        after = new[name]
        if _is_part(before) and _is_part(after):
            inside = _differing(before, after)
            found |= {f"{name}.{path}": value for path, value in inside.items()}
        elif not _is_same(before, after):
            found[name] = after
    return found


def _is_part(value: Any) -> bool:
    """Tell a part with parts of its own from a value; packed arrays are values."""
    return isinstance(value, dict) and "bdata" not in value


def _is_same(one: Any, other: Any) -> bool:
    """Tell whether two parts of a figure are equal; arrays by what they hold."""
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        first, second = np.asarray(one), np.asarray(other)
        return first.shape == second.shape and bool(
            ((first == second) | ((first != first) & (second != second))).all()  # noqa: PLR0124 - NaN
        )
    return bool(one == other)


def _hearing(clicked: Clicked | None) -> Callable[[Any, Any, Any], None]:
    def hear(trace: Any, points: Any, _state: Any) -> None:
        if clicked is not None and points.point_inds:
            clicked(trace, points.point_inds[0])

    return hear
