"""A table of text, declared by its columns, and its HTML."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from markupsafe import escape

from ssdlab.text.numbers import NOT_MEASURED, number_text, workers_text
from ssdlab.text.quantities import Quantity, is_missing, metric_quantity

if TYPE_CHECKING:
    import pandas as pd


UNSUPPORTED_MARK = "*"
UNSUPPORTED_NOTE = (
    f"{UNSUPPORTED_MARK} not supported: too few IOs, or rounds too different, to bound "
    "the percentile from above. To bound 99.9 % takes 3,688 independent IOs, 99.99 % "
    "36,887 and 99.999 % 368,887."
)
_LONG = 18  # characters of a cell that may be broken
_LONG_WORD = re.compile(r"(\S{21,})")
_JOINT = re.compile(r"(?<=\w[/=_.])(?=\w)")
_RESULTS = {"FAIL": "fail", "pass": "pass"}
# Of a table's own rules JupyterLab has some that only a longer selector outdoes.
_STYLE = """<style>
.ssdlab table th:first-child, .ssdlab table .words { text-align: left }
.ssdlab table .words { white-space: normal; min-width: 6em; max-width: 26em }
.ssdlab table th { white-space: normal }
.ssdlab .caption { font-weight: 600 }
.ssdlab .aside { white-space: pre-line; font-size: smaller }
</style>"""


def mark_unsupported(text: str, is_supported: object) -> str:
    """Return a percentile as text, marked if it is known not to be supported.

    >>> mark_unsupported("1.234", is_supported=False)
    '1.234 *'
    >>> mark_unsupported("1.234", is_supported=None)
    '1.234'
    """
    is_bare = is_missing(is_supported) or bool(is_supported)
    return text if is_bare else f"{text} {UNSUPPORTED_MARK}"


def has_marks(rows: "tuple[tuple[str, ...], ...]") -> bool:
    """Tell whether any text of a table is marked."""
    return any(text.endswith(f" {UNSUPPORTED_MARK}") for row in rows for text in row)


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Table:
    """Text in rows; the first column names the row.

    ``words`` are the places of the columns that hold words, not numbers: they align
    left and break. A folded table is hidden behind its caption until a reader opens it.
    """

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: tuple[int, ...] = ()
    note: str = ""
    is_folded: bool = False

    def column(self, head: str) -> tuple[str, ...]:
        """Return the texts below a head."""
        place = self.head.index(head)
        return tuple(row[place] for row in self.rows)

    def __repr__(self) -> str:
        """Return the caption, for places without room for a table."""
        return self.caption or f"Table of {len(self.rows)} rows"

    def _repr_html_(self) -> str:
        """Return what a notebook shows; Jupyter asks for it by this name."""
        caption, note = escape(self.caption), escape(self.note)
        if not self.rows:
            return f"<p>{caption or 'Rows'}: none.</p>"
        below = f'<p class="aside">{note}</p>' if note else ""
        shown = f"{_STYLE}{table_html(self)}{below}"
        if self.is_folded:
            shown = f"<details><summary>{caption}</summary>{shown}</details>"
        elif caption:
            shown = f'<p class="caption">{caption}</p>{shown}'
        return f'<div class="ssdlab">{shown}</div>'


def table_html(table: Table) -> str:
    """Return the element of a table: text escaped, long words broken at their joints.

    >>> table = Table(caption="", head=("Cell", "IOPS"), rows=(("A<B", "5"),))
    >>> _, rows = table_html(table).split("<tbody>")
    >>> rows
    '<tr><th scope="row">A&lt;B</th><td>5</td></tr></tbody></table>'
    """

    def cell(tag: str, place: int, text: str, *, scope: str = "") -> str:
        is_words = place in table.words and (place > 0 or scope == "row")
        name = "words" if is_words else ""
        if tag == "td" and not is_words:
            name = _RESULTS.get(text, "long" if len(text) > _LONG else "")
        marks = f' class="{name}"' if name else ""
        pieces = split_long_words(text) if is_words and scope != "col" else [text]
        inner = "<wbr>".join(map(str, map(escape, pieces)))
        scoped = f' scope="{scope}"' if scope else ""
        return f"<{tag}{scoped}{marks}>{inner}</{tag}>"

    head = "".join(
        cell("th", place, text, scope="col") for place, text in enumerate(table.head)
    )
    body = "\n".join(
        "".join((
            cell("th", 0, row[0], scope="row"),
            *(cell("td", place, text) for place, text in enumerate(row[1:], start=1)),
        )).join(("<tr>", "</tr>"))
        for row in table.rows
    )
    label = f' aria-label="{escape(table.caption)}"' if table.caption else ""
    return f"<table{label}><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def split_long_words(text: str) -> list[str]:
    """Return a text in pieces between which a line may break: paths at their joints.

    Examples
    --------
    >>> split_long_words("or 0/1 in /sys/class/block/sda/queue")
    ['or 0/1 in /sys/', 'class/', 'block/', 'sda/', 'queue']
    """
    pieces = [""]
    for place, part in enumerate(_LONG_WORD.split(text)):
        first, *others = _JOINT.split(part) if place % 2 else [part]
        pieces[-1] += first
        pieces += others
    return pieces


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its head, and the text of each of its cells."""

    head: str
    text: Callable[[Any], str]
    is_words: bool = False


