"""The pages of results per drive: saturation, IOPS, throughput, latency, power."""

from collections.abc import Callable

import pandas as pd

from ssdlab.classes.latency_figures import plot_class_latency
from ssdlab.classes.level_figures import plot_class_iops, plot_class_throughput
from ssdlab.classes.value_figures import plot_class_saturation, plot_class_written
from ssdlab.compare.comparison import Comparison
from ssdlab.compare.heat_maps import (
    plot_iops_heat_maps,
    plot_ratio_heat_maps,
)
from ssdlab.compare.level_tables import (
    latency_extremes_table,
    saturation_table,
    values_table,
)
from ssdlab.compare.missing import missing_notes
from ssdlab.compare.pair_tables import pairs_to_show
from ssdlab.compare.power import summarise_efficiency
from ssdlab.compare.row_figures import plot_compared_cells
from ssdlab.paper.blocks import Block, Note, Page, Plot
from ssdlab.pts.suite import title_of

_BACKDROP = (
    "In the background are nine single devices of 2014 (Calypso, Performance "
    "Comparison by Storage Class), measured by PTS-E 1.1 at other TC/QD: for "
    "orientation, not a ranking."
)
_WITHIN = (
    "Only those that reach into the axis of the runs are drawn; an arrow points to a "
    "level beyond it."
)


def saturation_page(comparison: Comparison) -> Page:
    """Return write saturation over time, TGBW and drive fills."""
    blocks = missing_notes(comparison, "wsat")
    frames = [run.rounds for run in comparison.class_runs if not run.rounds.empty]
    if frames:
        rounds, looks = pd.concat(frames, ignore_index=True), comparison.run_looks
        classes = comparison.classes
        over_time = plot_class_saturation(rounds, classes, looks=looks, reach="runs")
        blocks += [
            Plot(figure=over_time),
            Plot(figure=plot_class_written(rounds, looks=looks)),
            saturation_table(rounds, comparison),
            Note(text=f"{_BACKDROP} {_WITHIN}"),
        ]
    return Page(title="Write saturation", blocks=tuple(blocks))


def iops_page(comparison: Comparison) -> Page:
    """Return the IOPS matrices, their ratios, and the storage classes."""
    blocks = missing_notes(comparison, "iops")
    own = comparison.summary[comparison.summary["test"] == "iops"]
    if not own.empty:
        looks, cells = comparison.side_looks, comparison.cells
        differences = comparison.differences
        of_test = differences[differences["test"] == "iops"]
        blocks.append(Plot(figure=plot_iops_heat_maps(own, cells, looks=looks)))
        pairs = [pair.rows for pair in pairs_to_show(of_test) if pair.has_ratio]
        if pairs:
            figure = plot_ratio_heat_maps(pd.concat(pairs), cells, looks=looks)
            blocks.append(Plot(figure=figure))
        names = comparison.side_names
        blocks.append(values_table(own, names, caption="IOPS with 95 % intervals"))
        blocks += _class_blocks(comparison, plot_class_iops)
    return Page(title="IOPS", blocks=tuple(blocks))


def throughput_page(comparison: Comparison) -> Page:
    """Return sequential throughput."""
    blocks = missing_notes(comparison, "tp")
    own = comparison.summary[comparison.summary["test"] == "tp"]
    if not own.empty:
        figure = plot_compared_cells(
            own,
            metric="bw_bytes_per_s",
            looks=comparison.side_looks,
            title="Sequential throughput",
        )
        names = comparison.side_names
        blocks += [
            Plot(figure=figure),
            values_table(own, names, caption="Throughput with 95 % intervals"),
            *_class_blocks(comparison, plot_class_throughput),
        ]
    return Page(title="Throughput", blocks=tuple(blocks))


def _class_blocks(comparison: Comparison, plot: Callable[..., object]) -> list[Block]:
    frames = [run.drawn for run in comparison.class_runs]
    values = pd.concat(frames, ignore_index=True)
    figure = plot(comparison.classes, values, looks=comparison.run_looks)
    return [Plot(figure=figure), Note(text=_BACKDROP)]


def latency_page(comparison: Comparison) -> Page:
    """Return latency at one outstanding IO."""
    blocks = missing_notes(comparison, "lat")
    own = comparison.summary[comparison.summary["test"] == "lat"]
    if not own.empty:
        figure = plot_compared_cells(
            own,
            metric="lat_mean_ns",
            looks=comparison.side_looks,
            title="Mean latency at one outstanding IO",
        )
        caption = "Latency with 95 % intervals; percentiles of all IOs of the window"
        blocks += [
            Plot(figure=figure),
            values_table(own, comparison.side_names, caption=caption),
            latency_extremes_table(comparison),
            *_class_blocks(comparison, plot_class_latency),
        ]
    return Page(title="Latency", blocks=tuple(blocks))


def efficiency_page(comparison: Comparison) -> Page:
    """Return rates per watt; nothing if no power is known."""
    stated, metered = comparison.watts, comparison.metered
    told = {*stated, *metered["side"]}
    if not told:
        return Page(title="Efficiency", blocks=())
    given = ", ".join(f"{name}: {value:g} W" for name, value in stated.items())
    blocks: list[Block] = []
    if given:
        words = f"Power: {given}. It is taken as exact, and as equal in all tests."
        blocks.append(Note(text=words))
    if told - set(stated):
        names = ", ".join(sorted(told - set(stated)))
        words = f"Power of {names}: as a meter recorded it in each cell."
        blocks.append(Note(text=words))
    absent = [name for name in comparison.side_names if name not in told]
    if absent:
        words = f"Missing, because their power is unknown: {', '.join(absent)}."
        blocks.append(Note(text=words, tone="warning"))
    table = summarise_efficiency(comparison.summary, stated, metered)
    for test, metric in (("iops", "iops"), ("tp", "bw_bytes_per_s"), ("wsat", "iops")):
        own = table[(table["test"] == test) & (table["metric"] == metric)]
        if not own.empty:
            figure = plot_compared_cells(
                own,
                metric=metric,
                looks=comparison.side_looks,
                title=f"{title_of(test)} per watt",
                per_watt=True,
            )
            blocks.append(Plot(figure=figure))
    return Page(title="Efficiency", blocks=tuple(blocks))
