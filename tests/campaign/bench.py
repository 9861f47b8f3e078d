"""A campaign of one job on this machine, and processes that work on it."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ssdlab.campaign.asked import Job
from ssdlab.campaign.folder import CampaignFolder
from ssdlab.campaign.publish import find_damage
from ssdlab.campaign.work import Scratch
from ssdlab.store.raw import finished_steps
from ssdlab.store.records import read_state
from tests.campaign.modelled_ssdlab import MEASURED
from tests.paths import ROOT

JOB = Job(
    job="S1-lat-00", run_id="20261125-120000-c-S1-lat-00", campaign="c", host="h",
    serial="S1", target="virtual", confirm="", purge="auto", profile="demo",
    profile_text="", tests="lat", seed=7, repeat=0, rank=0, priority=100,
    scratch="/tmp", slots=1, cores=1, host_ceiling=False, temperature_limit=0.0,
)  # fmt: skip


@dataclass(frozen=True)
class Bench:
    """The folder of a campaign with one job, its scratch folder, and what was run."""

    place: Path
    target: str = "virtual"

    @property
    def campaign(self) -> CampaignFolder:
        return CampaignFolder(self.place / "campaign")

    @property
    def job(self) -> Job:
        scratch = str(self.place / "scratch")
        return replace(JOB, scratch=scratch, target=self.target)

    def set_up(self) -> "Bench":
        self.campaign.path.mkdir(parents=True)
        self.campaign.write_job(self.job)
        return self

    def start(
        self, extra: Mapping[str, str] | None = None
    ) -> "subprocess.Popen[bytes]":
        """Start a process that works on the job, in a session of its own."""
        own = {"PYTHONPATH": str(ROOT), MEASURED: str(self.measured)}
        with self.said.open("a", encoding="utf-8") as said:
            return subprocess.Popen(
                [sys.executable, "-m", "tests.campaign.worker", "campaign", "work",
                 str(self.campaign.path), JOB.job],
                cwd=ROOT, env={**os.environ, **own, **(extra or {})},
                start_new_session=True, stdout=said, stderr=said,
            )  # fmt: skip

    @property
    def said(self) -> Path:
        """What all processes printed."""
        return self.place / "said"

    @property
    def measured(self) -> Path:
        return self.place / "measured"

    @property
    def counts(self) -> Counter[str]:
        """How often each step was measured."""
        return Counter(self.measured.read_text().split())

    @property
    def noted(self) -> list[str]:
        return [one.what for one in self.campaign.attempts(JOB.job)]

    def require_published(self, *, kills: int) -> None:
        """Require one whole run, and at most the running step lost by each kill.

        With a step that begins on a purged drive, its purge is carried out anew.
        """
        published = self.campaign.runs / JOB.run_id
        assert self.campaign.is_published(self.job)
        assert find_damage(published) == ()
        assert read_state(published).status == "finished"
        steps = [folder.name for folder in finished_steps(published)]
        numbers = [int(name[:5]) for name in steps]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        assert set(steps) == set(self.counts)
        again = {step: n - 1 for step, n in self.counts.items() if n > 1}
        purges = sum(n for step, n in again.items() if step.endswith("-purge"))
        assert sum(again.values()) - purges <= kills, again
        assert purges <= kills, again
        assert (published / "tables" / "steps.parquet").is_file()
        left = [path.name for path in self.campaign.runs.iterdir()]
        assert left == [JOB.run_id], left
        assert Scratch(job=self.job).is_complete
        assert "Traceback" not in self.said.read_text()
