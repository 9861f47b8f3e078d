"""Blocks to one self-contained HTML page: no request leaves it."""

import base64
import gzip
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

import orjson
from jinja2 import Environment, PackageLoader, StrictUndefined

from ssdlab.figures.labels import CONFIG
from ssdlab.model.version import VERSION
from ssdlab.report.appendix import all_jobs, shown_jobs, steps_table
from ssdlab.report.blocks import Chapter, Note, Page, Plot, Table
from ssdlab.report.context import Context
from ssdlab.report.gaps import idle_plot, idle_table
from ssdlab.report.header import device_facts, platform_facts, test_columns
from ssdlab.report.sections import PAGES, PTS_SECTIONS
from ssdlab.report.text import TEST_TITLES, when_text
from ssdlab.report.verdict import departures, status_notes, summary_rows


@dataclass(slots=True)
class _Figures:
    """The figures of a page in the order they are met; each gets a place."""

    specs: list[dict[str, Any]] = field(default_factory=list)

    def place(self, plot: Plot) -> dict[str, object]:
        """Keep a figure and return what the template needs of it."""
        spec = orjson.loads(plot.figure.to_json())
        title = spec["layout"].pop("title", {})
        spec["layout"].setdefault("margin", {})["t"] = 26
        self.specs.append(spec)
        return {
            "number": len(self.specs) - 1,
            "title": title.get("text", ""),
            "subtitle": title.get("subtitle", {}).get("text", ""),
            "height": spec["layout"]["height"],
        }


def render_page(context: Context) -> str:
    """Return the whole report as HTML."""
    figures = _Figures()
    environment = Environment(
        loader=PackageLoader("ssdlab.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["place"] = figures.place
    environment.filters["when"] = when_text
    environment.tests |= {
        "table": lambda block: isinstance(block, Table),
        "plot": lambda block: isinstance(block, Plot),
        "note": lambda block: isinstance(block, Note),
    }
    body = environment.get_template("body.html.j2").render(**_values(context))
    page = environment.get_template("page.html.j2")
    return page.render(
        title=f"{context.record.target.model or 'SSD'}: PTS report",
        body=body,
        plotly=_packed(_plotly_source()),
        figures=_packed(orjson.dumps(figures.specs)),
        jobs=_packed(orjson.dumps(all_jobs(context))),
        config=_packed(orjson.dumps(dict(CONFIG))),
    )


def _values(context: Context) -> dict[str, object]:
    chapters = tuple(_chapters(context))
    return {
        "run": context.record,
        "state": context.run.state,
        "spec_version": context.spec_version,
        "profile": str(context.record.profile.get("name", "")),
        "departures": departures(context),
        "notes": status_notes(context),
        "summary": summary_rows(context),
        "device": device_facts(context),
        "platform": platform_facts(context),
        "idle": idle_table(context.steps, is_imported=context.is_imported),
        "idle_plot": idle_plot(context.steps),
        "chapters": chapters,
        "page_count": sum(len(chapter.pages) for chapter in chapters),
        "steps": steps_table(context),
        "jobs": shown_jobs(context),
        "version": VERSION,
    }


def _chapters(context: Context) -> Iterator[Chapter]:
    for test in context.record.tests:
        make_pages = PAGES.get(test)
        if make_pages is None:
            continue
        pages = make_pages(context) if len(context.steps_of(test)) else (_not_begun(),)
        yield Chapter(
            test_id=test,
            title=TEST_TITLES[test],
            pts_section=PTS_SECTIONS[test],
            columns=test_columns(context, test),
            pages=pages,
        )


def _not_begun() -> Page:
    text = "This test was asked for and not begun."
    return Page(title="Not begun", blocks=(Note(text=text, tone="warning"),))


def _packed(content: bytes) -> str:
    """Return bytes as text that holds no character of HTML."""
    return base64.b64encode(gzip.compress(content, 9, mtime=0)).decode()


def _plotly_source() -> bytes:
    return files("plotly").joinpath("package_data", "plotly.min.js").read_bytes()
