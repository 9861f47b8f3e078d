"""The jobs of a user's job file: one page a stimulus, then its measurement window."""

from collections.abc import Iterator
from dataclasses import replace

from ssdlab.model.spec import Metric
from ssdlab.paper.blocks import Block, Note, Page, Plot
from ssdlab.paper.context import Context
from ssdlab.procedures.facts import procedure_view
from ssdlab.procedures.jobs.figures import job_looks, plot_job_rounds
from ssdlab.procedures.jobs.spec import ROUNDS
from ssdlab.procedures.jobs.summary import (
    Side,
    curve_of_sides,
    find_sides,
    summarise_sides,
    window_rounds,
)
from ssdlab.pts.shared.headlines import Headline, cell_headline
from ssdlab.pts.shared.steady import reported_window, window_pages
from ssdlab.qos.spread_figures import plot_exceedance
from ssdlab.text.numbers import exact_text
from ssdlab.text.table import (
    Table,
    column,
    explain_marks,
    percentile,
    quantities,
    quantity,
    tabulate,
)

_NOTE = (
    "IOPS and throughput are means of the rounds; the mean latency is weighted by IOs. "
    "Percentiles come from the merged histograms of these rounds: the middle of a bin "
    "at most 1.6 % wide, and never above the exact maximum."
)


def job_pages(context: Context, test: str) -> tuple[Page, ...]:
    """Return the pages of a stimulus."""
    title = context.title_of(test)
    sides = find_sides(context, test)
    if not sides:
        note = Note(text="No round was finished.", tone="warning")
        return (Page(title=title, blocks=(note,)),)
    blocks = (_table(context, test, sides), *_figures(context, test, sides))
    pages = [Page(title=title, blocks=tuple(blocks))]
    if context.asks_steady_state(test):
        pages += window_pages(context, test, phase=ROUNDS)
    return tuple(pages)


def _table(context: Context, test: str, sides: tuple[Side, ...]) -> Table:
    window = window_rounds(context, test)
    first, last = window or (1, 1)
    rounds = f"rounds {first} to {last}" if last > first else f"round {first}"
    is_window = reported_window(context, test, ROUNDS) is not None
    which = "measurement window" if is_window else "no measurement window: all rounds"
    table = tabulate(
        summarise_sides(sides),
        (
            column("Job", "job", is_words=True),
            column("IOs", "direction", lambda one: "all" if one == "total" else one),
            *quantities("iops", "bw_bytes_per_s", "lat_mean_ns", number=exact_text),
            percentile("lat_two_nines_ns", number=exact_text),
            percentile("lat_three_nines_ns", number=exact_text),
            percentile("lat_four_nines_ns", number=exact_text),
            quantity("lat_max_ns", number=exact_text),
            column("IO count", "total_ios", "{:,}".format),
        ),
        caption=f"Results of the {which}, {rounds}",
        note=_NOTE,
    )
    return explain_marks(table)


def _figures(context: Context, test: str, sides: tuple[Side, ...]) -> Iterator[Block]:
    jobs = context.job_totals
    own = jobs[(jobs["test"] == test) & (jobs["kind"] == "cell")]
    if len(own):
        metric: Metric = "bw_bytes_per_s" if (own["access"] == "seq").all() else "iops"
        window = reported_window(context, test, ROUNDS)
        yield Plot(figure=plot_job_rounds(own, metric=metric, window=window))
    curve = curve_of_sides(sides)
    if len(curve):
        colors = {look.run_id: look.color for look in job_looks(own["job"])}
        yield Plot(figure=plot_exceedance(curve, colors=colors))


def job_headlines(context: Context, test: str) -> Iterator[Headline]:
    """Yield the tracking variables of a stimulus, or its IOPS if it has none."""
    judged = context.final_windows(test, ROUNDS)
    for window in judged:
        rounds = context.rounds_of(window)
        inside = rounds["round"].between(
            window.window_first_round, window.window_last_round
        )
        part = f"job {window.job}" if window.job else context.title_of(test)
        for line in cell_headline(context, rounds[inside], window.metric):
            series = tuple(rounds[window.metric].astype(float).dropna())
            yield replace(line, part=part, series=series)
    if not judged:
        cells = context.totals_of(test, ROUNDS)
        for line in cell_headline(context, cells[cells["kind"] == "cell"], "iops"):
            yield replace(line, part=context.title_of(test))


VIEW = procedure_view(job_pages, headlines=job_headlines)