def column(
    head: str,
    of: str | Callable[[Any], Any],
    text: Callable[[Any], str] = str,
    *,
    is_words: bool = False,
    missing: str = NOT_MEASURED,
) -> Column:
    """Declare a column by a field or a function of the row."""

    def cell(row: Any) -> str:
        value = _field(row, of) if isinstance(of, str) else of(row)
        return missing if is_missing(value) else text(value)

    return Column(head, cell, is_words)


def quantity(
    name: str,
    head: str = "",
    *,
    number: Callable[[float], str] = number_text,
    of: str | Callable[[Any], Any] = "",
    unit: Quantity | None = None,
) -> Column:
    """Declare a column of a stored quantity, scaled to its unit.

    ``name`` is one of `QUANTITIES` and the field that is shown, unless ``of`` names
    another; ``number`` writes a value.
    """
    known = unit or metric_quantity(name)
    return column(
        head or known.short or known.title,
        of or name,
        lambda value: number(float(value) / known.divisor),
    )


def quantities(
    *names: str, number: Callable[[float], str] = number_text
) -> tuple[Column, ...]:
    """Declare a column of each of some stored quantities."""
    return tuple(quantity(name, number=number) for name in names)


def percentile(
    name: str, head: str = "", *, number: Callable[[float], str] = number_text
) -> Column:
    """Declare a column of a percentile, such as ``lat_five_nines_ns``, and its mark.

    It is marked where ``is_five_nines_supported`` says that it is not supported.
    """
    bare = quantity(name, head, number=number)
    mark = f"is_{name.removeprefix('lat_').removesuffix('_ns')}_supported"

    def cell(row: Mapping[str, Any]) -> str:
        text = bare.text(row)
        return text if is_missing(row[name]) else mark_unsupported(text, row.get(mark))

    return Column(bare.head, cell)


def explain_marks(table: Table, words: str = UNSUPPORTED_NOTE) -> Table:
    """Return a table whose note explains the mark of a percentile, if there is one."""
    if not has_marks(table.rows):
        return table
    return replace(table, note=" ".join(filter(None, (table.note, words))))


WORKERS = column(
    "TC/QD",
    lambda row: workers_text(_field(row, "threads"), _field(row, "queue_depth")),
)


def tabulate(
    rows: "pd.DataFrame | Iterable[Any]",
    columns: Sequence[Column],
    *,
    caption: str,
    note: str = "",
    is_folded: bool = False,
) -> Table:
    """Return the table of a frame, or of rows of any kind, by its columns.

    >>> table = tabulate(
    ...     [{"round": 1, "lat_mean_ns": 81_250.0}, {"round": 2, "lat_mean_ns": None}],
    ...     [column("Round", "round"), quantity("lat_mean_ns", "ART [ms]")],
    ...     caption="Each round",
    ... )
    >>> table.head, table.rows
    (('Round', 'ART [ms]'), (('1', '0.08125'), ('2', '-')))
    """
    records = rows.to_dict("records") if hasattr(rows, "to_dict") else rows
    return Table(
        caption=caption,
        head=tuple(one.head for one in columns),
        rows=tuple(tuple(one.text(row) for one in columns) for row in records),
        words=tuple(place for place, one in enumerate(columns) if one.is_words),
        note=note,
        is_folded=is_folded,
    )


def grid(
    frame: "pd.DataFrame",
    by: tuple[str, str],
    value: Column,
    *,
    corner: str,
    labels: tuple[Callable[[int], str], Callable[[int], str]],
    caption: str,
) -> Table:
    """Return one value over two fields: the first down, the second across."""
    down, across = by
    texts = {
        (int(row[down]), int(row[across])): value.text(row)
        for row in frame.to_dict("records")
    }
    places = sorted({place for _, place in texts})
    return Table(
        caption=caption,
        head=(corner, *map(labels[1], places)),
        rows=tuple(
            (
                labels[0](row),
                *(texts.get((row, place), NOT_MEASURED) for place in places),
            )
            for row in sorted({row for row, _ in texts})
        ),
    )


def _field(row: Any, name: str) -> Any:
    return row[name] if isinstance(row, Mapping) else getattr(row, name)
