"""A table of text, and the HTML that a notebook shows of it."""

from dataclasses import dataclass
from html import escape

_WORDS = "text-align:left;white-space:normal;max-width:26em"
_LONG_WORDS = f"{_WORDS};min-width:9em"
_SHORT = 10  # letters, that need no width of their own
_HEAD = "text-align:right;white-space:normal"
_NUMBER = "text-align:right;white-space:normal"


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadableTable:
    """Text in rows; ``words`` are the places of the columns that hold words.

    A folded table stands behind its caption until a reader opens it. What the letters
    in a column of notes stand for is told below, in ``notes``.
    """

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    is_folded: bool = False

    def column(self, head: str) -> tuple[str, ...]:
        """Return the texts below a head."""
        place = self.head.index(head)
        return tuple(row[place] for row in self.rows)

    def _repr_html_(self) -> str:
        """Return what a notebook shows: no index, words left, numbers right."""
        head = self._row(self.head, "th")
        body = "".join(self._row(row, "td") for row in self.rows)
        table = f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"
        below = "".join(f"<br>{escape(note)}" for note in self.notes).removeprefix(
            "<br>"
        )
        table += f"<p><small>{below}</small></p>" if below else ""
        caption = escape(self.caption)
        if not self.rows:
            return f"<p>{caption or 'Rows'}: none.</p>"
        if self.is_folded:
            return f"<details><summary>{caption}</summary>{table}</details>"
        return f"<p><b>{caption}</b></p>{table}" if caption else table

    def _row(self, texts: tuple[str, ...], tag: str) -> str:
        cells = (
            f'<{tag} style="{self._style(place, tag)}">{_cell(text)}</{tag}>'
            for place, text in enumerate(texts)
        )
        return f"<tr>{''.join(cells)}</tr>"

    def _style(self, place: int, tag: str) -> str:
        if place not in self.words:
            return _NUMBER if tag == "td" else _HEAD
        longest = max((len(row[place]) for row in self.rows), default=0)
        return _LONG_WORDS if longest > _SHORT else _WORDS


def _cell(text: str) -> str:
    """Return an interval so that it may be broken before its second end alone."""
    whole = (
        escape(text).replace(" - ", "&nbsp;-&nbsp;").replace("no end", "no&nbsp;end")
    )
    return whole.replace(" to ", " to&nbsp;")
