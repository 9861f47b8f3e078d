"""Small files of the system."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.host.files import (
    chosen,
    format_cpus,
    list_names,
    parse_cpus,
    read_number,
    read_text,
)


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


def test_what_cannot_be_read_is_told_as_nothing(tmp_path: Path) -> None:
    (tmp_path / "word").write_text("word\n")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    assert read_text(tmp_path / "missing") == ""
    assert read_text(tmp_path) == ""
    assert read_number(tmp_path / "missing") is None
    assert read_number(tmp_path / "word") is None
    assert read_text(tmp_path / "bytes")
    assert list_names(tmp_path / "missing") == ()
    assert list_names(tmp_path) == ("bytes", "word")
