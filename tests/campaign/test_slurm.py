"""Kill what a campaign on Slurm needs, in the middle of real runs: one whole run each.

The drives are files, which outlive a host that "reboots". The names k0 to k12 are
those of the design.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from ssdlab.campaign.backends.slurm import SlurmBackend
from ssdlab.campaign.folder import CampaignFolder
from ssdlab.campaign.publish import find_damage
from ssdlab.campaign.status import read_statuses
from ssdlab.campaign.submit import ask_of, hand_over, read_lab_of, read_request, submit
from ssdlab.campaign.work import AGAIN, DONE, Scratch
from ssdlab.model.errors import CampaignError
from ssdlab.store.lock import read_holder
from ssdlab.store.raw import finished_steps
from ssdlab.store.records import read_state
from tests.campaign.slurm_lab import SlurmLab, require_slurm

pytestmark = pytest.mark.slurm
quick = (
    pytest.mark.fio
)  # less than three minutes in sum: the lane of fio has time for them
long = pytest.mark.lab

SSDLAB = Path(sys.executable).with_name("ssdlab")
REQUEUED_S = 240.0  # Slurm lets two minutes pass before it starts a job again
PROFILE = """\
based_on = "demo"
cell_s = {cell_s}
iops_mixes = [65, 0]
iops_block_sizes = ["64 KiB", "4 KiB"]
iops_tracking = ["RND 4 KiB 0/100"]
threads = 1
queue_depth = 8
max_rounds = 8
"""
LAB = """\
engine = "slurm"
[hosts.{host}]
scratch = "{place}/scratch"
cores = 8
ssdlab = "{ssdlab}"
[hosts.{host}.drives.{serial}]
target = "file:{place}/drive.img,size=64MiB"
"""
CAMPAIGN = 'name = "{name}"\nprofile = "tiny.toml"\ntests = ["iops"]\nseed = 7\n'


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SlurmLab]:
    require_slurm()
    lab = SlurmLab(
        tmp_path_factory.mktemp("slurm") / "lab", licences=("ssd_S1", "ssd_S2")
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SLURM_CONF", str(lab.conf))
        patch.setenv("SSDLAB_LOCK_DIR", str(lab.place / "locks"))
        (lab.place / "locks").mkdir(parents=True)
        try:
            yield lab.set_up()
        finally:
            lab.tear_down()


@pytest.fixture(autouse=True)
def _all_run(slurm: SlurmLab) -> None:
    slurm.start_what_ended()


@dataclass
class Case:
    """A campaign of one run on one drive of one host."""

    place: Path
    slurm: SlurmLab
    host: str = "lab1"
    serial: str = "S1"
    cell_s: float = 0.5

    @property
    def campaign(self) -> CampaignFolder:
        return CampaignFolder(self.place / "dir")

    @property
    def job(self) -> str:
        return f"{self.serial}-iops-00"

    @property
    def backend(self) -> SlurmBackend:
        lab = read_lab_of(self.campaign)
        return SlurmBackend(
            campaign=self.campaign, lab=lab, sleep=time.sleep, settle_s=2.0
        )

    def submit(self) -> tuple[str, ...]:
        self.place.mkdir(exist_ok=True)
        profile = PROFILE.format(cell_s=self.cell_s)
        (self.place / "tiny.toml").write_text(profile)
        lab, asked = self.place / "lab.toml", self.place / "campaign.toml"
        lab.write_text(LAB.format(
            host=self.host, place=self.place, ssdlab=SSDLAB, serial=self.serial
        ))  # fmt: skip
        words = CAMPAIGN.format(name=self.place.name.replace("_", "-")[:30])
        asked.write_text(f'{words}drives = ["{self.serial}"]\n')
        request = read_request(lab, asked)
        backend = SlurmBackend(
            campaign=self.campaign, lab=request.lab, sleep=time.sleep, settle_s=2.0
        )
        return submit(request, self.campaign, backend)

    @property
    def run(self) -> Path:
        return Scratch(job=self.campaign.job(self.job)).run

    @property
    def noted(self) -> list[str]:
        return [one.what for one in self.campaign.attempts(self.job)]

    @property
    def steps(self) -> int:
        return len(finished_steps(self.run))

    def wait_steps(self, count: int) -> None:
        self.slurm.wait(lambda: self.steps >= count, 120)

    def is_published(self) -> bool:
        return self.campaign.is_published(self.campaign.job(self.job))

    def require_published(self, *, sessions: list[str], wait_s: float = 120) -> None:
        self.slurm.wait(self.is_published, wait_s)
        published = self.campaign.runs / self.run.name
        assert find_damage(published) == ()
        state = read_state(published)
        assert state.status == "finished"
        assert [how for _, _, how in state.sessions] == sessions
        numbers = [int(folder.name[:5]) for folder in finished_steps(published)]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        assert [path.name for path in self.campaign.runs.iterdir()] == [self.run.name]

    def processes(self, *, with_engine: bool) -> frozenset[int]:
        """Return who works on the job and all below, with Slurm's process for it."""
        parents = {}
        for entry in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                fields = entry.read_text().rpartition(")")[2].split()
                parents[int(entry.parent.name)] = int(fields[1])
        top = self.campaign.attempts(self.job)[-1].pid
        for _ in range(2 if with_engine else 1):
            top = parents.get(top, 0)
        assert top > 1
        found = {top}
        while more := {one for one, above in parents.items() if above in found} - found:
            found |= more
        return frozenset(found)

    def kill_all(self, *, with_engine: bool) -> None:
        """Kill all at once, as if the host lost its power."""
        for process_id in self.processes(with_engine=with_engine):
            with suppress(ProcessLookupError):
                os.kill(process_id, signal.SIGKILL)


