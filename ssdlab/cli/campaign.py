"""``campaign``: runs on many drives of many hosts."""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ssdlab.cli.group import json_option, main, output_width
from ssdlab.text.table import column, tabulate
from ssdlab.text.terminal import printable, table_lines

if TYPE_CHECKING:
    from ssdlab.campaign.backends.port import Backend
    from ssdlab.campaign.folder import CampaignFolder
    from ssdlab.campaign.plan import HostCost, RunCost
    from ssdlab.campaign.status import JobStatus

    _Read = tuple[tuple[JobStatus, ...], bool]

_UNKNOWN = "unknown"
_WATCH_S = 2.0
_MARKS = {
    "published": "✓ ",
    "failed": "✗ ",
    "refused": "✗ ",
    "given up": "✗ ",
    "interrupted": "✗ ",
    "running": "▶ ",
}


@main.group()
def campaign() -> None:
    """Measure many drives on many hosts.

    A campaign is what campaign.toml asks of the drives in lab.toml: one run of one
    drive is a job. Its folder DIR keeps all that is true of it. The hosts share it, or
    are reached by ssh.

    Begin with: ssdlab campaign discover > lab.toml
    """


_lab = click.argument(
    "lab", metavar="LAB.toml", type=click.Path(path_type=Path, dir_okay=False)
)
_asked = click.argument(
    "asked", metavar="CAMPAIGN.toml", type=click.Path(path_type=Path, dir_okay=False)
)
_folder = click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
_jobs = click.argument("jobs", metavar="[JOB]...", nargs=-1)


def _clock() -> Callable[[], float]:
    return time.time  # noqa: TID251 - here clocks are made


def _open(folder: Path) -> "CampaignFolder":
    from ssdlab.campaign.folder import CampaignFolder

    return CampaignFolder(folder.absolute()).require()


def _backend(folder: "CampaignFolder") -> "Backend":
    from ssdlab.campaign.backends import open_backend
    from ssdlab.campaign.submit import read_lab_of

    return open_backend(folder, read_lab_of(folder), tell=_tell)


def _tell(words: str) -> None:
    click.echo(printable(words), err=True)


@campaign.command()
@click.option(
    "--name",
    help="name of this host in the lab; default: its host name",
)
@click.option(
    "--scratch",
    default="/srv/ssdlab",
    show_default=True,
    help="folder on a local disk in which runs are kept while they go on",
)
def discover(name: str | None, scratch: str) -> None:
    """Print lab.toml for the drives of this host.

    Run it on each host and join what it prints. Drives that are in use are listed as in
    maintenance. A serial number that is in two hosts is refused.
    """
    import socket

    from ssdlab.campaign.discover import lab_text, make_host
    from ssdlab.campaign.lab import Lab
    from ssdlab.cli.devices import as_dict
    from ssdlab.drive.survey import survey_drives

    host = make_host(
        map(as_dict, survey_drives()), scratch=scratch, cores=os.cpu_count() or 1
    )
    lab = Lab(hosts={name or socket.gethostname(): host})
    click.echo(lab_text(lab), nl=False)


@campaign.command(name="lab")
@_lab
@click.option("--slurm", is_flag=True, help="print what slurm.conf needs for it")
def show_lab(lab: Path, *, slurm: bool) -> None:
    """Check lab.toml, and list its hosts and drives."""
    from ssdlab.campaign.backends.slurm import conf_lines
    from ssdlab.campaign.lab import read_lab

    found = read_lab(lab)
    if slurm:
        click.echo("\n".join(conf_lines(found)))
        return
    columns = (
        column("host", lambda one: one[0], is_words=True),
        column("serial", lambda one: one[1], is_words=True),
        column("state", lambda one: one[2].state, is_words=True),
        column("model", lambda one: one[2].model, is_words=True),
        column("firmware", lambda one: one[2].firmware, is_words=True),
        column("target", lambda one: one[2].target, is_words=True),
        column("note", lambda one: printable(one[2].note), is_words=True),
    )
    table = tabulate(list(found.drives), columns, caption="")
    click.echo("\n".join(table_lines(table, width=output_width(), is_coloured=True)))


@campaign.command()
@_lab
@_asked
@json_option
def plan(lab: Path, asked: Path, *, as_json: bool) -> None:
    """Show what a campaign would take, by host; touch nothing."""
    from ssdlab.campaign.asked import left_out
    from ssdlab.campaign.plan import plan_campaign
    from ssdlab.campaign.submit import read_request

    request = read_request(lab, asked)
    hosts = plan_campaign(request.lab, request.wanted, profile=request.profile)
    bad = left_out(request.lab, request.asked, source=request.source)
    if as_json:
        click.echo(json.dumps(_plan_data(hosts, bad), indent=1))
        return
    for host in hosts:
        click.echo("\n".join((*_host_lines(host), "")))
    count = sum(len(host.runs) for host in hosts)
    least, most = (max(host.seconds[end] for host in hosts) for end in (0, 1))
    click.echo(
        f"{count} runs on {len(hosts)} hosts, {_span(least, most)} without purges; "
        "nothing was touched"
    )
    for serial, drive in bad.items():
        note = f" ({drive.note})" if drive.note else ""
        click.echo(printable(f"left out: {serial}, {drive.state}{note}"))


