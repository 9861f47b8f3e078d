"""The time of preconditioning, from the steady rate of 128 KiB sequential writes."""

from functools import partial

from ssdlab.paper.blocks import Block, Note, Page
from ssdlab.paper.context import Context
from ssdlab.procedures.saturate.precondition import (
    DECIMAL_MB_PER_GB,
    PRINTED_MB_PER_GB,
    SteadyRate,
    find_precondition_minutes,
    find_steady_write_rate,
    oddity_text,
)
from ssdlab.reference.micron import PrintedPrecondition, read_micron_precondition_times
from ssdlab.text.numbers import NOT_MEASURED, number_text, rounded_text
from ssdlab.text.table import Table, column, tabulate

_TITLE = "Precondition time"
_RULE = (
    "Preconditioning is two fills of the drive at its steady rate of 128 KiB "
    "sequential writes. The time holds for this model and firmware, and is reused for "
    "all tests of the drive."
)
_FACTORS = (PRINTED_MB_PER_GB, DECIMAL_MB_PER_GB)


def precondition_page(context: Context, test: str) -> Page | None:
    """Return the preconditioning time by a saturation with SEQ 128 KiB writes."""
    rate = find_steady_write_rate(context.windows, test=test)
    if rate is None:
        return None
    return Page(title=_TITLE, blocks=tuple(_blocks(context, rate)))


def _blocks(context: Context, rate: SteadyRate) -> list[Block]:
    if not rate.is_steady:
        text = (
            "The sequential writes did not become steady, so there is no rate for the "
            "preconditioning time."
        )
        return [Note(text=text, tone="warning"), *_printed()]
    capacity_gb = context.record.target.capacity_bytes / 1e9
    rate_mb_s = rate.bw_bytes_per_s / 1e6
    binary, decimal = _times(capacity_gb, rate_mb_s)
    rows = (
        ("User capacity", f"{number_text(capacity_gb)} GB"),
        ("Steady rate V of SEQ 128 KiB writes", f"{rounded_text(rate_mb_s)} MB/s"),
        ("One fill, capacity / V", _minutes_text(decimal / 2)),
        ("Precondition, two fills", _minutes_text(decimal)),
        ("The same, with 1 GB as 1024 MB", _minutes_text(binary)),
        ("Duration of the two fills of this run", _measured(context, rate)),
    )
    table = Table(
        caption=_TITLE,
        head=("Quantity", "Value"),
        rows=rows,
    )
    return [Note(text=_RULE), table, *_printed()]


def _times(capacity_gb: float, rate_mb_s: float) -> tuple[float, float]:
    """Return minutes of two fills with 1 GB taken for 1024 MB, and for 1000."""
    binary, decimal = (
        find_precondition_minutes(capacity_gb, rate_mb_s, mb_per_gb=factor)
        for factor in _FACTORS
    )
    return binary, decimal


def _fills(mb_per_gb: int, row: PrintedPrecondition) -> str:
    minutes = find_precondition_minutes(
        row.capacity_gb, row.rate_mb_s, mb_per_gb=mb_per_gb
    )
    return f"{minutes:.2f}"


def _minutes_text(minutes: float) -> str:
    return f"{rounded_text(minutes)} min"


def _measured(context: Context, rate: SteadyRate) -> str:
    """Return how long the fills before the phase took, on an emptier drive."""
    steps = context.steps_of(rate.test)
    fills = steps[steps["phase"] == rate.phase.replace("attempt", "fill")]
    if fills.empty or fills["duration_s"].isna().any():
        return NOT_MEASURED
    return _minutes_text(float(fills["duration_s"].sum()) / 60)


def _printed() -> list[Block]:
    """Return the published table next to the results of the rule, and its oddity."""
    printed = read_micron_precondition_times()
    table = tabulate(
        printed,
        (
            column("Capacity", "capacity_gb", "{} GB".format),
            column("SEQ 128 KiB writes [MB/s]", "rate_mb_s", "{:g}".format),
            column("2 fills, printed [min]", "fill_2x_min", "{:g}".format),
            column("Precondition, printed [min]", "precondition_min", "{:g}".format),
            *(
                column(f"2 fills, 1 GB = {factor} MB [min]", partial(_fills, factor))
                for factor in _FACTORS
            ),
        ),
        caption="Micron's table of precondition times, compared with the rule",
        note="Taking 1 GB as 1024 MB reproduces all four printed times of two fills; "
        "capacities and rates are decimal, so 1000 gives the actual time.",
    )
    oddities = (
        oddity_text(
            row.capacity_gb,
            fill_2x_min=row.fill_2x_min,
            precondition_min=row.precondition_min,
        )
        for row in printed
    )
    return [table, *(Note(text=text) for text in oddities if text)]
