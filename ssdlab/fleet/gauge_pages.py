"""What a gauge R&R study says: in sentences, as tables, as a page and as plain data."""

import math
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, Final

from ssdlab.fleet.gauge import (
    GOOD_PERCENT,
    USABLE_PERCENT,
    Gauge,
    Part,
)
from ssdlab.fleet.gauge_figures import plot_gauge_parts, plot_gauge_runs
from ssdlab.fleet.pages import reasons_table
from ssdlab.fleet.texts import counted, workload_text
from ssdlab.paper.blocks import Block, Note, Page, Plot
from ssdlab.paper.document import Document
from ssdlab.stats.interval import Interval
from ssdlab.stats.plain_rows import plain_value
from ssdlab.text.numbers import NOT_MEASURED, rounded_text
from ssdlab.text.table import Table, column, tabulate

_REASONS: Final = {
    "no-runs": "No run can be used: see what is left out.",
    "one-host": "All runs are of one host, so nothing is known of the next. Measure "
    "the same drives on a second one, or name what distinguishes hosts (--hosts).",
    "one-drive": "All runs are of one drive. Measure a second one, better five.",
    "no-repeats": "No drive was run twice on a host. Repeat some runs, with purge and "
    "preconditioning.",
    "apart": "The hosts fall into groups that have no drive in common. Measure some of "
    "the drives of each on the others.",
    "few-in-common": "Hosts have so few drives in common that what a host does to all "
    "and what it does to one are not separate. Measure two drives on both.",
    "few-drives": "Each host has one drive, so host and drive are not separate. "
    "Measure the same drives on both hosts, or two on each.",
    "no-scatter": "The runs do not scatter at all, which no drive does: check where "
    "they come from.",
}
WORDS: Final[dict[Part, str]] = {
    "repeatability": "Repeatability, run to run (EV)",
    "host": "Reproducibility, host to host (AV)",
    "host x drive": "Host x drive",
    "gauge R&R": "Gauge R&R (GRR)",
    "drive": "Drive to drive (PV)",
    "total": "Total (TV)",
}
_COMPONENTS: Final = {
    "host": "host to host",
    "drive": "drive to drive",
    "both": "host x drive",
    "run": "repeatability",
}


def gauge_as_dict(gauge: Gauge) -> dict[str, Any]:
    """Return a study as plain data; what is not known or bounded is None."""
    pilot = gauge.pilot
    plain: dict[str, Any] = {
        "store": pilot.store.url,
        "cell": pilot.choice.cell,
        "metric": pilot.choice.metric.name,
        "group": pilot.group,
        "accepted": sorted(pilot.accepted),
        "host_columns": list(gauge.host_columns),
        "hosts": sorted(gauge.runs["host"].unique()),
        "drives": pilot.drives,
        "runs": len(gauge.runs),
        "design": gauge.design,
        "is_balanced": None if gauge.runs.empty else gauge.is_balanced,
        "reason": gauge.reason,
    }
    told = {
        part: {
            "scatter_percent": _plain(gauge.scatter(part)),
            "share_percent": _plain(gauge.share(part)),
        }
        for part in gauge.parts
    }
    known = gauge.components
    more = {
        "parts": told,
        "set_to_0": list(known.truncated) if known else [],
        "categories": _plain(gauge.categories) if known else None,
    }
    known_facts: dict[str, Any] = plain_value(plain)
    return known_facts | more


def _plain(found: Interval) -> dict[str, Any]:
    known: dict[str, Any] = plain_value(asdict(found))
    return known


def answer_texts(gauge: Gauge) -> Iterator[str]:
    """Yield what the study shows, or why it shows nothing."""
    pilot = gauge.pilot
    counts = (
        counted(pilot.drives, "drive"),
        counted(gauge.runs["host"].nunique(), "host"),
        counted(len(gauge.runs), "run"),
    )
    yield f"{workload_text(pilot.choice)}, {pilot.group}: {', '.join(counts)}."
    if gauge.reason:
        yield f"CANNOT BE TOLD. {_REASONS[gauge.reason]}"
        return
    share, categories = gauge.gauge_share, gauge.categories
    classes = [
        _count_text(one)
        for one in (categories.estimate, categories.low, categories.high)
    ]
    yield (
        f"Gauge R&R is {rounded_text(share.estimate)} % of the total variation "
        f"({_ends_text(share)} %, with 95 % confidence): {_verdict_text(share)}. "
        f"Distinct categories of drives: {classes[0]} ({classes[1]} to {classes[2]}); "
        "5 are asked for."
    )


