"""Figures that are plain data until somebody looks at them.

plotly validates every property when it is set, and copies all of it: of a report, that
took longer than anything else. A page needs only the JSON of its figures. So what draws
a figure adds plain data, and plotly makes its own figure of them, validated, as soon as
anything else is asked of it.
"""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Self

import orjson
import plotly.graph_objects as go

_PLAIN = "_plain"
# As plotly writes a template that is empty on purpose.
_NO_TEMPLATE = {"data": {"scatter": [{"type": "scatter"}]}}
_ACROSS = {"xref": "x domain", "x0": 0, "x1": 1}
_UP = {"yref": "y domain", "y0": 0, "y1": 1}
_OF_PANELS = frozenset({"row", "col", "secondary_y", "exclude_empty_subplots"})


class Figure(go.Figure):  # type: ignore[misc] # plotly has no types
    """A figure of plotly, made when it is first read or changed otherwise than here."""

    def __init__(self, data: Any = None, layout: Any = None, **more: Any) -> None:
        if data is None and type(layout) is dict and not more:
            own = {"template": _NO_TEMPLATE} | layout
            self.__dict__[_PLAIN] = {"data": [], "layout": own}
        else:
            super().__init__(data, layout, **more)

    def __getattr__(self, name: str) -> Any:
        """Make plotly's figure: none of its attributes is there before."""
        plain = self.__dict__.pop(_PLAIN, None)
        if plain is None:
            raise AttributeError(name)
        super().__init__(plain["data"], plain["layout"])
        return getattr(self, name)

    def add_scatter(self, **trace: Any) -> Self:
        """Add points or lines."""
        return self._add_trace("scatter", trace)

    def add_bar(self, **trace: Any) -> Self:
        """Add bars."""
        return self._add_trace("bar", trace)

    def add_heatmap(self, **trace: Any) -> Self:
        """Add a heat map."""
        return self._add_trace("heatmap", trace)

    def add_mesh3d(self, **trace: Any) -> Self:
        """Add a body of triangles."""
        return self._add_trace("mesh3d", trace)

    def add_shape(self, arg: Any = None, **shape: Any) -> Self:
        """Add a shape."""
        return self._add_mark("shape", arg, shape)

    def add_annotation(self, arg: Any = None, **note: Any) -> Self:
        """Add a text."""
        return self._add_mark("annotation", arg, note)

    def add_vline(self, x: Any, **look: Any) -> Self:
        """Add a line from the bottom to the top."""
        line = {"type": "line", "x0": x, "x1": x, "xref": "x"}
        return self._add_span("vline", line | _UP, look, x=x)

    def add_hline(self, y: Any, **look: Any) -> Self:
        """Add a line from the left to the right."""
        line = {"type": "line", "y0": y, "y1": y, "yref": "y"}
        return self._add_span("hline", line | _ACROSS, look, y=y)

    def add_vrect(self, x0: Any, x1: Any, **look: Any) -> Self:
        """Add an area from the bottom to the top."""
        area = {"type": "rect", "x0": x0, "x1": x1, "xref": "x"}
        return self._add_span("vrect", area | _UP, look, x0=x0, x1=x1)

    def add_hrect(self, y0: Any, y1: Any, **look: Any) -> Self:
        """Add an area from the left to the right."""
        area = {"type": "rect", "y0": y0, "y1": y1, "yref": "y"}
        return self._add_span("hrect", area | _ACROSS, look, y0=y0, y1=y1)

    def _plain_for(self, given: Mapping[str, Any]) -> Any:
        """Return the plain data, if what is given can be added to them as it is."""
        return plain_of(self) if _OF_PANELS.isdisjoint(given) else None

    def _add_trace(self, kind: str, trace: dict[str, Any]) -> Self:
        plain = self._plain_for(trace)
        if plain is None:
            getattr(super(), f"add_{kind}")(**trace)
        else:
            plain["data"].append({"type": kind} | trace)
        return self

    def _add_mark(self, kind: str, arg: Any, mark: dict[str, Any]) -> Self:
        plain = self._plain_for(mark)
        if plain is None or arg is not None:
            getattr(super(), f"add_{kind}")(arg, **mark)
        else:
            plain["layout"].setdefault(f"{kind}s", []).append(mark)
        return self

    def _add_span(
        self, kind: str, shape: dict[str, Any], look: dict[str, Any], **ends: Any
    ) -> Self:
        is_told = any(name.startswith("annotation") for name in look)
        if is_told or self._plain_for(look) is None:
            getattr(super(), f"add_{kind}")(**ends, **look)
            return self
        return self.add_shape(**(shape | look))


def plain_of(figure: go.Figure) -> dict[str, Any] | None:
    """Return the plain data of a figure that nobody has looked at."""
    plain: dict[str, Any] | None = figure.__dict__.get(_PLAIN)
    return plain


def figure_json(figure: go.Figure) -> dict[str, Any]:
    """Return a figure as its JSON has it, not validated if it was not looked at.

    What JSON does not know, such as an array, is left to plotly.
    """
    plain = plain_of(figure)
    if plain is not None:
        with suppress(TypeError):
            return _of_json(orjson.dumps(_told(plain)))
    return _of_json(figure.to_json())


def _of_json(text: str | bytes) -> dict[str, Any]:
    value: dict[str, Any] = orjson.loads(text)
    return value


def _told(value: Any) -> Any:
    """Return a value without the settings that are None."""
    if isinstance(value, dict):
        return {name: _told(one) for name, one in value.items() if one is not None}
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return [_told(one) for one in value]
    return value
