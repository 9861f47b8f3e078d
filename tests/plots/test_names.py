"""Labels: shortened at the ends of words, and never two alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.plots.looks import make_run_looks
from ssdlab.plots.names import distinct_texts, shortened

TEXTS = st.lists(st.text("ab1 -_/,", min_size=1, max_size=60), max_size=5, unique=True)


@pytest.mark.parametrize(
    ("text", "longest", "short"),
    [
        (
            "Samsung SSD 990 PRO with Heatsink 2TB S6Z1",
            28,
            "Samsung SSD 990 … 2TB S6Z1",
        ),
        ("Crucial_CT250MX200SSD1 (imported)", 28, "… CT250MX200SSD1 (imported)"),
        ("Fits as it is (virtual)", 28, "Fits as it is (virtual)"),
        ("x" * 40, 12, "xxxxxxxx…xxx"),
    ],
)
def test_label_leaves_out_whole_words(text: str, longest: int, short: str) -> None:
    assert shortened(text, longest=longest) == short


@given(TEXTS, st.integers(12, 40))
def test_labels_fit_and_no_two_are_alike(texts: list[str], longest: int) -> None:
    shown = distinct_texts(texts, longest=longest)
    assert all(len(label) <= longest for label in shown.values())
    assert len(set(shown.values())) == len(texts)


def test_runs_with_long_names_alike_have_other_labels_and_whole_names_in_hovers() -> (
    None
):
    names = [
        f"A drive with a long name of lot {lot} that lies in the left tray"
        for lot in "12"
    ]
    looks = make_run_looks(zip(("run1", "run2"), names, strict=True))
    assert len({look.text for look in looks}) == 2
    assert [look.full for look in looks] == names
    assert max(len(look.text) for look in looks) <= 34
