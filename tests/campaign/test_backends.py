"""What every engine must do: the contract that a campaign relies on."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event

import pytest

from ssdlab.campaign.backends.local import LocalBackend
from ssdlab.campaign.backends.port import Backend
from ssdlab.campaign.backends.slurm import SlurmBackend
from ssdlab.campaign.backends.ssh import SshBackend
from ssdlab.campaign.check import check_campaign
from ssdlab.campaign.folder import CampaignFolder
from ssdlab.campaign.lab import Lab
from ssdlab.campaign.publish import find_damage
from ssdlab.campaign.serve import is_served
from ssdlab.campaign.status import ENDED, JobStatus, read_statuses
from ssdlab.campaign.submit import Request, ask_of, hand_over, submit
from ssdlab.model.errors import CampaignError
from tests.campaign.made_lab import CAMPAIGN, campaign_at, write_files
from tests.campaign.modelled_ssdlab import MEASURED, STEP_S
from tests.campaign.slurm_lab import SlurmLab, require_slurm
from tests.campaign.ssh_host import SshHost, require_ssh
from tests.campaign.worker import SERVES
from tests.paths import ROOT

_STEP_S = "0.15"  # so that it is still going on when it is stopped
PATIENCE_S = 200  # Slurm starts a job again after two minutes
Wait = Callable[[Callable[[], bool]], None]


@pytest.fixture
def campaign(tmp_path: Path) -> CampaignFolder:
    return campaign_at(tmp_path)


@pytest.fixture
def request_(tmp_path: Path) -> Request:
    return write_files(tmp_path)


@contextmanager
def served_here(campaign: CampaignFolder, _place: Path) -> Iterator[Backend]:
    yield LocalBackend(campaign, program=SERVES)
    stop_all(campaign)
    wait_until(lambda: not is_served_at(campaign)(""))


@contextmanager
def reached_by_ssh(campaign: CampaignFolder, place: Path) -> Iterator[Backend]:
    with ssh_backend(campaign, place, shared_folder=True) as backend:
        yield backend
        stop_all(campaign)
        wait_until(lambda: not any(map(is_served_at(campaign), backend.lab.hosts)))


@contextmanager
def copied_by_ssh(campaign: CampaignFolder, place: Path) -> Iterator[Backend]:
    """Return the engine, tended as by a timer, which fetches what was published."""
    with ssh_backend(campaign, place, shared_folder=False) as backend:
        with ThreadPoolExecutor(1) as beside:
            is_over = Event()
            tending = beside.submit(tend, campaign, backend, is_over)
            try:
                yield backend
            finally:
                is_over.set()
            tending.result()
        stop_all(campaign)
        copies = map(CampaignFolder, place.glob("scratch/*/ab/*.campaign"))
        served = [
            partial(is_served, copy, host)
            for copy in copies
            for host in backend.lab.hosts
        ]
        wait_until(lambda: not any(one() for one in served))


@contextmanager
def ssh_backend(
    campaign: CampaignFolder, place: Path, *, shared_folder: bool
) -> Iterator[SshBackend]:
    require_ssh()
    host = SshHost(place / "ssh")
    with host.set_up() as sshd:
        try:
            lab = replace(
                read_lab_of_programs(place),
                engine="ssh",
                ssh=("ssh", "-F", str(host.client)),
                shared_folder=shared_folder,
            )
            yield SshBackend(campaign=campaign, lab=lab, tell=print)
        finally:
            sshd.terminate()


def tend(campaign: CampaignFolder, backend: Backend, is_over: Event) -> None:
    while not is_over.wait(0.3):
        if campaign.names():
            hand_over(campaign, backend)


@contextmanager
def queued_by_slurm(campaign: CampaignFolder, place: Path) -> Iterator[Backend]:
    require_slurm()
    slurm = SlurmLab(place / "slurm", licences=("ssd_A1", "ssd_A2", "ssd_B1"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SLURM_CONF", str(slurm.conf))
        try:
            slurm.set_up()
            lab = read_lab_of_programs(place)
            yield SlurmBackend(
                campaign=campaign, lab=lab, sleep=time.sleep, settle_s=3.0
            )
            stop_all(campaign)
        finally:
            slurm.tear_down()


@pytest.fixture(
    params=[
        served_here,
        pytest.param(queued_by_slurm, marks=pytest.mark.lab),
        pytest.param(reached_by_ssh, marks=pytest.mark.lab),
        pytest.param(copied_by_ssh, marks=pytest.mark.lab),
    ]
)
def backend(
    request: pytest.FixtureRequest,
    campaign: CampaignFolder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Backend]:
    """Return an engine that starts the modelled program, in slow steps."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv(MEASURED, str(tmp_path / "measured"))
    monkeypatch.setenv(STEP_S, _STEP_S)
    monkeypatch.chdir(ROOT)
    with request.param(campaign, tmp_path) as engine:
        yield engine


