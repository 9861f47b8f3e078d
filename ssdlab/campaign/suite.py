"""Carry a suite or a procedure out from its beginning, or take it up again."""

import secrets
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ssdlab.campaign.carrying import Tell, carry_out, terminated_like_interrupted
from ssdlab.campaign.folders import (
    hash_plan,
    make_folder,
    make_record,
    open_or_clean,
    refuse_taken,
    require_same_plan,
    take_ceiling,
)
from ssdlab.campaign.ingest import ingest_run, plan_inputs
from ssdlab.campaign.lock import locked
from ssdlab.campaign.request import Request, check_procedure, check_request
from ssdlab.fio.runner import require_fio
from ssdlab.host.inventory import read_host
from ssdlab.model.errors import RunFolderError
from ssdlab.model.spec import Procedure
from ssdlab.store.records import (
    RunState,
    read_record,
    read_state,
    write_record,
    write_state,
)
from ssdlab.store.run import Run, open_run
from ssdlab.targets.opening import reopen_target


def run_suite(  # noqa: PLR0913 - each is a choice of the user's, by name
    target: str = "virtual",
    profile: str = "demo",
    tests: str | Sequence[str] = "iops,tp,lat,wsat",
    *,
    runs: str | Path = "data/runs",
    run_folder: str | Path = "",
    label: str = "",
    confirm_serial: str = "",
    seed: int = 0,
    host_ceiling: bool = False,
    tell: Tell | None = None,
) -> Run:
    """Measure a target with the tests of a profile.

    Parameters
    ----------
    target : str, default "virtual"
        ``virtual``, ``virtual:size=256MiB,op=12``, ``file:PATH,size=1GiB``, ``/dev/…``.
    profile : str, default "demo"
        The profile, such as ``pts-2.0-enterprise``, or a file: ``mine.toml``.
    tests : str or sequence of str, default "iops,tp,lat,wsat"
        The tests, in the order to be run; ``all`` are those of the profile.
    runs : str or Path, default "data/runs"
        The folder that gets the run's folder.
    run_folder : str or Path, default ""
        The folder of the run itself, instead of a new one in ``runs``.
    label : str, default ""
        A name of the user's own.
    confirm_serial : str, default ""
        The serial of a device that may be destroyed.
    seed : int, default 0
        The seed of all offsets; 0 draws one. It is recorded.
    host_ceiling : bool, default False
        Whether to measure first, for a minute, what this host can issue at all.
    tell : callable, optional
        Is told each `Progress`; without it nothing is told.

    Returns
    -------
    Run
        The finished run, its tables written.

    Raises
    ------
    UserError
        If the request cannot be carried out; no run was begun then.
    RunFailedError
        If a step failed; what was measured is kept.
    RunInterruptedError
        If the user stopped the run; what was measured is kept.
    """
    asked = check_request(
        target,
        profile,
        tests if isinstance(tests, str) else ",".join(tests),
        texts={"label": label, "runs": str(runs)},
    )
    return _begin(
        asked,
        runs=Path(runs),
        run_folder=run_folder,
        label=label,
        confirmed=confirm_serial,
        seed=seed,
        host_ceiling=host_ceiling,
        tell=tell,
    )


def run_procedure(  # noqa: PLR0913 - each is a choice of the user's, by name
    procedure: Procedure,
    target: str = "virtual",
    *,
    runs: str | Path = "data/runs",
    run_folder: str | Path = "",
    label: str = "",
    confirm_serial: str = "",
    seed: int = 0,
    host_ceiling: bool = False,
    tell: Tell | None = None,
) -> Run:
    """Measure a target by a published procedure that is no test of the PTS.

    Parameters
    ----------
    procedure : Procedure
        What to do, as `ssdlab.procedures` makes it.
    target : str, default "virtual"
        As in `run_suite`; so are the parameters below.
    runs : str or Path, default "data/runs"
        The folder that gets the run's folder.
    run_folder : str or Path, default ""
        The folder of the run itself.
    label : str, default ""
        A name of the user's own.
    confirm_serial : str, default ""
        The serial of a device that may be destroyed.
    seed : int, default 0
        The seed of all offsets; 0 draws one.
    host_ceiling : bool, default False
        Whether to measure first, for a minute, what this host can issue at all.
    tell : callable, optional
        Is told each `Progress`.

    Returns
    -------
    Run
        The finished run, its tables written.

    Raises
    ------
    UserError
        If the request cannot be carried out; no run was begun then.
    RunFailedError
        If a step failed; what was measured is kept.
    RunInterruptedError
        If the user stopped the run; what was measured is kept.
    """
    texts = {"label": label, "runs": str(runs)}
    return _begin(
        check_procedure(target, procedure, texts=texts),
        runs=Path(runs),
        run_folder=run_folder,
        label=label,
        confirmed=confirm_serial,
        seed=seed,
        host_ceiling=host_ceiling,
        tell=tell,
    )


def _begin(  # noqa: PLR0913 - as above
    asked: Request,
    *,
    runs: Path,
    run_folder: str | Path,
    label: str,
    confirmed: str,
    seed: int,
    host_ceiling: bool,
    tell: Tell | None,
) -> Run:
    """Make the run's folder and record, and carry it out."""
    seed = seed or secrets.randbelow(2**31 - 1) + 1
    fio, fio_version = require_fio()
    folder = make_folder(runs, asked, Path(run_folder) if run_folder else None)
    with locked(folder, sleep=time.sleep), terminated_like_interrupted():
        if (folder / "run.json").exists():
            refuse_taken(folder)
        device = open_or_clean(
            asked, folder, cache=runs / ".cache", confirmed=confirmed
        )
        ceiling = take_ceiling(folder, device) if host_ceiling else ()
        record = make_record(folder, asked, device, read_host(fio_version))
        record = replace(record, label=label, seed=seed, host_ceiling=ceiling)
        record = replace(record, plan_hash=hash_plan(*plan_inputs(record)))
        write_state(
            folder, RunState(status="running")
        )  # first: run.json makes it a run
        write_record(folder, record)
        return carry_out(folder, record, device, fio=fio, tell=tell)


def resume_run(run: str | Path, *, tell: Tell | None = None) -> Run:
    """Take an interrupted or failed run up again.

    Steps that were finished are not measured again; a window of steady state
    begins afresh after the gap.

    Parameters
    ----------
    run : str or Path
        The run folder.
    tell : callable, optional
        Is told each `Progress`; without it nothing is told.

    Returns
    -------
    Run
        The finished run, its tables written.

    Raises
    ------
    UserError
        If the folder is damaged or in use, or the device is gone or another one.
    RunFailedError
        If a step failed; what was measured is kept.
    RunInterruptedError
        If the user stopped the run; what was measured is kept.
    """
    folder = Path(run)
    record = read_record(folder)
    fio, _ = require_fio()
    with locked(folder, sleep=time.sleep):
        if read_state(folder).status == "finished":
            ingest_run(folder)  # it may have been killed while it wrote its tables
            return open_run(folder)
        require_same_plan(folder, record)
        device = reopen_target(record.target, folder=folder / "target")
        return carry_out(folder, record, device, fio=fio, tell=tell)


def require_unfinished(run: Path) -> None:
    """Require that the run can be gone on with, now.

    Raises
    ------
    RunFolderError
        If it is damaged, in use or finished.
    """
    read_record(run)
    with locked(run, sleep=time.sleep):
        report = run / "report.html"
        if read_state(run).status == "finished" and report.exists():
            raise RunFolderError(
                folder=str(run),
                reason="the run is finished; there is nothing to go on with",
                remedy=f"See {report}, or write it anew: ssdlab report {run}",
            )
