"""The tables of write saturation, and what must be said of its stimulus."""

import math

import pandas as pd

from ssdlab.model.spec import stimulus_label
from ssdlab.model.units import duration_label
from ssdlab.paper.blocks import Note
from ssdlab.paper.context import Context
from ssdlab.text.numbers import (
    NOT_RECORDED,
    exact_text,
    number_text,
    workers_text,
)
from ssdlab.text.quantities import is_missing
from ssdlab.text.table import (
    UNSUPPORTED_NOTE,
    Table,
    column,
    explain_marks,
    percentile,
    quantity,
    tabulate,
)

_WRITTEN = (
    quantity("tgbw"),
    column("Drive fills", "drive_fills", number_text),
)
_ROUND_COLUMNS = (
    column("Round", "round"),
    column("Minutes", "minutes", exact_text),
    quantity("iops"),
    quantity("lat_mean_ns", number=exact_text),
    *(
        percentile(f"lat_{nines}_nines_ns", number=exact_text)
        for nines in ("three", "four", "five")
    ),
    quantity("lat_max_ns", number=exact_text),
    *_WRITTEN,
)
_SIDES = (
    quantity("iops", "Read IOPS", of="read_iops"),
    quantity("iops", "Write IOPS", of="write_iops"),
)
_SIDES_COLUMNS = (
    column("Round", "round"),
    *_SIDES,
    column("Reads of IOs [%]", "read_ios_percent", number_text),
    *(
        quantity(
            "lat_ns",
            f"{side.capitalize()} {words} [ms]",
            of=f"{side}_lat_{name}_ns",
            number=exact_text,
        )
        for name, words in (("mean", "average"), ("max", "max"))
        for side in ("read", "write")
    ),
)
_UNSUPPORTED = f"{UNSUPPORTED_NOTE} Such a 99.999 % is not drawn."
_NEVER_WRITTEN = (
    "Reads begin on the purged device, without preconditioning: until the writes have "
    "covered the active range, reads hit blocks without data, which drives return "
    "faster."
)
_ONE_BEGIN = (
    "Each round begins, for reads and writes, where the writes of the previous rounds "
    "ended; from there reads and writes advance independently, and wrap to that place "
    "at the end of the active range."
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
    """Say what counts in a mix of reads and writes, and what its reads hit."""
    if directions.empty:
        return ()
    writes = 100 - int(directions["read_percent"].iloc[0])
    counts = (
        f"Of the IOs {writes} % are writes. TGBW, drive fills and the stop rule of "
        "written capacities count writes alone. Response times are those of reads and "
        "writes together, each IO counting once."
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
        f"So the writes covered {number_text(100 * covered)} % of the user capacity, "
        f"not {threads} times as much: blocks never written were still free at the "
        "end, and what looks steady may not be."
    )


def ends_table(context: Context, frame: pd.DataFrame) -> Table:
    """Return the start and end of the drive, as is customary for WSAT."""
    fob, end = frame.iloc[0], frame.iloc[-1]
    first = "First round" if context.is_imported else "FOB, first round"
    sides = _SIDES if "read_iops" in frame else ()
    ends = ({"end": first, **fob}, {"end": "Last round", **end})
    time_s = float(end["time_s"])
    words = "" if math.isnan(time_s) else f" ({duration_label(time_s)} of IO)"
    return tabulate(
        ends,
        (column("Round", "end"), quantity("iops"), *sides, *_WRITTEN),
        caption=f"First and last of {len(frame)} rounds{words}",
    )


def rounds_table(frame: pd.DataFrame) -> Table:
    """Return what each round recorded (PTS 2.0.2, section 10)."""
    table = tabulate(frame, _ROUND_COLUMNS, caption="Each round", is_folded=True)
    return explain_marks(table, _UNSUPPORTED)


def directions_table(directions: pd.DataFrame) -> tuple[Table, ...]:
    """Return reads and writes of each round apart, if there are both."""
    if directions.empty:
        return ()
    caption = "Reads and writes separately, each round"
    return (tabulate(directions, _SIDES_COLUMNS, caption=caption, is_folded=True),)
