"""Seven published jobs for peak numbers: one table, one page."""

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from ssdlab.model.units import block_size_label
from ssdlab.paper.blocks import Block, Note, Page, Plot
from ssdlab.paper.context import Context
from ssdlab.procedures.facts import procedure_view
from ssdlab.procedures.peak.facts import (
    Job,
    added_options,
    crowded_text,
    find_deviations,
    jobs_that_ran,
    remarks,
    warnings,
)
from ssdlab.procedures.peak.figures import plot_peak_latencies, plot_peak_rates
from ssdlab.procedures.peak.spec import job_phase
from ssdlab.procedures.peak.summary import guide_mb_per_s, summarise_peak_jobs
from ssdlab.pts.shared.headlines import Headline
from ssdlab.reference.hgst import PeakJob, read_hgst_peak_jobs
from ssdlab.text.numbers import number_text
from ssdlab.text.quantities import is_missing
from ssdlab.text.table import (
    UNSUPPORTED_NOTE,
    Table,
    column,
    percentile,
    quantity,
    tabulate,
)

_TITLE = "Seven peak jobs"
_HARD_SPACE = "\N{NO-BREAK SPACE}"
_NOTE = (
    "Latencies in ms. The guide's MB/s are fio's KB/s, which are 1,024 B/s, by 1,024; "
    "the other MB/s are decimal. Both come from the bytes that fio counted; IOs, IOPS "
    "and latencies from its latency histogram. Percentiles are the middle of a bin, at "
    f"most 1.6 % wide, and never above the exact maximum. {UNSUPPORTED_NOTE}"
)
_AS_PUBLISHED = "Every option of the jobs is as published."


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
    measured = {row["job"]: row for row in frame.to_dict("records")}

    def purpose(row: Mapping[str, Any]) -> str:
        job: PeakJob = row["published"]
        if job.number not in measured:
            return job.purpose
        options = ran.get(job.number, {})
        work = _workload_text(row, str(options.get("ioengine", "?")))
        crowded = crowded_text(job, options)
        return "; ".join(filter(None, (f"{job.purpose}: {work}", crowded)))

    nothing = dict.fromkeys(frame.columns)
    return tabulate(
        (
            {"published": job, **measured.get(job.number, nothing)}
            for job in read_hgst_peak_jobs()
        ),
        (
            column("Job", lambda row: row["published"].number),
            column("Purpose: workload, engine, jobs x depth", purpose, is_words=True),
            quantity("iops"),
            column("Guide's MB/s", "bw_bytes_per_s", _guide_text),
            quantity("bw_bytes_per_s"),
            quantity("lat_mean_ns", "Mean"),
            percentile("lat_two_nines_ns", "99 %"),
            percentile("lat_four_nines_ns", "99.99 %"),
            quantity("lat_max_ns", "Max"),
            column("IOs", "total_ios", "{:,}".format),
            column("Run [s]", "runtime_s", number_text),
        ),
        caption="The jobs in their order",
        note=_NOTE,
    )


def _guide_text(bw_bytes_per_s: float) -> str:
    return number_text(guide_mb_per_s(float(bw_bytes_per_s)))


def _workload_text(row: Mapping[str, Any], engine: str) -> str:
    """Return what a job does, such as ``RND 4 KiB write, libaio, 4 x 128``."""
    access, size = str(row["access"]).upper(), int(row["block_size_bytes"])
    direction = "read" if row["read_percent"] else "write"
    load = f"{row['threads']} x {row['queue_depth']}".replace(" ", _HARD_SPACE)
    return f"{access} {block_size_label(size)} {direction}, {engine}, {load}"


def _deviations(context: Context, ran: Mapping[str, Job]) -> Block:
    found = find_deviations(context, ran)
    if not found:
        return Note(text=_AS_PUBLISHED)
    return Table(
        caption="Where this run departs from the published jobs",
        head=("Jobs", "Departure"),
        rows=tuple((", ".join(numbers), words) for words, numbers in found.items()),
        words=(1,),
        note="From the job files that ran; every other option is as published.",
    )


def peak_headlines(context: Context, test: str) -> Iterator[Headline]:
    """Yield the IOPS of each job that was measured, or its throughput if sequential."""
    for row in peak_frame(context, test).to_dict("records"):
        metric = "bw_bytes_per_s" if row["access"] == "seq" else "iops"
        if not is_missing(row[metric]):
            yield Headline(
                test=test,
                metric=metric,
                access=str(row["access"]),
                block_size_bytes=int(row["block_size_bytes"]),
                read_percent=int(row["read_percent"]),
                threads=int(row["threads"]),
                queue_depth=int(row["queue_depth"]),
                value=float(row[metric]),
            )


VIEW = procedure_view(peak_pages, headlines=peak_headlines)
