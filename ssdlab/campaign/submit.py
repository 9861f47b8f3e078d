"""Submitting a campaign: write its jobs, and hand those that are left to the engine."""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

from ssdlab.campaign.asked import CampaignAsked, Job, Wanted, list_wanted
from ssdlab.campaign.backends.port import Backend
from ssdlab.campaign.folder import CampaignFolder, Wish
from ssdlab.campaign.lab import Lab
from ssdlab.campaign.status import JobStatus, Queued, read_statuses
from ssdlab.engine.profiles import open_profile
from ssdlab.engine.request import read_temperature_limit
from ssdlab.model.errors import CampaignError
from ssdlab.pts.suite import choose_tests
from ssdlab.system.toml_files import parse_toml, read_text

LAB, ASKED = "lab.toml", "campaign.toml"
_OWN_PROFILE = ".toml"


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """A lab and a campaign as read, with the texts of their files.

    ``profile`` is the name of a profile, or the path of the user's own.
    """

    lab: Lab
    asked: CampaignAsked
    lab_text: str
    asked_text: str
    source: str
    profile: str
    profile_text: str

    @property
    def wanted(self) -> tuple[Wanted, ...]:
        """The runs that it asks for, in order."""
        return list_wanted(self.lab, self.asked, source=self.source)


def read_request(lab: Path, campaign: Path) -> Request:
    """Read both files, and check what can be checked without a drive.

    Raises
    ------
    UserFileError
        If a file is not valid, or the campaign asks for drives that are not there.
    UserError
        If its profile or a test is unknown.
    """
    lab_text, asked_text = read_text(lab), read_text(campaign)
    asked = read_asked(asked_text, source=str(campaign))
    profile_text, profile = "", asked.profile
    if profile.lower().endswith(_OWN_PROFILE):
        profile = str(campaign.parent / profile)
        profile_text = read_text(Path(profile))
    opened = open_profile(profile)
    for tests in asked.tests:
        choose_tests(opened, tests)
    read_temperature_limit(asked.temperature_limit)
    return Request(
        lab=parse_toml(lab_text, Lab, source=str(lab)),
        asked=asked,
        lab_text=lab_text,
        asked_text=asked_text,
        source=str(campaign),
        profile=profile,
        profile_text=profile_text,
    )


def read_asked(text: str, *, source: str) -> CampaignAsked:
    """Return what the text of ``campaign.toml`` asks for."""
    return parse_toml(text, CampaignAsked, source=source)


def submit(
    request: Request, campaign: CampaignFolder, backend: Backend
) -> tuple[str, ...]:
    """Write the jobs that are not there yet, and start those that are left.

    It may be repeated: a job that is published, queued or runs is left alone.

    Returns
    -------
    tuple of str
        The names of the jobs that were handed over.
    """
    campaign.top.make()
    with campaign.locked() as is_ours:
        if not is_ours:
            raise CampaignError(
                folder=str(campaign.path),
                reason="somebody else is submitting it",
                remedy="Try again in a moment.",
            )
        _require_hosts(request, campaign)
        _write_papers(request, campaign)
        known = set(campaign.names())
        jobs = make_jobs(request, now=datetime.now(tz=UTC))
        for job in jobs:
            if job.job not in known:
                campaign.write_job(job)
        return hand_over(campaign, backend)


def hand_over(campaign: CampaignFolder, backend: Backend) -> tuple[str, ...]:
    """Start every job that is left and that the engine does not have."""
    queue = backend.list()
    if queue is None:
        raise CampaignError(
            folder=str(campaign.path),
            reason="the engine does not answer; nothing was handed over",
            remedy=f"Start it. Then: ssdlab campaign tend {campaign.path}",
        )
    left = left_over(read_statuses(campaign, queue, now_s=0.0), queue)
    backend.start([one.job for one in left])
    away = {one.words: None for one in queue.values() if one.is_away}
    if away:
        raise CampaignError(
            folder=str(campaign.path),
            reason=f"{'; '.join(away)}; {len(left)} jobs were handed over to others",
            remedy=f"Mend it. Then: ssdlab campaign tend {campaign.path}",
        )
    return tuple(one.job.job for one in left)


