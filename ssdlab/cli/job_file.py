"""The options of ``run`` for fio job files."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from ssdlab.cli.group import add_options, require_finite

if TYPE_CHECKING:
    from ssdlab.model.asked import Procedure
    from ssdlab.procedures.jobs.suite_file import Measuring

_FILLS = ("seq", "rnd", "both", "sprandom", "none", "reuse")
_OPTIONS = (
    click.option(
        "--job",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="measure the jobs of a fio job file in place of the tests of a profile",
    ),
    click.option(
        "--suite",
        metavar="FILE",
        help="measure the job files of a suite: FILE.toml, fiosynth:FILE for one of "
        "FioSynth, or example:loops; the options below then count more than the file",
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
        "both, fio's sprandom, none but a purge, or reuse of the state as it is  "
        "[default: seq]",
    ),
    click.option(
        "--over-provisioning",
        type=click.FloatRange(0.01, 100, max_open=True),
        metavar="PERCENT",
        help="with --precondition sprandom: flash beyond the user capacity",
    ),
    click.option(
        "--long-run",
        type=click.FloatRange(0.1, 7 * 24 * 3600),
        callback=require_finite,
        metavar="SECONDS",
        help="with --job: after the rounds one long run, for a histogram and a series",
    ),
    click.option(
        "--percentile",
        multiple=True,
        type=click.FloatRange(0, 100, min_open=True, max_open=True),
        metavar="PERCENT",
        help="with --job: show this percentile besides 99, 99.9 and 99.99",
    ),
    click.option(
        "--purge-each",
        is_flag=True,
        help="with --job: purge and precondition before each stimulus, not only before "
        "the first",
    ),
)
_NAMES = (
    *("matrix", "track", "rounds", "seconds", "precondition", "long_run", "percentile"),
    *("purge_each", "over_provisioning"),
)


def job_file_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add to a command the options for job files."""
    return add_options(command, _OPTIONS)


def require_no_job_options(options: dict[str, Any]) -> None:
    """Require that nothing is asked of a job file where there is none."""
    given = [name for name in _NAMES if options[name]]
    if given:
        msg = f"--{given[0].replace('_', '-')} needs --job FILE or --suite FILE"
        raise click.UsageError(msg)


def require_no_pts_options() -> None:
    """Require that a profile or tests are not asked for beside job files."""
    context = click.get_current_context()
    for name in ("profile", "tests"):
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            msg = f"--{name} is of the PTS, and job files are measured in its place"
            raise click.UsageError(msg)


def read_job_files(options: dict[str, Any]) -> "Procedure":
    """Return the procedure of a job file or a suite, and of the options for it."""
    from ssdlab.engine.jobs import read_job_file, read_job_suite
    from ssdlab.procedures.jobs.fiosynth import PREFIX

    if options["job"] is not None and options["suite"] is not None:
        msg = "--job and --suite exclude each other; a suite names its job files"
        raise click.UsageError(msg)
    asked = _measuring(options)
    if options["job"] is not None:
        matrix = tuple(map(_axis, options["matrix"]))
        levels = options["percentile"]
        return read_job_file(options["job"], asked, matrix=matrix, percentiles=levels)
    if options["matrix"]:
        msg = "--matrix is of --job; write [jobs.matrix] in the suite"
        raise click.UsageError(msg)
    if options["suite"].startswith(PREFIX):
        return _read_fiosynth(options, asked)
    return read_job_suite(options["suite"], asked, percentiles=options["percentile"])


def _measuring(options: dict[str, Any]) -> "Measuring":
    from ssdlab.procedures.jobs.suite_file import Measuring

    return Measuring(
        precondition=options["precondition"],
        over_provisioning=options["over_provisioning"],
        purge_each=options["purge_each"] or None,
        seconds=options["seconds"],
        rounds=options["rounds"],
        track=() if options["track"] == ("none",) else options["track"] or None,
        long_run_seconds=options["long_run"],
    )


def _require_options_of_fiosynth(options: dict[str, Any]) -> None:
    """Require that nothing is asked that a suite of FioSynth does not take."""
    for name in ("precondition", "over_provisioning", "purge_each"):
        if options[name]:
            words = f"--{name.replace('_', '-')} is not for a suite of FioSynth"
            msg = f"{words}: it says itself what is done before its workloads"
            raise click.UsageError(msg)
    if options["long_run"] and not options["track"]:
        msg = "--long-run needs --track: each workload of FioSynth is one long run"
        raise click.UsageError(msg)


def _read_fiosynth(options: dict[str, Any], asked: "Measuring") -> "Procedure":
    """Return a suite of FioSynth for the capacity of the target."""
    from ssdlab.procedures.jobs.fiosynth import PREFIX, read_fiosynth
    from ssdlab.procedures.jobs.spec import suite_procedure
    from ssdlab.procedures.jobs.suite_file import choices_of
    from ssdlab.system.toml_files import read_text
    from ssdlab.targets.opening import read_shape

    _require_options_of_fiosynth(options)
    place = Path(options["suite"].removeprefix(PREFIX))
    folders = (
        place.parent.parent / "jobfiles",
        place.parent / "jobfiles",
        place.parent,
    )

    def read_template(name: str) -> str:
        there = (folder / name for folder in folders if (folder / name).is_file())
        return read_text(next(there, folders[0] / name))

    is_asked = asked.track or asked.seconds or asked.rounds
    found = read_fiosynth(
        read_text(place),
        source=place.name,
        capacity_bytes=read_shape(options["target"]).capacity_bytes,
        read_template=read_template,
        choices=choices_of(replace(asked, track=asked.track or ()))
        if is_asked
        else None,
    )
    return suite_procedure(
        found.entries,
        title=place.name,
        source=place.name,
        notes=found.notes,
        percentiles=options["percentile"],
    )


def _axis(text: str) -> tuple[str, tuple[str, ...]]:
    """Return an option of the matrix and its values."""
    name, _, values = text.partition("=")
    found = tuple(value.strip() for value in values.split(",") if value.strip())
    if not name.strip() or not found or len(set(found)) < len(found):
        msg = f"{text!r} is not OPTION=V1,V2 with different values"
        raise click.BadParameter(msg, param_hint="--matrix")
    return name.strip(), found
