"""Tables and texts keep to the width of a terminal, and lose nothing by it."""

import click
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.text.table import Table
from ssdlab.text.terminal import (
    ANY_WIDTH,
    fact_lines,
    printable,
    table_lines,
    wrapped,
)

# Words of one column a sign, of two (CJK), marks, and what no terminal shows.
_CELL = st.text("ab 1,.✓✗—…±é漢\n\u0301", max_size=9)

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


@given(
    rows=st.lists(st.tuples(_CELL, _CELL, _CELL), max_size=4),
    head=st.tuples(_CELL, _CELL, _CELL) | st.just(("", "", "")),
    words=st.sets(st.integers(0, 2)),
    width=st.sampled_from([20, 60, ANY_WIDTH]),
)
def test_table_is_the_same_with_colours_and_without(
    rows: list[tuple[str, ...]], head: tuple[str, ...], words: set[int], width: int
) -> None:
    table = Table(caption="", head=head, rows=tuple(rows), words=tuple(words))

    coloured = table_lines(table, width=width, is_coloured=True)

    plain = [click.unstyle(line).rstrip() for line in coloured]
    assert table_lines(table, width=width) == plain
