"""The tables of runs by a capture: ssdlab experimental, not the RWSW standard."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from ssdlab.analysis.streams.capture import share_streams, sum_streams
from ssdlab.analysis.streams.kept import measure_kept
from ssdlab.analysis.streams.mix import (
    expand_mix,
    mean_block_bytes,
    misplaced_percent,
    mix_streams,
)
from ssdlab.model.capture import Capture
from ssdlab.model.spec import IoStream
from ssdlab.model.units import duration_label, mix_label
from ssdlab.procedures.stream_words import count_words, misplaced_words
from ssdlab.report.blocks import Note, Table
from ssdlab.report.text import NOT_MEASURED, exact_text, is_missing

_MIX_NOTE = (
    "One job of fio makes all streams, so that the queue depth is kept. It is told "
    "whole per cent, and sizes either by direction or by access, whichever is nearer "
    "by IOs and by bytes; so streams may appear here that were not to be applied."
)
_LEAST_WARNED_PERCENT = 5.0


def cumulative_table(capture: Capture) -> Table:
    """Return all streams of the whole capture with their shares."""
    counts = sum_streams(capture.steps)
    running = 0.0
    rows: list[tuple[str, ...]] = []
    for count, stream in zip(counts, share_streams(counts), strict=True):
        running += stream.share_percent
        kept = measure_kept(counts, [stream])
        shares = (stream.share_percent, running, kept.bytes_percent)
        written = "" if count.is_read else exact_text(kept.written_bytes_percent)
        cells = (*map(exact_text, shares), written)
        rows.append((stream.label, f"{count.ios:,}", *cells))
    return Table(
        caption=f"{count_words(len(rows), 'stream')} of {capture.name}",
        corner="IO stream",
        head=(
            *("IOs", "Share of IOs [%]", "Running [%]", "Share of bytes [%]"),
            "Share of written bytes [%]",
        ),
        rows=tuple(rows),
        note="A stream is a size, RND or SEQ, read or write. Streams are chosen by "
        "their share of IOs.",
    )


def applied_table(
    capture: Capture, streams: Sequence[IoStream]
) -> tuple[Table, Table, Note]:
    """Return the applied test workload, and what one job of fio makes of it."""
    made = expand_mix(mix_streams(streams))
    captured = share_streams(sum_streams(capture.steps))
    all_of = {stream.label: stream.share_percent for stream in captured}
    wanted = {stream.label: stream.share_percent for stream in streams}
    found = {stream.label: stream.share_percent for stream in made}
    labels = dict.fromkeys([*wanted, *found])
    rows = tuple(
        (name, *(_share(shares, name) for shares in (all_of, wanted, found)))
        for name in labels
    )
    count = count_words(len(streams), "stream")
    table = Table(
        caption=f"Applied test workload: {count}, made to 100 % of IOs",
        corner="IO stream",
        head=("In the capture [%]", "To be applied [%]", "Made by fio [%]"),
        rows=rows,
    )
    words = (
        f"{_MIX_NOTE} {misplaced_words([(streams, made)])} are of another stream than "
        f"the applied ones would have them. Against all of the capture, "
        f"{misplaced_words([(captured, made)])} are: that counts what is not applied."
    )
    values = (
        misplaced_percent(streams, made),
        misplaced_percent(streams, made, of="bytes"),
        misplaced_percent(streams, made, of="written bytes"),
    )
    is_much = any(value >= _LEAST_WARNED_PERCENT for value in values)
    note = Note(text=words, tone="warning" if is_much else "plain")
    return table, _sizes_table((captured, streams, made)), note


def _sizes_table(workloads: Sequence[Sequence[IoStream]]) -> Table:
    """Return the mean size of reads and writes in the capture, applied and made."""
    rows = tuple(
        (name, *(_number(mean_block_bytes(w, is_read=is_read)) for w in workloads))
        for name, is_read in (("A read", True), ("A write", False))
    )
    return Table(
        caption="Bytes of an IO on the average",
        corner="IO",
        head=("In the capture [B]", "To be applied [B]", "Made by fio [B]"),
        rows=rows,
    )


def _share(shares: Mapping[str, float], name: str) -> str:
    return exact_text(shares[name]) if name in shares else "0"


def steps_table(capture: Capture) -> Table:
    """Return what each step of the capture says."""
    rows = tuple(
        (
            str(step.number),
            exact_text(step.start_s),
            duration_label(step.duration_s),
            _depth(step.queue_depth),
            f"{step.ios:,}",
            exact_text(step.iops),
            exact_text(step.bw_bytes_per_s / 1e6),
            str(len(step.streams)),
            _mix_text(measure_kept(step.streams, ()).captured_read_percent)
            if step.ios
            else "idle",
        )
        for step in capture.steps
    )
    return Table(
        caption=f"{count_words(len(rows), 'step')} as captured",
        corner="Step",
        head=(
            *("Begin [s]", "Duration", "Queue depth", "IOs", "IOPS", "MB/s"),
            *("Streams", "R/W"),
        ),
        rows=rows,
        is_folded=True,
    )


def _mix_text(read_percent: float) -> str:
    """Return an R/W mix in whole per cent, never 0 or 100 where both are."""
    if is_missing(read_percent):
        return NOT_MEASURED
    if 0 < read_percent < 100:
        return mix_label(min(99, max(1, math.floor(read_percent + 0.5))))
    return mix_label(round(read_percent))


def _depth(depth: float | None) -> str:
    return NOT_MEASURED if depth is None else f"{depth:.4g}"


def streams_table(frame: pd.DataFrame, names: Mapping[str, str]) -> Table:
    """Return one row a stream that was applied alone."""
    rows = tuple(
        (
            names[str(row["test"])].split(" (")[0],
            _rounds(row),
            "not judged" if is_missing(row["is_steady"]) else _steady(row["is_steady"]),
            *(
                _number(row[name], divisor)
                for name, divisor in (
                    ("iops", 1.0),
                    ("bw_bytes_per_s", 1e6),
                    ("lat_mean_ns", 1e6),
                    ("lat_max_ns", 1e6),
                )
            ),
        )
        for _, row in frame.iterrows()
    )
    return Table(
        caption="Each stream alone, from its own purge",
        corner="Stream",
        head=(
            "Rounds",
            "Steady",
            "IOPS",
            "MB/s",
            "ART [ms]",
            "MRT [ms]",
        ),
        rows=rows,
        note="ART is the mean and MRT the maximum of the rounds named: those that the "
        "last window judged, or all of them where there is none.",
    )


def _rounds(row: "pd.Series[Any]") -> str:
    """Return the rounds behind a row; those between samples do not count."""
    first, last, number = (
        int(row[name]) for name in ("first_round", "last_round", "n_rounds")
    )
    span = f"{first} - {last}" if last > first else f"{first}"
    apart = (last - first) // max(1, number - 1)
    return f"{span}, {number} rounds {apart} apart" if apart > 1 else span


def _steady(is_steady: Any) -> str:
    return "yes" if is_steady else "NO"


def replay_table(frame: pd.DataFrame) -> Table:
    """Return what each step measured beside the values of the capture."""
    rows = tuple(
        (
            str(row["step"]),
            _number(row["native_queue_depth"], 1.0),
            NOT_MEASURED if is_missing(row["oio"]) else str(int(row["oio"])),
            _number(row["native_iops"], 1.0),
            _number(row["iops"], 1.0),
            _number(row["iops_ratio"], 1.0),
            _number(row["native_bw_bytes_per_s"], 1e6),
            _number(row["bw_bytes_per_s"], 1e6),
            _number(row["lat_mean_ns"], 1e6),
            _number(row["lat_max_ns"], 1e6),
        )
        for _, row in frame.iterrows()
    )
    return Table(
        caption="Each step, replayed and native, of the applied streams",
        corner="Step",
        head=(
            *("Native QD", "OIO", "Native IOPS", "IOPS", "By native"),
            *("Native MB/s", "MB/s", "ART [ms]", "MRT [ms]"),
        ),
        rows=rows,
    )


def kept_table(frame: pd.DataFrame) -> Table:
    """Return which part of each step is replayed, and what fio makes beside it."""
    shares = ("ios_percent", "bytes_percent", "written_bytes_percent")
    off = ("misplaced_ios_percent", "misplaced_bytes_percent")
    rows = tuple(
        (
            str(row["step"]),
            *(_number(row[name]) for name in shares),
            _mix_text(row["captured_read_percent"]),
            _mix_text(row["applied_read_percent"]),
            *(_number(row[name]) for name in off),
        )
        for _, row in frame.iterrows()
    )
    return Table(
        caption="Applied streams of each step beside all that was captured",
        corner="Step",
        head=(
            *("IOs kept [%]", "Bytes kept [%]", "Written kept [%]"),
            *("R/W captured", "R/W applied"),
            *("IOs off [%]", "Bytes off [%]"),
        ),
        rows=rows,
        note="Kept is what the applied streams are of the step: of its IOs, bytes and "
        "written bytes. Off is what fio makes of other streams than the applied ones.",
    )


def sweep_table(frame: pd.DataFrame) -> Table:
    """Return what each point of the sweep measured."""
    rows = tuple(
        (
            f"{int(row['oio']):,}",
            f"T{row['threads']}/Q{row['queue_depth']}",
            _number(row["iops"], 1.0),
            _number(row["bw_bytes_per_s"], 1e6),
            _number(row["lat_mean_ns"], 1e6),
            _number(row["lat_max_ns"], 1e6),
        )
        for _, row in frame.iterrows()
    )
    return Table(
        caption="Each point of the sweep",
        corner="OIO",
        head=("TC/QD", "IOPS", "MB/s", "ART [ms]", "MRT [ms]"),
        rows=rows,
        note="ART is the average, MRT the maximum response time.",
    )


def _number(value: Any, divisor: float = 1.0) -> str:
    return NOT_MEASURED if is_missing(value) else exact_text(float(value) / divisor)