def _plan_data(hosts: "Sequence[HostCost]", bad: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "hosts": [
            {
                "host": host.host,
                "slots": host.slots,
                "seconds_min": host.seconds[0],
                "seconds_max": host.seconds[1],
                "runs": [_run_data(one) for one in host.runs],
            }
            for host in hosts
        ],
        "left_out": {serial: drive.state for serial, drive in bad.items()},
    }


def _run_data(one: "RunCost") -> dict[str, Any]:
    seconds, written = one.seconds or (None, None), one.written_bytes or (None, None)
    return {
        "job": one.wanted.job,
        "serial": one.wanted.serial,
        "tests": one.wanted.tests,
        "seconds_min": seconds[0],
        "seconds_max": seconds[1],
        "written_bytes_min": written[0],
        "written_bytes_max": written[1],
        "endurance_ratio_max": one.endurance_ratio,
        "unknown_because": one.why,
    }


def _host_lines(host: "HostCost") -> Iterator[str]:
    from ssdlab.campaign.plan import find_endurance_use
    from ssdlab.model.units import capacity_label

    slots = f"{host.slots} at once" if host.slots > 1 else "one at a time"
    yield printable(
        f"{host.host}: {len(host.runs)} runs, {slots}, {_span(*host.seconds)}"
    )
    columns = (
        column("job", lambda one: one.wanted.job, is_words=True),
        column("target", lambda one: one.wanted.drive.target, is_words=True),
        column("tests", lambda one: one.wanted.tests, is_words=True),
        column(
            "time",
            lambda one: _span(*one.seconds) if one.seconds else one.why or _UNKNOWN,
            is_words=True,
        ),
        column(
            "written",
            lambda one: (
                f"{capacity_label(one.written_bytes[0])} to "
                f"{capacity_label(one.written_bytes[1])}"
                if one.written_bytes
                else _UNKNOWN
            ),
            is_words=True,
        ),
    )
    table = tabulate(host.runs, columns, caption="")
    yield from (f"  {line}" for line in table_lines(table, width=output_width()))
    for serial, ratio in find_endurance_use(host.runs).items():
        yield f"  {serial}: at most {100 * ratio:.2g} % of its rated endurance"


def _span(least_s: float, most_s: float) -> str:
    from ssdlab.model.units import duration_label

    least, most = duration_label(least_s), duration_label(most_s)
    return least if least == most else f"{least} to {most}"


@campaign.command()
@_lab
@_asked
@_folder
def submit(lab: Path, asked: Path, folder: Path) -> None:
    """Submit a campaign, or what is left of it, to the engine of its lab.

    It may be repeated at any time: jobs that are published, queued or running are left
    alone. The files are copied to DIR. The campaign stays the one of the first time;
    the lab may change, such as the state of a drive.
    """
    from ssdlab.campaign.backends import open_backend
    from ssdlab.campaign.folder import CampaignFolder
    from ssdlab.campaign.submit import read_request
    from ssdlab.campaign.submit import submit as submit_to

    request = read_request(lab, asked)
    place = CampaignFolder(folder.absolute())
    started = submit_to(request, place, open_backend(place, request.lab, tell=_tell))
    click.echo(f"{len(started)} of {len(place.names())} jobs handed over")
    click.echo(f"see them: ssdlab campaign status {folder}")
    click.echo(str(folder))


@campaign.command()
@_folder
@_jobs
@json_option
@click.option(
    "--watch",
    is_flag=True,
    help="show it until no job is left; without a terminal a line as it changes",
)
@click.option(
    "--openmetrics",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="write it as metrics for the textfile collector of node_exporter",
)
def status(
    folder: Path,
    jobs: tuple[str, ...],
    *,
    as_json: bool,
    watch: bool,
    openmetrics: Path | None,
) -> None:
    """Show the state of each job, from the files first and the engine second.

    The exit code is 1 if a job needs a person: it failed, was stopped, refused or given
    up.
    """
    from ssdlab.campaign.openmetrics import openmetrics_text
    from ssdlab.campaign.status import NEED_A_PERSON
    from ssdlab.campaign.submit import ASKED, read_asked
    from ssdlab.system.durable import write_whole

    place = _open(folder)
    watched = (_watch if sys.stdout.isatty() else _follow) if watch else _read
    statuses, is_away = watched(place, jobs)
    if openmetrics is not None:
        name = read_asked(place.top.text(ASKED), source=ASKED).name
        write_whole(openmetrics, openmetrics_text(name, statuses).encode())
    if as_json:
        click.echo(json.dumps([_status_data(one) for one in statuses], indent=1))
    elif openmetrics is not None:
        click.echo(str(openmetrics))
    else:
        click.echo("\n".join(_status_lines(statuses, is_away=is_away)))
    bad = () if jobs else place.find_bad_files()
    for words in bad:
        click.echo(printable(words), err=True)
    if bad or any(one.state in NEED_A_PERSON for one in statuses):
        sys.exit(1)


