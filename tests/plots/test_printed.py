"""Text that a notebook prints: in lines that fit, broken at blanks."""

from hypothesis import given
from hypothesis import strategies as st

from ssdlab.figures import wrapped


def test_lines_stay_apart_and_go_on_indented() -> None:
    text = "first\n  the second is longer than that"
    assert wrapped(text, 20) == "first\n  the second is\n    longer than that"


@given(st.lists(st.text("abc-", min_size=1, max_size=30), min_size=1, max_size=30))
def test_no_word_is_broken_or_lost(words: list[str]) -> None:
    lines = wrapped(" ".join(words), 24).split("\n")
    assert " ".join(lines).split() == words
    assert all(len(line) <= 24 or len(line.split()) == 1 for line in lines)
