"""The command ``import``: foreign results become a run."""

import json
import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ssdlab.cli.group import (
    json_option,
    main,
    max_input_option,
    printable,
    runs_option,
)
from ssdlab.cli.live import live_line

if TYPE_CHECKING:
    from ssdlab.importers import ImportRecord
    from ssdlab.store.run import Run

_EXIT_PARTIAL = 3
_MOST_SHOWN = 20


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
@click.option(
    "--again",
    is_flag=True,
    help="make another run of results that were imported before",
)
@max_input_option
@runs_option
@json_option
def import_results(**asked: Any) -> None:
    """Turn results of others into a run like ours: tables, verdict, report.

    PATHS are outputs of fio, folders of them (bench-fio's trees among them), one XML
    file of TKperf's, or one published TKperf report: reference:NAME, or a TOML file of
    that form. Nothing is measured and no path is changed.

    A file that cannot be read costs none of the others: it is named, and its round is
    missing. Exit codes: 0 all results were imported, 2 none, 3 some may be missing.
    """
    from ssdlab.cli.outcome import outcome_lines
    from ssdlab.importers import import_run, read_import

    if asked["list_references"]:
        _list_references(as_json=asked["as_json"])
        return
    if not asked["paths"]:
        click.get_current_context().fail("Missing argument 'PATHS...'.")
    with live_line() as tell:
        run = import_run(
            asked["paths"],
            pattern=asked["pattern"],
            test=asked["test"],
            device_label=asked["device_label"],
            label=asked["label"],
            runs=asked["runs"],
            max_input_bytes=asked["max_input_bytes"],
            again=asked["again"],
            tell=tell,
        )
    said = read_import(run)
    lines = outcome_lines(run)
    if asked["as_json"]:
        click.echo(json.dumps(_as_plain(run, said, lines), indent=1))
    else:
        _say_losses(said)
        click.echo(f"run      {run.path}")
        click.echo(f"tables   {run.path / 'tables'}")
        click.echo(f"report   {run.path / 'report.html'}")
        click.echo("\n".join(("", *lines)))
    if said.is_partial:
        sys.exit(_EXIT_PARTIAL)


def _as_plain(run: "Run", said: "ImportRecord", lines: list[str]) -> dict[str, Any]:
    return {
        "run": str(run.path),
        "tests": run.record.tests,
        "tables": str(run.path / "tables"),
        "report": str(run.path / "report.html"),
        "steps": len(run.steps),
        "is_partial": said.is_partial,
        "left_out": [asdict(entry) for entry in said.left_out],
        "missing_rounds": [asdict(gap) for gap in said.missing_rounds],
        "departures": [asdict(one) for one in run.record.departures],
        "answers": run.answers.as_dict(),
        "outcome": lines,
    }


def _say_losses(said: "ImportRecord") -> None:
    """Say which files were left out: those that may be of the run one by one."""
    doubtful = [entry for entry in said.left_out if entry.is_doubt]
    for entry in doubtful[:_MOST_SHOWN]:
        click.echo(printable(f"not read {entry.file}: {entry.why}"), err=True)
    if len(doubtful) > _MOST_SHOWN:
        click.echo(f"not read {len(doubtful) - _MOST_SHOWN} more files", err=True)
    others = Counter(entry.why for entry in said.left_out if not entry.is_doubt)
    for why, count in others.items():
        one = next(e.file for e in said.left_out if e.why == why and not e.is_doubt)
        words = one if count == 1 else f"{count} files, such as {one}"
        click.echo(printable(f"left out {words}: {why}"), err=True)
    if said.missing_rounds:
        rounds = len(said.missing_rounds)
        words = (
            "1 round of a cell is" if rounds == 1 else f"{rounds} rounds of cells are"
        )
        click.echo(
            f"{words} missing: no window holds or spans them, see the report", err=True
        )
