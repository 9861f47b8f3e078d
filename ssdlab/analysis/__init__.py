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
    from ssdlab.analysis.classes.places import (
        summarise_class_distances,
        summarise_class_places,
        summarise_nearest_classes,
    )
    from ssdlab.analysis.classes.values import summarise_class_values
    from ssdlab.analysis.comparison.cells import tabulate_window_cells
    from ssdlab.analysis.comparison.conditions import tabulate_conditions
    from ssdlab.analysis.comparison.merged_levels import summarise_merged_levels
    from ssdlab.analysis.comparison.pairs import compare_cells
    from ssdlab.analysis.comparison.power import summarise_efficiency
    from ssdlab.analysis.comparison.repeats import compare_repeats
    from ssdlab.analysis.comparison.rest_gains import summarise_rest_gains
    from ssdlab.analysis.comparison.scatter import (
        find_cell_outliers,
        summarise_variance,
    )
    from ssdlab.analysis.comparison.score import parse_score, score_sides
    from ssdlab.analysis.comparison.side_cells import find_cells, summarise_sides
    from ssdlab.analysis.comparison.sides import tabulate_sides
    from ssdlab.analysis.comparison.tally import tally_verdicts
    from ssdlab.analysis.comparison.verdicts import Rules
    from ssdlab.analysis.confidence import summarise_confidence, summarise_histogram
    from ssdlab.analysis.demand import (
        select_points,
        summarise_demand,
        summarise_points,
        summarise_pre_writes,
    )
    from ssdlab.analysis.downsample import ReducedSeries, reduce_series
    from ssdlab.analysis.exploration import (
        find_cell_axes,
        merge_cell_bins,
        select_cell,
        select_rounds,
        stack_frames,
        summarise_cells,
        tabulate_cells,
    )
    from ssdlab.analysis.joined_series import join_series
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
    from ssdlab.analysis.measured_on import run_text
    from ssdlab.analysis.peak import guide_mb_per_s, summarise_peak_jobs
    from ssdlab.analysis.precondition import (
        find_precondition_minutes,
        find_steady_write_rate,
    )
    from ssdlab.analysis.qos.curves import (
        select_directions,
        summarise_curve,
        summarise_load,
    )
    from ssdlab.analysis.qos.latency_map import origin_text, summarise_latency_map
    from ssdlab.analysis.qos.load import Load
    from ssdlab.analysis.qos.loads import (
        choose_windows,
        select_load,
        select_loads,
        summarise_loads,
    )
    from ssdlab.analysis.qos.percentiles import summarise_qos
    from ssdlab.analysis.qos.rounds import summarise_percentile_rounds
    from ssdlab.analysis.qos.target import (
        QosTarget,
        parse_qos_target,
    )
    from ssdlab.analysis.qos.text import (
        claim_text,
        qos_as_dict,
        tabulate_loads,
        tabulate_qos,
        tabulate_verdicts,
        targets_text,
        verdict_of_target_as_dict,
    )
    from ssdlab.analysis.qos.verdict import (
        QosVerdict,
        assess_loads,
        assess_qos,
    )
    from ssdlab.analysis.recovery import (
        recovery_text,
        summarise_access_groups,
        summarise_cross_stimulus,
        summarise_idle_recovery,
        summarise_wait_states,
    )
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
    from ssdlab.analysis.steadiness.advice import steadiness_text
    from ssdlab.analysis.steadiness.forecast import forecast_steady_state
    from ssdlab.analysis.steadiness.forecast_text import forecast_text
    from ssdlab.analysis.steadiness.onsets import summarise_onsets
    from ssdlab.analysis.steadiness.phases import summarise_phases
    from ssdlab.analysis.steadiness.precision import summarise_precision
    from ssdlab.analysis.steadiness.round_cells import list_round_series
    from ssdlab.analysis.steadiness.rule_differences import summarise_rule_differences
    from ssdlab.analysis.steadiness.rules import (
        SteadyRule,
        find_steady_rule,
    )
    from ssdlab.analysis.steadiness.series import (
        RoundSeries,
        take_round_series,
        take_tracked_series,
    )
    from ssdlab.analysis.steadiness.verdict import (
        pts_verdict_text,
        summarise_determination,
        summarise_judgements,
    )
    from ssdlab.analysis.steadiness.window_fit import summarise_fit
    from ssdlab.analysis.steadiness.windows import summarise_windows
    from ssdlab.analysis.steady_state import (
        LimitVerdict,
        SteadyStateVerdict,
        assess_rounds,
        assess_series,
        assess_steady_state,
        find_first_steady_round,
    )
    from ssdlab.analysis.streams.capture import (
        merge_steps,
        select_streams,
        share_streams,
        sum_streams,
        tabulate_capture,
    )
    from ssdlab.analysis.streams.mix import expand_mix, misplaced_percent, mix_streams
    from ssdlab.analysis.streams.replay import summarise_replay, summarise_sweep
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
    "Load",
    "QosTarget",
    "QosVerdict",
    "ReducedSeries",
    "RoundSeries",
    "Rules",
    "SteadyRule",
    "SteadyStateVerdict",
    "TkperfWindow",
    "WindowVerdicts",
    "assess_decline",
    "assess_loads",
    "assess_qos",
    "assess_rounds",
    "assess_series",
    "assess_steady_state",
    "choose_windows",
    "claim_text",
    "compare_cells",
    "compare_hosts",
    "compare_repeats",
    "estimate_ratio",
    "expand_mix",
    "find_bottleneck_warning",
    "find_cell_axes",
    "find_cell_outliers",
    "find_cells",
    "find_efficient",
    "find_first_steady",
    "find_first_steady_round",
    "find_knee",
    "find_precondition_minutes",
    "find_steady_rule",
    "find_steady_write_rate",
    "forecast_steady_state",
    "forecast_text",
    "guide_mb_per_s",
    "is_supported",
    "join_series",
    "judge_repetition",
    "judge_tkperf_window",
    "list_round_series",
    "merge_bins",
    "merge_cell_bins",
    "merge_steps",
    "merge_summaries",
    "misplaced_percent",
    "mix_streams",
    "origin_text",
    "parse_qos_target",
    "parse_score",
    "percentiles_from_bins",
    "pts_verdict_text",
    "qos_as_dict",
    "recovery_text",
    "reduce_series",
    "repetition_text",
    "run_text",
    "score_sides",
    "select_cell",
    "select_cells",
    "select_directions",
    "select_load",
    "select_loads",
    "select_points",
    "select_rounds",
    "select_streams",
    "select_window",
    "share_streams",
    "stack_frames",
    "steadiness_text",
    "sum_rates",
    "sum_streams",
    "summarise_access_groups",
    "summarise_cells",
    "summarise_class_distances",
    "summarise_class_places",
    "summarise_class_values",
    "summarise_confidence",
    "summarise_convergence",
    "summarise_cross_stimulus",
    "summarise_curve",
    "summarise_demand",
    "summarise_determination",
    "summarise_efficiency",
    "summarise_fit",
    "summarise_histogram",
    "summarise_idle_recovery",
    "summarise_iops_matrix",
    "summarise_judgements",
    "summarise_latency_map",
    "summarise_latency_table",
    "summarise_load",
    "summarise_loads",
    "summarise_merged_levels",
    "summarise_nearest_classes",
    "summarise_onsets",
    "summarise_peak_jobs",
    "summarise_percentile_rounds",
    "summarise_phases",
    "summarise_points",
    "summarise_pre_writes",
    "summarise_precision",
    "summarise_qos",
    "summarise_replay",
    "summarise_rest_gains",
    "summarise_rule_differences",
    "summarise_saturation",
    "summarise_saturation_directions",
    "summarise_sides",
    "summarise_stages",
    "summarise_stimulus",
    "summarise_sweep",
    "summarise_throughput",
    "summarise_tkperf_table",
    "summarise_variance",
    "summarise_wait_states",
    "summarise_windows",
    "summarise_workloads",
    "summarise_wsat_ends",
    "tabulate_capture",
    "tabulate_cells",
    "tabulate_conditions",
    "tabulate_loads",
    "tabulate_qos",
    "tabulate_sides",
    "tabulate_verdicts",
    "tabulate_window_cells",
    "take_round_series",
    "take_tkperf_rounds",
    "take_tracked_series",
    "tally_verdicts",
    "targets_text",
    "verdict_as_dict",
    "verdict_lines",
    "verdict_of_target_as_dict",
]

