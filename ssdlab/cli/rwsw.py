"""Commands for captured IO streams: experimental, not the RWSW standard."""

import json
import math
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ssdlab.cli.group import (
    add_options,
    json_option,
    main,
    overwrite_option,
    require_finite,
)
from ssdlab.cli.procedure import procedure_options, run_and_report
from ssdlab.model.capture import EXPERIMENTAL

if TYPE_CHECKING:
    from ssdlab.model.capture import Capture
    from ssdlab.procedures.rwsw.load import Saturating

_DEFAULT_STEP_S = 300.0


def _seconds(name: str, default: float, words: str) -> Callable[..., Any]:
    return click.option(
        name,
        type=click.FloatRange(0.5, 1e6),
        callback=require_finite,
        default=default,
        show_default=True,
        help=words,
    )


_trace_options = (
    click.option(
        "--step-seconds",
        type=click.FloatRange(0.001, 1e6),
        callback=require_finite,
        default=_DEFAULT_STEP_S,
        show_default=True,
        help="length of a step in blkparse text",
    ),
    click.option(
        "--device", default="", help="device, if the blkparse text has several: 8,0"
    ),
)
_share_option = click.option(
    "--share",
    type=click.FloatRange(0, 100, min_open=True),
    callback=require_finite,
    default=80.0,
    show_default=True,
    help="least share of IOs that the applied streams cover together [%]",
)
_oio_option = click.option(
    "--oio",
    type=click.IntRange(1, 65_536),
    default=32,
    show_default=True,
    help="total outstanding IOs of all streams",
)
_round_options = (
    _seconds("--seconds-per-round", 60.0, "length of a round"),
    click.option(
        "--sample-every",
        type=click.IntRange(1, 10_000),
        default=31,
        show_default=True,
        help="judge one round in N",
    ),
    click.option(
        "--max-rounds",
        type=click.IntRange(5, 100_000),
        default=1440,
        show_default=True,
        help="most rounds, if steady state is not reached",
    ),
)


def _with(*options: Callable[..., Any]) -> Callable[..., Any]:
    """Add to a command the capture, the options of every procedure, and these."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        capture = click.option(
            "--capture",
            "capture_file",
            required=True,
            type=click.Path(path_type=Path),
            help="capture file: CSV table or blkparse text",
        )
        own = (capture, *options, _share_option, *_trace_options)
        return procedure_options(add_options(command, own))

    return decorate


@main.group(
    help=f"Work with captured IO streams ({EXPERIMENTAL}).\n\nA capture is a CSV table "
    "(step, start_s, duration_s, queue_depth, access, block_size_bytes, direction, "
    "ios) or the text output of blkparse."
)
def rwsw() -> None:
    """Group the commands; the help text is in the decorator."""


@rwsw.command(
    "capture",
    help=f"Tabulate a capture ({EXPERIMENTAL}).\n\n--output also writes it as a CSV "
    "table that the other commands read.",
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="CSV file to write"
)
@overwrite_option
@_share_option
@_trace_options[0]
@_trace_options[1]
@json_option
def capture_command(file: Path, **options: Any) -> None:
    """Tabulate a capture."""
    from ssdlab.cli.capture_lines import capture_lines
    from ssdlab.streams.capture import COLUMNS, write_capture
    from ssdlab.streams.extents import (
        select_streams,
        share_streams,
        sum_streams,
    )
    from ssdlab.streams.kept import measure_kept
    from ssdlab.system.outputs import choose_format, require_replaceable

    if options["output"]:
        choose_format(options["output"], None, ("csv",))
        require_replaceable(
            options["output"], overwrite=options["overwrite"], columns=COLUMNS
        )
    capture = _read(file, options)
    counts = sum_streams(capture.steps)
    applied = select_streams(counts, least_percent=options["share"])
    if options["output"]:
        write_capture(capture, options["output"])
    if options["as_json"]:
        kept = asdict(measure_kept(counts, applied))
        found = {
            "what": EXPERIMENTAL,
            **asdict(capture),
            "cumulative": [asdict(stream) for stream in share_streams(counts)],
            "applied": [asdict(stream) for stream in applied],
            "kept": {name: _known(value) for name, value in kept.items()},
        }
        click.echo(json.dumps(found, indent=1))
        return
    click.echo("\n".join(capture_lines(capture, options["share"])))


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


@rwsw.command(
    help=f"Run multi-stream WSAT ({EXPERIMENTAL}).\n\nPurge, then apply the dominant "
    "streams of the whole capture together until steady state."
)
@_with(_oio_option, *_round_options)
def wsat(**options: Any) -> None:
    """Run multi-stream WSAT."""
    from ssdlab.procedures.rwsw import spec as procedures

    procedure = procedures.wsat(
        _read(options["capture_file"], options),
        oio=options["oio"],
        least_percent=options["share"],
        saturating=_saturating(options),
    )
    run_and_report(procedure, options)


@rwsw.command(
    help=f"Run each stream alone ({EXPERIMENTAL}).\n\nPurge, then apply one dominant "
    "stream until steady state; repeat for each."
)
@_with(_oio_option, *_round_options)
def streams(**options: Any) -> None:
    """Run each stream alone."""
    from ssdlab.procedures.rwsw import spec as procedures

    procedure = procedures.individual_streams(
        _read(options["capture_file"], options),
        oio=options["oio"],
        least_percent=options["share"],
        saturating=_saturating(options),
    )
    run_and_report(procedure, options)


@rwsw.command(
    help=f"Replay the steps ({EXPERIMENTAL}).\n\nPurge, write twice the user capacity "
    "sequentially, then apply each step's mix at its queue depth, in order."
)
@_with(
    click.option(
        "--scale",
        type=click.FloatRange(1e-6, 1000),
        callback=require_finite,
        default=1.0,
        show_default=True,
        help="factor on the duration of each step",
    )
)
def replay(**options: Any) -> None:
    """Replay the steps."""
    from ssdlab.procedures.rwsw import spec as procedures

    procedure = procedures.replay(
        _read(options["capture_file"], options),
        scale=options["scale"],
        least_percent=options["share"],
    )
    run_and_report(procedure, options)


@rwsw.command(
    help=f"Sweep the outstanding IOs ({EXPERIMENTAL}).\n\nPurge, apply the dominant "
    "streams until steady state, then from 1,024 outstanding IOs down to 1."
)
@_with(
    _oio_option,
    _seconds("--seconds-per-point", 60.0, "duration of each OIO"),
    *_round_options,
)
def sweep(**options: Any) -> None:
    """Sweep the outstanding IOs."""
    from ssdlab.procedures.rwsw import spec as procedures

    procedure = procedures.sweep(
        _read(options["capture_file"], options),
        oio=options["oio"],
        point_seconds=options["seconds_per_point"],
        least_percent=options["share"],
        saturating=_saturating(options),
    )
    run_and_report(procedure, options)


def _read(file: Path, options: dict[str, Any]) -> "Capture":
    from ssdlab.streams.capture import read_capture

    return read_capture(
        file, step_seconds=options["step_seconds"], device=options["device"]
    )


def _saturating(options: dict[str, Any]) -> "Saturating":
    from ssdlab.procedures.rwsw.load import Saturating

    return Saturating(
        round_seconds=options["seconds_per_round"],
        sample_every_rounds=options["sample_every"],
        max_rounds=options["max_rounds"],
    )
