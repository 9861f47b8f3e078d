"""The figures on screen: one widget, one plotly.js, one message per changed figure."""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import anywidget
import plotly.graph_objects as go
import traitlets
from plotly.io.json import to_json_plotly
from plotly.offline import get_plotlyjs

from ssdlab.plots.labels import CONFIG

PICTURES = ("matrix", "cell", "histogram")

OnEvent = Callable[[Mapping[str, Any]], None]


@cache
def _program() -> str:
    """Return plotly.js and the code that draws with it, as one JavaScript module."""
    ours = (Path(__file__).parent / "figure_widget.js").read_text("utf-8")
    return (
        "const module = { exports: {} };\n"
        f"{get_plotlyjs()}\n"
        f"const Plotly = module.exports;\n{ours}"
    )


class FigureWidget(anywidget.AnyWidget):
    """Three figures and the buttons that save them.

    A figure is kept as text, so that a page opened later starts with what is shown now.
    ``on_event`` is called for each event: ``name`` of the figure, ``kind`` (click,
    zoom, csv, code), and its data.
    """

    _esm = ""  # read when the first widget is made
    matrix = traitlets.Dict().tag(sync=True)
    cell = traitlets.Dict().tag(sync=True)
    histogram = traitlets.Dict().tag(sync=True)
    config = traitlets.Dict().tag(sync=True)
    filename = traitlets.Unicode("ssdlab").tag(sync=True)
    is_zoomed = traitlets.Bool(default_value=False).tag(sync=True)

    def __init__(self, on_event: OnEvent) -> None:
        self._esm = _program()
        super().__init__(config=dict(CONFIG) | {"responsive": False})
        self.on_msg(lambda _widget, message, _buffers: on_event(message))

    def show(self, name: str, figure: go.Figure) -> None:
        """Replace one of the figures."""
        parts = figure.to_dict()
        texts = {part: to_json_plotly(parts[part]) for part in ("data", "layout")}
        self.set_trait(name, texts)

    def send_file(self, name: str, text: str, *, view: str) -> None:
        """Send a file to the page that requested it."""
        self.send({"name": name, "text": text, "type": "text/csv", "view": view})
