"""Frames and arrays in, verdicts and frames out: everything a report is made of.

A name is imported from its module when it is first used: judging a series takes numpy
alone and does not wait for pandas.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ssdlab.analysis.bottleneck import (
        assess_decline,
        compare_hosts,
        find_bottleneck_warning,
    )
    from ssdlab.analysis.capture import (
        merge_steps,
        select_streams,
        share_streams,
        sum_streams,
        tabulate_capture,
    )
    from ssdlab.analysis.class_places import (
        summarise_class_distances,
        summarise_class_places,
        summarise_nearest_classes,
    )
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
    from ssdlab.analysis.peak import guide_mb_per_s, summarise_peak_jobs
    from ssdlab.analysis.precondition import (
        find_precondition_minutes,
        find_steady_write_rate,
    )
    from ssdlab.analysis.recovery import (
        recovery_text,
        summarise_access_groups,
        summarise_cross_stimulus,
        summarise_idle_recovery,
        summarise_wait_states,
    )
    from ssdlab.analysis.replay import summarise_replay, summarise_sweep
    from ssdlab.analysis.saturation import (
        summarise_saturation,
        summarise_saturation_directions,
        summarise_wsat_ends,
    )
    from ssdlab.analysis.sequence import (
        estimate_ratio,
        judge_repetition,
        repetition_text,
        summarise_stages,
    )
    from ssdlab.analysis.single_stimulus import find_first_steady, summarise_stimulus
    from ssdlab.analysis.steady_state import (
        LimitVerdict,
        SteadyStateVerdict,
        assess_rounds,
        assess_series,
        assess_steady_state,
        find_first_steady_round,
    )
    from ssdlab.analysis.storage_classes import summarise_class_values
    from ssdlab.analysis.stream_mix import expand_mix, misplaced_percent, mix_streams
    from ssdlab.analysis.tkperf import (
        TkperfWindow,
        judge_tkperf_window,
        summarise_tkperf_table,
        take_tkperf_rounds,
    )
    from ssdlab.analysis.verdict_text import verdict_as_dict, verdict_lines
    from ssdlab.analysis.windows import WindowVerdicts
    from ssdlab.analysis.workloads import summarise_workloads

__all__ = [
    "LatencySummary",
    "LimitVerdict",
    "SteadyStateVerdict",
    "TkperfWindow",
    "WindowVerdicts",
    "assess_decline",
    "assess_rounds",
    "assess_series",
    "assess_steady_state",
    "compare_hosts",
    "estimate_ratio",
    "expand_mix",
    "find_bottleneck_warning",
    "find_efficient",
    "find_first_steady",
    "find_first_steady_round",
    "find_knee",
    "find_precondition_minutes",
    "find_steady_write_rate",
    "guide_mb_per_s",
    "is_supported",
    "judge_repetition",
    "judge_tkperf_window",
    "merge_bins",
    "merge_steps",
    "merge_summaries",
    "misplaced_percent",
    "mix_streams",
    "percentiles_from_bins",
    "recovery_text",
    "repetition_text",
    "select_cells",
    "select_points",
    "select_streams",
    "select_window",
    "share_streams",
    "sum_rates",
    "sum_streams",
    "summarise_access_groups",
    "summarise_class_distances",
    "summarise_class_places",
    "summarise_class_values",
    "summarise_confidence",
    "summarise_convergence",
    "summarise_cross_stimulus",
    "summarise_demand",
    "summarise_histogram",
    "summarise_idle_recovery",
    "summarise_iops_matrix",
    "summarise_latency_table",
    "summarise_nearest_classes",
    "summarise_peak_jobs",
    "summarise_points",
    "summarise_pre_writes",
    "summarise_replay",
    "summarise_saturation",
    "summarise_saturation_directions",
    "summarise_stages",
    "summarise_stimulus",
    "summarise_sweep",
    "summarise_throughput",
    "summarise_tkperf_table",
    "summarise_wait_states",
    "summarise_workloads",
    "summarise_wsat_ends",
    "tabulate_capture",
    "take_tkperf_rounds",
    "verdict_as_dict",
    "verdict_lines",
]

_HOMES = {
    "bottleneck": ("assess_decline", "compare_hosts", "find_bottleneck_warning"),
    "capture": (
        "merge_steps",
        "select_streams",
        "share_streams",
        "sum_streams",
        "tabulate_capture",
    ),
    "class_places": (
        "summarise_class_distances",
        "summarise_class_places",
        "summarise_nearest_classes",
    ),
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
    "peak": ("guide_mb_per_s", "summarise_peak_jobs"),
    "precondition": ("find_precondition_minutes", "find_steady_write_rate"),
    "recovery": (
        "recovery_text",
        "summarise_access_groups",
        "summarise_cross_stimulus",
        "summarise_idle_recovery",
        "summarise_wait_states",
    ),
    "replay": ("summarise_replay", "summarise_sweep"),
    "saturation": (
        "summarise_saturation",
        "summarise_saturation_directions",
        "summarise_wsat_ends",
    ),
    "sequence": (
        "estimate_ratio",
        "judge_repetition",
        "repetition_text",
        "summarise_stages",
    ),
    "single_stimulus": ("find_first_steady", "summarise_stimulus"),
    "steady_state": (
        "LimitVerdict",
        "SteadyStateVerdict",
        "assess_rounds",
        "assess_series",
        "assess_steady_state",
        "find_first_steady_round",
    ),
    "storage_classes": ("summarise_class_values",),
    "stream_mix": ("expand_mix", "misplaced_percent", "mix_streams"),
    "tkperf": (
        "TkperfWindow",
        "judge_tkperf_window",
        "summarise_tkperf_table",
        "take_tkperf_rounds",
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
