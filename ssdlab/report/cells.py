"""The cells of an executed notebook as parts of a page."""

import base64
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

import mistune
from markupsafe import Markup

from ssdlab.report.blocks import Note
from ssdlab.report.clean_html import clean_html

_PLOTLY = "application/vnd.plotly.v1+json"
_WIDGET = "application/vnd.jupyter.widget-view+json"
_PICTURES = ("image/png", "image/jpeg", "image/svg+xml")
_PAPERMILL_NOTE = "papermill-error-cell-tag"
_COLOR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


@dataclass(frozen=True, kw_only=True, slots=True)
class Drawing:
    """A plotly figure as the notebook keeps it: data and layout."""

    spec: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Code:
    """The input of a cell."""

    source: str
    is_given: bool = False  # the parameters that this execution was given


Part = Markup | Drawing | Code | Note


@dataclass(kw_only=True, slots=True)
class Section:
    """What stands from one second-level heading to the next."""

    title: str = ""
    parts: list[Part] = field(default_factory=list)


def is_executed(cells: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether any cell with code was executed; one without code has no need to."""
    coded = [cell for cell in cells if cell["cell_type"] == "code"]
    return not coded or any(
        cell.get("execution_count") is not None or cell.get("outputs") for cell in coded
    )


def find_title(cells: Sequence[Mapping[str, Any]]) -> str:
    """Return the first heading of the first level, or nothing."""
    texts = (
        _joined(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"
    )
    lines = (line for text in texts for line in text.splitlines())
    return next((line[2:].strip() for line in lines if line.startswith("# ")), "")


def read_sections(cells: Sequence[Mapping[str, Any]]) -> list[Section]:
    """Return the sections of a notebook; the first has what stands before any."""
    sections = [Section()]
    for cell in cells:
        if _PAPERMILL_NOTE in cell["metadata"].get("tags", ()):
            continue
        if cell["cell_type"] == "markdown":
            _add_markdown(sections, _joined(cell["source"]))
        elif cell["cell_type"] == "code":
            sections[-1].parts += _parts_of_code(cell)
    return sections


def _add_markdown(sections: list[Section], text: str) -> None:
    """Add text to the last section; each second-level heading begins a new one."""
    to_html = mistune.create_markdown(escape=True, plugins=["table", "strikethrough"])
    for piece in _split_at_headings(text):
        heading, _, rest = piece.partition("\n")
        if heading.startswith("## "):
            sections.append(Section(title=heading[3:].strip().strip("#").strip()))
            piece = rest  # noqa: PLW2901 - the heading is the section's
        html = clean_html(str(to_html(piece)))
        if html.strip():
            sections[-1].parts.append(Markup(html))  # noqa: S704 - cleaned


def _split_at_headings(text: str) -> list[str]:
    """Return text in pieces, each second-level heading first in its own."""
    pieces: list[list[str]] = [[]]
    is_code = False
    for line in text.splitlines():
        is_code ^= line.lstrip().startswith("```")
        if line.startswith("## ") and not is_code:
            pieces.append([])
        pieces[-1].append(line)
    return ["\n".join(piece) for piece in pieces if piece]


def _parts_of_code(cell: Mapping[str, Any]) -> Iterator[Part]:
    source = _joined(cell["source"])
    if source.strip():
        tags = cell["metadata"].get("tags", ())
        yield Code(source=source, is_given="injected-parameters" in tags)
    for output in cell.get("outputs", ()):
        part = _part_of_output(output)
        if part is not None:
            yield part


def _part_of_output(output: Mapping[str, Any]) -> Part | None:
    match output["output_type"]:
        case "stream":
            return _plain(_joined(output["text"]), kind=str(output["name"]))
        case "error":
            said = _COLOR.sub("", str(output["evalue"]))
            return Note(text=f"{output['ename']}: {said}", tone="warning")
        case _:
            return _shown(output["data"])


def _shown(bundle: Mapping[str, Any]) -> Part | None:
    """Return the best that a page can show of an output's forms."""
    if _PLOTLY in bundle:
        return Drawing(spec=bundle[_PLOTLY])
    if "text/html" in bundle:
        return Markup(clean_html(_joined(bundle["text/html"])))  # noqa: S704 - cleaned
    for kind in _PICTURES:
        if kind in bundle:
            return _picture(kind, _joined(bundle[kind]))
    if _WIDGET in bundle:
        return Note(text="Here stands a control; it works in JupyterLab and in Voilà.")
    text = _joined(bundle.get("text/plain", ""))
    return _plain(text, kind="value") if text else None


def _picture(kind: str, content: str) -> Markup:
    if kind == "image/svg+xml":
        content = base64.b64encode(content.encode()).decode()
    address = f"data:{kind};base64,{''.join(content.split())}"
    return Markup('<p><img alt="" src="{}"></p>').format(address)


def _plain(text: str, *, kind: str) -> Markup:
    shown = escape(_COLOR.sub("", text))
    return Markup('<pre class="{}">{}</pre>').format(kind, Markup(shown))  # noqa: S704


def _joined(source: str | Sequence[str]) -> str:
    return source if isinstance(source, str) else "".join(source)
