"""The command ``import``: foreign results become a run."""

import json
from pathlib import Path
from typing import Any

import click

from ssdlab.cli.group import (
    json_option,
    main,
    max_input_option,
    printable,
    runs_option,
)


def _list_references(*, as_json: bool) -> None:
    """Name the published reports that ship with ssdlab."""
    from ssdlab.reference.tkperf_reports import list_tkperf_reports

    reports = list_tkperf_reports()
    if as_json:
        plain = [{"name": f"reference:{n}", "title": t} for n, t in reports.items()]
        click.echo(json.dumps(plain, indent=1))
        return
    for name, title in reports.items():
        click.echo(f"reference:{name:<24}{title}")


@main.command("import")
@click.argument("paths", nargs=-1, metavar="PATHS...", type=click.Path(path_type=Path))
@click.option(
    "--pattern",
    help="names of the files, such as "
    "'wdpc_bs{block_size}_read{read_percent}_round{round}.json'; further fields are "
    "{access}, {threads}, {queue_depth} and {label}, and * is any text",
)
@click.option(
    "--test",
    type=click.Choice(["iops", "tp", "lat", "wsat", "custom"]),
    help="the test; without it the one that the cells look like",
)
@click.option("--device-label", default="", help="what to call the device")
@click.option("--label", default="", help="a name of your own for the run")
@click.option(
    "--list-references",
    is_flag=True,
    help="name the published reports that ship with ssdlab, and end",
)
@max_input_option
@runs_option
@json_option
def import_results(**asked: Any) -> None:
    """Turn results of others into a run like ours: tables, verdict, report.

    PATHS are outputs of fio, folders of them (bench-fio's trees among them), one XML
    file of TKperf's, or one published TKperf report: reference:NAME, or a TOML file of
    that form. Nothing is measured and no path is changed.
    """
    from ssdlab.campaign.outcome import outcome_lines
    from ssdlab.importers import import_run, read_left_out

    if asked["list_references"]:
        _list_references(as_json=asked["as_json"])
        return
    if not asked["paths"]:
        click.get_current_context().fail("Missing argument 'PATHS...'.")
    run = import_run(
        asked["paths"],
        pattern=asked["pattern"],
        test=asked["test"],
        device_label=asked["device_label"],
        label=asked["label"],
        runs=asked["runs"],
        max_input_bytes=asked["max_input_bytes"],
    )
    left_out = read_left_out(run)
    lines = outcome_lines(run)
    if asked["as_json"]:
        plain = {
            "run": str(run.path),
            "tests": run.record.tests,
            "tables": str(run.path / "tables"),
            "report": str(run.path / "report.html"),
            "left_out": [{"file": e.file, "why": e.why} for e in left_out],
            "departures": run.record.departures,
            "outcome": lines,
        }
        click.echo(json.dumps(plain, indent=1))
        return
    for entry in left_out:
        click.echo(printable(f"left out {entry.file}: {entry.why}"), err=True)
    click.echo(f"run      {run.path}")
    click.echo(f"tables   {run.path / 'tables'}")
    click.echo(f"report   {run.path / 'report.html'}")
    click.echo("\n".join(("", *lines)))
