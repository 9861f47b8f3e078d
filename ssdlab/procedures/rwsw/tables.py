"""The tables of runs by a capture: ssdlab experimental, not the RWSW standard."""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import accumulate
from typing import Any

import pandas as pd

from ssdlab.model.capture import Capture, CaptureStep
from ssdlab.model.spec import IoStream
from ssdlab.model.units import duration_label, mix_label
from ssdlab.paper.blocks import Note
from ssdlab.procedures.rwsw.words import count_words, misplaced_words
from ssdlab.streams.extents import share_streams, sum_streams
from ssdlab.streams.kept import measure_kept
from ssdlab.streams.mix import (
    expand_mix,
    mean_block_bytes,
    misplaced_percent,
    mix_streams,
)
from ssdlab.text.numbers import NOT_MEASURED, exact_text
from ssdlab.text.quantities import is_missing
from ssdlab.text.table import (
    WORKERS,
    Column,
    Table,
    column,
    quantities,
    quantity,
    tabulate,
)

_MIX_NOTE = (
    "One fio job makes all streams, so that the queue depth is kept. It takes whole "
    "per cent, and sizes either by direction or by access, whichever is closer in IOs "
    "and bytes; so streams may appear here that were not to be applied."
)
_LEAST_WARNED_PERCENT = 5.0
_RESPONSE_TIMES = (
    quantity("lat_mean_ns", "ART [ms]", number=exact_text),
    quantity("lat_max_ns", "MRT [ms]", number=exact_text),
)
_MEASURED = (
    *quantities("iops", "bw_bytes_per_s", number=exact_text),
    *_RESPONSE_TIMES,
)


def cumulative_table(capture: Capture) -> Table:
    """Return all streams of the whole capture with their shares."""
    counts = sum_streams(capture.steps)
    shared = share_streams(counts)
    running = accumulate(stream.share_percent for stream in shared)
    rows = [
        {
            "stream": stream.label,
            "ios": count.ios,
            "share": stream.share_percent,
            "running": total,
            "bytes": kept.bytes_percent,
            "written": "" if count.is_read else exact_text(kept.written_bytes_percent),
        }
        for count, stream, total in zip(counts, shared, running, strict=True)
        for kept in (measure_kept(counts, [stream]),)
    ]
    columns = (
        column("IO stream", "stream"),
        column("IOs", "ios", "{:,}".format),
        column("Share of IOs [%]", "share", exact_text),
        column("Running [%]", "running", exact_text),
        column("Share of bytes [%]", "bytes", exact_text),
        column("Share of written bytes [%]", "written"),
    )
    return tabulate(
        rows,
        columns,
        caption=f"{count_words(len(rows), 'stream')} of {capture.name}",
        note="A stream is a size, RND or SEQ, read or write. Streams are chosen by "
        "their share of IOs.",
    )


def applied_table(
    capture: Capture, streams: Sequence[IoStream]
) -> tuple[Table, Table, Note]:
    """Return the applied test workload, and what one fio job makes of it."""
    made = expand_mix(mix_streams(streams))
    captured = share_streams(sum_streams(capture.steps))
    all_of, wanted, found = (
        {stream.label: stream.share_percent for stream in one}
        for one in (captured, streams, made)
    )
    count = count_words(len(streams), "stream")
    table = tabulate(
        dict.fromkeys([*wanted, *found]),
        (
            column("IO stream", str),
            column("In the capture [%]", partial(_share, all_of)),
            column("To be applied [%]", partial(_share, wanted)),
            column("Made by fio [%]", partial(_share, found)),
        ),
        caption=f"Applied test workload: {count}, made to 100 % of IOs",
    )
    words = (
        f"{_MIX_NOTE} {misplaced_words([(streams, made)])} belong to another stream "
        "than in the applied workload. Compared with the whole capture, "
        f"{misplaced_words([(captured, made)])} do: that counts what is not applied."
    )
    values = (
        misplaced_percent(streams, made),
        misplaced_percent(streams, made, of="bytes"),
        misplaced_percent(streams, made, of="written bytes"),
    )
    is_much = any(value >= _LEAST_WARNED_PERCENT for value in values)
    note = Note(text=words, tone="warning" if is_much else "plain")
    return table, _sizes_table(captured, streams, made), note


def _sizes_table(
    captured: Sequence[IoStream], applied: Sequence[IoStream], made: Sequence[IoStream]
) -> Table:
    """Return the mean size of reads and writes in the capture, applied and made."""

    def mean(head: str, streams: Sequence[IoStream]) -> Column:
        return column(
            head, lambda is_read: mean_block_bytes(streams, is_read=is_read), exact_text
        )

    return tabulate(
        (True, False),
        (
            column("IO", lambda is_read: "A read" if is_read else "A write"),
            mean("In the capture [B]", captured),
            mean("To be applied [B]", applied),
            mean("Made by fio [B]", made),
        ),
        caption="Average bytes of an IO",
    )


