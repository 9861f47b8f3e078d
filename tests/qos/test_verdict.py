"""Verdicts on targets, and their certainty."""

import math

import pandas as pd
import pytest

from ssdlab.analysis import parse_qos_target, summarise_qos
from ssdlab.qos.verdict import assess_qos
from tests.qos.made_loads import ONE_RUN, ROUNDS


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("p99 <= 2 ms", "met"),
        ("p99 <= 2 ms at >= 900 IOPS", "met"),
        ("p99 <= 2 ms at >= 1,200 IOPS", "not met"),
        ("p99 <= 2 ms at >= 1,005 IOPS", "cannot be told"),
        ("p99 <= 0.5 ms", "not met"),
        ("p99.99 <= 4 ms", "not met"),
        ("p99.99 <= 6 ms", "cannot be told"),
        ("p99.9 <= 1.0000005 ms", "not met"),
        ("max <= 4 ms", "not met"),
        ("max <= 5 ms", "cannot be told"),
        ("max < 5 ms", "not met"),
        ("mean <= 2 ms", "met"),
        ("mean <= 1 ms", "not met"),
    ],
)
def test_verdict_on_a_target(text: str, verdict: str) -> None:
    found = assess_qos(ROUNDS, parse_qos_target(text))
    assert found.verdict == verdict
    assert found.words.startswith(verdict.replace("cannot be told", "inconclusive"))
    if verdict != "cannot be told":
        assert found.certainty_percent >= 97.5


def test_certainty_by_hand_of_a_long_run() -> None:
    # 3 of 40,000 beyond: P(at most 39,996 of them below p99.99) with 4 expected beyond
    found = assess_qos(ONE_RUN, parse_qos_target("p99.99 <= 2 ms"))
    tail = math.exp(-4) * (1 + 4 + 8 + 64 / 6)
    assert found.certainty_percent == pytest.approx(100 * (1 - tail), abs=0.05)
    assert found.verdict == "cannot be told"
    assert "if its IOs are independent" in found.words


def test_verdict_agrees_with_the_interval_that_is_claimed() -> None:
    for load in (ROUNDS, ONE_RUN):
        for level in (50.0, 99.0, 99.9, 99.99):
            row = summarise_qos(load, levels=[level]).iloc[1]
            for limit in (0.9e6, 1.1e6, 4e6, 6e6):
                target = parse_qos_target(f"p{level:g} <= {limit:.0f} ns")
                met = assess_qos(load, target).verdict == "met"
                assert met == (float(row["high_ns"]) <= limit + 1)


def test_log_of_one_run_bounds_its_rate() -> None:
    series = pd.DataFrame({
        "step_id": "h1", "direction": "total", "time_s": [float(n) for n in range(40)],
        "iops": [1000.0 + n % 3 for n in range(40)], "lat_mean_ns": 1.2e6,
    })  # fmt: skip
    target = parse_qos_target("p99 <= 2 ms at >= 900 IOPS")
    assert assess_qos(ONE_RUN, target).verdict == "cannot be told"
    found = assess_qos(ONE_RUN, target, series=series)
    assert found.verdict == "met"
    assert found.rate is not None
    assert found.rate.claimed == "batches of the log"