@pytest.fixture
def case(slurm: SlurmLab, tmp_path: Path) -> Iterator[Case]:
    found = Case(tmp_path, slurm)
    yield found
    with suppress(CampaignError):
        found.backend.stop([found.campaign.job(found.job)])


@quick
def test_k0_undisturbed_run_is_published_and_submitted_once(case: Case) -> None:
    assert case.submit() == (case.job,)
    assert case.submit() == ()
    case.require_published(sessions=["finished"])
    assert case.submit() == ()
    assert case.noted == ["run", "ended", "published"]


@quick
def test_k1_run_outlives_a_slurmd_that_is_killed(case: Case) -> None:
    case.submit()
    case.wait_steps(6)
    case.slurm.kill(case.host)
    time.sleep(5)
    case.slurm.start(case.host)
    case.require_published(sessions=["finished"])


@quick
def test_k2_run_outlives_a_controller_that_is_killed(case: Case) -> None:
    case.submit()
    case.wait_steps(6)
    case.slurm.kill("ctld")
    with pytest.raises(CampaignError, match="does not answer"):
        hand_over(case.campaign, case.backend)
    (one,) = read_statuses(case.campaign, case.backend.list(), now_s=0.0)
    assert one.state in {"running", "published"}
    case.require_published(sessions=["finished"])
    case.slurm.start("ctld")
    case.slurm.wait(lambda: case.backend.list() is not None)


@long
def test_k3_killed_measurement_is_started_again(case: Case) -> None:
    case.submit()
    case.wait_steps(6)
    holder = read_holder(case.run)
    assert holder
    os.kill(holder, signal.SIGKILL)
    case.require_published(sessions=["killed", "finished"], wait_s=REQUEUED_S)
    assert case.noted == ["run", "ended", "resume", "ended", "published"]


@long
def test_k4_job_of_which_all_was_killed_is_handed_over_again(case: Case) -> None:
    case.submit()
    case.wait_steps(6)
    case.kill_all(with_engine=False)
    case.slurm.wait(lambda: case.backend.list() == {})
    (one,) = read_statuses(case.campaign, case.backend.list(), now_s=0.0)
    assert one.state == "killed"
    assert hand_over(case.campaign, case.backend) == (case.job,)
    case.require_published(sessions=["killed", "finished"], wait_s=REQUEUED_S)


@long
def test_k5_rebooted_host_goes_on_with_its_run(case: Case) -> None:
    case.submit()
    case.wait_steps(6)
    case.slurm.kill(case.host)
    case.kill_all(with_engine=True)
    time.sleep(25)  # longer than SlurmdTimeout: the host is held for dead
    case.slurm.start(case.host)
    case.require_published(sessions=["killed", "finished"], wait_s=REQUEUED_S + 60)


@long
def test_k6_run_of_a_host_that_was_cut_off_is_resumed(case: Case) -> None:
    case.cell_s = 10  # it outlasts the silence
    case.submit()
    case.wait_steps(4)
    case.slurm.kill(case.host)
    case.slurm.wait(lambda: case.slurm.is_down(case.host), 150)  # it is requeued
    assert read_holder(case.run)  # meanwhile it is measured on
    case.slurm.start(case.host)  # which kills what it does not know any more
    # Up to 8 rounds of 40 s may be left.
    case.require_published(sessions=["killed", "finished"], wait_s=REQUEUED_S + 360)


