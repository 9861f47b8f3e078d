"""A composite stimulus as tables: block sizes, access zones, alignment."""

from itertools import accumulate

from ssdlab.model.spec import Composite, Rounds, Stimulus
from ssdlab.model.units import block_size_label
from ssdlab.paper.context import Context
from ssdlab.text.table import Table, column, tabulate


def composite_tables(context: Context, test: str) -> tuple[Table, ...]:
    """Return block sizes and access zones of a composite stimulus (PTS section 13)."""
    composite = composite_of(context, test)
    if composite is None:
        return ()
    ends = list(accumulate((part for _, part in composite.zones), initial=0))
    zones = zip("ABC", ends[:-1], ends[1:], composite.zones, strict=True)
    return (
        tabulate(
            sorted(composite.block_shares),
            (
                column("Block size", lambda row: block_size_label(row[0])),
                column("Share of IOs", lambda row: f"{row[1]} %"),
            ),
            caption="Composite block sizes",
            note=f"IOs are {alignment_text(composite)}.",
            is_folded=True,
        ),
        Table(
            caption="Access zones",
            head=("LBA group", "Of the active range", "Share of IOs"),
            rows=tuple(
                (name, f"{start} % to {end} %", f"{share} %")
                for name, start, end, (share, _) in zones
            ),
            is_folded=True,
        ),
    )


def composite_of(context: Context, test: str) -> Composite | None:
    """Return the composite stimulus of a test, if it has one."""
    for phase in context.test(test).phases:
        if isinstance(phase, Rounds):
            return phase.cells[0].composite
        if isinstance(phase, Stimulus) and phase.workload.composite:
            return phase.workload.composite
    return None


def alignment_text(composite: Composite) -> str:
    """Say how the composite was aligned; the PTS does not specify it."""
    if composite.alignment_bytes:
        size = block_size_label(composite.alignment_bytes)
        return f"aligned to {size}, small blocks included"
    least = block_size_label(min(size for size, _ in composite.block_shares))
    return f"aligned to the smallest block, {least}, regardless of size"
