"""Targets as people write them, and what is said of those that are none."""

import pytest

from ssdlab.analysis import parse_qos_target
from ssdlab.model.errors import QosTargetError
from ssdlab.qos.target import QosTarget

MS = 1e6


@pytest.mark.parametrize(
    ("text", "target"),
    [
        (
            "p99.99 ≤ 1 ms at ≥ 20,000 IOPS",
            QosTarget(
                statistic="percentile",
                percentile=99.99,
                limit_ns=MS,
                least_iops=20_000,
            ),
        ),
        (
            "P99.99<=1000us @20k iops",
            QosTarget(
                statistic="percentile",
                percentile=99.99,
                limit_ns=MS,
                least_iops=20_000,
            ),
        ),
        (
            " p50 < 250 \u00b5s ",
            QosTarget(
                statistic="percentile", percentile=50, limit_ns=250e3, is_strict=True
            ),
        ),
        ("max =< 0.5 s", QosTarget(statistic="max", limit_ns=5e8)),
        (
            "mean<80000ns at 1.5M IOPS",
            QosTarget(statistic="mean", limit_ns=8e4, is_strict=True, least_iops=1.5e6),
        ),
    ],
)
def test_target_is_understood(text: str, target: QosTarget) -> None:
    assert parse_qos_target(text) == target
    assert parse_qos_target(target.text) == target


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it is empty"),
        ("fast", "it lacks the <="),
        ("p99 >= 1 ms", "'>=' is not"),
        ("p99 <= 1", "the limit has no unit"),
        ("p99 <= 1 min", "the unit 'min'"),
        ("p100 <= 1 ms", "between 0 and 100, which 100 is not"),
        ("p99 <= 0 ms", "a latency cannot be 0"),
        ("p99 <= 1 ms at 0 IOPS", "requires nothing"),
        ("p99 <= 1 ms at 2,0 IOPS", "'2,0' is not a valid number"),
        ("p99 <= 1 ms and quick", "'and quick' after the limit is not 'at >= N IOPS'"),
        ("p99 <= 1 ms at 20q IOPS", "'at 20q IOPS' after the limit is no"),
        ("p99 <= " + "9" * 400 + " ms", "is not a number with a unit, such as 1.5 ms"),
        ("p50 <= 1e3 us", "the limit '1e3 us' is not a number"),
        ("p99 <= -1 ms", "the limit '-1 ms' is not a number"),
        ("p99 <= 1,5 ms at 20k IOPS", "the limit '1,5 ms' is not a number"),
        (
            "p99,99 <= 1 ms",
            "'p99,99' before the limit is not a percentile",
        ),
        ("99.99 % <= 1 ms", "'99.99 %' before the limit is not a percentile"),
        ("-1 ms", "it lacks the <= before the limit"),
        ("<= 1 ms", "nothing before '<='"),
        ("p99 <=", "nothing after '<='"),
    ],
)
def test_what_is_no_target_is_refused_with_an_example(text: str, reason: str) -> None:
    with pytest.raises(QosTargetError) as caught:
        parse_qos_target(text)
    assert reason in str(caught.value)
    assert "'p99.99 <= 1 ms at >= 20k IOPS'" in str(caught.value)
    assert caught.value.exit_code == 2
