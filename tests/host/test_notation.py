"""How the kernel writes the choice among settings, and sets of processors."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.host.notation import chosen, format_cpus, parse_cpus


@pytest.mark.parametrize(
    ("text", "cpus"),
    [
        ("0", {0}),
        ("0-3,8", {0, 1, 2, 3, 8}),
        ("1,3,5-6", {1, 3, 5, 6}),
        ("", set()),
        ("none", set()),
        ("0-3,x", set()),
    ],
)
def test_list_of_cpus_is_read_or_none_at_all(text: str, cpus: set[int]) -> None:
    assert parse_cpus(text) == cpus


@given(st.frozensets(st.integers(0, 300)))
def test_list_of_cpus_reads_back_as_written(cpus: frozenset[int]) -> None:
    assert parse_cpus(format_cpus(cpus)) == cpus


def test_cpus_are_written_as_the_kernel_does() -> None:
    assert format_cpus({8, 1, 0, 2}) == "0-2,8"
    assert format_cpus(()) == ""


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("none [mq-deadline] kyber", "mq-deadline"),
        ("[none]", "none"),
        ("performance", "performance"),
        ("", ""),
    ],
)
def test_choice_is_the_one_in_brackets(text: str, choice: str) -> None:
    assert chosen(text) == choice
