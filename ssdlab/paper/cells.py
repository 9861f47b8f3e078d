"""The cells of an executed notebook as parts of a page."""

import ast
import base64
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from html import escape
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from ssdlab.paper.blocks import Note
from ssdlab.text.table import Table, table_html

if TYPE_CHECKING:
    import nh3

_PLOTLY = "application/vnd.plotly.v1+json"
_MARKDOWN = "text/markdown"
_WIDGET = "application/vnd.jupyter.widget-view+json"
_PICTURES = ("image/png", "image/jpeg", "image/svg+xml")
_PAPERMILL_NOTE = "papermill-error-cell-tag"
_COLOR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_TEXT = "a abbr b br code del em i img kbd mark q s samp small span strong sub sup u"
_BLOCKS = "blockquote dd details div dl dt figcaption figure h1 h2 h3 h4 h5 h6 hr li ol"
_TABLES = "caption col colgroup table tbody td tfoot th thead tr"
_TAGS = f"{_TEXT} {_BLOCKS} {_TABLES} p pre style summary ul var wbr"
_SILENT = "script template iframe object svg math"
_ATTRIBUTES = (
    "abbr alt class colspan headers height id lang open role rowspan scope span start "
    "style tabindex title width"
)
# What the scripts of a page look for; another's HTML must not answer to it.
_OUR_CLASSES = frozenset(("plot", "conditions", "toc", "skip"))
_STYLER_ID = re.compile(r"T_\w+")
_LINK = re.compile(r"(https?://|mailto:|#)", re.IGNORECASE)
_PICTURE = re.compile(r"data:image/(png|jpeg|gif|webp|svg\+xml)[;,]", re.IGNORECASE)
_UNSAFE_STYLE = re.compile(r"@|\\|<|/\*|position\s*:\s*(fixed|sticky)", re.IGNORECASE)
_CALL = re.compile(r"([\w-]*)\s*\(")
_COLOURS, _LENGTHS = ("rgb", "rgba", "hsl", "hsla"), ("calc", "clamp", "max", "min")
_SELECTORS = ("is", "not", "nth-child", "nth-of-type", "where")
_CALLS = frozenset(("", *_COLOURS, *_LENGTHS, *_SELECTORS, "var"))
_STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)
_TABLE = re.compile(r"</?table\b[^>]*>")


@dataclass(frozen=True, kw_only=True, slots=True)
class Drawing:
    """A plotly figure as the notebook keeps it: data and layout."""

    spec: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Code:
    """The input of a cell."""

    source: str


Part = Markup | Drawing | Code | Note


@dataclass(kw_only=True, slots=True)
class Section:
    """The content from one second-level heading to the next."""

    title: str = ""
    parts: list[Part] = field(default_factory=list)


