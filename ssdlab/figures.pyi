from .explorer.cell_map import plot_cell_map as plot_cell_map
from .explorer.cell_rounds import plot_cell_histogram as plot_cell_histogram
from .explorer.cell_rounds import plot_cell_rounds as plot_cell_rounds
from .explorer.cell_rounds import plot_time_series as plot_time_series
from .plots.publication import publication as publication
from .plots.readable import readable_table as readable_table
from .pts.demand.figures import plot_demand_variation as plot_demand_variation
from .pts.hir.figures import plot_idle_recovery as plot_idle_recovery
from .pts.shared.matrix_figures import plot_columns_3d as plot_columns_3d
from .pts.shared.matrix_figures import plot_iops_2d as plot_iops_2d
from .pts.shared.matrix_figures import plot_throughput_2d as plot_throughput_2d
from .pts.wsat.figures import plot_saturation as plot_saturation
from .pts.wsat.figures import plot_saturation_latency as plot_saturation_latency
from .pts.xsr.figures import plot_cross_stimulus as plot_cross_stimulus
from .qos.histogram_figures import plot_confidence as plot_confidence
from .qos.percentile_figures import plot_percentile_rounds as plot_percentile_rounds
from .qos.percentile_figures import plot_qos_levels as plot_qos_levels
from .qos.spread_figures import plot_exceedance as plot_exceedance
from .qos.spread_figures import plot_latency_map as plot_latency_map
from .steadiness.convergence_figures import plot_convergence as plot_convergence
from .steadiness.convergence_figures import (
    plot_steady_state_window as plot_steady_state_window,
)
from .steadiness.phase_figures import plot_forecast as plot_forecast
from .steadiness.phase_figures import plot_onsets as plot_onsets
from .steadiness.phase_figures import plot_phases as plot_phases
from .steadiness.window_figures import plot_tracked as plot_tracked
from .steadiness.window_figures import plot_window_fit as plot_window_fit
from .steadiness.window_figures import plot_window_means as plot_window_means
from .steadiness.window_figures import plot_window_ratios as plot_window_ratios
