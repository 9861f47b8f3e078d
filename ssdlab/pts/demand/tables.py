"""The tables of CBW and DIRTH."""

from operator import itemgetter

import pandas as pd

from ssdlab.pts.demand.figures import distinct, load_name
from ssdlab.text.numbers import exact_text, number_text
from ssdlab.text.table import (
    WORKERS,
    Column,
    Table,
    column,
    grid,
    quantities,
    quantity,
    tabulate,
)

_CPU = (
    column("System CPU [%]", "host_system_cpu_percent", number_text),
    column("User CPU [%]", "host_user_cpu_percent", number_text),
)


def grid_table(frame: pd.DataFrame, value: Column, *, caption: str) -> Table:
    """Return a value of each point: threads down, queue depths across."""
    return grid(
        frame,
        ("threads", "queue_depth"),
        value,
        corner="Threads \\ queue depth",
        labels=("T{}".format, "Q{}".format),
        caption=caption,
    )


def all_points_table(frame: pd.DataFrame) -> Table:
    """Return every point with all that was recorded of it, by TOIO."""
    return tabulate(
        frame.sort_values(["toio", "threads"]),
        (
            WORKERS,
            column("TOIO", "toio", "{:,}".format),
            *quantities("iops", "bw_bytes_per_s"),
            quantity("lat_mean_ns", "ART [ms]"),
            quantity("lat_max_ns", "MRT [ms]"),
            *_CPU,
            column("Rounds", "n_rounds"),
        ),
        caption=f"All {len(frame)} points",
        note="Means of the rounds of the measurement window; MRT is the maximum over "
        "them. The processor time is that of the whole host.",
        is_folded=True,
    )


def rounds_table(frame: pd.DataFrame) -> Table:
    """Return IOPS of each round at the most threads, by queue depth."""
    most = int(frame["threads"].max())
    rows = frame[frame["threads"] == most]
    grid = rows.pivot_table(index="round", columns="queue_depth", values="iops")
    return tabulate(
        grid.reset_index(),
        (
            column("Round", "round", "{:.0f}".format),
            *(
                quantity("iops", f"Q{depth}", of=itemgetter(depth), number=exact_text)
                for depth in distinct(rows["queue_depth"])[::-1]
            ),
        ),
        caption=f"IOPS of each round at T{most}",
        is_folded=True,
    )


def pre_writes_table(frame: pd.DataFrame) -> Table:
    """Return each run of pre-writes."""
    return tabulate(
        frame,
        (
            column("Round", "round"),
            quantity("time_s", "Minutes, up to its end", number=exact_text),
            quantity("iops", number=exact_text),
            quantity("bw_bytes_per_s"),
            quantity("lat_mean_ns", "ART [ms]"),
            quantity("written_bytes", of="io_bytes"),
        ),
        caption=f"Pre-writes at {load_name(frame.iloc[0])}",
        is_folded=True,
    )
