"""Seven published jobs for peak numbers: one table, one page."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from ssdlab.analysis.peak import guide_mb_per_s, summarise_peak_jobs
from ssdlab.analysis.support_mark import UNSUPPORTED_NOTE, mark_unsupported
from ssdlab.figures.labels import number_text
from ssdlab.figures.peak import plot_peak_latencies, plot_peak_rates
from ssdlab.model.units import block_size_label
from ssdlab.procedures.peak import job_phase
from ssdlab.reference.hgst import PeakJob, read_hgst_peak_jobs
from ssdlab.report.blocks import Block, Note, Page, Plot, Table
from ssdlab.report.context import Context
from ssdlab.report.peak_facts import (
    Job,
    added_options,
    crowded_text,
    find_deviations,
    jobs_that_ran,
    remarks,
    warnings,
)
from ssdlab.report.procedure_facts import procedure_view
from ssdlab.report.text import NOT_MEASURED, is_missing

_TITLE = "Seven peak jobs"
_HARD_SPACE = "\N{NO-BREAK SPACE}"
_HEAD = (
    "Purpose: workload, engine, jobs x depth",
    "IOPS",
    "Guide's MB/s",
    "MB/s",
    "Mean",
    "99 %",
    "99.99 %",
    "Max",
    "IOs",
    "Run [s]",
)
_NOTE = (
    "Latencies in ms. The guide's MB/s are fio's KB/s, which are 1,024 B/s, by 1,024; "
    "the other MB/s are decimal. Both are of the bytes that fio counted; IOs, IOPS and "
    "latencies are of the IOs in its histogram of latencies. Levels are the middle of "
    "one of its bins, at most 1.6 % wide, and no more than the exact maximum. "
    f"{UNSUPPORTED_NOTE}"
)
_AS_PUBLISHED = "Every option of the jobs that ran is as published."


def peak_pages(context: Context, test: str) -> tuple[Page, ...]:
    """Return the one page of the peak jobs."""
    ran = jobs_that_ran(context, test)
    frame = peak_frame(context, test)
    blocks: list[Block] = [_jobs_table(frame, ran)]
    if len(frame):
        blocks += [
            Plot(figure=plot_peak_rates(frame)),
            Plot(figure=plot_peak_latencies(frame)),
        ]
    blocks.append(_deviations(context, ran))
    blocks += [Note(text=text, tone="warning") for text in warnings(context, ran)]
    blocks += [Note(text=text) for text in remarks(context, ran, frame)]
    if added := added_options(ran):
        words = "Added by ssdlab, to read the output and to know the seed"
        blocks.append(Note(text=f"{words}: {', '.join(added)}."))
    return (Page(title=_TITLE, blocks=tuple(blocks)),)


def peak_frame(context: Context, test: str) -> pd.DataFrame:
    """Return the jobs that were measured, with their numbers."""
    numbers = {job_phase(job.number): job.number for job in read_hgst_peak_jobs()}
    totals = context.totals[context.totals["test"] == test]
    frame = summarise_peak_jobs(totals, context.percentiles, context.bins)
    return frame.assign(job=frame["phase"].map(numbers)).dropna(subset=["job"])


def _jobs_table(frame: pd.DataFrame, ran: Mapping[str, Job]) -> Table:
    measured = {str(row["job"]): row for _, row in frame.iterrows()}
    return Table(
        caption="The jobs in their order",
        corner="Job",
        head=_HEAD,
        rows=tuple(
            _row(job, measured.get(job.number), ran.get(job.number, {}))
            for job in read_hgst_peak_jobs()
        ),
        words=(1,),
        note=_NOTE,
    )


def _row(job: PeakJob, row: "pd.Series[Any] | None", ran: Job) -> tuple[str, ...]:
    if row is None:
        nothing = [NOT_MEASURED] * (len(_HEAD) - 1)
        return (job.number, job.purpose, *nothing)
    work = _workload_text(row, str(ran.get("ioengine", "?")))
    return (
        job.number,
        "; ".join(filter(None, (f"{job.purpose}: {work}", crowded_text(job, ran)))),
        _number(row["iops"]),
        _number(guide_mb_per_s(float(row["bw_bytes_per_s"]))),
        _number(row["bw_bytes_per_s"], divisor=1e6),
        _number(row["lat_mean_ns"], divisor=1e6),
        _level(row, "two_nines"),
        _level(row, "four_nines"),
        _number(row["lat_max_ns"], divisor=1e6),
        NOT_MEASURED if is_missing(row["total_ios"]) else f"{row['total_ios']:,}",
        _number(row["runtime_s"]),
    )


def _workload_text(row: "pd.Series[Any]", engine: str) -> str:
    """Return what a job does, such as ``RND 4 KiB write, libaio, 4 x 128``."""
    access, size = str(row["access"]).upper(), int(row["block_size_bytes"])
    direction = "read" if row["read_percent"] else "write"
    load = f"{row['threads']} x {row['queue_depth']}".replace(" ", _HARD_SPACE)
    return f"{access} {block_size_label(size)} {direction}, {engine}, {load}"


def _number(value: Any, *, divisor: float = 1.0) -> str:
    return NOT_MEASURED if is_missing(value) else number_text(float(value) / divisor)


def _level(row: "pd.Series[Any]", name: str) -> str:
    text = _number(row[f"lat_{name}_ns"], divisor=1e6)
    if text == NOT_MEASURED:
        return text
    return mark_unsupported(text, row[f"is_{name}_supported"])


def _deviations(context: Context, ran: Mapping[str, Job]) -> Block:
    found = find_deviations(context, ran)
    if not found:
        return Note(text=_AS_PUBLISHED)
    return Table(
        caption="Where this run departs from the published jobs",
        corner="Jobs",
        head=("Departure",),
        rows=tuple((", ".join(numbers), words) for words, numbers in found.items()),
        words=(1,),
        note="Read off the job files that ran; every other option is as published.",
    )


VIEW = procedure_view(peak_pages)