_HOMES = {
    "bottleneck": ("assess_decline", "compare_hosts", "find_bottleneck_warning"),
    "streams.capture": (
        "merge_steps",
        "select_streams",
        "share_streams",
        "sum_streams",
        "tabulate_capture",
    ),
    "classes.places": (
        "summarise_class_distances",
        "summarise_class_places",
        "summarise_nearest_classes",
    ),
    "comparison.pairs": ("compare_cells",),
    "comparison.cells": ("tabulate_window_cells",),
    "comparison.conditions": ("tabulate_conditions",),
    "comparison.power": ("summarise_efficiency",),
    "comparison.merged_levels": ("summarise_merged_levels",),
    "comparison.repeats": ("compare_repeats",),
    "comparison.rest_gains": ("summarise_rest_gains",),
    "comparison.scatter": ("find_cell_outliers", "summarise_variance"),
    "comparison.score": ("parse_score", "score_sides"),
    "comparison.side_cells": ("find_cells", "summarise_sides"),
    "comparison.sides": ("tabulate_sides",),
    "comparison.tally": ("tally_verdicts",),
    "comparison.verdicts": ("Rules",),
    "confidence": ("summarise_confidence", "summarise_histogram"),
    "demand": (
        "select_points",
        "summarise_demand",
        "summarise_points",
        "summarise_pre_writes",
    ),
    "downsample": ("ReducedSeries", "reduce_series"),
    "exploration": (
        "find_cell_axes",
        "merge_cell_bins",
        "select_cell",
        "select_rounds",
        "stack_frames",
        "summarise_cells",
        "tabulate_cells",
    ),
    "joined_series": ("join_series",),
    "knee": ("find_efficient", "find_knee"),
    "latency": (
        "LatencySummary",
        "is_supported",
        "merge_bins",
        "merge_summaries",
        "percentiles_from_bins",
        "sum_rates",
    ),
    "qos.curves": ("select_directions", "summarise_curve", "summarise_load"),
    "qos.latency_map": ("origin_text", "summarise_latency_map"),
    "qos.load": ("Load",),
    "qos.loads": ("choose_windows", "select_load", "select_loads", "summarise_loads"),
    "qos.percentiles": ("summarise_qos",),
    "qos.rounds": ("summarise_percentile_rounds",),
    "qos.target": (
        "QosTarget",
        "parse_qos_target",
    ),
    "qos.text": (
        "claim_text",
        "qos_as_dict",
        "tabulate_loads",
        "tabulate_qos",
        "tabulate_verdicts",
        "targets_text",
        "verdict_of_target_as_dict",
    ),
    "qos.verdict": (
        "QosVerdict",
        "assess_loads",
        "assess_qos",
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
    "streams.replay": ("summarise_replay", "summarise_sweep"),
    "measured_on": ("run_text",),
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
    "steadiness.advice": ("steadiness_text",),
    "steadiness.forecast": ("forecast_steady_state",),
    "steadiness.forecast_text": ("forecast_text",),
    "steadiness.onsets": ("summarise_onsets",),
    "steadiness.phases": ("summarise_phases",),
    "steadiness.precision": ("summarise_precision",),
    "steadiness.rules": (
        "SteadyRule",
        "find_steady_rule",
    ),
    "steadiness.round_cells": ("list_round_series",),
    "steadiness.rule_differences": ("summarise_rule_differences",),
    "steadiness.series": (
        "RoundSeries",
        "take_round_series",
        "take_tracked_series",
    ),
    "steadiness.verdict": (
        "pts_verdict_text",
        "summarise_determination",
        "summarise_judgements",
    ),
    "steadiness.window_fit": ("summarise_fit",),
    "steadiness.windows": ("summarise_windows",),
    "steady_state": (
        "LimitVerdict",
        "SteadyStateVerdict",
        "assess_rounds",
        "assess_series",
        "assess_steady_state",
        "find_first_steady_round",
    ),
    "classes.values": ("summarise_class_values",),
    "streams.mix": ("expand_mix", "misplaced_percent", "mix_streams"),
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