def read_lab_of_programs(place: Path) -> Lab:
    """Return the lab with a program on each host, and processors to share."""
    program = place / "ssdlab"
    program.write_text(
        f"#!/bin/sh\nexport PYTHONPATH={ROOT} {MEASURED}={place}/measured\n"
        f"export {STEP_S}={_STEP_S}\n"
        f'cd {ROOT} && exec {sys.executable} -m tests.campaign.worker "$@"\n'
    )
    program.chmod(0o755)
    lab = write_files(place).lab
    hosts = {
        name: replace(host, ssdlab=str(program), cores=8)
        for name, host in lab.hosts.items()
    }
    return replace(lab, hosts=hosts)


def is_served_at(campaign: CampaignFolder) -> Callable[[str], bool]:
    return lambda host: campaign.path.exists() and is_served(campaign, host)


def stop_all(campaign: CampaignFolder) -> None:
    for job in campaign.jobs():
        for one in campaign.attempts(job.job):
            end(one.pid)


def end(process_id: int) -> None:
    """End one of the processes that this test started, if it still runs."""
    words = Path(f"/proc/{process_id}/cmdline")
    if process_id and words.exists() and b"modelled_ssdlab" in words.read_bytes():
        os.kill(process_id, signal.SIGINT)


def wait_until(is_so: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < until, "it did not come to that"
        time.sleep(0.1)


def states(campaign: CampaignFolder, backend: Backend) -> dict[str, str]:
    found = read_statuses(campaign, backend.list(), now_s=0.0)
    return {one.job.job: one.state for one in found}


def all_are(campaign: CampaignFolder, state: str) -> Callable[[], bool]:
    def is_so() -> bool:
        found: tuple[JobStatus, ...] = read_statuses(campaign, None, now_s=0.0)
        return all(one.state == state for one in found)

    return is_so


def test_submitted_campaign_is_published_and_a_second_submit_does_nothing(
    campaign: CampaignFolder, request_: Request, backend: Backend, tmp_path: Path
) -> None:
    started = submit(request_, campaign, backend)
    assert sorted(started) == ["A1-lat-00", "A2-lat-00", "B1-lat-00"]
    wait_until(all_are(campaign, "published"))
    assert submit(request_, campaign, backend) == ()
    assert hand_over(campaign, backend) == ()
    steps = (tmp_path / "measured").read_text().split()
    assert {steps.count(step) for step in steps} == {3}
    for job in campaign.jobs():
        assert [one.what for one in campaign.attempts(job.job)] == [
            "run", "ended", "published",
        ]  # fmt: skip


def test_another_campaign_in_the_same_folder_is_refused(
    campaign: CampaignFolder, request_: Request, backend: Backend, tmp_path: Path
) -> None:
    submit(request_, campaign, backend)
    other = write_files(tmp_path, CAMPAIGN.replace('"ab"', '"other"'))
    with pytest.raises(CampaignError, match="another campaign"):
        submit(other, campaign, backend)
    wait_until(all_are(campaign, "published"))


def test_killed_run_is_started_again_and_loses_nothing(
    campaign: CampaignFolder, request_: Request, backend: Backend
) -> None:
    submit(request_, campaign, backend)
    wait_until(lambda: any(campaign.attempts("A1-lat-00")))
    wait_until(lambda: bool(list(Path(campaign.job("A1-lat-00").scratch).glob(
        "*/*A1*/steps/0*"
    ))))  # fmt: skip
    os.kill(campaign.attempts("A1-lat-00")[0].pid, signal.SIGKILL)
    wait_until(all_are(campaign, "published"))
    noted = [one.what for one in campaign.attempts("A1-lat-00")]
    assert noted == ["run", "ended", "resume", "ended", "published"]


def test_held_job_goes_on_when_it_is_released_and_a_cancelled_one_when_retried(
    campaign: CampaignFolder, request_: Request, backend: Backend
) -> None:
    submit(request_, campaign, backend)
    wait_until(lambda: bool(campaign.attempts("A1-lat-00")))
    held = [campaign.job("A1-lat-00")]
    rest = [campaign.job("A2-lat-00"), campaign.job("B1-lat-00")]
    assert ask_of(campaign, held, "hold", backend=backend, now_s=1.0)
    assert ask_of(campaign, rest, "cancel", backend=backend, now_s=1.0)
    ends = ENDED | {"held"}
    wait_until(lambda: set(states(campaign, backend).values()) <= ends)
    assert states(campaign, backend)["A1-lat-00"] in {"held", "published"}
    if isinstance(backend, LocalBackend):
        wait_until(lambda: not is_served(campaign))
    ask_of(campaign, held, "release", backend=backend, now_s=2.0)
    ask_of(campaign, rest, "retry", backend=backend, now_s=2.0)

    def tended() -> bool:  # as a timer would; Slurm may still be stopping the job
        hand_over(campaign, backend)
        return all_are(campaign, "published")()

    wait_until(tended)


def test_engine_that_was_killed_is_replaced_by_tending(
    campaign: CampaignFolder, request_: Request, backend: Backend
) -> None:
    if not isinstance(backend, LocalBackend):
        pytest.skip("of the local engine; those of Slurm are in test_slurm.py")
    submit(request_, campaign, backend)
    wait_until(lambda: bool(campaign.attempts("B1-lat-00")))
    engine = campaign.attempts("B1-lat-00")[0].engine
    os.kill(int(engine.split()[1]), signal.SIGKILL)
    wait_until(lambda: not is_served(campaign))
    hand_over(campaign, backend)
    wait_until(all_are(campaign, "published"))
    assert "resume" not in [one.what for one in campaign.attempts("B1-lat-00")]


@pytest.fixture
def copied(
    campaign: CampaignFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[SshBackend]:
    """Return the engine ssh of hosts that share no folder, which nobody tends."""
    monkeypatch.setenv(STEP_S, _STEP_S)
    with ssh_backend(campaign, tmp_path, shared_folder=False) as backend:
        yield backend


def without_lab2(backend: SshBackend, place: Path) -> SshBackend:
    """Return the engine with a host at an address where nobody listens."""
    lab = backend.lab
    gone = place / "gone"
    gone.write_text("Host lab2\n  HostName 127.0.0.1\n  Port 1\n")
    client = gone.read_text() + (place / "ssh" / "ssh_config").read_text()
    gone.write_text(client)
    return replace(backend, lab=replace(lab, ssh=("ssh", "-F", str(gone))))


@pytest.mark.lab
def test_host_out_of_reach_keeps_no_other_from_its_jobs(
    campaign: CampaignFolder, request_: Request, copied: SshBackend, tmp_path: Path
) -> None:
    cut_off = without_lab2(copied, tmp_path)
    with pytest.raises(CampaignError, match=r"lab2 is out of reach.* 2 jobs"):
        submit(request_, campaign, cut_off)
    found = read_statuses(campaign, cut_off.list(), now_s=0.0)
    words = {one.job.job: one.why for one in found if one.state == "planned"}
    assert words["B1-lat-00"].startswith("lab2 is out of reach: ")
    assert any("lab2" in words for words in check_campaign(campaign, cut_off))
    with pytest.raises(CampaignError, match="lab2"):
        ask_of(
            campaign, [campaign.job("B1-lat-00")], "hold", backend=cut_off, now_s=1.0
        )
    wait_until(is_finished_there(campaign, copied, "A1-lat-00", "A2-lat-00"))
    hand_over(campaign, cut_off)  # which has nothing to tell lab2
    published = {job.job for job in campaign.jobs() if campaign.is_published(job)}
    assert published == {"A1-lat-00", "A2-lat-00"}
    assert states(campaign, copied)["B1-lat-00"] == "held"


def is_finished_there(
    campaign: CampaignFolder, backend: SshBackend, *names: str
) -> Callable[[], bool]:
    """Return a question: have these jobs been published on their hosts?"""

    def is_so() -> bool:
        found = states(campaign, backend)
        return {found[name] for name in names} == {"finished"}

    return is_so


@pytest.mark.lab
def test_run_that_came_damaged_is_not_taken_and_is_fetched_again(
    campaign: CampaignFolder, request_: Request, copied: SshBackend, tmp_path: Path
) -> None:
    submit(request_, campaign, copied)
    wait_until(is_finished_there(campaign, copied, "A1-lat-00"))
    (report,) = tmp_path.glob("scratch/lab1/ab/*.campaign/runs/*A1*/report.html")
    good = report.read_bytes()
    report.write_bytes(b"<p>other</p>")
    with pytest.raises(CampaignError, match=r"report\.html was changed"):
        hand_over(campaign, copied)
    assert not campaign.is_published(campaign.job("A1-lat-00"))
    report.write_bytes(good)
    wait_until(lambda: not hand_over(campaign, copied))
    assert all_are(campaign, "published")()
    assert not list(campaign.runs.glob(".*"))


@pytest.mark.lab
def test_nothing_but_files_comes_from_a_host(
    campaign: CampaignFolder, request_: Request, copied: SshBackend, tmp_path: Path
) -> None:
    submit(request_, campaign, copied)
    wait_until(is_finished_there(campaign, copied, "A1-lat-00"))
    (copy,) = tmp_path.glob("scratch/lab1/ab/*.campaign")
    (copy / "attempts" / "B1-lat-00.jsonl").write_text("{}\n")
    (copy / "jobs" / "C1-lat-00.json").write_text("{}\n")
    (copy / "campaign.toml").write_text("x")
    (run,) = (copy / "runs").glob("*A1*")
    (run / "secret").symlink_to("/etc/passwd")
    os.mkfifo(run / "pipe")
    before = (campaign.path / "campaign.toml").read_bytes()
    wait_until(lambda: not hand_over(campaign, copied))
    assert (campaign.path / "campaign.toml").read_bytes() == before
    assert "C1-lat-00" not in campaign.names()
    assert [one.what for one in campaign.attempts("B1-lat-00")][-1] == "published"
    (fetched,) = campaign.runs.glob("*A1*")
    assert not {"secret", "pipe"} & {path.name for path in fetched.iterdir()}


@pytest.mark.lab
def test_broken_transfer_goes_on_where_it_was(
    campaign: CampaignFolder, request_: Request, copied: SshBackend
) -> None:
    submit(request_, campaign, copied)
    wait_until(is_finished_there(campaign, copied, "B1-lat-00"))
    job = campaign.job("B1-lat-00")
    part = campaign.runs / f".{job.run_id}.part"
    part.mkdir(parents=True)
    (part / "run.json").write_text("{}")
    (part / "left over").write_text("of another version")
    wait_until(lambda: not hand_over(campaign, copied))
    assert not part.exists()
    assert not (campaign.runs / job.run_id / "left over").exists()
    assert not find_damage(campaign.runs / job.run_id)
