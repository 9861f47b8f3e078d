"""The options of ``run`` for a fio job file."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from ssdlab.cli.group import require_finite

if TYPE_CHECKING:
    from ssdlab.model.asked import Procedure

_FILLS = ("seq", "rnd", "both", "none")
_OPTIONS = (
    click.option(
        "--job",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="measure the jobs of a fio job file in place of the tests of a profile",
    ),
    click.option(
        "--matrix",
        multiple=True,
        metavar="OPTION=V1,V2",
        help="with --job: repeat its jobs with each value of an option, such as "
        "iodepth=1,32; several make all combinations",
    ),
    click.option(
        "--track",
        multiple=True,
        metavar="[JOB:]METRIC",
        help="with --job: a tracking variable: iops, bw or lat, of all jobs or of one; "
        "none: take --rounds rounds and judge nothing  [default: iops]",
    ),
    click.option(
        "--rounds",
        type=click.IntRange(1, 10_000),
        help="with --job: most rounds of a stimulus  [default: 25]",
    ),
    click.option(
        "--seconds",
        type=click.FloatRange(0.1, 24 * 3600),
        callback=require_finite,
        help="with --job: duration of a round  [default: runtime of the file, or 60]",
    ),
    click.option(
        "--precondition",
        type=click.Choice(_FILLS),
        help="with --job: two sequential fills, random writes of one user capacity, "
        "both, or none  [default: seq]",
    ),
    click.option(
        "--purge-each",
        is_flag=True,
        help="with --job: purge and precondition before each stimulus, not only before "
        "the first",
    ),
)
_NAMES = ("matrix", "track", "rounds", "seconds", "precondition", "purge_each")


def job_file_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add to a command the options for a job file."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def require_no_job_options(options: dict[str, Any]) -> None:
    """Require that nothing is asked of a job file where there is none."""
    given = [name for name in _NAMES if options[name]]
    if given:
        msg = f"--{given[0].replace('_', '-')} needs --job FILE"
        raise click.UsageError(msg)


def require_no_pts_options() -> None:
    """Require that a profile or tests are not asked for beside a job file."""
    context = click.get_current_context()
    for name in ("profile", "tests"):
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            msg = f"--{name} is of the PTS, and --job measures a job file in its place"
            raise click.UsageError(msg)


def read_job_file(options: dict[str, Any]) -> "Procedure":
    """Return the procedure of a job file and of the options for it."""
    from ssdlab.procedures.jobs.spec import MAX_ROUNDS, JobChoices, file_procedure
    from ssdlab.system.toml_files import read_text

    tracked = options["track"] or ("iops",)
    choices = JobChoices(
        fill=options["precondition"] or "seq",
        seconds=options["seconds"],
        max_rounds=options["rounds"] or MAX_ROUNDS,
        tracked=() if tracked == ("none",) else tracked,
        matrix=tuple(map(_axis, options["matrix"])),
        is_each_purged=options["purge_each"],
    )
    path: Path = options["job"]
    return file_procedure(read_text(path), source=path.name, choices=choices)


def _axis(text: str) -> tuple[str, tuple[str, ...]]:
    """Return an option of the matrix and its values."""
    name, _, values = text.partition("=")
    found = tuple(value.strip() for value in values.split(",") if value.strip())
    if not name.strip() or not found or len(set(found)) < len(found):
        msg = f"{text!r} is not OPTION=V1,V2 with different values"
        raise click.BadParameter(msg, param_hint="--matrix")
    return name.strip(), found
