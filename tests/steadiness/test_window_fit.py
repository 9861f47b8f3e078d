"""The line through the window that a rule reports."""

import pytest

from ssdlab.steadiness.rules import find_steady_rule
from ssdlab.steadiness.windows import judge_windows_by_rule, summarise_fit
from tests.stats.made_rounds import MX200, make_rounds, onsets_of


def test_tkperf_is_asked_of_its_own_numbers() -> None:
    series = make_rounds(MX200, as_tkperf=(100.0,) * 6)
    rule = find_steady_rule("tkperf")
    assert [v.average for _, v in judge_windows_by_rule(series, rule)] == [100, 100]
    assert summarise_fit(series, "tkperf")["value"].tolist() == [100] * 5
    other = onsets_of(make_rounds(MX200))
    assert other.loc["tkperf", "note"] == "TKperf has no such cell"
    assert other.loc["tkperf", "is_steady"] is None


def test_fit_is_the_line_of_the_rule_inside_its_band() -> None:
    fit = summarise_fit(make_rounds(MX200))
    assert fit["fit"].tolist() == pytest.approx([5779.8 + 110.5 * n for n in range(5)])
    assert fit["residual"].sum() == pytest.approx(0, abs=1e-9)
    assert (fit["fit_low"] <= fit["fit"]).all()
    assert (fit["fit"] <= fit["fit_high"]).all()
    widths = fit["fit_high"] - fit["fit_low"]
    assert widths.iloc[0] > widths.iloc[2]
    assert summarise_fit(make_rounds(MX200[:3])).empty