def _read(place: "CampaignFolder", names: Sequence[str]) -> "_Read":
    """Return the status of jobs, and whether the engine does not answer."""
    return next(_until_ended(place, names))


def _watch(place: "CampaignFolder", jobs: Sequence[str]) -> "_Read":
    """Show the state until no job is left; Ctrl-C stops watching alone."""
    from rich.live import Live
    from rich.text import Text

    with Live(auto_refresh=False, transient=True) as live:
        for found in _until_ended(place, jobs):
            lines = _status_lines(found[0], is_away=found[1])
            live.update(Text("\n".join(lines)), refresh=True)
    return found


def _follow(place: "CampaignFolder", jobs: Sequence[str]) -> "_Read":
    """Print a line whenever the states have changed, until no job is left."""
    told = ""
    for found in _until_ended(place, jobs):
        line = _counts_line(found[0])
        if line != told:
            click.echo(f"{datetime.now().astimezone():%H:%M:%S} {line}")
            told = line
    return found


def _until_ended(place: "CampaignFolder", names: Sequence[str]) -> "Iterator[_Read]":
    """Yield the state every few seconds, the last time when no job is left.

    An engine that takes time from its hosts is asked less often than the files.
    """
    from ssdlab.campaign.status import ENDED, read_statuses

    backend = _backend(place)
    queue, asked_s = backend.list(), time.monotonic()
    while True:
        jobs = [place.job(name) for name in names] or None
        statuses = read_statuses(place, queue, now_s=_clock()(), jobs=jobs)
        yield statuses, queue is None
        if all(one.state in ENDED | {"held"} for one in statuses):
            return
        time.sleep(_WATCH_S)
        if time.monotonic() - asked_s >= backend.list_pause_s:
            queue, asked_s = backend.list(), time.monotonic()


def _counts_line(statuses: "Sequence[JobStatus]") -> str:
    from ssdlab.campaign.status import count_states

    counts = count_states(statuses)
    return ", ".join(f"{count} {state}" for state, count in counts.items())


def _status_data(one: "JobStatus") -> dict[str, Any]:
    least_s, most_s = one.left_s or (None, None)
    return {
        "job": one.job.job,
        "host": one.job.host,
        "serial": one.job.serial,
        "tests": one.job.tests,
        "run_id": one.job.run_id,
        "state": one.state,
        "why": one.why,
        "starts": one.starts,
        "engine": one.engine,
        "phase": one.phase,
        "done_ratio": one.done_ratio,
        "left_min_s": least_s,
        "left_max_s": most_s,
    }


def _status_lines(statuses: "Sequence[JobStatus]", *, is_away: bool) -> Iterator[str]:
    columns = (
        column("job", lambda one: one.job.job, is_words=True),
        column("host", lambda one: one.job.host, is_words=True),
        column(
            "state", lambda one: _MARKS.get(one.state, "  ") + one.state, is_words=True
        ),
        column("starts", lambda one: str(one.starts)),
        column("progress", _progress_words, is_words=True),
    )
    table = tabulate(statuses, columns, caption="")
    yield from table_lines(table, width=output_width(), is_coloured=True)
    yield ""
    yield _counts_line(statuses)
    ends_s = [one.left_s[1] for one in statuses if one.left_s]
    if ends_s:
        end = datetime.now().astimezone() + timedelta(seconds=max(ends_s))
        yield f"those that run end by {end:%Y-%m-%d %H:%M}"
    if is_away:
        yield "The engine does not answer; this is what the files say."


def _progress_words(one: "JobStatus") -> str:
    parts = [one.phase]
    if one.done_ratio is not None:
        parts.append(f"{100 * one.done_ratio:.0f} %")
    if one.left_s is not None:
        parts.append(f"{_span(*one.left_s)} left")
    return printable(" · ".join(filter(None, parts)) or one.why)


