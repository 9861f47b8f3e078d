"""Frames to plotly figures: they draw and compute nothing, save and show nothing."""

from ssdlab.figures.cell_map import plot_cell_map
from ssdlab.figures.cell_rounds import (
    plot_cell_histogram,
    plot_cell_rounds,
    plot_time_series,
)
from ssdlab.figures.classes.latency import plot_class_confidence, plot_class_latency
from ssdlab.figures.classes.levels import plot_class_iops, plot_class_throughput
from ssdlab.figures.classes.values import plot_class_saturation, plot_class_written
from ssdlab.figures.comparison.cells import plot_compared_cells
from ssdlab.figures.comparison.demand import plot_compared_demand, plot_iops_response
from ssdlab.figures.comparison.differences import plot_differences
from ssdlab.figures.comparison.heat_maps import (
    plot_iops_heat_maps,
    plot_ratio_heat_maps,
)
from ssdlab.figures.comparison.looks import make_compared_looks, make_side_looks
from ssdlab.figures.comparison.recovery import (
    plot_compared_cross_stimulus,
    plot_compared_idle_recovery,
)
from ssdlab.figures.comparison.score import plot_score
from ssdlab.figures.convergence import plot_convergence, plot_steady_state_window
from ssdlab.figures.cross_stimulus import (
    plot_cross_stimulus,
    plot_cross_stimulus_latency,
)
from ssdlab.figures.demand import (
    plot_demand_rounds,
    plot_demand_variation,
    plot_host_cpu,
    plot_pre_writes,
)
from ssdlab.figures.health import add_drive_strip, plot_drive_health
from ssdlab.figures.histogram import plot_confidence
from ssdlab.figures.hosts import plot_hosts
from ssdlab.figures.intensity import plot_demand_intensity, plot_toio
from ssdlab.figures.labels import CONFIG
from ssdlab.figures.latency_rounds import plot_latency_rounds
from ssdlab.figures.matrix import plot_columns_3d, plot_iops_2d, plot_throughput_2d
from ssdlab.figures.oio_sweep import plot_oio_intensity, plot_oio_sweep
from ssdlab.figures.peak import plot_peak_latencies, plot_peak_rates
from ssdlab.figures.printed import wrapped
from ssdlab.figures.publication import publication
from ssdlab.figures.qos.exceedance import plot_exceedance
from ssdlab.figures.qos.latency_map import plot_latency_map
from ssdlab.figures.qos.levels import plot_qos_levels
from ssdlab.figures.qos.percentile_rounds import plot_percentile_rounds
from ssdlab.figures.readable import readable_table
from ssdlab.figures.recovery import (
    plot_idle_recovery,
    plot_idle_recovery_latency,
    plot_preconditioning,
)
from ssdlab.figures.saturation import (
    plot_idle_gaps,
    plot_saturation,
    plot_saturation_latency,
    plot_sparkline,
)
from ssdlab.figures.sequence import plot_sequence
from ssdlab.figures.shown_tables import folded_table, plain_table
from ssdlab.figures.single_stimulus import plot_single_stimulus
from ssdlab.figures.steadiness.determination import determination_table
from ssdlab.figures.steadiness.forecast import plot_forecast
from ssdlab.figures.steadiness.onsets import plot_onsets
from ssdlab.figures.steadiness.phases import plot_phases
from ssdlab.figures.steadiness.tracked import plot_tracked
from ssdlab.figures.steadiness.window_fit import plot_window_fit
from ssdlab.figures.steadiness.windows import plot_window_means, plot_window_ratios
from ssdlab.figures.streams import plot_replay, plot_stream_map
from ssdlab.figures.workloads import plot_workloads

__all__ = [
    "CONFIG",
    "add_drive_strip",
    "determination_table",
    "folded_table",
    "make_compared_looks",
    "make_side_looks",
    "plain_table",
    "plot_cell_histogram",
    "plot_cell_map",
    "plot_cell_rounds",
    "plot_class_confidence",
    "plot_class_iops",
    "plot_class_latency",
    "plot_class_saturation",
    "plot_class_throughput",
    "plot_class_written",
    "plot_columns_3d",
    "plot_compared_cells",
    "plot_compared_cross_stimulus",
    "plot_compared_demand",
    "plot_compared_idle_recovery",
    "plot_confidence",
    "plot_convergence",
    "plot_cross_stimulus",
    "plot_cross_stimulus_latency",
    "plot_demand_intensity",
    "plot_demand_rounds",
    "plot_demand_variation",
    "plot_differences",
    "plot_drive_health",
    "plot_exceedance",
    "plot_forecast",
    "plot_host_cpu",
    "plot_hosts",
    "plot_idle_gaps",
    "plot_idle_recovery",
    "plot_idle_recovery_latency",
    "plot_iops_2d",
    "plot_iops_heat_maps",
    "plot_iops_response",
    "plot_latency_map",
    "plot_latency_rounds",
    "plot_oio_intensity",
    "plot_oio_sweep",
    "plot_onsets",
    "plot_peak_latencies",
    "plot_peak_rates",
    "plot_percentile_rounds",
    "plot_phases",
    "plot_pre_writes",
    "plot_preconditioning",
    "plot_qos_levels",
    "plot_ratio_heat_maps",
    "plot_replay",
    "plot_saturation",
    "plot_saturation_latency",
    "plot_score",
    "plot_sequence",
    "plot_single_stimulus",
    "plot_sparkline",
    "plot_steady_state_window",
    "plot_stream_map",
    "plot_throughput_2d",
    "plot_time_series",
    "plot_toio",
    "plot_tracked",
    "plot_window_fit",
    "plot_window_means",
    "plot_window_ratios",
    "plot_workloads",
    "publication",
    "readable_table",
    "wrapped",
]