def _share(shares: Mapping[str, float], name: str) -> str:
    return exact_text(shares[name]) if name in shares else "0"


def steps_table(capture: Capture) -> Table:
    """Return what each step of the capture says."""
    return tabulate(
        capture.steps,
        (
            column("Step", "number"),
            column("Begin [s]", "start_s", exact_text),
            column("Duration", "duration_s", duration_label),
            column("Queue depth", "queue_depth", "{:.4g}".format),
            column("IOs", "ios", "{:,}".format),
            *quantities("iops", "bw_bytes_per_s", number=exact_text),
            column("Streams", lambda step: len(step.streams)),
            column("R/W", _step_mix),
        ),
        caption=f"{count_words(len(capture.steps), 'step')} as captured",
        is_folded=True,
    )


def _step_mix(step: CaptureStep) -> str:
    if not step.ios:
        return "idle"
    percent = measure_kept(step.streams, ()).captured_read_percent
    return NOT_MEASURED if is_missing(percent) else _mix_text(percent)


def _mix_text(read_percent: float) -> str:
    """Return an R/W mix in whole per cent, never 0 or 100 where both are."""
    if 0 < read_percent < 100:
        return mix_label(min(99, max(1, math.floor(read_percent + 0.5))))
    return mix_label(round(read_percent))


def streams_table(frame: pd.DataFrame, names: Mapping[str, str]) -> Table:
    """Return one row a stream that was applied alone."""
    return tabulate(
        frame,
        (
            column("Stream", "test", lambda test: names[test].split(" (")[0]),
            column("Rounds", _rounds),
            column("Steady", _steady),
            *_MEASURED,
        ),
        caption="Each stream alone, from its own purge",
        note="ART is the mean and MRT the maximum of the rounds named: those of the "
        "last window, or all of them where there is none.",
    )


def _rounds(row: Mapping[str, Any]) -> str:
    """Return the rounds behind a row; those between samples do not count."""
    first, last, number = (
        int(row[name]) for name in ("first_round", "last_round", "n_rounds")
    )
    span = f"{first} - {last}" if last > first else f"{first}"
    apart = (last - first) // max(1, number - 1)
    return f"{span}, {number} rounds {apart} apart" if apart > 1 else span


def _steady(row: Mapping[str, Any]) -> str:
    if is_missing(row["is_steady"]):
        return "not judged"
    return "yes" if row["is_steady"] else "NO"


def replay_table(frame: pd.DataFrame) -> Table:
    """Return what each step measured, next to the values of the capture."""
    return tabulate(
        frame,
        (
            column("Step", "step"),
            column("Native QD", "native_queue_depth", exact_text),
            column("OIO", "oio", "{:.0f}".format),
            quantity("iops", "Native IOPS", of="native_iops", number=exact_text),
            quantity("iops", number=exact_text),
            column("/ native", "iops_ratio", exact_text),
            quantity(
                "bw_bytes_per_s",
                "Native MB/s",
                of="native_bw_bytes_per_s",
                number=exact_text,
            ),
            quantity("bw_bytes_per_s", number=exact_text),
            *_RESPONSE_TIMES,
        ),
        caption="Each step, replayed and native, of the applied streams",
    )


def kept_table(frame: pd.DataFrame) -> Table:
    """Return which part of each step is replayed, and what fio adds to it."""
    return tabulate(
        frame,
        (
            column("Step", "step"),
            column("IOs kept [%]", "ios_percent", exact_text),
            column("Bytes kept [%]", "bytes_percent", exact_text),
            column("Written kept [%]", "written_bytes_percent", exact_text),
            column("R/W captured", "captured_read_percent", _mix_text),
            column("R/W applied", "applied_read_percent", _mix_text),
            column("IOs off [%]", "misplaced_ios_percent", exact_text),
            column("Bytes off [%]", "misplaced_bytes_percent", exact_text),
        ),
        caption="Applied streams of each step, compared with all that was captured",
        note="Kept: the share of the applied streams in the IOs, bytes and written "
        "bytes of the step. Off: what fio makes of other streams than the applied "
        "ones.",
    )


def sweep_table(frame: pd.DataFrame) -> Table:
    """Return what each point of the sweep measured."""
    return tabulate(
        frame,
        (
            column("OIO", "oio", "{:,.0f}".format),
            WORKERS,
            *_MEASURED,
        ),
        caption="Each point of the sweep",
        note="ART is the average, MRT the maximum response time.",
    )