@campaign.command()
@_folder
@click.argument("job")
@click.option("-f", "--follow", is_flag=True, help="go on until the job ends")
def logs(folder: Path, job: str, *, follow: bool) -> None:
    """Print what the program said in a job."""
    place = _open(folder)
    told = 0
    for _ in _until_ended(place, [place.job(job).job]):
        content = place.top / "logs"
        if content.has_file(f"{job}.txt"):
            with content.opened(f"{job}.txt") as file:
                file.seek(told)
                said = file.read()
            told += len(said)
            click.echo("\n".join(map(printable, _lines_of(said))), nl=bool(said))
        if not follow:
            return


def _lines_of(said: bytes) -> list[str]:
    return said.decode("utf-8", "replace").replace("\r", "\n").splitlines()


def _asking(what: str, words: str, done: str) -> None:
    """Add a command that asks something of jobs."""

    @campaign.command(name=what, help=words)
    @_folder
    @_jobs
    def ask(folder: Path, jobs: tuple[str, ...]) -> None:
        from ssdlab.campaign.submit import ask_of

        place = _open(folder)
        chosen = [place.job(name) for name in jobs] or list(place.jobs())
        asked = ask_of(place, chosen, what, backend=_backend(place), now_s=_clock()())
        for name in asked:
            click.echo(f"{name} {done}")
        if not asked:
            click.echo(f"no job can be {done} now")


_asking("hold", "Keep jobs back; those that run stop, and resume later.", "held")
_asking("release", "Let jobs that are held go on.", "released")
_asking(
    "cancel", "Drop jobs; what was measured is kept, and can be retried.", "cancelled"
)
_asking("retry", "Try jobs again that failed or were stopped.", "retried")


@campaign.command()
@_folder
def tend(folder: Path) -> None:
    """Hand over again what the engine lost; for a timer.

    It may run at any time, on any host, also twice at once. From hosts that share no
    folder it fetches the runs that they have published.
    """
    from ssdlab.campaign.submit import hand_over

    place = _open(folder)
    started = hand_over(place, _backend(place))
    click.echo(f"{len(started)} jobs handed over")


@campaign.command()
@_folder
@click.argument("store")
def collect(folder: Path, store: str) -> None:
    """Add the published runs to a store of runs; for a timer.

    A run that is there is left alone. STORE is made by ssdlab store init.
    """
    from ssdlab.cli.store import add_all, find_place

    place = _open(folder)
    runs = [place.runs / job.run_id for job in place.jobs() if place.is_published(job)]
    if not add_all(find_place(store), tuple(runs)):
        sys.exit(1)


@campaign.command()
@_folder
def check(folder: Path) -> None:
    """Check the folder, the engine, and what is published.

    The exit code is 1 if something is wrong.
    """
    from ssdlab.campaign.check import check_campaign

    place = _open(folder)
    found = check_campaign(place, _backend(place))
    for words in found:
        click.echo(printable(words))
    if found:
        sys.exit(1)
    click.echo("All is well.")


@campaign.command()
@_folder
@click.option("--yes", is_flag=True, help="remove them; default: list them")
def clean(folder: Path, *, yes: bool) -> None:
    """Remove from this host the run folders of jobs that are published.

    Only those whose published copy is as it was published. Without --yes they are
    listed and nothing is removed.
    """
    from ssdlab.campaign.check import clean_scratch

    place = _open(folder)
    for path, words in clean_scratch(place, removes=yes):
        click.echo(printable(f"{path}: {words}"))


@campaign.command()
@_folder
@click.option("--host", default="", help="the host that is this machine; default: all")
@click.option("--detach", is_flag=True, help="serve in the background")
@click.option(
    "--check",
    "checks",
    is_flag=True,
    help="only tell whether it is served: exit code 0, else 3",
)
def serve(folder: Path, host: str, *, detach: bool, checks: bool) -> None:
    """Start the jobs of this machine in their turn, until none is left.

    This is the engine that needs no installation; submit starts it. A second one ends
    at once. SIGTERM stops it and its jobs, which are resumed when it is started again.
    """
    from ssdlab.campaign.serve import NOT_SERVED, Server, is_served

    place = _open(folder)
    if checks:
        sys.exit(0 if is_served(place, host) else NOT_SERVED)
    server = Server(campaign=place, host=host, clock=time.monotonic, sleep=time.sleep)
    if detach:
        server.serve_detached()
    elif not server.serve():
        click.echo("It is served already.")


@campaign.command()
@_folder
@click.argument("job")
def work(folder: Path, job: str) -> None:
    """Work on one job: begin its run, resume it, or publish it.

    This is what an engine starts on the host of the drive, also several times: a job
    that is published is left alone, and one that is worked on is refused. The exit code
    is 0 when its run is published, 1 if it failed or was stopped, 2 if what is asked
    cannot be carried out, and 75 if the job should be started again.
    """
    from ssdlab.campaign.work import work as work_on

    sys.exit(work_on(folder.absolute(), job, clock=_clock(), sleep=time.sleep))
