"""The page of the drive: its health before, after, and in each test."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ssdlab.model.errors import RunFolderError
from ssdlab.model.telemetry import (
    HEALTH_READINGS,
    LINK_READINGS,
    MEDIA_ERRORS,
    TEMPERATURE,
    THROTTLED,
    Reading,
    most_of,
)
from ssdlab.model.units import capacity_label, duration_label
from ssdlab.paper.blocks import Block, Note, Plot
from ssdlab.paper.context import Context
from ssdlab.stats.phases import phase_label
from ssdlab.telemetry.amplification import ALL_PHASES, summarise_amplification
from ssdlab.telemetry.figures import plot_drive_health
from ssdlab.telemetry.strip import read_drive_telemetry
from ssdlab.telemetry.summary import (
    compare_written,
    select_drive,
    spans_of_tests,
    summarise_health,
    summarise_reading_cost,
)
from ssdlab.telemetry.trace import trace_drive, wall_clock
from ssdlab.telemetry.wear import summarise_wear
from ssdlab.text.numbers import NOT_MEASURED, seconds_text
from ssdlab.text.table import Table, column, tabulate

Rows = Mapping[Any, Mapping[Any, Any]]
_BY_NAME = {one.name: one for one in HEALTH_READINGS}
_UNKNOWN = "unknown"
_SILENT = (
    "The health of the drive was never read, or not reported: temperature, throttling, "
    "wear and errors are unknown."
)
_ENDS_NOTE = (
    "Before and after are the first and the last reading of the run, from the drive's "
    "own log. Counters cover the life of the drive. Unknown: the drive does not report "
    "it, or this user may not read it."
)
_WEAR_NOTE = (
    "The drive tells the rated life used in whole per cent, so a test's is known to "
    "one. Left: what hosts can write until it is 100 %, if they write as in "
    "that test; a drive may last longer than its rated life."
)
AMPLIFICATION_NOTE = (
    "Bytes written to the media over bytes written by the host, both as the drive, or "
    "the virtual SSD, counts them at the same times; purges are left out. Least to "
    "most: as far as the units of the counters allow."
)
_TESTS_HEAD = (
    "Readings",
    "Temperature [°C]",
    "Throttled",
    "Drive counted",
    "fio wrote",
    "Errors",
    "Time to read",
)
_TESTS_NOTE = (
    "Temperature: least, mean and greatest. Drive counted: bytes written from the "
    "first change of its counter in the test to the last; fio wrote: in the same time, "
    "as a check that both mean the same drive. Errors are media errors. Time to read: "
    "one reading of its health, on average, and all of them as a share of the test."
)


def drive_blocks(context: Context) -> tuple[Block, ...]:
    """Return what the drive said during the run; nothing where there is none."""
    return (
        *_health_blocks(context),
        *_wear_blocks(context),
        *_amplification_blocks(context),
    )


def _wear_blocks(context: Context) -> Iterator[Block]:
    """Yield the rated life that each test used, where the drive tells it."""
    telemetry = read_drive_telemetry(context)
    if telemetry is None or context.steps.empty:
        return
    found = summarise_wear(telemetry, context.steps)
    if found.empty:
        return
    yield tabulate(
        found.to_dict("records"),
        (
            column("Test", lambda row: _test_name(context, row), is_words=True),
            column("Host wrote", "host_bytes", capacity_label),
            column("Rated life used", _used_text),
            column("Used in all", "worn_percent", "{:g} %".format),
            column("Left, written like that", _left_text),
        ),
        caption="Wear",
        note=_WEAR_NOTE,
    )


def _test_name(context: Context, row: Mapping[Any, Any]) -> str:
    return context.name_of(row["test"]) if row["test"] else "the whole run"


def _used_text(row: Mapping[Any, Any]) -> str:
    low, high = row["used_low"], row["used_high"]
    return f"{low:g} to {high:g} %" if low else f"up to {high:g} %"


def _left_text(row: Mapping[Any, Any]) -> str | None:
    """Return the bytes until the rated life is used up; none if nothing was written."""
    low, high = row["left_low_bytes"], row["left_high_bytes"]
    if not row["host_bytes"]:
        return None
    if not math.isfinite(high):
        return f"at least {capacity_label(low)}"
    return f"{capacity_label(low)} to {capacity_label(high)}"


def _amplification_blocks(context: Context) -> Iterator[Block]:
    """Yield the write amplification of each test and phase, as far as it is told."""
    if context.is_imported or context.steps.empty:
        return
    try:
        telemetry = context.run.telemetry
    except RunFolderError:  # it is not there yet, or the block above has said why
        return
    frame = summarise_amplification(telemetry, context.steps)
    drive = context.record.drive
    if len(frame):
        yield _amplification_table(context, frame)
    elif drive is not None and drive.bus != "loop":
        yield Note(text="Write amplification: not told by the drive.")


def _amplification_table(context: Context, frame: pd.DataFrame) -> Table:
    several = frame.groupby("test")["phase"].nunique() > 2
    shown = frame[(frame["phase"] == ALL_PHASES) | frame["test"].map(several)]
    return tabulate(
        shown,
        (
            column("Test", lambda row: context.name_of(row["test"]), is_words=True),
            column("Phase", _phase_name, is_words=True),
            column("Host wrote", "host_bytes", capacity_label),
            column("Media wrote", "media_bytes", capacity_label),
            column("Write amplification", "amplification", "{:.2f}".format),
            column("Least to most", amplification_ends),
        ),
        caption="Write amplification",
        note=AMPLIFICATION_NOTE,
    )


def _phase_name(row: Mapping[str, Any]) -> str:
    return phase_label(row["phase"]) or "all phases"


def amplification_ends(row: Mapping[Any, Any]) -> str | None:
    """Return the least and the greatest ratio that the counters allow, in words."""
    low, high = row["amplification_low"], row["amplification_high"]
    if math.isnan(low):
        return None
    return f"{low:.2f} to {high:.2f}" if math.isfinite(high) else f"from {low:.2f}"


def _health_blocks(context: Context) -> tuple[Block, ...]:
    """Return the health of the drive during the run; nothing where there is none."""
    telemetry = read_drive_telemetry(context)
    drive = context.record.drive
    if telemetry is None or context.steps.empty:
        return ()
    own = select_drive(telemetry)
    reported = set(own["name"])
    is_silent = not reported & {one.name for one in HEALTH_READINGS}
    is_real = drive is not None and drive.bus != "loop"
    notes = (Note(text=_SILENT, tone="warning"),) if is_silent and is_real else ()
    if is_silent and not reported & {one.name for one in LINK_READINGS}:
        return notes
    return (
        *notes,
        *_whole_run(context, telemetry),
        _ends_table(own),
        *_tests_tables(context, telemetry),
    )


def _whole_run(context: Context, telemetry: pd.DataFrame) -> Iterator[Plot]:
    trace = trace_drive(telemetry, wall_clock(context.steps))
    if trace is None:
        return
    first_s = float(context.steps["started_s"].min())
    spans = [
        (context.name_of(test), begin_s - first_s, end_s - first_s)
        for test, begin_s, end_s in spans_of_tests(context.steps)
    ]
    yield Plot(figure=plot_drive_health(trace, spans))


def _ends_table(own: pd.DataFrame) -> Table:
    """Return the readings of the drive before and after the run."""
    ends = own.groupby("name")["value"].agg(["first", "last"]).to_dict("index")
    rows = [_ends_row(ends, reading) for reading in HEALTH_READINGS]
    rows += [_link_row(own, reading) for reading in LINK_READINGS]
    return Table(
        caption="Before and after",
        head=("Reading of the drive", "Before", "After", "Change"),
        rows=tuple(rows),
        note=_ENDS_NOTE,
    )


def _ends_row(ends: Rows, reading: Reading) -> tuple[str, ...]:
    if reading.name not in ends:
        return (reading.words, _UNKNOWN, _UNKNOWN, NOT_MEASURED)
    first, last = (float(ends[reading.name][end]) for end in ("first", "last"))
    texts = (_value_text(first, reading), _value_text(last, reading))
    return (reading.words, *texts, _change_text(first, last, reading))


def _change_text(first: float, last: float, reading: Reading) -> str:
    if reading.kind == "state":
        return NOT_MEASURED
    if last == first:
        return "none"
    if last < first and reading.kind == "counter":
        return "restarted"
    sign = "-" if last < first else "+"
    return f"{sign}{_value_text(abs(last - first), reading)}"


def _value_text(value: float, reading: Reading) -> str:
    if reading.kind == "state":
        return "yes" if value else "no"
    match reading.unit:
        case "B":
            return capacity_label(value)
        case "s":
            return duration_label(value) if value > 0 else "none"
        case unit:
            return f"{value:,.6g} {unit}".strip()


def _link_row(own: pd.DataFrame, reading: Reading) -> tuple[str, ...]:
    """Return the state of its link, and its capability; a dip between is a change."""
    values = own.loc[own["name"] == reading.name, "value"]
    most = own.loc[own["name"] == most_of(reading), "value"]
    words = (
        f"{reading.words}; capable of {most.iloc[-1]:g}" if len(most) else reading.words
    )
    if values.empty:
        return (words, _UNKNOWN, _UNKNOWN, NOT_MEASURED)
    first, last, least = map(float, (values.iloc[0], values.iloc[-1], values.min()))
    texts = (_value_text(value, reading) for value in (first, last))
    change = _change_text(first, last, reading)
    dip = "" if least >= min(first, last) else f"; at times {least:g}"
    return (words, *texts, f"{change}{dip}")


def _tests_tables(context: Context, telemetry: pd.DataFrame) -> Iterator[Block]:
    health = summarise_health(telemetry, context.steps)
    compared = _Compared(
        written=_by_test(compare_written(telemetry, context.steps)),
        cost=_by_test(summarise_reading_cost(health, context.steps)),
    )
    rows = tuple(
        (context.title_of(str(test)), *_test_cells(str(test), readings, compared))
        for test, readings in health.groupby("test", sort=False)
    )
    if not rows:
        yield Note(text="No test was long enough for a reading of its health.")
        return
    yield Table(
        caption="During each test",
        head=("Test", *_TESTS_HEAD),
        rows=rows,
        note=_TESTS_NOTE,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Compared:
    """What is known of each test compareds its readings."""

    written: Rows
    cost: Rows


def _by_test(frame: pd.DataFrame) -> Rows:
    return frame.set_index("test").to_dict("index")


def _test_cells(
    test: str, readings: pd.DataFrame, compared: _Compared
) -> tuple[str, ...]:
    named = readings.set_index("name")
    counted = wrote = took = NOT_MEASURED
    if test in compared.written:
        row = compared.written[test]
        counted, wrote = (
            capacity_label(float(row[name])) for name in ("counted_bytes", "fio_bytes")
        )
    if test in compared.cost:
        mean_s = float(compared.cost[test]["read_mean_s"])
        percent = float(compared.cost[test]["read_percent"])
        took = f"{seconds_text(mean_s)}; {percent:.2g} %"
    return (
        f"{int(named['n_readings'].max()):,}",
        _temperature_text(named),
        _rise_text(named, _BY_NAME[THROTTLED]),
        counted,
        wrote,
        _rise_text(named, _BY_NAME[MEDIA_ERRORS]),
        took,
    )


def _temperature_text(named: pd.DataFrame) -> str:
    if TEMPERATURE not in named.index:
        return _UNKNOWN
    row = named.loc[TEMPERATURE]
    return f"{row['minimum']:g} / {row['mean']:.3g} / {row['maximum']:g}"


def _rise_text(named: pd.DataFrame, reading: Reading) -> str:
    if reading.name not in named.index:
        return _UNKNOWN
    rise = float(named["rise"][reading.name])
    return NOT_MEASURED if math.isnan(rise) else _value_text(rise, reading)
