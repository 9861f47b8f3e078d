"""The steady-state rules: that of the PTS, and those of other tools.

The PTS has one rule. Variants used by others are offered next to it, so that their
verdicts can be understood; they never replace it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ssdlab.model.errors import UnknownNameError
from ssdlab.model.spec import PTS_CRITERIA, SteadyStateCriteria

PTS_RULE = "pts-2.0.2"
TKPERF_RULE = "tkperf"
EACH_VALUE_RULE = "each-value"


@dataclass(frozen=True, kw_only=True, slots=True)
class SteadyRule:
    """A rule: its limits, and whether it applies to numbers as TKperf takes them."""

    name: str
    title: str
    criteria: SteadyStateCriteria
    takes_tkperf_numbers: bool = False


STEADY_RULES: Mapping[str, SteadyRule] = MappingProxyType({
    rule.name: rule
    for rule in (
        SteadyRule(name=PTS_RULE, title="PTS 2.0.2", criteria=PTS_CRITERIA),
        SteadyRule(
            name=TKPERF_RULE,
            title="TKperf, its own numbers",
            criteria=PTS_CRITERIA,
            takes_tkperf_numbers=True,
        ),
        # Stricter than the PTS on the range, looser on the slope: PTS 2.1.24.
        SteadyRule(
            name=EACH_VALUE_RULE,
            title="each value and fit end within 10 %",
            criteria=SteadyStateCriteria(
                max_range_ratio=None,
                max_slope_ratio=None,
                max_value_deviation_ratio=0.10,
                max_fit_deviation_ratio=0.10,
            ),
        ),
    )
})


def find_steady_rule(name: str) -> SteadyRule:
    """Return a rule by its name."""
    if name not in STEADY_RULES:
        raise UnknownNameError(kind="rule", name=name, known=tuple(STEADY_RULES))
    return STEADY_RULES[name]
