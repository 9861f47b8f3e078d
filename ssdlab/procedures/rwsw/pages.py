"""Runs by a capture of IO streams: ssdlab experimental, not the RWSW standard."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

import pandas as pd

from ssdlab.model.capture import EXPERIMENTAL, Capture
from ssdlab.model.spec import Workload
from ssdlab.paper.blocks import Block, Note, Page, Plot
from ssdlab.paper.context import Context
from ssdlab.procedures.rwsw.facts import (
    capture_of,
    stream_set_up,
    stream_stimulus,
    workloads_of,
)
from ssdlab.procedures.rwsw.figures import (
    plot_oio_intensity,
    plot_oio_sweep,
    plot_replay,
    plot_stream_map,
)
from ssdlab.procedures.rwsw.tables import (
    applied_table,
    cumulative_table,
    kept_table,
    replay_table,
    steps_table,
    streams_table,
    sweep_table,
)
from ssdlab.procedures.rwsw.words import AppliedPart, kept_note, loss_notes
from ssdlab.pts.custom.summary import summarise_workloads
from ssdlab.pts.shared.outcome import procedure_outcome
from ssdlab.pts.shared.steady import window_pages
from ssdlab.pts.shared.verdict import windows_summary
from ssdlab.pts.shared.view import View
from ssdlab.pts.wsat.figures import plot_saturation, plot_saturation_latency
from ssdlab.pts.wsat.summary import summarise_saturation
from ssdlab.pts.wsat.tables import ends_table, rounds_table
from ssdlab.streams.extents import sum_streams, tabulate_capture
from ssdlab.streams.kept import streams_of
from ssdlab.streams.replay import summarise_replay, summarise_sweep
from ssdlab.telemetry.strip import strip_under_io
from ssdlab.text.quantities import span_s, time_quantity

_SATURATION = "saturation"
_NO_ROUND = Note(text="No round was finished.", tone="warning")
_NO_POINT = Note(text="None of its points was finished.", tone="warning")
_KNEE_NOTE = Note(
    text="Points of every OIO from high to low. The knee is the point farthest below "
    "the line between the ends of the efficient points; it is a reading aid."
)
_REPLAY_NOTE = Note(
    text="Native values are those of the applied streams alone in the capture, on its "
    "drive and host: their IOs per time, and MB/s from their sizes. The native QD "
    "is that of all streams. The replay keeps the OIO of a step outstanding at all "
    "times, so it runs as fast as the drive allows, not as fast as the captured "
    "software asked; some of its IOs belong to other streams than those applied, "
    "as the table of replayed streams shows."
)


def _view(own: Callable[[Context, str], Iterator[Page]]) -> View:
    """Return how a test of an experimental procedure is shown."""

    def pages(context: Context, test: str) -> tuple[Page, ...]:
        """Return its pages; those of the capture come before the first test."""
        is_first = context.record.tests[0] == test
        before = tuple(_capture_pages(context, test)) if is_first else ()
        return tuple(map(_named, (*before, *own(context, test))))

    return View(
        pages=pages,
        set_up=stream_set_up,
        stimulus=stream_stimulus,
        summary=windows_summary,
        outcome=procedure_outcome,
    )


def _named(page: Page) -> Page:
    """Return a page whose title says that it is experimental."""
    return replace(page, plot_id="", title=f"{page.title} ({EXPERIMENTAL})")


def _capture_pages(context: Context, test: str) -> Iterator[Page]:
    capture = capture_of(context)
    if capture is None:
        note = Note(text="The record of the run lacks the capture.", tone="warning")
        yield Page(title="IO stream map", blocks=(note,))
        return
    yield Page(title="IO stream map", blocks=(_map(capture), steps_table(capture)))
    blocks: tuple[Block, ...] = (cumulative_table(capture),)
    workloads = workloads_of(context)
    applied = workloads.get((test, _SATURATION))
    if applied is not None and applied.streams:
        blocks = (*blocks, *applied_table(capture, applied.streams))
    saturating = [
        stream
        for (_, phase), workload in workloads.items()
        if phase == _SATURATION
        for stream in streams_of(workload)
    ]
    if saturating:
        counts = sum_streams(capture.steps)
        part = AppliedPart(counts=counts, streams=saturating)
        blocks = (*blocks, *_kept_notes([part]))
    yield Page(title="Cumulative workload", blocks=blocks)


def _kept_notes(parts: list[AppliedPart]) -> tuple[Note, ...]:
    """Say which part is applied, and warn about what is left out."""
    losses = (Note(text=text, tone="warning") for text in loss_notes(parts))
    return (Note(text=kept_note(parts)), *losses)


def _map(capture: Capture) -> Plot:
    last = capture.steps[-1]
    figure = plot_stream_map(
        tabulate_capture(capture), duration_s=last.start_s + last.duration_s
    )
    return Plot(figure=figure)


def _wsat_pages(context: Context, test: str) -> Iterator[Page]:
    frame = summarise_saturation(
        context.totals, context.steps, percentiles=context.percentiles, test=test
    )
    if frame.empty:
        yield Page(title="IOPS vs time", blocks=(_NO_ROUND,))
        return
    workload = workloads_of(context).get((test, _SATURATION))
    label = workload.label if workload else ""
    name = " · ".join(filter(None, (label, EXPERIMENTAL)))
    time = plot_saturation(frame, x="time_s", stimulus=name)
    fills = plot_saturation_latency(frame, x="drive_fills", stimulus=name)
    unit = time_quantity(span_s(frame))
    strip = strip_under_io(context, time, test=test, unit=unit)
    yield Page(title="IOPS vs time", blocks=(strip, ends_table(context, frame)))
    yield Page(
        title="Response times and IOPS vs drive fills",
        blocks=(Plot(figure=fills), rounds_table(frame)),
    )
    yield from window_pages(context, test, phase=_SATURATION)


def _individual_pages(context: Context, test: str) -> Iterator[Page]:
    if context.record.tests[0] == test:
        tests = context.record.tests
        frames = [_summary_of_stream(context, name) for name in tests]
        frame = pd.concat([frame for frame in frames if len(frame)] or [pd.DataFrame()])
        blocks: tuple[Block, ...] = (_NO_ROUND,)
        if not frame.empty:
            names = {name: context.title_of(name) for name in tests}
            blocks = (streams_table(frame, names),)
        yield Page(title="Table across streams", blocks=blocks)
    yield from _wsat_pages(context, test)


def _summary_of_stream(context: Context, test: str) -> pd.DataFrame:
    frame = summarise_workloads(
        context.totals,
        context.windows,
        percentiles=context.percentiles,
        bins=context.bins,
        test=test,
    )
    return frame.assign(test=test)


def _replay_pages(context: Context, test: str) -> Iterator[Page]:
    title = "Replay of the steps"
    capture = capture_of(context)
    frame = pd.DataFrame()
    applied = _replayed_steps(context, test)
    if capture is not None:
        own = context.totals[context.totals["test"] == test]
        frame = summarise_replay(own, capture, applied=applied)
    if capture is None or frame.empty or not frame["iops"].notna().any():
        yield Page(title=title, blocks=(_NO_POINT,))
        return
    yield Page(
        title=f"{title}: IOPS",
        blocks=(Plot(figure=plot_replay(frame)), _REPLAY_NOTE, replay_table(frame)),
    )
    parts = [
        AppliedPart(
            counts=step.streams,
            streams=streams_of(applied[step.number]),
            step=step.number,
        )
        for step in capture.busy_steps
        if step.number in applied
    ]
    notes = _kept_notes(parts) if parts else ()
    yield Page(
        title="Part of each step that is replayed", blocks=(*notes, kept_table(frame))
    )
    rate = plot_replay(frame, metric="bw_bytes_per_s", native="native_bw_bytes_per_s")
    average = plot_replay(frame, metric="lat_mean_ns", native="")
    most = plot_replay(frame, metric="lat_max_ns", native="")
    yield Page(title=f"{title}: MB/s", blocks=(Plot(figure=rate),))
    yield Page(
        title=f"{title}: response times",
        blocks=(
            Plot(figure=average),
            Plot(figure=most),
            Note(text="The capture has no response times."),
        ),
    )


def _replayed_steps(context: Context, test: str) -> dict[int, Workload]:
    """Return what was to be applied in each step, by its number."""
    return {
        int(found[1]): workload
        for (held, phase), workload in workloads_of(context).items()
        if held == test and (found := re.fullmatch(r"step-(\d+)", phase))
    }


def _sweep_pages(context: Context, test: str) -> Iterator[Page]:
    yield from _wsat_pages(context, test)
    frame = summarise_sweep(context.totals[context.totals["test"] == test])
    if frame.empty:
        yield Page(title="OIO sweep", blocks=(_NO_POINT,))
        return
    yield Page(
        title="OIO sweep",
        blocks=(Plot(figure=plot_oio_sweep(frame)), sweep_table(frame)),
    )
    yield Page(
        title="Demand intensity",
        blocks=(Plot(figure=plot_oio_intensity(frame)), _KNEE_NOTE),
    )


SATURATION = _view(_wsat_pages)
STREAMS = _view(_individual_pages)
REPLAY = _view(_replay_pages)
SWEEP = _view(_sweep_pages)
