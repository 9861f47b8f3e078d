"""A capture of IO streams as text for the terminal."""

import math

from ssdlab.model.capture import EXPERIMENTAL, Capture, StreamCount
from ssdlab.model.units import duration_label
from ssdlab.procedures.rwsw.words import (
    AppliedPart,
    count_words,
    kept_note,
    loss_notes,
)
from ssdlab.streams.extents import select_streams, sum_streams
from ssdlab.streams.kept import measure_kept
from ssdlab.text.table import Table, column, quantity, tabulate
from ssdlab.text.terminal import printable, table_lines


def capture_lines(capture: Capture, share: float) -> list[str]:
    """Describe a capture, as lines for the terminal."""
    counts = sum_streams(capture.steps)
    part = AppliedPart(
        counts=counts, streams=select_streams(counts, least_percent=share)
    )
    last = capture.steps[-1]
    spent = duration_label(last.start_s + last.duration_s - capture.steps[0].start_s)
    idle = len(capture.steps) - len(capture.busy_steps)
    steps = count_words(len(capture.steps), "step")
    return [
        f"{printable(capture.name)}: {EXPERIMENTAL}",
        f"{steps} over {spent}, {idle} of them idle",
        "",
        *table_lines(_streams_table(part)),
        "",
        *(kept_note([part]), *loss_notes([part])),
        "",
        *table_lines(tabulate(capture.steps, _STEP_COLUMNS, caption="")),
    ]


def _streams_table(part: AppliedPart) -> Table:
    """Return the table of streams: the share of each, and how much is applied."""
    applied = {stream.label: stream.share_percent for stream in part.streams}

    kept = {
        count.label: measure_kept(part.counts, [count.with_share(100)])
        for count in part.counts
    }

    def written(count: StreamCount) -> float:
        own = kept[count.label].written_bytes_percent
        return math.nan if count.is_read else own

    columns = (
        column("stream", "label"),
        column("IOs", "ios", "{:,}".format),
        column("IOs %", lambda one: kept[one.label].ios_percent, "{:.2f}".format),
        column("bytes %", lambda one: kept[one.label].bytes_percent, "{:.2f}".format),
        column("written bytes %", written, "{:.2f}".format),
        column("applied %", lambda one: applied.get(one.label), "{:.2f}".format),
    )
    return tabulate(part.counts, columns, caption="")


_STEP_COLUMNS = (
    column("step", "number"),
    column("start s", "start_s", "{:,.1f}".format),
    column("duration s", "duration_s", "{:,.1f}".format),
    column("QD", "queue_depth", "{:,.1f}".format),
    column("IOPS", "iops", "{:,.1f}".format),
    quantity("bw_bytes_per_s", number="{:,.2f}".format),
)
