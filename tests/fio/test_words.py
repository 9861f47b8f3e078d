"""fio's words in a message: each kind once, and none about how it is held."""

from hypothesis import given
from hypothesis import strategies as st

from ssdlab.fio.words import condense_words

ERROR = "fio: io_u error on file /dev/nvme0n1: No data available: write offset={}"


def test_a_line_for_each_failed_io_is_told_once() -> None:
    said = "\n".join(ERROR.format(4096 * number) for number in range(40))
    assert condense_words(said) == f"{ERROR.format(0)} (and 39 more like it)"


def test_lines_of_other_words_stay_in_their_order() -> None:
    said = f"first\n{ERROR.format(1)}\nlast\n{ERROR.format(2)}"
    assert condense_words(said).splitlines() == [
        "first",
        f"{ERROR.format(1)} (and 1 more like it)",
        "last",
    ]


def test_notes_about_the_gate_are_left_out() -> None:
    note = "cell : Saving output of {0}run in cell.{0}run.txt"
    said = f"{note.format('pre')}\nfio: err=61\n{note.format('post')}\n"
    assert condense_words(said) == "fio: err=61"
    assert condense_words(note.format("pre")) == ""


@given(st.text())
def test_it_grows_by_no_more_than_its_counts(text: str) -> None:
    lines = condense_words(text).splitlines()
    assert len(lines) <= len(text.splitlines())
