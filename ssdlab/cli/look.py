"""Commands that read runs: ``report``, ``ingest``, ``steady-state``."""

import json
from collections.abc import Callable
from pathlib import Path

import click

from ssdlab.cli.group import (
    fail,
    json_option,
    main,
    max_input_option,
    overwrite_option,
    page_format_option,
    run_argument,
)
from ssdlab.cli.live import working
from ssdlab.model.report_fields import TITLES

_EXIT_NOT_STEADY = 3
Command = Callable[..., None]


def _field_options(command: Command) -> Command:
    """Add to a command an option for each field of a report."""
    for name, title in reversed(tuple(TITLES.items())):
        command = click.option(
            f"--{name.replace('_', '-')}", default="", help=f"for the report: {title}"
        )(command)
    return command


@main.command()
@run_argument
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="file to write; default: RUN/report.html or RUN/report.pdf",
)
@page_format_option
@overwrite_option
@click.option(
    "--fields",
    metavar="FILE.toml",
    default="",
    help="TOML file with a table [report] that sets the fields below",
)
@_field_options
def report(
    run: Path,
    *,
    output: Path | None,
    file_format: str | None,
    fields: str,
    overwrite: bool,
    **given: str,
) -> None:
    """Write the report of a run.

    RUN may still be running, or have no tables. The options from --operator on set
    what a report must name and no machine can detect (PTS 2.0.2, section 5); they are
    kept in RUN/report.json.
    """
    from ssdlab.cli.outcome import answer_lines
    from ssdlab.engine.report_fields import add_report_fields
    from ssdlab.ingest.opening import open_run
    from ssdlab.report import write_report
    from ssdlab.report.pdf import write_report_pdf
    from ssdlab.system.outputs import choose_format, require_replaceable

    file_format = choose_format(output, file_format, ("html", "pdf"))
    if output is not None:
        require_replaceable(output, overwrite=overwrite)
    add_report_fields(run, given, source=fields)
    opened = open_run(run)
    write = write_report_pdf if file_format == "pdf" else write_report
    try:
        with working("writing the report"):
            written = write(opened, output)
    except OSError as error:
        fail(f"{output or run} cannot be written ({error.strerror}).", 2)
    click.echo("\n".join(answer_lines(opened)), err=True)
    click.echo(written)


@main.command()
@run_argument
@max_input_option
@click.option(
    "--drop-missing",
    is_flag=True,
    help="rebuild the tables although raw output is missing; its measurements are lost",
)
def ingest(run: Path, *, max_input_bytes: int, drop_missing: bool) -> None:
    """Rebuild the tables of a run from its raw output.

    The old tables are replaced once all new ones are written. If raw output that they
    hold is missing, they are left unchanged.
    """
    from ssdlab.ingest.ingest import ingest_run
    from ssdlab.store.records import read_record

    read_record(run)
    with working("reading raw output and writing the tables"):
        ingest_run(run, max_input_bytes=max_input_bytes, drops_missing=drop_missing)
    click.echo(run / "tables")


@main.command("steady-state")
@click.argument("file")
@click.option("--column", help="name of the column; required if there are several")
@max_input_option
@json_option
@click.pass_context
def steady_state(
    ctx: click.Context,
    file: str,
    column: str | None,
    *,
    max_input_bytes: int,
    as_json: bool,
) -> None:
    """Test a series in a CSV file for steady state (PTS).

    FILE has one value per round, oldest first; - is standard input. Exit codes: 0 the
    last five rounds are steady, 3 they are not.
    """
    from ssdlab.stats.steady_state import (
        assess_steady_state,
        find_first_steady_round,
    )
    from ssdlab.steadiness.verdict_text import verdict_as_dict, verdict_lines
    from ssdlab.store.series_csv import read_series

    series = read_series(file, column, max_input_bytes=max_input_bytes)
    verdict = assess_steady_state(series.values)
    first = find_first_steady_round(series.values)
    if as_json:
        found = verdict_as_dict(verdict, first_steady_round=first)
        click.echo(json.dumps(found, indent=1))
    else:
        click.echo("\n".join(verdict_lines(verdict, first_steady_round=first)))
    ctx.exit(0 if verdict.is_steady else _EXIT_NOT_STEADY)
