"""Three questions of a run, and no answer that hides another."""

from collections.abc import Mapping, Sequence

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.model.answers import Answers, find_answers
from ssdlab.model.finding import FINDING_KINDS, SEVERITY_NAMES, Finding, make_finding

SHORT = make_finding("time-scaled", "time of a cell: 1 s", test="lat")
WARM = make_finding("temperature", "it was warm")
HOT = make_finding("throttled", "it was hot", test="iops")
SELINUX = make_finding("host-settings", "host: SELinux")
UNSTEADY = make_finding("not-steady", "rounds: not steady", test="lat")


def answer(
    *found: Finding,
    finals: Mapping[str, Sequence[bool]] | None = None,
    tests: Sequence[str] = ("iops", "lat"),
    is_over: bool = True,
) -> Answers:
    rows = [
        {"test": test, "is_final": True, "is_steady": steady}
        for test, verdicts in (finals or {}).items()
        for steady in verdicts
    ]
    rows.append({"test": tests[0], "is_final": False, "is_steady": False})
    windows = pd.DataFrame(rows).astype({"is_final": "boolean", "is_steady": "boolean"})
    return find_answers(
        found, windows, tests=tests, edition="PTS 2.0.2", is_over=is_over
    )


BOTH = {"iops": (True, True), "lat": (True,)}


def test_run_with_nothing_found_conforms_is_steady_and_has_no_doubts() -> None:
    said = answer(finals=BOTH)
    assert (said.conforms, said.is_steady, said.has_doubts) == (True, True, False)
    assert said.lines == (
        ("procedure", "conforms to PTS 2.0.2"),
        ("steady state", "reached in each test"),
        ("doubts about the numbers", "none"),
    )


@pytest.mark.parametrize("doubt", [WARM, SELINUX, HOT])
def test_doubt_is_never_a_departure(doubt: Finding) -> None:
    said = answer(doubt, finals=BOTH)
    assert (said.conforms, said.is_steady, said.has_doubts) == (True, True, True)
    assert said.doubts_words == f"1 (1 {SEVERITY_NAMES[doubt.severity]})"


def test_departure_hides_neither_the_steady_state_nor_a_doubt() -> None:
    said = answer(SHORT, WARM, HOT, finals=BOTH)
    assert (said.conforms, said.is_steady, said.has_doubts) == (False, True, True)
    assert said.procedure_words == "departs from PTS 2.0.2 in 1 point (1 major)"
    assert said.doubts_words == "2 (1 critical, 1 minor)"


def test_test_that_is_not_steady_leaves_the_procedure_as_it_is() -> None:
    finals = {"iops": (True,), "lat": (False,)}
    said = answer(UNSTEADY, finals=finals)
    assert (said.conforms, said.is_steady) == (True, False)
    assert said.steady_words == "reached: IOPS; not reached: LAT"
    assert answer(finals=finals).is_steady is False  # without a finding of it as well


def test_saturation_may_end_at_its_limit_and_what_has_no_window_is_not_judged() -> None:
    tests = ("iops", "wsat", "wsat-oltp", "xsr")
    finals = {"iops": (True, True), "wsat": (False,), "wsat-oltp": (True,)}
    said = answer(finals=finals, tests=tests)
    assert said.is_steady
    assert said.steady_words == (
        "reached: IOPS, WSAT-OLTP; ended at its limit: WSAT; not judged: XSR"
    )
    assert answer(tests=("xsr",)).is_steady is None
    assert answer(tests=("xsr",)).steady_words == "not judged"


def test_run_that_goes_on_has_not_conformed_yet() -> None:
    said = answer(finals=BOTH, is_over=False)
    assert not said.conforms
    assert said.procedure_words == "departs in nothing from PTS 2.0.2 so far"


def test_procedure_is_no_test_of_the_pts() -> None:
    other = make_finding("procedure", "Peak jobs")
    assert answer(other).procedure_words == "not a PTS test"
    assert answer(other, SHORT).procedure_words == ("not a PTS test; 1 major finding")


def test_answers_of_a_test_are_those_that_concern_it() -> None:
    said = answer(SHORT, HOT, WARM, finals=BOTH)
    iops, lat = said.of_test("iops"), said.of_test("lat")
    assert (iops.conforms, lat.conforms) == (True, False)
    assert (len(iops.found("numbers")), len(lat.found("numbers"))) == (2, 1)
    assert iops.steady_words == "reached"


def test_answers_are_plain_for_json() -> None:
    said = answer(SHORT, WARM, finals=BOTH).as_dict()
    assert said["conforms"] is False
    assert said["departures"][0]["code"] == "time-scaled"
    assert said["steady_state"] == {"iops": "reached", "lat": "reached"}
    assert said["doubts"][0]["words"] == "it was warm"


CODES = st.sampled_from(sorted(FINDING_KINDS))


@given(st.lists(CODES, max_size=6), CODES)
def test_another_finding_never_makes_an_answer_better(
    codes: list[str], more: str
) -> None:
    found = [make_finding(code, "words", test="lat") for code in codes]
    before = answer(*found, finals=BOTH)
    after = answer(*found, make_finding(more, "more", test="iops"), finals=BOTH)
    assert after.conforms <= before.conforms
    assert bool(after.is_steady) <= bool(before.is_steady)
    assert after.has_doubts >= before.has_doubts
    shown = {a: after.found(a) for a in ("procedure", "steady state", "numbers")}
    assert sum(map(len, shown.values())) == len(after.findings)
