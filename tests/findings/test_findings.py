"""Findings: every code is written down, and equal ones are told once."""

from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.model.finding import (
    FINDING_KINDS,
    SEVERITIES,
    Finding,
    count_text,
    make_finding,
    read_findings,
    share_findings,
)

CODES = st.sampled_from(sorted(FINDING_KINDS))
FINDINGS = st.lists(
    st.builds(
        lambda code, words, test: make_finding(code, words, test=test),
        CODES,
        st.sampled_from(["a", "b"]),
        st.sampled_from(["", "iops", "tp"]),
    )
)


def test_unknown_code_is_refused() -> None:
    with pytest.raises(KeyError, match="no-such-code"):
        make_finding("no-such-code", "words")


def test_equal_findings_of_several_tests_are_told_once_and_the_gravest_first() -> None:
    found = [
        make_finding("time-scaled", "a cell: 1 s", test="tp"),
        make_finding("rounds-allowed", "10"),
        make_finding("time-scaled", "a cell: 1 s", test="lat"),
        make_finding("doubts", "fio complained", test="lat"),
        make_finding("doubts", "fio complained", test="tp"),
        make_finding("doubts", "fio complained"),
    ]
    shared = share_findings(found)
    assert [(s.code, s.tests) for s in shared] == [
        ("doubts", ()),
        ("time-scaled", ("tp", "lat")),
        ("rounds-allowed", ()),
    ]
    assert shared[0].concerns("wsat")
    assert shared[1].concerns("lat")
    assert not shared[1].concerns("wsat")
    assert count_text(shared) == "3 findings (1 critical, 1 major, 1 minor)"


@given(FINDINGS)
def test_sharing_loses_and_adds_nothing(found: list[Finding]) -> None:
    shared = share_findings(found)
    for test in ("", "iops", "tp", "wsat"):
        before = {(f.code, f.words) for f in found if f.test in {"", test}}
        after = {
            (s.code, s.words)
            for s in shared
            if (s.concerns(test) if test else not s.tests)
        }
        assert before == after
    ranks = [SEVERITIES.index(s.severity) for s in shared]
    assert ranks == sorted(ranks)


@given(FINDINGS)
def test_findings_come_back_from_rows(found: list[Finding]) -> None:
    assert read_findings([asdict(one) for one in found]) == tuple(found)


def test_count_of_nothing_and_of_one() -> None:
    assert count_text(()) == "no findings"
    one = share_findings([make_finding("imported", "files")])
    assert count_text(one) == "1 finding (1 major)"
