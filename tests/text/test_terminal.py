"""Tables and texts keep to the width of a terminal, and lose nothing by it."""

from hypothesis import given
from hypothesis import strategies as st

from ssdlab.text.table import Table
from ssdlab.text.terminal import (
    _drawn_lines,
    fact_lines,
    printable,
    table_lines,
    wrapped,
)

WORD = st.text("abcxyz0123456789%.[]/", min_size=1, max_size=12)
WORDS = st.lists(WORD, min_size=1, max_size=12).map(" ".join)


@given(
    rows=st.lists(st.tuples(WORD, WORD, WORDS), min_size=1, max_size=4),
    width=st.integers(60, 120),
)
def test_table_keeps_to_the_width_and_shows_every_word(
    rows: list[tuple[str, str, str]], width: int
) -> None:
    table = Table(caption="", head=("a", "b", "c"), rows=tuple(rows), words=(2,))
    lines = table_lines(table, width=width)
    assert max(map(len, lines)) <= width
    shown = sorted("".join("".join(lines[1:]).split()))
    assert shown == sorted("".join("".join(map("".join, rows)).split()))


def test_numbers_align_right_and_words_left() -> None:
    table = Table(
        caption="",
        head=("round", "IOPS", "state"),
        rows=(("1", "850", "steady"), ("12", "1,020", "NOT steady")),
        words=(2,),
    )
    assert table_lines(table) == [
        "round   IOPS  state",
        "1        850  steady",
        "12     1,020  NOT steady",
    ]


def test_markup_and_control_codes_of_others_are_shown_as_text() -> None:
    lines = fact_lines([("[red]x[/red]", "a\x1b[31mb\x07")])
    assert lines == ["[red]x[/red]  a�[31mb�"]


@given(text=WORDS, width=st.integers(20, 60))
def test_wrapped_text_keeps_its_words_and_its_width(text: str, width: int) -> None:
    lines = wrapped(text, width=width, first="  ", rest="    ")
    assert " ".join(" ".join(lines).split()) == text
    assert all(len(line) <= width for line in lines)


def test_device_text_cannot_steer_the_terminal() -> None:
    assert printable("a\x1b]0;x\x07\nb") == "a�]0;x��b"


CELLS = st.sampled_from([
    "",
    "a",
    "✓ steady",
    "1,020",
    "4 KiB T2/Q16",
    "é",
    " x",
    "表",
])


@given(st.integers(1, 4).flatmap(lambda width: st.lists(
    st.lists(CELLS, min_size=width, max_size=width), min_size=1, max_size=5
)))  # fmt: skip
def test_table_of_which_nothing_is_broken_is_that_which_is_drawn(
    rows: list[list[str]],
) -> None:
    head, *cells = map(tuple, rows)
    table = Table(caption="", head=head, rows=tuple(cells), words=(1,))
    wide = 1000
    drawn = _drawn_lines(table, width=wide, is_coloured=False)
    assert table_lines(table, width=wide) == drawn
