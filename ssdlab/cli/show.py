"""``ssdlab show``: what a run measured."""

import json
from pathlib import Path

import click

from ssdlab.cli.group import json_option, main, run_argument
from ssdlab.text.terminal import printable


@main.command()
@run_argument
@json_option
def show(run: Path, *, as_json: bool) -> None:
    """Show what a run measured: key results, and how each test ended.

    RUN may still be running. Values are means over the measurement window, with their
    95 % interval between rounds; the bars are the rounds from first to last.
    """
    from ssdlab.cli.outcome import result_lines
    from ssdlab.ingest.opening import open_run
    from ssdlab.paper.context import read_context
    from ssdlab.report.view import headlines_of

    opened = open_run(run)
    if as_json:
        found = [one.as_dict() for one in headlines_of(read_context(opened))]
        plain = {"run_id": opened.record.run_id, "results": found}
        click.echo(json.dumps(plain | opened.answers.as_dict(), indent=1))
        return
    record = opened.record
    parts = (
        f"{record.target.model} {record.target.serial}".strip() or "unnamed device",
        record.label,
        record.asked.name,
        record.started_at[:16].replace("T", " "),
        opened.state.status,
    )
    click.echo(printable(" · ".join(filter(None, parts))))
    click.echo("\n".join(("", *result_lines(opened))))
    if opened.folder.has("report.html"):
        click.echo(f"\n{opened.path / 'report.html'}")
