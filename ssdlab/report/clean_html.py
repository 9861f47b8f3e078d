"""HTML of others made harmless: what is not known to be plain content is left out."""

import re
from collections.abc import Iterable
from html import escape
from html.parser import HTMLParser

_TEXT = r"a|abbr|b|br|code|del|em|i|img|kbd|mark|q|s|samp|small|span|strong|sub|sup|u"
_BLOCKS = r"blockquote|dd|details|div|dl|dt|figcaption|figure|h[1-6]|hr|li|ol|p|pre"
_TABLES = r"caption|col|colgroup|table|tbody|td|tfoot|th|thead|tr"
_TAG = re.compile(f"{_TEXT}|{_BLOCKS}|{_TABLES}|summary|ul|var|wbr")
_VOID = frozenset(("br", "col", "hr", "img", "wbr"))
_SILENT = frozenset(("script", "style", "template", "iframe", "object", "svg", "math"))
_ATTRIBUTES = frozenset((
    *("abbr", "alt", "class", "colspan", "headers", "height", "lang", "open", "role"),
    *("rowspan", "scope", "span", "start", "style", "tabindex", "title", "width"),
))
# What the scripts of a page look for; another's HTML must not answer to it.
_OUR_CLASSES = frozenset(("plot", "conditions", "toc", "skip"))
_STYLER_ID = re.compile(r"T_\w+")
_LINK = re.compile(r"(https?://|mailto:|#)", re.IGNORECASE)
_PICTURE = re.compile(r"data:image/(png|jpeg|gif|webp|svg\+xml)[;,]", re.IGNORECASE)
_UNSAFE_STYLE = re.compile(r"url\s*\(|@import|expression|\\|<", re.IGNORECASE)
_PINNED = re.compile(r"position\s*:\s*(fixed|sticky)", re.IGNORECASE)


def clean_html(html: str) -> str:
    """Return HTML without scripts, handlers, frames, forms and remote content.

    Every tag that is opened is closed, and each table stands in a box that scrolls.

    >>> clean_html('<b onclick="x()">5 &lt; 6<script>y()</script>')
    '<b>5 &lt; 6</b>'
    >>> clean_html('<a href="javascript:x()">go</a>')
    '<a>go</a>'
    """
    cleaner = _Cleaner()
    cleaner.feed(html)
    cleaner.close()
    return cleaner.result()


class _Cleaner(HTMLParser):
    """Writes anew what it knows of the HTML that it is fed."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._written: list[str] = []
        self._open: list[tuple[str, str]] = []  # tag, and what closes it
        self._silent: list[str] = []

    def result(self) -> str:
        """Return what was written, everything closed."""
        ends = "".join(end for _, end in reversed(self._open))
        return "".join(self._written) + ends

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._silent or tag in _SILENT:
            self._silent.append(tag)
        elif _TAG.fullmatch(tag):
            self._start(tag, f"<{tag}{_attributes(tag, attrs)}>")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if not self._silent and tag in _VOID:
            self._written.append(f"<{tag}{_attributes(tag, attrs)}>")

    def handle_endtag(self, tag: str) -> None:
        if self._silent:
            self._end_silence(tag)
        elif tag in (name for name, _ in self._open):
            while True:
                name, end = self._open.pop()
                self._written.append(end)
                if name == tag:
                    return

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self._written.append(escape(data, quote=False))
        elif self._silent == ["style"] and _is_safe_style(data):
            self._written.append(f"<style>{data}</style>")

    def _start(self, tag: str, text: str) -> None:
        is_table = tag == "table" and "table" not in (name for name, _ in self._open)
        if is_table:
            text = f'<div class="scroll" tabindex="0">{text}'
        self._written.append(text)
        if tag not in _VOID:
            self._open.append((tag, "</table></div>" if is_table else f"</{tag}>"))

    def _end_silence(self, tag: str) -> None:
        if tag in self._silent:
            while self._silent.pop() != tag:
                pass


def _attributes(tag: str, attrs: Iterable[tuple[str, str | None]]) -> str:
    kept = ((name, _value(tag, name, value or "")) for name, value in attrs)
    return "".join(
        f' {name}="{escape(value)}"' for name, value in kept if value is not None
    )


def _value(tag: str, name: str, value: str) -> str | None:
    """Return an attribute's value as it may stand, or None if it may not."""
    if name == "class":
        return " ".join(word for word in value.split() if word not in _OUR_CLASSES)
    is_allowed = {
        "href": tag == "a" and _LINK.match(value) is not None,
        "src": tag == "img" and _PICTURE.match(value) is not None,
        "id": _STYLER_ID.fullmatch(value) is not None,
        "style": _is_safe_style(value),
    }.get(name, name in _ATTRIBUTES or name.startswith("aria-"))
    return value if is_allowed else None


def _is_safe_style(text: str) -> bool:
    return not (_UNSAFE_STYLE.search(text) or _PINNED.search(text))
