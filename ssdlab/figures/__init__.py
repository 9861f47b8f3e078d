"""Frames to plotly figures: they draw and compute nothing, save and show nothing."""

from ssdlab.figures.convergence import plot_convergence, plot_steady_state_window
from ssdlab.figures.histogram import plot_confidence
from ssdlab.figures.labels import CONFIG
from ssdlab.figures.matrix import plot_columns_3d, plot_iops_2d, plot_throughput_2d
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
    "plot_idle_gaps",
    "plot_iops_2d",
    "plot_saturation",
    "plot_saturation_latency",
    "plot_sparkline",
    "plot_steady_state_window",
    "plot_throughput_2d",
    "plot_workloads",
]
