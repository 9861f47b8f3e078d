"""Frames and arrays in, verdicts and frames out: everything a report is made of.

A name is imported from its module when it is first used: judging a series takes numpy
alone and does not wait for pandas.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ssdlab.analysis.confidence import summarise_confidence, summarise_histogram
    from ssdlab.analysis.demand import (
        select_points,
        summarise_demand,
        summarise_points,
        summarise_pre_writes,
    )
    from ssdlab.analysis.knee import find_efficient, find_knee
    from ssdlab.analysis.latency import (
        LatencySummary,
        is_supported,
        merge_bins,
        merge_summaries,
        percentiles_from_bins,
        sum_rates,
    )
    from ssdlab.analysis.matrix import (
        select_cells,
        select_window,
        summarise_convergence,
        summarise_iops_matrix,
        summarise_latency_table,
        summarise_throughput,
    )
    from ssdlab.analysis.recovery import (
        recovery_text,
        summarise_access_groups,
        summarise_cross_stimulus,
        summarise_idle_recovery,
        summarise_wait_states,
    )
    from ssdlab.analysis.saturation import summarise_saturation, summarise_wsat_ends
    from ssdlab.analysis.steady_state import (
        LimitVerdict,
        SteadyStateVerdict,
        assess_rounds,
        assess_series,
        assess_steady_state,
        find_first_steady_round,
    )
    from ssdlab.analysis.verdict_text import verdict_as_dict, verdict_lines
    from ssdlab.analysis.windows import WindowVerdicts
    from ssdlab.analysis.workloads import summarise_workloads

__all__ = [
    "LatencySummary",
    "LimitVerdict",
    "SteadyStateVerdict",
    "WindowVerdicts",
    "assess_rounds",
    "assess_series",
    "assess_steady_state",
    "find_efficient",
    "find_first_steady_round",
    "find_knee",
    "is_supported",
    "merge_bins",
    "merge_summaries",
    "percentiles_from_bins",
    "recovery_text",
    "select_cells",
    "select_points",
    "select_window",
    "sum_rates",
    "summarise_access_groups",
    "summarise_confidence",
    "summarise_convergence",
    "summarise_cross_stimulus",
    "summarise_demand",
    "summarise_histogram",
    "summarise_idle_recovery",
    "summarise_iops_matrix",
    "summarise_latency_table",
    "summarise_points",
    "summarise_pre_writes",
    "summarise_saturation",
    "summarise_throughput",
    "summarise_wait_states",
    "summarise_workloads",
    "summarise_wsat_ends",
    "verdict_as_dict",
    "verdict_lines",
]

_HOMES = {
    "confidence": ("summarise_confidence", "summarise_histogram"),
    "demand": (
        "select_points",
        "summarise_demand",
        "summarise_points",
        "summarise_pre_writes",
    ),
    "knee": ("find_efficient", "find_knee"),
    "latency": (
        "LatencySummary",
        "is_supported",
        "merge_bins",
        "merge_summaries",
        "percentiles_from_bins",
        "sum_rates",
    ),
    "matrix": (
        "select_cells",
        "select_window",
        "summarise_convergence",
        "summarise_iops_matrix",
        "summarise_latency_table",
        "summarise_throughput",
    ),
    "recovery": (
        "recovery_text",
        "summarise_access_groups",
        "summarise_cross_stimulus",
        "summarise_idle_recovery",
        "summarise_wait_states",
    ),
    "saturation": ("summarise_saturation", "summarise_wsat_ends"),
    "steady_state": (
        "LimitVerdict",
        "SteadyStateVerdict",
        "assess_rounds",
        "assess_series",
        "assess_steady_state",
        "find_first_steady_round",
    ),
    "verdict_text": ("verdict_as_dict", "verdict_lines"),
    "windows": ("WindowVerdicts",),
    "workloads": ("summarise_workloads",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

if not TYPE_CHECKING:  # else any misspelt name would pass the type check

    def __getattr__(name: str) -> object:
        if name not in _HOME_OF:
            msg = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(msg)
        return getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
