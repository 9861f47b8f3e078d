"""The command ``import``: results of other tools as a run."""

import json
import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ssdlab.cli.group import json_option, main, max_input_option, runs_option
from ssdlab.cli.live import working
from ssdlab.text.terminal import fact_lines, printable

if TYPE_CHECKING:
    from ssdlab.importers import ImportRecord
    from ssdlab.store.run import Run

_EXIT_PARTIAL = 3
_MOST_SHOWN = 20


def _list_references(*, as_json: bool) -> None:
    """List the published reports that come with ssdlab."""
    from ssdlab.reference.tkperf_reports import list_tkperf_reports

    reports = list_tkperf_reports()
    if as_json:
        plain = [{"name": f"reference:{n}", "title": t} for n, t in reports.items()]
        click.echo(json.dumps(plain, indent=1))
        return
    facts = ((f"reference:{name}", title) for name, title in reports.items())
    click.echo("\n".join(fact_lines(facts)))


@main.command("import")
@click.argument("paths", nargs=-1, metavar="PATHS...", type=click.Path(path_type=Path))
@click.option(
    "--pattern",
    help="pattern of the file names, such as "
    "'wdpc_bs{block_size}_read{read_percent}_round{round}.json'; other fields are "
    "{access}, {threads}, {queue_depth} and {label}; * matches any text",
)
@click.option(
    "--test",
    type=click.Choice(["iops", "tp", "lat", "wsat", "custom"]),
    help="test; default: inferred from the cells",
)
@click.option("--device-label", default="", help="name of the device")
@click.option("--label", default="", help="your name for the run")
@click.option(
    "--list-references",
    is_flag=True,
    help="list the published reports that come with ssdlab, and exit",
)
@click.option(
    "--again",
    is_flag=True,
    help="import results that were imported before into another run",
)
@max_input_option
@runs_option
@json_option
def import_results(**options: Any) -> None:
    """Import results of other tools as a run with a report.

    PATHS are fio output files, folders of them (such as those of bench-fio), one
    TKperf XML file, or one published TKperf report: reference:NAME, or a TOML file in
    that format. Nothing is measured, and no input is changed.

    A file that cannot be read is listed, and its round is missing; the others are
    imported. Exit codes: 0 all results were imported, 2 none, 3 some may be missing.
    """
    from ssdlab.cli.outcome import outcome_lines, result_lines
    from ssdlab.importers import import_run, read_import

    if options["list_references"]:
        _list_references(as_json=options["as_json"])
        return
    if not options["paths"]:
        click.get_current_context().fail("Missing argument 'PATHS...'.")
    with working("reading results") as tell:
        run = import_run(
            options["paths"],
            pattern=options["pattern"],
            test=options["test"],
            device_label=options["device_label"],
            label=options["label"],
            runs=options["runs"],
            max_input_bytes=options["max_input_bytes"],
            again=options["again"],
            tell=tell,
        )
    imported = read_import(run)
    lines = outcome_lines(run)
    if options["as_json"]:
        click.echo(json.dumps(_as_plain(run, imported, lines), indent=1))
    else:
        _print_losses(imported)
        click.echo(f"run      {run.path}")
        click.echo(f"tables   {run.path / 'tables'}")
        click.echo(f"report   {run.path / 'report.html'}")
        click.echo("\n".join(("", *result_lines(run))))
    if imported.is_partial:
        sys.exit(_EXIT_PARTIAL)


def _as_plain(run: "Run", imported: "ImportRecord", lines: list[str]) -> dict[str, Any]:
    return {
        "run": str(run.path),
        "tests": run.record.tests,
        "tables": str(run.path / "tables"),
        "report": str(run.path / "report.html"),
        "steps": len(run.steps),
        "is_partial": imported.is_partial,
        "left_out": [asdict(entry) for entry in imported.left_out],
        "missing_rounds": [asdict(gap) for gap in imported.missing_rounds],
        "departures": [asdict(one) for one in run.record.departures],
        "answers": run.answers.as_dict(),
        "outcome": lines,
    }


def _print_losses(imported: "ImportRecord") -> None:
    """List the files that were left out; those that may hold results one by one."""
    doubtful = [entry for entry in imported.left_out if entry.is_doubt]
    for entry in doubtful[:_MOST_SHOWN]:
        click.echo(printable(f"not read {entry.file}: {entry.why}"), err=True)
    if len(doubtful) > _MOST_SHOWN:
        click.echo(f"not read {len(doubtful) - _MOST_SHOWN} more files", err=True)
    others = Counter(entry.why for entry in imported.left_out if not entry.is_doubt)
    for why, count in others.items():
        one = next(e.file for e in imported.left_out if e.why == why and not e.is_doubt)
        words = one if count == 1 else f"{count} files, such as {one}"
        click.echo(printable(f"left out {words}: {why}"), err=True)
    if imported.missing_rounds:
        rounds = len(imported.missing_rounds)
        words = (
            "1 round of a cell is" if rounds == 1 else f"{rounds} rounds of cells are"
        )
        click.echo(
            f"{words} missing; no measurement window includes or spans them. "
            "See the report.",
            err=True,
        )
