"""Commands of Micron's procedures: saturate, sequence, times, two hosts."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ssdlab.cli.carry_out import carry_out, procedure_options
from ssdlab.cli.group import (
    fail,
    json_option,
    main,
    overwrite_option,
    printable,
    require_finite,
)

if TYPE_CHECKING:
    from ssdlab.model.spec import Workload

_STIMULUS = "RND 4KiB 0/100"
_FEWEST_ROUNDS = 5  # a measurement window


def _minutes(words: str) -> Callable[..., Any]:
    return click.option(
        "--minutes",
        type=click.FloatRange(0.005, 24 * 60),
        callback=require_finite,
        default=5.0,
        show_default=True,
        help=words,
    )


@main.command("saturate")
@procedure_options
@click.option(
    "--stimulus",
    default=_STIMULUS,
    show_default=True,
    help="access, block size, R/W mix, maybe threads and queue depth: "
    "'SEQ 128KiB 0/100 T1/Q32'",
)
@click.option(
    "--iterations",
    type=click.IntRange(_FEWEST_ROUNDS, 10_000),
    default=25,
    show_default=True,
    help="rounds; twice as many after another purge if the last five are not steady",
)
@_minutes("how long an iteration takes")
def saturate_command(**asked: Any) -> None:
    """Saturate a purged and filled drive with one stimulus (Micron).

    Purge, 2X capacity of 128 KiB sequential writes, then the stimulus from FOB to
    steady state.
    """
    from ssdlab.procedures.saturation import saturate

    workload = _workload(asked["stimulus"])
    procedure = saturate(
        workload, iterations=asked["iterations"], minutes=asked["minutes"]
    )
    carry_out(procedure, asked)


@main.command("sequence")
@procedure_options
@click.option("--first", default=_STIMULUS, show_default=True, help="stimulus A")
@click.option(
    "--second", default="SEQ 128KiB 0/100", show_default=True, help="stimulus B"
)
@click.option(
    "--rounds",
    type=click.IntRange(_FEWEST_ROUNDS, 10_000),
    default=25,
    show_default=True,
    help="rounds of each stage",
)
@_minutes("how long a round takes")
def sequence_command(**asked: Any) -> None:
    """Show what the order of stimuli does: A, B, A against B, A, B (Micron).

    A purge before each of the two sequences, and none inside.
    """
    from ssdlab.procedures.sequence import sequence

    stimuli = (_workload(asked[name]) for name in ("first", "second"))
    procedure = sequence(*stimuli, rounds=asked["rounds"], minutes=asked["minutes"])
    carry_out(procedure, asked)


def _workload(text: str) -> "Workload":
    from ssdlab.procedures.stimulus_text import parse_stimulus

    return parse_stimulus(text)


@main.command("precondition-time")
@click.argument("run", required=False, type=click.Path(path_type=Path))
@click.option(
    "--capacity-gb",
    type=click.FloatRange(0.001, 1e9),
    callback=require_finite,
    help="capacity as it is sold [GB]",
)
@click.option(
    "--rate",
    type=click.FloatRange(0.001, 1e9),
    callback=require_finite,
    help="steady rate of 128 KiB sequential writes [MB/s]",
)
@click.option("--table", is_flag=True, help="Micron's printed table beside ours")
@json_option
def precondition_time(run: Path | None, **asked: Any) -> None:
    """Say how long preconditioning takes: two fills at the steady write rate (Micron).

    Of a capacity and a rate, or of RUN: a finished `ssdlab saturate` of
    'SEQ 128KiB 0/100'.
    """
    from ssdlab.cli.precondition import answer_lines, answer_precondition

    found = answer_precondition(
        run,
        capacity_gb=asked["capacity_gb"],
        rate_mb_s=asked["rate"],
        with_table=asked["table"],
    )
    if asked["as_json"]:
        click.echo(json.dumps(found, indent=1))
    else:
        click.echo("\n".join(answer_lines(found)))


@main.command("compare-hosts")
@click.argument("run_a", type=click.Path(path_type=Path))
@click.argument("run_b", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("hosts.html"),
    show_default=True,
    help="the page to write",
)
@overwrite_option
def compare_hosts_command(
    run_a: Path, run_b: Path, output: Path, *, overwrite: bool
) -> None:
    """Compare the same drive on two hosts; warn of one that is a bottleneck (Micron).

    RUN_A and RUN_B hold a write saturation or the same `ssdlab saturate`.
    """
    from ssdlab.campaign.opening import open_run
    from ssdlab.report.host_pair import read_hosts
    from ssdlab.report.hosts import host_lines, write_hosts
    from ssdlab.system.outputs import choose_format, require_replaceable

    choose_format(output, None, ("html",))
    require_replaceable(output, overwrite=overwrite)
    pair = read_hosts(open_run(run_a), open_run(run_b))
    try:
        page = write_hosts(pair, output)
    except OSError as error:
        fail(f"{output} cannot be written ({error.strerror}).", 2)
    lines = (printable(line) for line in host_lines(pair))
    click.echo("\n".join((f"page     {page}", "", *lines)))
