"""Percentiles of each round by itself."""

import pytest

from ssdlab.qos.rounds import summarise_percentile_rounds
from tests.qos.made_loads import FAST, ROUNDS, SLOW


def test_each_round_has_its_own_percentiles() -> None:
    table = summarise_percentile_rounds(ROUNDS, levels=[50, 99.8])
    assert table["round"].tolist() == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    slowest = table[table["percentile"] == 99.8]
    assert slowest["lat_ns"].tolist() == [FAST, FAST, SLOW, SLOW, SLOW]
    assert not slowest["is_supported"].any()
    assert slowest["minutes"].tolist() == pytest.approx([n / 60 for n in range(1, 6)])
