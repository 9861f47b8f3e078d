"""The results of a quick look, and where they rank among the storage classes."""

from collections.abc import Iterator

from ssdlab.model.units import block_size_label, mix_label
from ssdlab.paper.blocks import Page
from ssdlab.paper.context import Context
from ssdlab.procedures.facts import procedure_view
from ssdlab.pts.shared.headlines import Headline, cell_headline
from ssdlab.text.numbers import NOT_MEASURED, number_text
from ssdlab.text.quantities import QUANTITIES
from ssdlab.text.table import column, quantity, tabulate

_METRIC = {"rnd": "iops", "seq": "bw_bytes_per_s"}


def quick_headlines(context: Context, test: str) -> Iterator[Headline]:
    """Yield the mean of each load over all rounds: random first, reads first."""
    cells = context.totals[
        (context.totals["test"] == test) & (context.totals["kind"] == "cell")
    ]
    for access in ("rnd", "seq"):
        for mix in (100, 0):
            own = cells[(cells["access"] == access) & (cells["read_percent"] == mix)]
            yield from cell_headline(context, own, _METRIC[access])


def quick_pages(context: Context, test: str) -> tuple[Page, ...]:
    """Return one table: each load with its interval and its rounds."""
    table = tabulate(
        list(quick_headlines(context, test)),
        (
            column("Load", lambda one: f"{one.name}, {one.load}", is_words=True),
            column("Mean", lambda one: one.value_text),
            column("95 % interval", lambda one: one.interval_text or NOT_MEASURED),
            column("Each round", _series_text),
        ),
        caption="Mean over all rounds",
    )
    cells = context.totals[context.totals["test"] == test]
    steps = tabulate(
        cells,
        (
            column("Round", "round"),
            column("Access", "access", str.upper),
            column("Block size", "block_size_bytes", block_size_label),
            column("R/W", "read_percent", mix_label),
            quantity("iops"),
            quantity("bw_bytes_per_s"),
            quantity("lat_mean_ns"),
            quantity("lat_max_ns"),
        ),
        caption="Each step",
        is_folded=True,
    )
    return (Page(title="Quick look", blocks=(table, steps)),)


def _series_text(one: Headline) -> str:
    divisor = QUANTITIES[one.metric].divisor
    return ", ".join(number_text(value / divisor) for value in one.series)


VIEW = procedure_view(quick_pages, headlines=quick_headlines)