@quick
def test_k7_cancelled_run_stops_cleanly_and_is_retried(case: Case) -> None:
    case.submit()
    case.wait_steps(6)
    job = [case.campaign.job(case.job)]
    assert ask_of(case.campaign, job, "cancel", backend=case.backend, now_s=1.0)
    case.slurm.wait(lambda: read_state(case.run).status == "interrupted")
    case.slurm.wait(lambda: not (case.backend.list() or {}))
    (one,) = read_statuses(case.campaign, case.backend.list(), now_s=0.0)
    assert one.state == "cancelled"
    assert hand_over(case.campaign, case.backend) == ()
    assert ask_of(case.campaign, job, "retry", backend=case.backend, now_s=2.0)
    case.require_published(sessions=["interrupted", "finished"])


@long
def test_k8_urgent_job_waits_until_the_one_that_runs_is_held(
    case: Case, slurm: SlurmLab, tmp_path: Path
) -> None:
    case.cell_s = 3
    case.submit()
    case.wait_steps(2)
    urgent = Case(tmp_path / "urgent", slurm, serial="S2")
    urgent.submit()
    time.sleep(10)
    assert not (urgent.backend.list() or {})[urgent.job].is_running
    assert read_holder(case.run)
    job = [case.campaign.job(case.job)]
    assert ask_of(case.campaign, job, "hold", backend=case.backend, now_s=1.0)
    urgent.require_published(sessions=["finished"])
    assert read_state(case.run).status == "interrupted"
    assert ask_of(case.campaign, job, "release", backend=case.backend, now_s=2.0)
    case.require_published(
        sessions=["interrupted", "finished"], wait_s=REQUEUED_S + 120
    )


@long
def test_k9_controller_that_lost_its_state_gets_the_job_again(case: Case) -> None:
    case.submit()
    case.wait_steps(6)
    case.slurm.kill("ctld")
    time.sleep(1)
    for path in (case.slurm.place / "state").iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    case.slurm.start("ctld")
    time.sleep(10)
    case.slurm.call("scontrol", "update", "nodename=lab[1-3]", "state=resume")
    case.slurm.wait(lambda: case.backend.list() == {})
    hand_over(case.campaign, case.backend)
    case.slurm.wait(case.is_published, REQUEUED_S)
    assert "run" in case.noted
    assert case.noted.count("published") == 1


def work(case: Case) -> int:
    words = [str(SSDLAB), "campaign", "work", str(case.campaign.path), case.job]
    return subprocess.run(words, check=False, timeout=60).returncode


@quick
def test_k10_job_that_a_person_starts_too_is_refused(case: Case) -> None:
    case.submit()
    case.wait_steps(6)
    assert work(case) == AGAIN
    case.require_published(sessions=["finished"])
    assert work(case) == DONE
    assert case.noted.count("run") == 1


@long
def test_k12_jobs_that_a_controller_lost_are_handed_over_again(case: Case) -> None:
    case.submit()
    case.slurm.kill("ctld")  # before it saved that it had accepted a job
    for path in (case.slurm.place / "state").glob("job_state*"):
        path.unlink()
    case.slurm.start("ctld")
    case.slurm.wait(lambda: case.backend.list() is not None)
    hand_over(case.campaign, case.backend)
    case.slurm.wait(case.is_published, REQUEUED_S)
    assert case.noted.count("published") == 1


@long
def test_licence_of_a_drive_lets_one_job_at_a_time_run(
    slurm: SlurmLab, tmp_path: Path
) -> None:
    first, second = Case(tmp_path / "a", slurm), Case(tmp_path / "b", slurm, "lab2")
    first.cell_s = 3  # it outlasts the look of the scheduler at the second
    first.submit()
    first.wait_steps(2)
    second.submit()

    def waits_for_its_licence() -> bool:
        queued = (second.backend.list() or {})[second.job]
        assert not queued.is_running
        return "Licenses" in queued.words

    slurm.wait(waits_for_its_licence)
    assert not first.is_published()
    first.require_published(sessions=["finished"])
    second.require_published(sessions=["finished"])


@quick
def test_drive_that_slurm_does_not_know_is_refused_with_the_remedy(
    slurm: SlurmLab, tmp_path: Path
) -> None:
    with pytest.raises(CampaignError, match=r"slurm\.conf"):
        Case(tmp_path, slurm, serial="S9").submit()


@long
def test_k11_drive_is_added_while_another_is_measured(case: Case) -> None:
    case.submit()
    case.wait_steps(4)
    conf = case.slurm.conf
    conf.write_text(conf.read_text().replace("ssd_S2:1", "ssd_S2:1,ssd_S3:1"))
    case.slurm.call("scontrol", "reconfigure")
    assert case.slurm.call("sinfo", "-h", "-n", case.host, "-o", "%t") in {
        "mix", "alloc",
    }  # fmt: skip
    case.require_published(sessions=["finished"])
    assert "ssd_S3" in case.slurm.call("scontrol", "show", "licenses")
