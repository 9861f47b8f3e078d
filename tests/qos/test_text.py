"""Percentiles and verdicts as people read them."""

import pytest

from ssdlab.analysis import parse_qos_target, summarise_qos, tabulate_verdicts
from ssdlab.qos.curves import summarise_load
from ssdlab.qos.text import claim_text, tabulate_qos
from ssdlab.qos.verdict import assess_qos
from ssdlab.stats.unseen import unseen_text
from tests.qos.made_loads import ONE_RUN, ROUNDS


def test_rates_of_a_load_and_its_tables_as_text() -> None:
    assert summarise_load(ROUNDS)["iops"] == pytest.approx(1005)
    shown = tabulate_qos(summarise_qos(ONE_RUN))
    assert shown["95 % interval [ms]"].tolist()[-1] == "at least 5.000"
    verdicts = [assess_qos(ROUNDS, parse_qos_target("p50 <= 2 ms at 900 IOPS"))]
    assert tabulate_verdicts(verdicts)["Verdict"].tolist() == [
        f"met (more than 99.9 % confidence); {unseen_text(len(ROUNDS.steps))}"
    ]


def test_what_intervals_between_rounds_cannot_know_stands_beside_them() -> None:
    words = claim_text(ROUNDS, summarise_qos(ROUNDS))
    assert unseen_text(len(ROUNDS.steps)) in words
    assert "say nothing of" not in claim_text(ONE_RUN, summarise_qos(ONE_RUN))
