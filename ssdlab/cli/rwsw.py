"""Commands by a capture of IO streams: ssdlab experimental, not the RWSW standard."""

import json
import math
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ssdlab.cli.carry_out import carry_out, procedure_options
from ssdlab.cli.group import json_option, main, overwrite_option, require_finite
from ssdlab.model.capture import EXPERIMENTAL

if TYPE_CHECKING:
    from ssdlab.model.capture import Capture
    from ssdlab.procedures.stream_load import Saturating

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
        help="length of a step of a blkparse text",
    ),
    click.option(
        "--device", default="", help="device of a blkparse text with several: 8,0"
    ),
)
_share_option = click.option(
    "--share",
    type=click.FloatRange(0, 100, min_open=True),
    callback=require_finite,
    default=80.0,
    show_default=True,
    help="per cent of IOs that the applied streams have together, at least",
)
_oio_option = click.option(
    "--oio",
    type=click.IntRange(1, 65_536),
    default=32,
    show_default=True,
    help="outstanding IOs of all streams together",
)
_round_options = (
    _seconds("--seconds-per-round", 60.0, "length of a round"),
    click.option(
        "--sample-every",
        type=click.IntRange(1, 10_000),
        default=31,
        show_default=True,
        help="of so many rounds one is judged",
    ),
    click.option(
        "--max-rounds",
        type=click.IntRange(5, 100_000),
        default=1440,
        show_default=True,
        help="rounds after which it ends without a steady state",
    ),
)


def _with(*options: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the capture, the options of every procedure, and these."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        capture = click.option(
            "--capture",
            "capture_file",
            required=True,
            type=click.Path(path_type=Path),
            help="the capture: a CSV table or what blkparse prints",
        )
        for option in reversed((capture, *options, _share_option, *_trace_options)):
            command = option(command)
        return procedure_options(command)

    return decorate


@main.group(
    help=f"Captured IO streams: {EXPERIMENTAL}.\n\nA capture is a CSV table (step, "
    "start_s, duration_s, queue_depth, access, block_size_bytes, direction, ios) or "
    "the text that blkparse prints."
)
def rwsw() -> None:
    """Hold the commands; the help stands in the decorator."""


@rwsw.command(
    "capture",
    help=f"Tabulate a capture ({EXPERIMENTAL}).\n\nWith --output it is also written as "
    "a CSV table, which the other commands read.",
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="write it as a CSV table"
)
@overwrite_option
@_share_option
@_trace_options[0]
@_trace_options[1]
@json_option
def capture_command(file: Path, **asked: Any) -> None:
    """Tabulate a capture."""
    from ssdlab.analysis.streams.capture import (
        select_streams,
        share_streams,
        sum_streams,
    )
    from ssdlab.analysis.streams.kept import measure_kept
    from ssdlab.cli.capture_lines import capture_lines
    from ssdlab.store.capture import COLUMNS, write_capture
    from ssdlab.system.outputs import choose_format, require_replaceable

    if asked["output"]:
        choose_format(asked["output"], None, ("csv",))
        require_replaceable(
            asked["output"], overwrite=asked["overwrite"], columns=COLUMNS
        )
    capture = _read(file, asked)
    counts = sum_streams(capture.steps)
    applied = select_streams(counts, least_percent=asked["share"])
    if asked["output"]:
        write_capture(capture, asked["output"])
    if asked["as_json"]:
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
    click.echo("\n".join(capture_lines(capture, asked["share"])))


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


@rwsw.command(
    help=f"Multi-stream WSAT ({EXPERIMENTAL}).\n\nPurge, then the dominant streams of "
    "the whole capture together until they are steady."
)
@_with(_oio_option, *_round_options)
def wsat(**asked: Any) -> None:
    """Carry out multi-stream WSAT."""
    from ssdlab.procedures import rwsw as procedures

    procedure = procedures.wsat(
        _read(asked["capture_file"], asked),
        oio=asked["oio"],
        least_percent=asked["share"],
        saturating=_saturating(asked),
    )
    carry_out(procedure, asked)


@rwsw.command(
    help=f"Individual streams ({EXPERIMENTAL}).\n\nEach dominant stream alone, from "
    "its own purge, until it is steady."
)
@_with(_oio_option, *_round_options)
def streams(**asked: Any) -> None:
    """Carry each stream out alone."""
    from ssdlab.procedures import rwsw as procedures

    procedure = procedures.individual_streams(
        _read(asked["capture_file"], asked),
        oio=asked["oio"],
        least_percent=asked["share"],
        saturating=_saturating(asked),
    )
    carry_out(procedure, asked)


@rwsw.command(
    help=f"Replay of the steps ({EXPERIMENTAL}).\n\nPurge, two user capacities of "
    "sequential writes, then each step's mix at its queue depth, in order."
)
@_with(
    click.option(
        "--scale",
        type=click.FloatRange(1e-6, 1000),
        callback=require_finite,
        default=1.0,
        show_default=True,
        help="what the duration of each step is multiplied by",
    )
)
def replay(**asked: Any) -> None:
    """Carry a replay out."""
    from ssdlab.procedures import rwsw as procedures

    procedure = procedures.replay(
        _read(asked["capture_file"], asked),
        scale=asked["scale"],
        least_percent=asked["share"],
    )
    carry_out(procedure, asked)


@rwsw.command(
    help=f"OIO sweep ({EXPERIMENTAL}).\n\nPurge, the dominant streams until they are "
    "steady, then 1,024 outstanding IOs down to 1."
)
@_with(
    _oio_option,
    _seconds("--seconds-per-point", 60.0, "how long each OIO is applied"),
    *_round_options,
)
def sweep(**asked: Any) -> None:
    """Carry a sweep out."""
    from ssdlab.procedures import rwsw as procedures

    procedure = procedures.sweep(
        _read(asked["capture_file"], asked),
        oio=asked["oio"],
        point_seconds=asked["seconds_per_point"],
        least_percent=asked["share"],
        saturating=_saturating(asked),
    )
    carry_out(procedure, asked)


def _read(file: Path, asked: dict[str, Any]) -> "Capture":
    from ssdlab.store.capture import read_capture

    return read_capture(
        file, step_seconds=asked["step_seconds"], device=asked["device"]
    )


def _saturating(asked: dict[str, Any]) -> "Saturating":
    from ssdlab.procedures.stream_load import Saturating

    return Saturating(
        round_seconds=asked["seconds_per_round"],
        sample_every_rounds=asked["sample_every"],
        max_rounds=asked["max_rounds"],
    )
