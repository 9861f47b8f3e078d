"""Blocks and the pages of a report as outputs of a notebook cell."""

import os
from collections.abc import Callable, Iterable
from functools import partial
from html import escape
from typing import TYPE_CHECKING

from ssdlab.compare.comparison import Comparison
from ssdlab.compare.pages import TOPICS, comparison_page
from ssdlab.fleet.fleet import Fleet
from ssdlab.fleet.pages import TOPICS as FLEET_TOPICS
from ssdlab.fleet.pages import fleet_page
from ssdlab.model.spec import label_of_test
from ssdlab.paper.blocks import Block, Note, Page, Plot
from ssdlab.paper.context import Context, read_context
from ssdlab.paper.html import render_part
from ssdlab.plots.figure import figure_json
from ssdlab.pts.shared.verdict import status_notes
from ssdlab.pts.suite import CATALOG
from ssdlab.report import write_report
from ssdlab.report.findings import AnswerBox, FindingGroup, box_answers
from ssdlab.report.front import front_pictures, front_sentence, front_tiles
from ssdlab.report.view import headlines_of, overview_of, pages_of, summary_rows
from ssdlab.store.run import Run
from ssdlab.text.table import Table

if TYPE_CHECKING:
    import plotly.graph_objects as go

_PLOTLY = "application/vnd.plotly.v1+json"
_STYLE = """<style>
.ssdlab .note.warning, .ssdlab .note.good { padding: 0.4em 0.8em }
.ssdlab .note.warning {
  border-left: 4px solid #c98500; background: #fff6e0; color: #5c3d00;
}
.ssdlab .note.headline { font-size: 1.25em; font-weight: 600 }
.ssdlab .note.good {
  border-left: 4px solid #1c6b3c; background: #e9f5ee; color: #14512d;
}
</style>"""
_TILE_STYLE = """<style>
.ssdlab .tiles {
  display: grid; gap: 0.5em; max-width: 62em;
  grid-template-columns: repeat(auto-fill, minmax(13em, 1fr));
}
.ssdlab .tile { background: #f3f6fa; color: #1c2530; padding: 0.4em 0.8em }
.ssdlab .tile h2 { margin: 0; font-size: 0.9em }
.ssdlab .tile p { margin: 0 }
.ssdlab .tile .number { font-size: 1.5em; font-weight: 700; color: #0b3c5d }
.ssdlab .tile span, .ssdlab .tile em { font-size: 0.65em; font-style: normal }
.ssdlab .tile h2 span { font-size: 0.9em; font-weight: 400 }
.ssdlab .tile .interval, .ssdlab .tiles .aside { font-size: 0.85em; color: #5a6875 }
.ssdlab .tiles .aside { grid-column: 1 / -1; margin: 0 }
</style>"""
_HEAD = ("Test", "Tracking variable", "First round", "Steady", "Rounds", "Verdict")


def show_overview(run: Run) -> None:
    """Show in a notebook what a run found, key results first, and the doubts.

    Parameters
    ----------
    run : Run
        The run, as `ssdlab.open_run` returns it.

    Examples
    --------
    >>> ssdlab.show_overview(run)  # doctest: +SKIP
    """
    context = read_context(run)
    headlines = headlines_of(context)
    if headlines:
        tiles = render_part("tiles.html.j2", tiles=front_tiles(headlines))
        show_html(f'<div class="ssdlab">{_TILE_STYLE}{tiles}</div>')
    if sentence := front_sentence(context, headlines):
        show_blocks([Note(text=sentence)])
    show_blocks(front_pictures(context, headlines))
    rows = tuple(
        (
            f"{row.test}",
            row.tracked,
            row.first,
            row.steady,
            row.rounds,
            ". ".join(filter(None, [row.verdict, row.advice])),
        )
        for row in summary_rows(context)
    )
    target = run.record.target
    caption = f"{target.model} {target.serial}".strip()
    words = tuple(range(1, len(_HEAD)))
    table = Table(caption=caption, head=_HEAD, rows=rows, words=words)
    show_blocks((*status_notes(context), table))
    show_html("".join(map(_answer, box_answers(context))))
    show_blocks(overview_of(context))


def _answer(box: AnswerBox) -> str:
    parts = "".join(map(_group, box.groups))
    words = f"<b>{escape(box.question)}</b>: {escape(box.words)}"
    if not parts:
        return f"<p>{words}</p>"
    return f"<details><summary>{words}</summary>{parts}</details>"


def _group(group: FindingGroup) -> str:
    items = "".join(
        f"<li>{f'<b>{escape(line.tests)}</b> ' if line.tests else ''}"
        f"{escape(line.words)}</li>"
        for line in group.lines
    )
    heading = f"<b>{group.name}</b>: {escape(group.meaning)}"
    return f"<p>{heading}</p><ul>{items}</ul>"


def show_report(run: Run) -> None:
    """Write the report of a run, and show a link to it in a notebook.

    Parameters
    ----------
    run : Run
        The run, as `ssdlab.open_run` returns it.

    Examples
    --------
    >>> ssdlab.show_report(run)  # doctest: +SKIP
    """
    from IPython.display import FileLink, display  # noqa: PLC0415 - notebooks alone

    report = write_report(run)
    here = os.path.relpath(report)
    shown = here if not here.startswith("..") else str(report)
    display(FileLink(shown, result_html_prefix="Report: "))  # type: ignore[no-untyped-call] # IPython has no types
    show_html(f"<p>Tables: {escape(str(run.path / 'tables'))}</p>")


