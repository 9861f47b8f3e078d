"""The pages of a report as outputs of a notebook cell."""

from html import escape
from typing import TYPE_CHECKING

from jinja2 import Environment, PackageLoader, StrictUndefined

from ssdlab.pts.suite import CATALOG
from ssdlab.report.blocks import Block, Plot, Table
from ssdlab.report.comparison.comparison import Comparison
from ssdlab.report.comparison.pages import comparison_page
from ssdlab.report.context import Context, read_context
from ssdlab.report.findings import AnswerBox, FindingGroup, box_answers
from ssdlab.report.html import split_long_words
from ssdlab.report.sections import pages_of
from ssdlab.report.verdict import status_notes
from ssdlab.report.view import summary_rows
from ssdlab.store.run import Run

if TYPE_CHECKING:
    import plotly.graph_objects as go

_PLOTLY = "application/vnd.plotly.v1+json"
# Of a table's own rules JupyterLab has some that only a longer selector outdoes.
_STYLE = """<style>
.ssdlab table th:first-child, .ssdlab table .words { text-align: left }
.ssdlab .caption { font-weight: 600 }
.ssdlab .note { white-space: pre-line }
.ssdlab .note.warning, .ssdlab .note.good { padding: 0.4em 0.8em }
.ssdlab .note.warning {
  border-left: 4px solid #c98500; background: #fff6e0; color: #5c3d00;
}
.ssdlab .note.good {
  border-left: 4px solid #1c6b3c; background: #e9f5ee; color: #14512d;
}
</style>"""
_HEAD = ("Tracking variable", "First round", "Steady", "Rounds", "Verdict")


def show_overview(run: Run) -> None:
    """Show in a notebook what a run found, and what is to be said of it.

    Parameters
    ----------
    run : Run
        The run, as `ssdlab.open_run` returns it.

    Examples
    --------
    >>> ssdlab.show_overview(run)  # doctest: +SKIP
    """
    context = read_context(run)
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
    words = tuple(range(1, len(_HEAD) + 1))
    table = Table(caption=caption, corner="Test", head=_HEAD, rows=rows, words=words)
    _show_blocks((*status_notes(context), table))
    _show_html("".join(map(_answer, box_answers(context))))


def _answer(box: AnswerBox) -> str:
    parts = "".join(map(_group, box.groups))
    return f"<p><b>{escape(box.question)}</b>: {escape(box.words)}</p>{parts}"


def _group(group: FindingGroup) -> str:
    items = "".join(
        f"<li>{f'<b>{escape(line.tests)}</b> ' if line.tests else ''}"
        f"{escape(line.words)}</li>"
        for line in group.lines
    )
    heading = f"<b>{group.severity.capitalize()}</b>: {escape(group.meaning)}"
    return f"<p>{heading}</p><ul>{items}</ul>"


def show_tests(run: Run, *tests: str) -> None:
    """Show in a notebook what a run found in its tests, each under its title.

    Parameters
    ----------
    run : Run
        The run, as `ssdlab.open_run` returns it.
    *tests : str
        Those to be shown, such as iops or wsat-oltp; by default all that were asked
        for.

    Examples
    --------
    >>> ssdlab.show_tests(run, "iops", "lat")  # doctest: +SKIP
    """
    context = read_context(run)
    for test in tests or run.record.tests:
        if test not in run.record.tests:
            _show_html(f"<p>{escape(test.upper())} was not asked for.</p>")
            continue
        _show_html(_heading(context, test))
        for page in pages_of(context, test):
            heading = f"{page.plot_id}: {page.title}" if page.plot_id else page.title
            _show_html(f"<h3>{escape(heading)}</h3>")
            _show_blocks(page.blocks)


def _heading(context: Context, test: str) -> str:
    """Return the title of a test, and what it measures."""
    asked = context.test(test)
    title = f"<h2>{escape(asked.title)}</h2>"
    if test not in CATALOG or context.procedure:
        return title
    section = f" (PTS 2.0.2, section {asked.pts_section})" if asked.pts_section else ""
    return f"{title}<p>{escape(CATALOG[test].words.removesuffix('.'))}{section}.</p>"


def show_comparison(comparison: Comparison, topic: str) -> None:
    """Show one page of a comparison in a notebook.

    Parameters
    ----------
    comparison : Comparison
        What `ssdlab.compare_runs` returned.
    topic : str
        conditions, verdicts, saturation, iops, throughput, latency, confidence,
        response, recovery, efficiency, scatter or score.

    Raises
    ------
    UnknownNameError
        If there is no such topic.

    Examples
    --------
    >>> ssdlab.show_comparison(comparison, "iops")  # doctest: +SKIP
    """
    _show_blocks(comparison_page(comparison, topic).blocks)


def _show_blocks(blocks: tuple[Block, ...]) -> None:
    environment = Environment(
        loader=PackageLoader("ssdlab.report"),
        autoescape=True,
        undefined=StrictUndefined,
    )
    environment.filters["place"] = lambda plot: plot
    environment.filters["pieces"] = split_long_words
    environment.tests |= {
        "table": lambda block: isinstance(block, Table),
        "plot": lambda block: isinstance(block, Plot),
        "note": lambda block: not isinstance(block, Table | Plot),
    }
    template = environment.from_string(
        '{% from "blocks.html.j2" import show %}{{ show(block) }}'
    )
    for block in blocks:
        if isinstance(block, Plot):
            show_figure(block.figure)
        else:
            _show_html(
                f'<div class="ssdlab">{_STYLE}{template.render(block=block)}</div>'
            )


def show_figure(figure: "go.Figure") -> None:
    """Show a figure in a notebook, in the one form that its page can keep.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
        The figure.
    """
    from IPython.display import display  # noqa: PLC0415 - only notebooks have it

    title = figure.layout.title.text or "figure"
    bundle = {_PLOTLY: figure.to_plotly_json(), "text/plain": str(title)}
    display(bundle, raw=True)  # type: ignore[no-untyped-call] # IPython has no types


def _show_html(html: str) -> None:
    from IPython.display import HTML, display  # noqa: PLC0415 - only notebooks have it

    display(HTML(html))  # type: ignore[no-untyped-call] # IPython has no types