def is_executed(cells: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether any cell with code was executed; one without code need not be."""
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
            _add_code(sections, cell)
    return sections


def _add_markdown(sections: list[Section], text: str) -> None:
    """Add text to the last section; each second-level heading begins a new one."""
    import mistune  # noqa: PLC0415 - slow, and only notebooks hold Markdown

    to_html = mistune.create_markdown(escape=False, plugins=["table", "strikethrough"])
    for piece in _split_at_headings(text):
        heading, _, rest = piece.partition("\n")
        if heading.startswith("## "):
            sections.append(Section(title=heading[3:].strip().strip("#").strip()))
            piece = rest  # noqa: PLW2901 - the heading is the section's
        html = clean_html(str(to_html(piece)))
        for tag in ("th", "td"):
            html = html.replace(f"<{tag}>", f'<{tag} class="words">')
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


def _add_code(sections: list[Section], cell: Mapping[str, Any]) -> None:
    """Add a cell with code and its outputs; a heading among these begins a section."""
    source = _joined(cell["source"])
    if "injected-parameters" in cell["metadata"].get("tags", ()):
        sections[-1].parts.append(_parameters(source))
    elif source.strip():
        sections[-1].parts.append(Code(source=source))
    for output in cell.get("outputs", ()):
        data = output.get("data", {})
        if _MARKDOWN in data and not data.keys() & {_PLOTLY, "text/html", *_PICTURES}:
            _add_markdown(sections, _joined(data[_MARKDOWN]))
            continue
        part = _part_of_output(output)
        if part is not None:
            sections[-1].parts.append(part)


def _parameters(source: str) -> Markup:
    """Return the parameters that an execution was given; of a path its last name."""
    rows = tuple((name, _value_text(value)) for name, value in _assigned(source))
    caption, head = "Parameters of this execution", ("Parameter", "Value")
    table = Table(caption=caption, head=head, rows=rows, words=(0, 1))
    shown = f'<p class="caption">{caption}</p>{table_html(table)}'
    return Markup(_boxed(shown))  # noqa: S704 - texts are escaped


def _assigned(source: str) -> Iterator[tuple[str, object]]:
    """Yield the names and values of a cell that papermill wrote; others have none."""
    with suppress(SyntaxError, ValueError):
        for statement in ast.parse(source).body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    yield name, ast.literal_eval(value)
                case _:
                    pass


def _value_text(value: object) -> str:
    """Return a value of a parameter; a folder is nobody's business but its owner's.

    >>> _value_text("/home/me/runs/a, b"), _value_text("iops 4 KiB 0/100: 2")
    ('a, b', 'iops 4 KiB 0/100: 2')
    """
    parts = [part.strip() for part in re.split(r"[,\n]", str(value))]
    return ", ".join(PurePath(p).name if p.startswith(("/", "~")) else p for p in parts)


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
        return Note(text="A control is here; it works in JupyterLab and in Voilà.")
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


def clean_html(html: str) -> str:
    """Return HTML without scripts, handlers, frames, forms and remote content.

    Every opened tag is closed, and each table is in a box that scrolls.

    >>> clean_html('<b onclick="x()">5 &lt; 6<script>y()</script>')
    '<b>5 &lt; 6</b>'
    >>> clean_html('<a href="javascript:x()">go</a>')
    '<a>go</a>'
    """
    return _boxed(_STYLE.sub(_safe_style, _cleaner().clean(html)))


@cache
def _cleaner() -> "nh3.Cleaner":
    import nh3  # noqa: PLC0415 - as above

    return nh3.Cleaner(
        tags=set(_TAGS.split()),
        clean_content_tags=set(_SILENT.split()),
        attributes={"*": set(_ATTRIBUTES.split()), "a": {"href"}, "img": {"src"}},
        generic_attribute_prefixes={"aria-"},
        attribute_filter=_value,
        url_schemes={"http", "https", "mailto", "data"},
        link_rel=None,
    )


def _value(tag: str, name: str, value: str) -> str | None:
    """Return an attribute's value as it may stand, or None if it may not."""
    del tag  # nh3 knows which tags may have the attribute
    match name:
        case "class":
            return " ".join(word for word in value.split() if word not in _OUR_CLASSES)
        case "href":
            is_allowed = _LINK.match(value) is not None
        case "src":
            is_allowed = _PICTURE.match(value) is not None
        case "id":
            is_allowed = _STYLER_ID.fullmatch(value) is not None
        case "style":
            is_allowed = _is_safe_style(value)
        case _:
            is_allowed = True
    return value if is_allowed else None


def _safe_style(style: "re.Match[str]") -> str:
    return style[0] if _is_safe_style(style[1]) else ""


def _is_safe_style(text: str) -> bool:
    """Tell whether a style calls nothing but what gives a colour or a length."""
    calls = {name.lower() for name in _CALL.findall(text)}
    return calls <= _CALLS and not _UNSAFE_STYLE.search(text)


def _boxed(html: str) -> str:
    """Return HTML whose outermost tables stand in a box; each of them is closed."""
    depth, parts, end = 0, [], 0
    for tag in _TABLE.finditer(html):
        is_end = tag[0].startswith("</")
        depth -= is_end
        if depth == 0:
            box = (
                "</table></div>"
                if is_end
                else f'<div class="scroll" tabindex="0">{tag[0]}'
            )
            parts += [html[end : tag.start()], box]
            end = tag.end()
        depth += not is_end
    return "".join((*parts, html[end:]))
