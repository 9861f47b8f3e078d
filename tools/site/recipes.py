"""The lines that make each public figure of a run. The gallery runs them."""

from collections.abc import Mapping
from textwrap import dedent
from typing import Any

import plotly.graph_objects as go

_RUN = 'run = ssdlab.open_run("data/samples/virtual-all")\n'
_STEADY = 'found = ssdlab.steady_state("data/samples/virtual-all", test="iops")\n'
_QOS = 'found = ssdlab.latency_qos("data/samples/virtual-all", test="lat")\n'
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
        _STEADY,
        """
        ssdlab.figures.plot_window_fit(found.series, found.fit)
        """,
    ),
    "plot_window_ratios": _lines(
        _STEADY,
        """
        ssdlab.figures.plot_window_ratios(found.windows)
        """,
    ),
    "plot_window_means": _lines(
        _STEADY,
        """
        ssdlab.figures.plot_window_means(found.windows, metric=found.series.metric)
        """,
    ),
    "plot_phases": _lines(
        _STEADY,
        """
        ssdlab.figures.plot_phases(found.series, found.phases)
        """,
    ),
    "plot_onsets": _lines(
        _STEADY,
        """
        ssdlab.figures.plot_onsets(found.onsets)
        """,
    ),
    "plot_forecast": _lines(
        _STEADY,
        """
        ssdlab.figures.plot_forecast(found.forecast)
        """,
    ),
    "plot_confidence": _lines(
        _QOS,
        """
        ssdlab.figures.plot_confidence(found.curve, found.levels, found.rates)
        """,
    ),
    "plot_qos_levels": _lines(
        _QOS,
        """
        ssdlab.figures.plot_qos_levels(found.levels, rates=found.rates)
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
        _QOS,
        """
        title = found.every_round.label
        ssdlab.figures.plot_percentile_rounds(found.rounds, title=title)
        """,
    ),
    "plot_latency_map": _lines(
        _QOS,
        """
        title = found.load.label
        ssdlab.figures.plot_latency_map(found.latency_map, title=title)
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
