"""A table says what its columns declare, whatever the rows are."""

import math
from dataclasses import dataclass
from html.parser import HTMLParser

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.paper.cells import clean_html
from ssdlab.text.numbers import exact_text, rounded_text
from ssdlab.text.quantities import MILLISECONDS, QUANTITIES
from ssdlab.text.table import (
    WORKERS,
    Table,
    column,
    grid,
    percentile,
    quantity,
    table_html,
    tabulate,
)

TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=40)


class Cells(HTMLParser):
    """The texts of the cells of a page, as a browser would read them."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.rows: list[list[str]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        del attrs
        if tag == "tr":
            self.rows.append([])
        elif tag in {"th", "td"}:
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data.rstrip("\n") if data == "\n" else data


@given(
    rows=st.lists(st.tuples(TEXT, TEXT, TEXT), min_size=1, max_size=4),
    words=st.sets(st.integers(0, 2)),
)
def test_page_shows_every_text_as_it_is(
    rows: list[tuple[str, str, str]], words: set[int]
) -> None:
    table = Table(
        caption="<b>", head=("A", "B", "C"), rows=tuple(rows), words=tuple(words)
    )
    head, *body = Cells(table_html(table)).rows
    assert head == ["A", "B", "C"]
    assert [tuple(row) for row in body] == rows


@dataclass(frozen=True)
class Round:
    """A row that is no frame's."""

    round: int
    lat_mean_ns: float | None


COLUMNS = (column("Round", "round"), quantity("lat_mean_ns", number=exact_text))


def test_rows_may_be_a_frame_mappings_or_objects() -> None:
    values = [(1, 81_250.0), (2, None)]
    frame = pd.DataFrame(values, columns=["round", "lat_mean_ns"])
    wanted = (("1", "0.08125"), ("2", "-"))
    for rows in (frame, frame.to_dict("records"), [Round(*one) for one in values]):
        assert tabulate(rows, COLUMNS, caption="").rows == wanted


@pytest.mark.parametrize("value", [None, math.nan, pd.NA])
def test_what_was_not_measured_is_absent_and_not_zero(value: object) -> None:
    table = tabulate([{"iops": value}], [quantity("iops")], caption="")
    assert table.rows == (("-",),)


@given(value=st.floats(1e-3, 1e12))
def test_quantity_is_scaled_by_what_its_unit_says(value: float) -> None:
    for name, known in QUANTITIES.items():
        shown = quantity(name, number=rounded_text)
        assert shown.text({name: value}) == rounded_text(value / known.divisor)
        assert known.unit in shown.head


def test_quantity_may_have_another_unit_field_and_head() -> None:
    gap = quantity("gap_s", "Gap [ms]", of="gap_max_s", unit=MILLISECONDS)
    assert (gap.head, gap.text({"gap_max_s": 0.0125})) == ("Gap [ms]", "12.50")


@pytest.mark.parametrize(
    ("is_supported", "text"), [(True, "1.000"), (False, "1.000 *"), (None, "1.000")]
)
def test_percentile_is_marked_where_it_is_known_to_lack_ios(
    is_supported: object, text: str
) -> None:
    row = {"lat_five_nines_ns": 1e6, "is_five_nines_supported": is_supported}
    shown = percentile("lat_five_nines_ns")
    assert (shown.head, shown.text(row)) == ("99.999 % [ms]", text)


def test_threads_and_depth_stand_together() -> None:
    assert WORKERS.text({"threads": 4, "queue_depth": 32}) == "T4/Q32"


def test_grid_leaves_a_cell_that_was_not_measured_absent() -> None:
    frame = pd.DataFrame({"t": [1, 1, 2], "q": [8, 2, 8], "iops": [10.0, 20.0, 30.0]})
    labels = ("T{}".format, "Q{}".format)
    table = grid(
        frame, ("t", "q"), quantity("iops"), corner="T, Q", labels=labels, caption=""
    )
    assert table.head == ("T, Q", "Q2", "Q8")
    assert table.rows == (("T1", "20.00", "10.00"), ("T2", "-", "30.00"))


def test_notebook_shows_caption_table_and_note_and_folds_them() -> None:
    table = Table(
        caption="2 loads & more",
        head=("Level", "Note"),
        rows=(("99 %", "not supported by <b>50</b> IOs"),),
        words=(1,),
        note="a: few",
        is_folded=True,
    )
    page = clean_html(table._repr_html_())
    assert "<summary>2 loads &amp; more</summary>" in page
    assert "not supported by &lt;b&gt;50" in page
    assert "a: few" in page
    assert repr(table) == "2 loads & more"


def test_table_without_rows_says_that_there_are_none() -> None:
    empty = tabulate([], COLUMNS, caption="Rounds")
    assert "Rounds: none." in empty._repr_html_()
