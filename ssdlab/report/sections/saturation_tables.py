"""The tables of write saturation, and what must be said of its stimulus."""

import math
from types import MappingProxyType
from typing import Any

import pandas as pd

from ssdlab.analysis.support_mark import (
    UNSUPPORTED_NOTE,
    has_marks,
    mark_unsupported,
)
from ssdlab.figures.labels import number_text
from ssdlab.model.spec import stimulus_label
from ssdlab.model.units import duration_label
from ssdlab.report.blocks import Note, Table
from ssdlab.report.context import Context
from ssdlab.report.text import (
    NOT_MEASURED,
    NOT_RECORDED,
    exact_text,
    is_missing,
    workers_text,
)

_LATENCIES = MappingProxyType({
    "lat_mean_ns": "",
    "lat_three_nines_ns": "is_three_nines_supported",
    "lat_four_nines_ns": "is_four_nines_supported",
    "lat_five_nines_ns": "is_five_nines_supported",
    "lat_max_ns": "",
})
_ROUND_HEAD = (
    "Minutes",
    "IOPS",
    "Average [ms]",
    "99.9 % [ms]",
    "99.99 % [ms]",
    "99.999 % [ms]",
    "Max [ms]",
    "TGBW [GB]",
    "Drive fills",
)
_SIDES_HEAD = (
    "Read IOPS",
    "Write IOPS",
    "Reads of IOs [%]",
    "Read average [ms]",
    "Write average [ms]",
    "Read max [ms]",
    "Write max [ms]",
)
_UNSUPPORTED = f"{UNSUPPORTED_NOTE} Such a 99.999 % is not drawn."
_NEVER_WRITTEN = (
    "Reads begin on the purged device, without preconditioning: until the writes have "
    "covered the active range, reads meet blocks that hold no data, and drives answer "
    "those faster than data."
)
_ONE_BEGIN = (
    "Each round begins where the writes of the rounds before came to, reads and writes "
    "alike; from there reads and writes run on each by itself, and back to that place "
    "from the end of the active range."
)


def stimulus_names(context: Context, test: str) -> tuple[str, str]:
    """Return what was run, ``RND 8 KiB 65/35`` and ``T4/Q32``, as far as is known."""
    steps = context.steps_of(test)
    cells = steps[steps["kind"] == "cell"]
    if cells.empty:
        return "", ""
    first = cells.iloc[0]
    size = first["block_size_bytes"]
    is_unknown = is_missing(first["access"]) or is_missing(first["read_percent"])
    if is_unknown or (is_missing(size) and context.is_imported):
        return "", ""
    known = 0 if is_missing(size) else int(size)
    name = stimulus_label(str(first["access"]), known, int(first["read_percent"]))
    workers = workers_text(first["threads"], first["queue_depth"])
    return name, "" if workers == NOT_RECORDED else workers


def mix_notes(frame: pd.DataFrame, directions: pd.DataFrame) -> tuple[Note, ...]:
    """Say what counts in a mix of reads and writes, and what its reads meet."""
    if directions.empty:
        return ()
    writes = 100 - int(directions["read_percent"].iloc[0])
    counts = (
        f"Of the IOs {writes} % are writes. TGBW, drive fills and the stop rule of "
        "written capacities count writes alone. Response times are those of reads and "
        "writes together, an IO counting as an IO."
    )
    fills = frame["drive_fills"].max()
    covered = (
        "" if pd.isna(fills) else f" The run wrote {number_text(fills)} drive fills."
    )
    return Note(text=counts), Note(text=_NEVER_WRITTEN + covered)


def stream_notes(context: Context, test: str) -> tuple[Note, ...]:
    """Say where the rounds of a sequential stimulus begin."""
    steps = context.steps_of(test)
    cells = steps[(steps["kind"] == "cell") & (steps["access"] == "seq")]
    if cells.empty or context.is_imported:
        return ()
    threads = int(cells["threads"].iloc[0])
    if threads == 1:
        return (Note(text=_ONE_BEGIN),)
    words = f" All {threads} threads do so, over the same blocks."
    notes = [Note(text=_ONE_BEGIN + words)]
    covered = steps["drive_fills"].max() / threads
    if covered < 1:  # of what all threads wrote, only one thread's is new ground
        notes.append(Note(text=_covered_words(covered, threads), tone="warning"))
    return tuple(notes)


def _covered_words(covered: float, threads: int) -> str:
    return (
        f"So the writes covered {number_text(100 * covered)} % of the user capacity "
        f"and not {threads} times as much: blocks that were never written were still "
        "free at the end, and what looks steady may not be."
    )


def ends_table(context: Context, frame: pd.DataFrame) -> Table:
    """Return where the drive began and ended, as tables of WSAT customarily do."""
    fob, end = frame.iloc[0], frame.iloc[-1]
    first = "First round" if context.is_imported else "FOB, first round"
    columns = {"iops": "IOPS", "tgbw": "TGBW [GB]", "drive_fills": "Drive fills"}
    if "read_iops" in frame:
        sides = {"read_iops": "Read IOPS", "write_iops": "Write IOPS"}
        columns = {"iops": "IOPS", **sides, **columns}
    rows = tuple(
        (name, *(_cell(row, column) for column in columns))
        for name, row in ((first, fob), ("Last round", end))
    )
    time_s = float(end["time_s"])
    words = "" if math.isnan(time_s) else f" in {duration_label(time_s)} under IO"
    return Table(
        caption=f"Begin and end of {len(frame)} rounds{words}",
        corner="Round",
        head=tuple(columns.values()),
        rows=rows,
    )


def rounds_table(frame: pd.DataFrame) -> Table:
    """Return what each round recorded (pts.md section 9)."""
    rows = tuple(
        (
            str(row["round"]),
            exact_text(float(row["minutes"])),
            _cell(row, "iops"),
            *(_latency(row, name) for name in _LATENCIES),
            _cell(row, "tgbw"),
            _cell(row, "drive_fills"),
        )
        for _, row in frame.iterrows()
    )
    return Table(
        caption="Each round",
        corner="Round",
        head=_ROUND_HEAD,
        rows=rows,
        note=_UNSUPPORTED if has_marks(rows) else "",
        is_folded=True,
    )


def directions_table(directions: pd.DataFrame) -> tuple[Table, ...]:
    """Return reads and writes of each round apart, if there are both."""
    if directions.empty:
        return ()
    rows = tuple(
        (
            str(row["round"]),
            _cell(row, "read_iops"),
            _cell(row, "write_iops"),
            _cell(row, "read_ios_percent"),
            *(
                _milliseconds(row[f"{side}_lat_{name}_ns"])
                for name in ("mean", "max")
                for side in ("read", "write")
            ),
        )
        for _, row in directions.iterrows()
    )
    table = Table(
        caption="Reads and writes apart, each round",
        corner="Round",
        head=_SIDES_HEAD,
        rows=rows,
        is_folded=True,
    )
    return (table,)


def _cell(row: "pd.Series[Any]", column: str) -> str:
    value = row[column]
    return NOT_MEASURED if pd.isna(value) else number_text(float(value))


def _latency(row: "pd.Series[Any]", column: str) -> str:
    """Return a response time [ms]; a percentile that is not supported is marked."""
    text = _milliseconds(row[column])
    if text == NOT_MEASURED:
        return text
    return mark_unsupported(text, row.get(_LATENCIES[column]))


def _milliseconds(value_ns: Any) -> str:
    return NOT_MEASURED if pd.isna(value_ns) else exact_text(float(value_ns) / 1e6)
