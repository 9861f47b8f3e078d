"""The report of a run, made from its blocks."""

from collections.abc import Iterator
from datetime import UTC, datetime

from ssdlab.model.report_fields import TITLES
from ssdlab.model.units import capacity_label, duration_label
from ssdlab.model.version import VERSION
from ssdlab.paper.blocks import Block, Chapter, Note, Page
from ssdlab.paper.context import Context
from ssdlab.paper.html import render_html
from ssdlab.procedures.rwsw.facts import stream_names
from ssdlab.pts.shared.verdict import status_notes
from ssdlab.report.appendix import all_jobs, shown_jobs, steps_table
from ssdlab.report.findings import box_answers, remedy_groups
from ssdlab.report.front import front_pictures, front_sentence, front_tiles
from ssdlab.report.gaps import idle_plot, idle_table, long_gaps_table
from ssdlab.report.header import front_facts, platform_facts, test_columns
from ssdlab.report.host import ceiling_table, host_blocks
from ssdlab.report.purges import purge_blocks
from ssdlab.report.view import headlines_of, overview_of, pages_of, summary_rows
from ssdlab.telemetry.energy_pages import energy_blocks
from ssdlab.telemetry.pages import drive_blocks
from ssdlab.telemetry.stall_pages import stall_blocks


def render_page(context: Context) -> str:
    """Return the whole report as HTML."""
    return render_html(
        "body.html.j2",
        _values(context),
        title=f"{context.record.target.model or 'SSD'}: PTS report",
        jobs=all_jobs(context),
    )


def _values(context: Context) -> dict[str, object]:
    chapters = tuple(_chapters(context))
    headlines = headlines_of(context)
    return {
        "run": context.record,
        "state": context.run.state,
        "spec_version": context.spec_version,
        "kicker": _kicker(context),
        "profile": context.record.asked.name,
        "extent": _extent(context),
        "answers": box_answers(context),
        "answers_of": {
            chapter.test_id: box_answers(context, chapter.test_id)
            for chapter in chapters
        },
        "said": context.run.report_fields,
        "lacking": _lacking(context),
        "report_date": datetime.now(tz=UTC).date().isoformat(),
        "folder": context.run.path.name,
        "notes": status_notes(context),
        "summary": summary_rows(context),
        "tiles": front_tiles(headlines),
        "sentence": front_sentence(context, headlines),
        "pictures": front_pictures(context, headlines),
        "remedies": remedy_groups(context),
        "device": front_facts(context),
        "platform": platform_facts(context),
        "idle": idle_table(context.steps, is_imported=context.is_imported),
        "long_gaps": long_gaps_table(context.steps),
        "idle_plot": idle_plot(context.steps),
        "ceiling": ceiling_table(context),
        "examined": _examined(context),
        "overview": overview_of(context),
        "chapters": chapters,
        "page_count": sum(len(chapter.pages) for chapter in chapters),
        "steps": steps_table(context),
        "jobs": shown_jobs(context),
        "version": VERSION,
    }


def _extent(context: Context) -> str:
    """Return how long IO was done and how much was written, as far as is known."""
    runtime_s = float(context.totals["runtime_s"].sum())
    written = float(context.steps["written_bytes"].sum())
    parts = (
        f"{duration_label(runtime_s)} of IO" if runtime_s else "",
        f"{capacity_label(written)} written" if written else "",
    )
    return ", ".join(filter(None, parts))


def _lacking(context: Context) -> str:
    """Return the required fields that the report of a drive lacks."""
    if context.record.target.is_virtual:
        return ""
    missing = context.run.report_fields.missing
    return ", ".join(TITLES[name].lower().replace("hba", "HBA") for name in missing)


def _examined(context: Context) -> list[tuple[str, str, tuple[Block, ...]]]:
    """Return the pages about drive and host, where there is anything on them."""
    streams = stream_names(context)
    pages = (
        ("purges", "The purges", purge_blocks(context)),
        ("drive", "The drive during the run", drive_blocks(context)),
        ("power", "Power and energy", energy_blocks(context, streams)),
        ("stalls", "Stalls and periods", stall_blocks(context, streams)),
        ("host", "The host", host_blocks(context)),
    )
    return [page for page in pages if page[2]]


def _kicker(context: Context) -> str:
    if context.procedure:
        return f"{context.record.asked.title} · {context.spec_version}"
    return (
        "SNIA Solid State Storage Performance Test Specification · "
        f"{context.spec_version}"
    )


def _chapters(context: Context) -> Iterator[Chapter]:
    for test in context.record.tests:
        yield _chapter(context, test)


def _chapter(context: Context, test: str) -> Chapter:
    pages = pages_of(context, test) if len(context.steps_of(test)) else (_not_begun(),)
    return Chapter(
        test_id=test,
        title=context.title_of(test),
        pts_section=context.test(test).pts_section,
        columns=test_columns(context, test),
        pages=pages,
    )


def _not_begun() -> Page:
    text = "This test was requested but not started."
    return Page(title="Not started", blocks=(Note(text=text, tone="warning"),))