def show_tests(run: Run, *tests: str) -> None:
    """Show in a notebook what a run found in its tests, each under its title.

    Parameters
    ----------
    run : Run
        The run, as `ssdlab.open_run` returns it.
    *tests : str
        The tests to show, such as iops or wsat-oltp; by default all that were
        requested.

    Examples
    --------
    >>> ssdlab.show_tests(run, "iops", "lat")  # doctest: +SKIP
    """
    context = read_context(run)
    for test in tests or run.record.tests:
        if test not in run.record.tests:
            show_html(f"<p>{escape(label_of_test(test))} was not requested.</p>")
            continue
        show_html(_heading(context, test))
        for page in pages_of(context, test):
            # A figure has its title in itself, and keeps it where it is saved.
            is_titled = bool(page.plot_id) and isinstance(page.blocks[0], Plot)
            words = (page.plot_id, "" if is_titled else page.title)
            heading = ": ".join(filter(None, words))
            show_html(f"<h3>{escape(heading)}</h3>")
            show_blocks(page.blocks)


def _heading(context: Context, test: str) -> str:
    """Return the title of a test, and what it measures."""
    asked = context.test(test)
    title = f"<h2>{escape(asked.title)}</h2>"
    if test not in CATALOG or context.procedure:
        return title
    section = f" (PTS 2.0.2, section {asked.pts_section})" if asked.pts_section else ""
    return f"{title}<p>{escape(CATALOG[test].words.removesuffix('.'))}{section}.</p>"


def show_comparison(comparison: Comparison, *topics: str) -> None:
    """Show pages of a comparison in a notebook, each under its heading.

    What nothing is to be said of is left out, with its heading: tests that no run
    measured, a score or power that was not given.

    Parameters
    ----------
    comparison : Comparison
        What `ssdlab.compare_runs` returned.
    *topics : str
        answer, verdicts, iops, throughput, latency, saturation, confidence, response,
        recovery, amplification, efficiency, score, conditions, scatter or method; by
        default all.

    Raises
    ------
    UnknownNameError
        If a topic is unknown.

    Examples
    --------
    >>> ssdlab.show_comparison(comparison, "iops")  # doctest: +SKIP
    """
    which = Note(text=f"{comparison.which}.") if comparison.which else None
    _show_topics(topics or TOPICS, partial(comparison_page, comparison), which)


def show_fleet(fleet: Fleet, *topics: str) -> None:
    """Show pages of a fleet in a notebook, each under its heading.

    What nothing is to be said of is left out, with its heading.

    Parameters
    ----------
    fleet : Fleet
        What `ssdlab.summarise_fleet` returned.
    *topics : str
        answer, outliers, firmware, ageing, history, latency, left out or coverage; by
        default all.

    Raises
    ------
    UnknownNameError
        If a topic is unknown.

    Examples
    --------
    >>> ssdlab.show_fleet(fleet, "answer")  # doctest: +SKIP
    """
    which = Note(text=fleet.which, tone="warning") if fleet.which else None
    _show_topics(topics or FLEET_TOPICS, partial(fleet_page, fleet), which)


def _show_topics(
    topics: Iterable[str], page_of: Callable[[str], Page], which: Note | None
) -> None:
    """Show pages by topic; the answer has no heading, and says what it is of."""
    for topic in topics:
        if topic == "answer" and which:
            show_blocks([which])
        page = page_of(topic)
        if page.blocks and topic != "answer":
            _show_heading(page.title)
        show_blocks(page.blocks)


def _show_heading(title: str) -> None:
    """Show a heading that the page of the notebook and its contents have as well."""
    from IPython.display import display  # noqa: PLC0415 - only notebooks have it

    bundle = {"text/markdown": f"## {title}", "text/plain": title}
    display(bundle, raw=True)  # type: ignore[no-untyped-call] # IPython has no types


def show_blocks(blocks: Iterable[Block]) -> None:
    """Show tables, figures and notes, one after the other."""
    for block in blocks:
        match block:
            case Plot():
                show_figure(block.figure)
            case Table():
                show_html(block._repr_html_())
            case Note():
                text = escape(block.text).replace("\n", "<br>")
                words = f'<p class="note {block.tone}">{text}</p>'
                show_html(f'<div class="ssdlab">{_STYLE}{words}</div>')


def show_figure(figure: "go.Figure") -> None:
    """Show a figure in a notebook, in the form that the saved page keeps."""
    from IPython.display import display  # noqa: PLC0415 - only notebooks have it

    shown = figure_json(figure)
    title = shown["layout"].get("title", {}).get("text") or "figure"
    bundle = {_PLOTLY: shown, "text/plain": title}
    display(bundle, raw=True)  # type: ignore[no-untyped-call] # IPython has no types


def show_method(title: str, text: str) -> None:
    """Show how something was computed, folded behind a title."""
    words = f"<p>{escape(text)}</p>"
    show_html(f"<details><summary>{escape(title)}</summary>{words}</details>")


def show_heading(text: str) -> None:
    """Show a heading."""
    show_html(f"<h3>{escape(text)}</h3>")


def is_in_notebook() -> bool:
    """Return whether this code runs in the kernel of a notebook."""
    from IPython import get_ipython  # noqa: PLC0415 - half a second

    return getattr(get_ipython(), "kernel", None) is not None


def show_html(html: str) -> None:
    """Show HTML."""
    from IPython.display import HTML, display  # noqa: PLC0415 - only notebooks have it

    display(HTML(html))  # type: ignore[no-untyped-call] # IPython has no types
