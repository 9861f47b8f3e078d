"""HTML of others made harmless: what is not known to be plain content is left out."""

import re
from functools import cache

import nh3

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


def clean_html(html: str) -> str:
    """Return HTML without scripts, handlers, frames, forms and remote content.

    Every tag that is opened is closed, and each table stands in a box that scrolls.

    >>> clean_html('<b onclick="x()">5 &lt; 6<script>y()</script>')
    '<b>5 &lt; 6</b>'
    >>> clean_html('<a href="javascript:x()">go</a>')
    '<a>go</a>'
    """
    return _boxed(_STYLE.sub(_safe_style, _cleaner().clean(html)))


@cache
def _cleaner() -> nh3.Cleaner:
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
