"""What the model itself costs, compared with a plugin of nbdkit that models nothing."""

import re

import pytest

from benchmarks.virtual_ssd import CASES, TARGET, UNTIMED, compare, main

pytestmark = [pytest.mark.fio, pytest.mark.timed]


# Two to four times as much when each answer slept, also where it was due already.
def test_untimed_model_costs_about_as_much_as_no_model() -> None:
    ratios = list(compare(UNTIMED, turns=3, seconds=0.15))
    assert [(r.pattern, r.queue_depth) for r in ratios] == list(CASES)
    deep = [r.server_cpu for r in ratios if r.queue_depth == 32]
    assert max(deep) < 2, ratios
    assert max(r.iops for r in ratios) > TARGET, ratios


def test_benchmark_prints_the_ratios_of_each_case(
    capsys: pytest.CaptureFixture[str],
) -> None:
    main(["fast", "--turns=1", "--seconds=0.05"])
    printed = capsys.readouterr().out
    for pattern, depth in CASES:
        row = rf"^fast +{pattern} +{depth} +\d+\.\d\d +\d+\.\d\d( |$)"
        assert re.search(row, printed, re.MULTILINE), printed
