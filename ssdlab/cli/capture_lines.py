"""A capture of IO streams in lines for people."""

import math

from ssdlab.analysis.streams.capture import select_streams, sum_streams
from ssdlab.analysis.streams.kept import measure_kept
from ssdlab.cli.group import printable
from ssdlab.model.capture import EXPERIMENTAL, Capture
from ssdlab.model.units import duration_label
from ssdlab.procedures.stream_words import (
    AppliedPart,
    count_words,
    kept_note,
    loss_notes,
)


def capture_lines(capture: Capture, share: float) -> list[str]:
    """Say what a capture holds, in lines for people."""
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
        *_aligned(_stream_rows(part)),
        "",
        *(kept_note([part]), *loss_notes([part])),
        "",
        *_aligned(_step_rows(capture)),
    ]


def _stream_rows(part: AppliedPart) -> list[tuple[str, ...]]:
    """Return the cells of the table of streams, its head first."""
    applied = {stream.label: stream.share_percent for stream in part.streams}
    head = ("stream", "IOs", "IOs %", "bytes %", "written bytes %", "applied %")
    rows: list[tuple[str, ...]] = [head]
    for count in part.counts:
        shares = measure_kept(part.counts, [count.with_share(100)])
        values = (
            shares.ios_percent,
            shares.bytes_percent,
            math.nan if count.is_read else shares.written_bytes_percent,
            applied.get(count.label, math.nan),
        )
        cells = ("-" if math.isnan(value) else f"{value:.2f}" for value in values)
        rows.append((count.label, f"{count.ios:,}", *cells))
    return rows


def _step_rows(capture: Capture) -> list[tuple[str, ...]]:
    """Return the cells of the table of steps, its head first."""
    rows: list[tuple[str, ...]] = [("step", "begin s", "s", "QD", "IOPS", "MB/s")]
    for step in capture.steps:
        depth = "-" if step.queue_depth is None else f"{step.queue_depth:,.1f}"
        times = (f"{step.start_s:,.1f}", f"{step.duration_s:,.1f}")
        rates = (f"{step.iops:,.1f}", f"{step.bw_bytes_per_s / 1e6:,.2f}")
        rows.append((f"{step.number}", *times, depth, *rates))
    return rows


def _aligned(rows: list[tuple[str, ...]]) -> list[str]:
    """Return rows as lines: the first column to the left, all others to the right."""
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if at else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
