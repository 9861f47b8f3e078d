"""The tables of CBW and DIRTH."""

from typing import Any

import pandas as pd

from ssdlab.figures.demand import distinct, load_name
from ssdlab.figures.labels import QUANTITIES, number_text
from ssdlab.model.units import block_size_label
from ssdlab.report.blocks import Table
from ssdlab.report.context import Context
from ssdlab.report.demand_facts import alignment_text, composite_of
from ssdlab.report.text import NOT_MEASURED, exact_text

_ALL_HEAD = (
    "TOIO",
    "IOPS",
    "MB/s",
    "ART [ms]",
    "MRT [ms]",
    "System CPU [%]",
    "User CPU [%]",
    "Rounds",
)


def grid_table(frame: pd.DataFrame, column: str, *, caption: str) -> Table:
    """Return a value of each point: threads down, queue depths across."""
    divisor = QUANTITIES[column].divisor if column in QUANTITIES else 1.0
    depths = distinct(frame["queue_depth"])
    texts = {
        (int(row["threads"]), int(row["queue_depth"])): _number(row[column], divisor)
        for _, row in frame.iterrows()
    }
    rows = tuple(
        (f"T{threads}", *(texts.get((threads, q), NOT_MEASURED) for q in depths))
        for threads in distinct(frame["threads"])
    )
    head = tuple(f"Q{depth}" for depth in depths)
    return Table(caption=caption, corner="Threads \\ queue depth", head=head, rows=rows)


def _number(value: Any, divisor: float = 1.0) -> str:
    return NOT_MEASURED if pd.isna(value) else number_text(float(value) / divisor)


def all_points_table(frame: pd.DataFrame) -> Table:
    """Return every point with all that was recorded of it, by TOIO."""
    ordered = frame.sort_values(["toio", "threads"])
    rows = tuple(
        (
            load_name(row),
            f"{row.toio:,}",
            _number(row.iops),
            _number(row.bw_bytes_per_s, 1e6),
            _number(row.lat_mean_ns, 1e6),
            _number(row.lat_max_ns, 1e6),
            _number(row.host_system_cpu_percent),
            _number(row.host_user_cpu_percent),
            str(row.n_rounds),
        )
        for row in ordered.itertuples()
    )
    return Table(
        caption=f"All {len(rows)} points",
        corner="TC/QD",
        head=_ALL_HEAD,
        rows=rows,
        note="Means of the rounds of the measurement window; MRT is the maximum over "
        "them. The processor time is that of the whole host.",
        is_folded=True,
    )


def rounds_table(frame: pd.DataFrame) -> Table:
    """Return IOPS of each round at the most threads, by queue depth."""
    most = int(frame["threads"].max())
    rows = frame[frame["threads"] == most]
    depths = distinct(rows["queue_depth"])[::-1]
    grid = rows.pivot_table(index="round", columns="queue_depth", values="iops")
    texts = tuple(
        (str(number), *(_exact(row.get(depth)) for depth in depths))
        for number, row in grid.iterrows()
    )
    return Table(
        caption=f"IOPS of each round at T{most}",
        corner="Round",
        head=tuple(f"Q{depth}" for depth in depths),
        rows=texts,
        is_folded=True,
    )


def _exact(value: Any) -> str:
    return NOT_MEASURED if value is None or pd.isna(value) else exact_text(float(value))


def pre_writes_table(frame: pd.DataFrame) -> Table:
    """Return each run of pre-writes."""
    rows = tuple(
        (
            str(row.round),
            exact_text(float(str(row.time_s)) / 60),
            _exact(row.iops),
            _number(row.bw_bytes_per_s, 1e6),
            _number(row.lat_mean_ns, 1e6),
            _number(row.io_bytes, 1e9),
        )
        for row in frame.itertuples()
    )
    return Table(
        caption=f"Pre-writes at {load_name(frame.iloc[0])}",
        corner="Round",
        head=("Minutes, up to its end", "IOPS", "MB/s", "ART [ms]", "Written [GB]"),
        rows=rows,
        is_folded=True,
    )


def composite_tables(context: Context, test: str) -> tuple[Table, ...]:
    """Return block sizes and access zones of a composite stimulus (pts.md 12.1)."""
    composite = composite_of(context, test)
    if composite is None:
        return ()
    sizes = tuple(
        (block_size_label(size), f"{share} %")
        for size, share in sorted(composite.block_shares)
    )
    zones, start = [], 0
    for name, (share, part) in zip("ABC", composite.zones, strict=True):
        zones.append((name, f"{start} % to {start + part} %", f"{share} %"))
        start += part
    return (
        Table(
            caption="Composite block sizes",
            corner="Block size",
            head=("Share of IOs",),
            rows=sizes,
            note=f"IOs are {alignment_text(composite)}.",
            is_folded=True,
        ),
        Table(
            caption="Access zones",
            corner="LBA group",
            head=("Of the active range", "Share of IOs"),
            rows=tuple(zones),
            is_folded=True,
        ),
    )