def _verdict_text(share: Interval) -> str:
    """Return what is shown of the share, by the limits of the AIAG."""
    for limit in (GOOD_PERCENT, USABLE_PERCENT):
        if share.high <= limit:
            return f"at most {limit:g} % is shown"
    if share.low > USABLE_PERCENT:
        return f"more than {USABLE_PERCENT:g} % is shown"
    return f"neither more nor less than {USABLE_PERCENT:g} % is shown"


def _count_text(count: float) -> str:
    return f"{count:,.0f}" if math.isfinite(count) else "∞"


def _ends_text(found: Interval) -> str:
    return f"{rounded_text(found.low)} to {rounded_text(found.high)}"


def note_texts(gauge: Gauge) -> Iterator[str]:
    """Yield what the study rests on, and what it cannot tell."""
    columns = ", ".join(gauge.host_columns)
    yield f"Hosts are distinguished by {columns}; two equal ones count as one."
    if gauge.components is None:
        return
    if gauge.design == "nested":
        yield (
            "No drive was measured on two hosts: drives are nested in hosts. Host x "
            "drive is unknown, and is part of drive to drive."
        )
    if not gauge.is_balanced:
        counts = gauge.counts.to_numpy()
        empty = int((counts == 0).sum()) if gauge.design == "crossed" else 0
        held = counts[counts > 0]
        lacking = f", {counted(empty, 'pair')} of host and drive without a run"
        yield (
            f"Unbalanced: {held.min()} to {held.max()} runs of a drive on a host"
            f"{lacking * (empty > 0)}. Expected mean squares are counted from the "
            "data; intervals are approximate."
        )
    for name in gauge.components.truncated:
        yield f"{_COMPONENTS[name].capitalize()}: estimated below 0, set to 0."
    yield (
        "Each interval holds in 95 % of studies by itself, all of a table together in "
        "about 80 %."
    )
    if gauge.pilot.others_text:
        yield gauge.pilot.others_text


def parts_table(gauge: Gauge) -> Table:
    """Return each part with its scatter and its share."""
    rows = [(part, gauge.scatter(part), gauge.share(part)) for part in gauge.parts]
    return tabulate(
        rows,
        (
            column("Part", lambda row: WORDS[row[0]], is_words=True),
            column("Scatter [%]", lambda row: rounded_text(row[1].estimate)),
            column("95 %", lambda row: _ends_text(row[1])),
            column("Of the total [%]", lambda row: rounded_text(row[2].estimate)),
            column(
                "95 %",
                lambda row: NOT_MEASURED if row[0] == "total" else _ends_text(row[2]),
            ),
        ),
        caption="Parts of the variation",
        note="Scatter is the standard deviation of the logarithm. Shares are of "
        "standard deviations, so they add as squares.",
    )


def counts_table(gauge: Gauge) -> Table:
    """Return how often each drive was run on each host."""
    counts = gauge.counts
    return Table(
        caption="Runs by drive and host",
        head=("Drive", *map(str, counts.columns)),
        rows=tuple(
            (str(drive), *map(str, row))
            for drive, row in zip(counts.index, counts.to_numpy(), strict=True)
        ),
        words=(0,),
        is_folded=len(counts) > 12,
    )


def gauge_document(gauge: Gauge) -> Document:
    """Return a study as a page: the answer, its parts, its measurements."""
    pilot = gauge.pilot
    blocks: list[Block] = [Note(text=" ".join(answer_texts(gauge)), tone="headline")]
    if pilot.kept["is_virtual"].fillna(value=False).any():
        words = "Simulated drives; not representative of any product."
        blocks.append(Note(text=words, tone="warning"))
    name = workload_text(pilot.choice)
    if gauge.parts:
        shares = {WORDS[part]: gauge.share(part) for part in gauge.parts}
        limits = (GOOD_PERCENT, USABLE_PERCENT)
        title = f"Parts of the variation: {name}"
        blocks.append(Plot(figure=plot_gauge_parts(shares, limits, title=title)))
        blocks.append(parts_table(gauge))
    blocks += [Note(text=text) for text in note_texts(gauge)]
    return Document(
        title=f"Gauge R&R: {name}",
        subtitle=f"{pilot.store.url}: {pilot.group}",
        front=tuple(blocks),
        pages=tuple(_pages(gauge)),
    )


def _pages(gauge: Gauge) -> Iterator[Page]:
    choice = gauge.pilot.choice
    if len(gauge.runs):
        title = f"Runs by drive and host: {workload_text(choice)}"
        figure = plot_gauge_runs(gauge.runs, metric=choice.metric.column, title=title)
        blocks = (Plot(figure=figure), counts_table(gauge))
        yield Page(title="Measurements", blocks=blocks)
    left_out = reasons_table(gauge.pilot.runs)
    yield Page(title="What was left out", blocks=(left_out,))
