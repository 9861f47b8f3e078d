"""The lines that make each public figure of a run. The gallery runs them."""

from collections.abc import Mapping
from textwrap import dedent
from typing import Any

import plotly.graph_objects as go

_RUN = 'run = ssdlab.open_run("data/samples/virtual-all")\n'
_SERIES = f"""{_RUN}\
frames = (run.measurements, run.windows, run.steps)
series = ssdlab.analysis.take_round_series(*frames, test="iops")
"""
_LOADS = f"""{_RUN}\
tables = (run.measurements, run.bins)
loads = ssdlab.analysis.select_loads(*tables, run.windows, test="lat")
"""
_CELLS = f"""{_RUN}\
cells = ssdlab.analysis.tabulate_cells(run.measurements, run.percentiles)
rounds = ssdlab.analysis.select_rounds(cells, test="iops")
"""
_ONE = '{"block_size_bytes": 4096, "read_percent": 0}'


def _lines(before: str, last: str) -> str:
    return f"import ssdlab\n\n{before}{dedent(last).strip()}\n"


RECIPES: Mapping[str, str] = {
    "plot_iops_2d": _lines(
        _RUN,
        """
        matrix = ssdlab.analysis.summarise_iops_matrix(run.measurements, run.windows)
        ssdlab.figures.plot_iops_2d(matrix)
        """,
    ),
    "plot_columns_3d": _lines(
        _RUN,
        """
        matrix = ssdlab.analysis.summarise_iops_matrix(run.measurements, run.windows)
        ssdlab.figures.plot_columns_3d(matrix)
        """,
    ),
    "plot_throughput_2d": _lines(
        _RUN,
        """
        table = ssdlab.analysis.summarise_throughput(run.measurements, run.windows)
        ssdlab.figures.plot_throughput_2d(table)
        """,
    ),
    "plot_convergence": _lines(
        _RUN,
        """
        mix = {"metric": "iops", "read_percent": 0}
        rounds = ssdlab.analysis.summarise_convergence(run.measurements, "iops", **mix)
        ssdlab.figures.plot_convergence(rounds)
        """,
    ),
    "plot_steady_state_window": _lines(
        _RUN,
        """
        window = ssdlab.analysis.read_windows(run.windows)[-1]
        rounds = window.rounds_of(run.measurements)
        ssdlab.figures.plot_steady_state_window(rounds, window)
        """,
    ),
    "plot_saturation": _lines(
        _RUN,
        """
        tables = {"steps": run.steps, "percentiles": run.percentiles}
        rounds = ssdlab.analysis.summarise_saturation(run.measurements, **tables)
        ssdlab.figures.plot_saturation(rounds)
        """,
    ),
    "plot_saturation_latency": _lines(
        _RUN,
        """
        tables = {"steps": run.steps, "percentiles": run.percentiles}
        rounds = ssdlab.analysis.summarise_saturation(run.measurements, **tables)
        ssdlab.figures.plot_saturation_latency(rounds)
        """,
    ),
    "plot_idle_recovery": _lines(
        _RUN,
        """
        waits = ssdlab.analysis.summarise_idle_recovery(run.measurements, run.steps)
        ssdlab.figures.plot_idle_recovery(waits)
        """,
    ),
    "plot_cross_stimulus": _lines(
        _RUN,
        """
        rounds = ssdlab.analysis.summarise_cross_stimulus(run.measurements, run.steps)
        ssdlab.figures.plot_cross_stimulus(rounds)
        """,
    ),
    "plot_demand_variation": _lines(
        _RUN,
        """
        tables = (run.measurements, run.windows)
        points = ssdlab.analysis.summarise_demand(*tables, steps=run.steps, test="cbw")
        ssdlab.figures.plot_demand_variation(points)
        """,
    ),
    "plot_tracked": _lines(
        _RUN,
        """
        frames = (run.measurements, run.windows, run.steps)
        tracked = ssdlab.analysis.summarise_tracked(*frames, test="iops")
        ssdlab.figures.plot_tracked(tracked)
        """,
    ),
    "plot_window_fit": _lines(
        _SERIES,
        """
        fit = ssdlab.analysis.summarise_fit(series)
        ssdlab.figures.plot_window_fit(series, fit)
        """,
    ),
    "plot_window_ratios": _lines(
        _SERIES,
        """
        windows = ssdlab.analysis.summarise_windows(series)
        ssdlab.figures.plot_window_ratios(windows)
        """,
    ),
    "plot_window_means": _lines(
        _SERIES,
        """
        windows = ssdlab.analysis.summarise_windows(series)
        ssdlab.figures.plot_window_means(windows, metric=series.metric)
        """,
    ),
    "plot_phases": _lines(
        _SERIES,
        """
        phases = ssdlab.analysis.summarise_phases(series)
        ssdlab.figures.plot_phases(series, phases)
        """,
    ),
    "plot_onsets": _lines(
        _SERIES,
        """
        onsets = ssdlab.analysis.summarise_onsets(series)
        ssdlab.figures.plot_onsets(onsets)
        """,
    ),
    "plot_forecast": _lines(
        _SERIES,
        """
        tracked = ssdlab.analysis.take_tracked_series(*frames, like=series)
        forecast = ssdlab.analysis.forecast_steady_state(tracked)
        ssdlab.figures.plot_forecast(forecast)
        """,
    ),
    "plot_confidence": _lines(
        _LOADS,
        """
        curve = ssdlab.analysis.summarise_curve(loads[0])
        levels = ssdlab.analysis.summarise_qos(loads[0])
        rates = ssdlab.analysis.summarise_load(loads[0])
        ssdlab.figures.plot_confidence(curve, levels, rates)
        """,
    ),
    "plot_qos_levels": _lines(
        _LOADS,
        """
        levels = ssdlab.analysis.summarise_qos(loads[0], series=run.series)
        rates = ssdlab.analysis.summarise_load(loads[0])
        ssdlab.figures.plot_qos_levels(levels, rates=rates)
        """,
    ),
    "plot_exceedance": _lines(
        _LOADS,
        """
        curve = ssdlab.analysis.summarise_curve(*loads[:4])
        ssdlab.figures.plot_exceedance(curve)
        """,
    ),
    "plot_percentile_rounds": _lines(
        _LOADS,
        """
        every = ssdlab.analysis.select_load(*tables, test="lat", kind="cell")
        bands = ssdlab.analysis.summarise_percentile_rounds(every)
        ssdlab.figures.plot_percentile_rounds(bands, title=every.label)
        """,
    ),
    "plot_latency_map": _lines(
        _LOADS,
        """
        cells = ssdlab.analysis.summarise_latency_map(loads[0], series=run.series)
        ssdlab.figures.plot_latency_map(cells, title=loads[0].label)
        """,
    ),
    "plot_cell_map": _lines(
        _CELLS,
        """
        axes = ["block_size_bytes", "read_percent"]
        matrix = ssdlab.analysis.summarise_cells(rounds, "iops", axes=axes)
        ssdlab.figures.plot_cell_map(matrix, "iops", axes=axes)
        """,
    ),
    "plot_cell_rounds": _lines(
        _CELLS,
        f"""
        cell = ssdlab.analysis.select_cell(rounds, {_ONE})
        stacked = ssdlab.analysis.stack_frames({{"this run": cell}})
        ssdlab.figures.plot_cell_rounds(stacked, "iops", drives={{"this run": "A"}})
        """,
    ),
    "plot_time_series": _lines(
        _RUN,
        """
        choice = {"test": "wsat", "metric": "iops"}
        joined = ssdlab.analysis.join_series(run.series, run.steps, **choice)
        drawn = ssdlab.analysis.reduce_series(joined["time_s"], joined["iops"])
        ssdlab.figures.plot_time_series(drawn, "iops", title="IOPS over time")
        """,
    ),
}


def draw(recipe: str) -> go.Figure:
    """Run the lines of a recipe, and return the figure of the last one."""
    *before, last = recipe.strip().splitlines()
    space: dict[str, Any] = {}
    exec(compile("\n".join(before), "recipe", "exec"), space)
    return eval(compile(last, "recipe", "eval"), space)