def left_over(
    statuses: Sequence[JobStatus], queue: Mapping[str, Queued]
) -> tuple[JobStatus, ...]:
    """Return the jobs that an engine should have and has not."""
    return tuple(
        one for one in statuses if one.needs_engine and one.job.job not in queue
    )


def _require_hosts(request: Request, campaign: CampaignFolder) -> None:
    """Require that the lab still has the hosts of the jobs that were submitted."""
    gone = [host for host in campaign.hosts() if host not in request.lab.hosts]
    if gone:
        raise CampaignError(
            folder=str(campaign.path),
            reason=f"it has jobs of {', '.join(gone)}, no longer a host of the lab",
            remedy="Keep the host in lab.toml, and its drives as retired.",
        )


def _write_papers(request: Request, campaign: CampaignFolder) -> None:
    """Keep what was asked; the lab may change, as drives become bad or good again."""
    top = campaign.top
    kept = top.text(ASKED) if top.has(ASKED) else ""
    if kept and kept != request.asked_text:
        _refuse_other(campaign)
    top.write(ASKED, request.asked_text.encode())
    top.write(LAB, request.lab_text.encode())
    (top / "jobs").make()


def _refuse_other(campaign: CampaignFolder) -> NoReturn:
    raise CampaignError(
        folder=str(campaign.path),
        reason="it holds another campaign",
        remedy="Name another folder, or submit the file that it was made from.",
    )


def make_jobs(request: Request, *, now: datetime) -> Iterator[Job]:
    """Yield the jobs of a request in the order in which they should begin."""
    asked = request.asked
    seed = asked.seed or secrets.randbelow(2**30) + 1
    stamp = now.strftime("%Y%m%d-%H%M%S")
    for rank, one in enumerate(request.wanted):
        host = request.lab.hosts[one.host]
        yield Job(
            job=one.job,
            run_id=f"{stamp}-{asked.name}-{one.job}",
            campaign=asked.name,
            host=one.host,
            serial=one.serial,
            target=one.drive.target,
            confirm=one.drive.confirm,
            purge=one.drive.purge,
            profile=asked.profile,
            profile_text=request.profile_text,
            tests=one.tests,
            seed=seed + one.repeat,
            repeat=one.repeat,
            rank=rank,
            priority=asked.priority,
            scratch=host.scratch,
            slots=host.slots,
            cores=host.cores,
            host_ceiling=asked.host_ceiling,
            temperature_limit=asked.temperature_limit,
        )


def ask_of(
    campaign: CampaignFolder,
    jobs: Sequence[Job],
    what: str,
    *,
    backend: Backend,
    now_s: float,
) -> tuple[str, ...]:
    """Note what a person asks of jobs, and tell the engine.

    ``what`` is ``cancel``, ``hold``, ``release`` or ``retry``. Jobs of which it cannot
    be asked now are left alone; the names of the others are returned.
    """
    statuses = read_statuses(campaign, backend.list(), now_s=now_s, jobs=jobs)
    chosen = [one for one in statuses if _can_be_asked(one, what)]
    for one in chosen:
        wish = Wish(at_s=now_s, what=what, starts=one.starts)  # type: ignore[arg-type]
        campaign.note_wish(one.job.job, wish)
    told = [one.job for one in chosen]
    if what == "cancel":
        backend.stop(told)
    elif what == "hold":
        backend.hold(told)
    else:
        hand_over(campaign, backend)
    return tuple(job.job for job in told)


def _can_be_asked(one: JobStatus, what: str) -> bool:
    match what:
        case "retry":
            return one.state in {
                "interrupted",
                "failed",
                "refused",
                "given up",
                "cancelled",
            }
        case "release":
            return one.state == "held"
        case "hold":
            return one.needs_engine
        case _:
            return one.needs_engine or one.state == "held"


def read_lab_of(campaign: CampaignFolder) -> Lab:
    """Return the lab of a campaign."""
    text = campaign.top.text(LAB)
    return parse_toml(text, Lab, source=str(campaign.path / LAB))
