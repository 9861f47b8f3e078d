"""Commands of Micron's procedures.

``saturate``, ``sequence``, ``precondition-time`` and ``compare-hosts``.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ssdlab.cli.answers import require_page
from ssdlab.cli.group import (
    fail,
    json_option,
    main,
    overwrite_option,
    page_option,
    require_finite,
    takes_run,
)
from ssdlab.cli.procedure import procedure_options, run_and_report
from ssdlab.text.terminal import printable

if TYPE_CHECKING:
    from ssdlab.model.spec import Workload

_STIMULUS = "RND 4KiB 0/100"
_DEFAULT = click.core.ParameterSource.DEFAULT
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
    "stimuli",
    multiple=True,
    default=(_STIMULUS,),
    show_default=_STIMULUS,
    help="access, block size, R/W mix, and optionally threads and queue depth: "
    "'SEQ 128KiB 0/100 T1/Q32'; repeat it for several, each from its own purge",
)
@click.option(
    "--host-stimuli",
    is_flag=True,
    help="the three stimuli by which Micron compares hosts: RND 4KiB 0/100, "
    "RND 8KiB 67/33, SEQ 64KiB 0/100; then see compare-hosts",
)
@click.option(
    "--from-fob",
    is_flag=True,
    help="begin right after the purge, without the two fills: with "
    "--stimulus 'SEQ 128KiB 0/100', the curve of sequential writes from FOB",
)
@click.option(
    "--iterations",
    type=click.IntRange(_FEWEST_ROUNDS, 10_000),
    default=25,
    show_default=True,
    help="rounds; doubled after another purge if the last five are not steady",
)
@_minutes("duration of an iteration")
def saturate_command(**options: Any) -> None:
    """Saturate a drive with one stimulus, or with several in turn (Micron).

    Purge, write twice the user capacity in 128 KiB sequential writes, then apply the
    stimulus until steady state.
    """
    from ssdlab.procedures.saturate.spec import HOST_STIMULI, saturate

    stimuli = options["stimuli"]
    if options["host_stimuli"]:
        if click.get_current_context().get_parameter_source("stimuli") != _DEFAULT:
            msg = "give --stimulus or --host-stimuli, not both"
            raise click.UsageError(msg)
        stimuli = HOST_STIMULI
    procedure = saturate(
        *map(_workload, stimuli),
        iterations=options["iterations"],
        minutes=options["minutes"],
        is_from_fob=options["from_fob"],
    )
    run_and_report(procedure, options)


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
@_minutes("duration of a round")
def sequence_command(**options: Any) -> None:
    """Measure the effect of the order of stimuli (Micron).

    The sequences are A, B, A and B, A, B. The drive is purged before each of them, not
    within.
    """
    from ssdlab.procedures.sequence.spec import sequence

    stimuli = (_workload(options[name]) for name in ("first", "second"))
    procedure = sequence(*stimuli, rounds=options["rounds"], minutes=options["minutes"])
    run_and_report(procedure, options)


def _workload(text: str) -> "Workload":
    from ssdlab.procedures.saturate.stimulus_text import parse_stimulus

    return parse_stimulus(text)


@main.command("precondition-time")
@takes_run(is_required=False)
@click.option(
    "--capacity-gb",
    type=click.FloatRange(0.001, 1e9),
    callback=require_finite,
    help="nominal capacity [GB]",
)
@click.option(
    "--rate",
    type=click.FloatRange(0.001, 1e9),
    callback=require_finite,
    help="steady rate of 128 KiB sequential writes [MB/s]",
)
@click.option("--table", is_flag=True, help="show Micron's printed table next to ours")
@json_option
def precondition_time(run: Path | None, **options: Any) -> None:
    """Estimate the time of preconditioning (Micron).

    It is two fills at the steady write rate, from a capacity and a rate, or from RUN: a
    finished `ssdlab saturate` of 'SEQ 128KiB 0/100'.
    """
    from ssdlab.cli.precondition import answer_lines, answer_precondition

    found = answer_precondition(
        run,
        capacity_gb=options["capacity_gb"],
        rate_mb_s=options["rate"],
        with_table=options["table"],
    )
    if options["as_json"]:
        click.echo(json.dumps(found, indent=1))
    else:
        click.echo("\n".join(answer_lines(found)))


@main.command("compare-hosts")
@takes_run("run_a")
@takes_run("run_b")
@page_option
@overwrite_option
def compare_hosts_command(
    run_a: Path, run_b: Path, output: Path | None, *, overwrite: bool
) -> None:
    """Compare a drive on two hosts (Micron).

    Warns if a host is a bottleneck. RUN_A and RUN_B each hold a write saturation test
    or the same `ssdlab saturate`; every stimulus that both have is compared.
    """
    from ssdlab.ingest.opening import open_run
    from ssdlab.report.host_pair import read_all_hosts
    from ssdlab.report.hosts import host_lines, write_hosts

    require_page(output, overwrite=overwrite)
    pairs = read_all_hosts(open_run(run_a), open_run(run_b))
    if output is not None:
        try:
            write_hosts(pairs, output)
        except OSError as error:
            fail(f"{printable(str(output))} cannot be written ({error.strerror}).", 2)
    click.echo("\n".join(map(printable, host_lines(*pairs))))
    if output is not None:
        click.echo(f"\n{printable(str(output))}")
