"""Frames to plotly figures: they draw and compute nothing, save and show nothing."""

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
from ssdlab.figures.histogram import plot_confidence
from ssdlab.figures.intensity import plot_demand_intensity, plot_toio
from ssdlab.figures.labels import CONFIG
from ssdlab.figures.matrix import plot_columns_3d, plot_iops_2d, plot_throughput_2d
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
from ssdlab.figures.workloads import plot_workloads

__all__ = [
    "CONFIG",
    "plot_columns_3d",
    "plot_confidence",
    "plot_convergence",
    "plot_cross_stimulus",
    "plot_cross_stimulus_latency",
    "plot_demand_intensity",
    "plot_demand_rounds",
    "plot_demand_variation",
    "plot_host_cpu",
    "plot_idle_gaps",
    "plot_idle_recovery",
    "plot_idle_recovery_latency",
    "plot_iops_2d",
    "plot_pre_writes",
    "plot_preconditioning",
    "plot_saturation",
    "plot_saturation_latency",
    "plot_sparkline",
    "plot_steady_state_window",
    "plot_throughput_2d",
    "plot_toio",
    "plot_workloads",
]
