"""The pages of a report as outputs of a notebook cell."""

from html import escape

from jinja2 import Environment, PackageLoader, StrictUndefined

from ssdlab.report.blocks import Block, Plot, Table
from ssdlab.report.context import read_context
from ssdlab.report.sections import pages_of
from ssdlab.report.verdict import departures, status_notes, summary_rows
from ssdlab.store.run import Run

_PLOTLY = "application/vnd.plotly.v1+json"
_STYLE = "<style>.ssdlab th, .ssdlab td.words { text-align: left }</style>"
_HEAD = ("Tracking variable", "First round", "Steady", "Rounds", "Verdict")


def show_overview(run: Run) -> None:
    """Show in a notebook what a run found, and whether it conforms to the PTS.

    Parameters
    ----------
    run : Run
        The run, as `ssdlab.open_run` returns it.
    """
    context = read_context(run)
    rows = tuple(
        (f"{row.test}", row.tracked, row.first, row.steady, row.rounds, row.verdict)
        for row in summary_rows(context)
    )
    target = run.record.target
    caption = f"{target.model} {target.serial}".strip()
    words = tuple(range(1, len(_HEAD) + 1))
    table = Table(caption=caption, corner="Test", head=_HEAD, rows=rows, words=words)
    _show_blocks((*status_notes(context), table))
    _show_html(_conformance(departures(context)))


def _conformance(departing: tuple[str, ...]) -> str:
    if not departing:
        return "<p><b>PTS-conformant</b>: nothing departs from the profile.</p>"
    items = "".join(f"<li>{escape(departure)}</li>" for departure in departing)
    return f"<p><b>Not PTS-conformant</b> because</p><ul>{items}</ul>"


def show_test(run: Run, test: str) -> None:
    """Show the pages of one test in a notebook.

    Parameters
    ----------
    run : Run
        The run, as `ssdlab.open_run` returns it.
    test : str
        The test: iops, tp, lat, wsat, hir, xsr, cbw or dirth.
    """
    if test not in run.record.tests:
        _show_html(f"<p>{escape(test.upper())} was not asked for.</p>")
        return
    for page in pages_of(read_context(run), test):
        heading = f"{page.plot_id}: {page.title}" if page.plot_id else page.title
        _show_html(f"<h3>{escape(heading)}</h3>")
        _show_blocks(page.blocks)


def _show_blocks(blocks: tuple[Block, ...]) -> None:
    environment = Environment(
        loader=PackageLoader("ssdlab.report"),
        autoescape=True,
        undefined=StrictUndefined,
    )
    environment.filters["place"] = lambda plot: plot
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
            _show_figure(block)
        else:
            _show_html(
                f'<div class="ssdlab">{_STYLE}{template.render(block=block)}</div>'
            )


def _show_figure(plot: Plot) -> None:
    from IPython.display import display  # noqa: PLC0415 - only notebooks have it

    title = plot.figure.layout.title.text or "figure"
    bundle = {_PLOTLY: plot.figure.to_plotly_json(), "text/plain": str(title)}
    display(bundle, raw=True)  # type: ignore[no-untyped-call] # IPython has no types


def _show_html(html: str) -> None:
    from IPython.display import HTML, display  # noqa: PLC0415 - only notebooks have it

    display(HTML(html))  # type: ignore[no-untyped-call] # IPython has no types
