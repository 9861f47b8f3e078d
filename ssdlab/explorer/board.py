"""The figures on the screen: one widget, one plotly.js, a message a changed figure."""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import anywidget
import plotly.graph_objects as go
import traitlets
from plotly.io.json import to_json_plotly
from plotly.offline import get_plotlyjs

from ssdlab.figures.labels import CONFIG

PICTURES = ("matrix", "cell", "histogram")

Hear = Callable[[Mapping[str, Any]], None]


@cache
def _program() -> str:
    """Return plotly.js and what draws with it, as one module of JavaScript."""
    ours = (Path(__file__).parent / "board.js").read_text("utf-8")
    return (
        "const module = { exports: {} };\n"
        f"{get_plotlyjs()}\n"
        f"const Plotly = module.exports;\n{ours}"
    )


class Board(anywidget.AnyWidget):
    """Three figures and the buttons that save them.

    A figure is kept as text, so that a page that is opened later begins with what is
    shown now. ``hear`` is called with what is done to it: ``name`` of the figure,
    ``kind`` (click, zoom, csv, code), and what belongs to that.
    """

    _esm = ""  # read when the first board is made
    matrix = traitlets.Dict().tag(sync=True)
    cell = traitlets.Dict().tag(sync=True)
    histogram = traitlets.Dict().tag(sync=True)
    config = traitlets.Dict().tag(sync=True)
    filename = traitlets.Unicode("ssdlab").tag(sync=True)
    is_zoomed = traitlets.Bool(default_value=False).tag(sync=True)

    def __init__(self, hear: Hear) -> None:
        self._esm = _program()
        super().__init__(config=dict(CONFIG) | {"responsive": False})
        self.on_msg(lambda _widget, message, _buffers: hear(message))

    def show(self, name: str, figure: go.Figure) -> None:
        """Show another figure in one of the places."""
        parts = figure.to_dict()
        texts = {part: to_json_plotly(parts[part]) for part in ("data", "layout")}
        self.set_trait(name, texts)

    def give(self, name: str, text: str, *, view: str) -> None:
        """Hand a file to the page that asked for it."""
        self.send({"name": name, "text": text, "type": "text/csv", "view": view})
