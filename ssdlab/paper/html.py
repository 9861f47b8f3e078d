"""A template and its values to one self-contained HTML page: no request leaves it."""

import base64
import gzip
import hashlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from html import unescape
from importlib.resources import files
from io import BytesIO
from typing import Any

import orjson
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ssdlab.model.errors import RunFolderError
from ssdlab.paper.blocks import Note, Plot
from ssdlab.paper.cells import Code, Drawing
from ssdlab.plots.figure import figure_json
from ssdlab.plots.labels import CONFIG
from ssdlab.system.folders import Folder
from ssdlab.system.state import cache_folder
from ssdlab.system.unpack import DamagedArchiveError, InputTooLargeError, gunzip
from ssdlab.text.numbers import when_text
from ssdlab.text.table import Table, table_html

_MARGIN_WITH_TITLE = 64
_TITLE_HEIGHT = 38
_LEAST_MARGIN = 26
_USUAL_HEIGHT = 420
_SMALL_HEIGHT = 100  # of a sparkline, which has neither title nor buttons
# RuntimeError: the user has no home folder.
_NOT_CACHED = (
    *(OSError, RuntimeError, RunFolderError),
    *(DamagedArchiveError, InputTooLargeError),
)


@dataclass(slots=True)
class _Figures:
    """The figures of a page in the order they are met; each gets a place."""

    specs: list[dict[str, Any]] = field(default_factory=list)

    def place(self, plot: Plot | Drawing) -> dict[str, object]:
        """Keep a figure and return what the template needs of it."""
        if isinstance(plot, Plot):
            spec = figure_json(plot.figure)
        else:
            spec = {"data": plot.spec["data"], "layout": dict(plot.spec["layout"])}
        layout = spec["layout"]
        title = _title_of(layout.pop("title", None))
        subtitle = title.get("subtitle", {}).get("text") or ""
        margin = layout["margin"] = dict(layout.get("margin", {}))
        if layout.setdefault("height", _USUAL_HEIGHT) > _SMALL_HEIGHT:
            # The title becomes the caption; anything else above keeps its place.
            height = _TITLE_HEIGHT * (1 + subtitle.count("<br>"))
            above = margin.get("t", _MARGIN_WITH_TITLE) - height
            margin["t"] = max(_LEAST_MARGIN, above)
        self.specs.append(spec)
        return {
            "number": len(self.specs) - 1,
            "title": _in_one_line(title.get("text")),
            "subtitle": _in_one_line(subtitle, " · "),
            "height": layout["height"],
        }


def _title_of(title: Any) -> dict[str, Any]:
    return title if isinstance(title, dict) else {"text": title}


def _in_one_line(text: str | None, joint: str = " ") -> str:
    """Return a title as text: plotly's are escaped, and a template escapes again."""
    return unescape((text or "").replace("<br>", joint))


def render_html(
    template: str, values: Mapping[str, object], *, title: str, jobs: object = ()
) -> str:
    """Return a whole page as HTML."""
    figures = _Figures()
    environment = _environment()
    body = environment.get_template(template).render(place=figures.place, **values)
    script = environment.get_template("report.js").render()
    return environment.get_template("page.html.j2").render(
        title=title,
        body=body,
        script=script,
        trusted=f"{_digest(script.encode())} {_plotly().digest}",
        plotly=_plotly().packed,
        figures=_packed(orjson.dumps(figures.specs)),
        jobs=_packed(orjson.dumps(jobs)),
        config=_packed(orjson.dumps(dict(CONFIG))),
    )


def render_part(template: str, **values: object) -> str:
    """Return a part of a page as HTML, such as a notebook shows."""
    return _environment().get_template(template).render(values)


@cache
def _environment() -> Environment:
    """Return what renders templates, each of which is compiled once."""
    environment = Environment(
        loader=PackageLoader("ssdlab.paper"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["when"] = when_text
    environment.filters["rows"] = lambda table: Markup(table_html(table))  # noqa: S704
    environment.tests |= {
        "table": lambda block: isinstance(block, Table),
        "plot": lambda block: isinstance(block, Plot),
        "note": lambda block: isinstance(block, Note),
        "drawing": lambda part: isinstance(part, Drawing),
        "code": lambda part: isinstance(part, Code),
    }
    return environment


def _digest(script: bytes) -> str:
    """Return the hash of a script for the policy: no other script may run."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script).digest()).decode()}'"


def _packed(content: bytes) -> str:
    """Return bytes as text that holds no character of HTML."""
    return base64.b64encode(_compressed(content)).decode()


def _compressed(content: bytes) -> bytes:
    return gzip.compress(content, 9, mtime=0)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Script:
    """A script as a page holds it, and as the page's policy names it."""

    packed: str
    digest: str


@cache
def _plotly() -> _Script:
    """Return plotly.js, which is the same for every page and slow to pack."""
    source = files("plotly").joinpath("package_data", "plotly.min.js").read_bytes()
    packed = base64.b64encode(compressed_once(source)).decode()
    return _Script(packed=packed, digest=_digest(source))


def compressed_once(content: bytes) -> bytes:
    """Return bytes as gzip packs them, from the user's cache after the first time.

    What the cache holds is used only if it unpacks to the same bytes.
    """
    name = f"{hashlib.sha256(content).hexdigest()[:16]}.gz"
    with suppress(*_NOT_CACHED):
        packed = Folder(cache_folder()).read(name, limit=len(content))
        if gunzip(BytesIO(packed), max_bytes=len(content)) == content:
            return packed
    packed = _compressed(content)
    with suppress(*_NOT_CACHED):
        Folder(cache_folder()).make().write(name, packed, is_durable=False)
    return packed
