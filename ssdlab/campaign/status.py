"""The state of each job, from files first and the engine second."""

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from ssdlab.campaign.asked import Job
from ssdlab.campaign.folder import Attempt, CampaignFolder, Wish
from ssdlab.campaign.work import count_starts
from ssdlab.model.errors import RunFolderError

JobState = Literal[
    "planned",  # nothing happened yet
    "queued",  # an engine has it
    "running",
    "stale",  # it should be running, and its progress is old
    "killed",  # it waits to be started again
    "waiting",  # somebody else measured the drive
    "finished",  # measured, and not published yet
    "published",
    "held",
    "cancelled",
    "interrupted",
    "failed",
    "refused",  # what is asked cannot be carried out
    "given up",
]
ENDED: frozenset[JobState] = frozenset({
    "published",
    "cancelled",
    "interrupted",
    "failed",
    "refused",
    "given up",
})
NEED_A_PERSON: frozenset[JobState] = frozenset({
    "interrupted",
    "failed",
    "refused",
    "given up",
})
_STALE_S = 600.0
_OF_RUN: Mapping[str, JobState] = {
    "finished": "finished",
    "failed": "failed",
    "damaged": "failed",
    "interrupted": "interrupted",
    "running": "killed",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Queued:
    """What an engine says of a job that it has; ``id`` is its own name of it.

    With ``is_away`` it cannot tell, as the job's host is out of reach: ``words`` say
    why.
    """

    id: str
    is_running: bool
    words: str = ""
    is_away: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class JobStatus:
    """How a job is, and what is known of its run.

    ``left_s`` is the shortest and longest time left [s], and ``done_ratio`` the share
    of the run that is done, as its progress last said.
    """

    job: Job
    state: JobState
    why: str = ""
    starts: int = 0
    engine: str = ""
    phase: str = ""
    done_ratio: float | None = None
    left_s: tuple[float, float] | None = None

    @property
    def needs_engine(self) -> bool:
        """Whether an engine should have it."""
        return self.state not in ENDED | {"held"}


def read_statuses(
    campaign: CampaignFolder,
    queue: Mapping[str, Queued] | None,
    *,
    now_s: float,
    jobs: Sequence[Job] | None = None,
) -> tuple[JobStatus, ...]:
    """Return the status of every job; ``queue`` is ``None`` if no engine answers."""
    chosen = campaign.jobs() if jobs is None else jobs
    return tuple(_status(campaign, job, queue, now_s=now_s) for job in chosen)


def _status(
    campaign: CampaignFolder,
    job: Job,
    queue: Mapping[str, Queued] | None,
    *,
    now_s: float,
) -> JobStatus:
    attempts, wishes = campaign.attempts(job.job), campaign.wishes(job.job)
    state, why = judge(attempts, wishes, is_published=campaign.is_published(job))
    queued = (queue or {}).get(job.job)
    progress, age_s = _progress(campaign, job, now_s)
    if queue is not None and state == "running" and queued is None:
        state = "killed"
    elif state == "running" and age_s > _STALE_S:
        state, why = "stale", f"its progress is {age_s / 60:.0f} min old"
    elif queued is not None and queued.is_away and state != "running":
        why = queued.words
    elif queued is not None and state in {"planned", "killed", "waiting"}:
        state, why = "queued", queued.words or why
    is_under_way = state in {"running", "stale"}
    return JobStatus(
        job=job,
        state=state,
        why=why,
        starts=count_starts(attempts),
        engine=queued.id if queued else "",
        **(progress if is_under_way else {}),
    )


def list_served(
    campaign: CampaignFolder,
    hosts: Mapping[str, str],
    *,
    away: Mapping[str, str] | None = None,
) -> dict[str, Queued]:
    """Return the jobs that are left on hosts that a process of ours serves, by name.

    ``hosts`` has the engine's own name of a job for each of them, and ``away`` has the
    reason for each that is out of reach, whose jobs are returned, too.
    """
    reasons = away or {}
    found = {}
    for one in read_statuses(campaign, None, now_s=0.0):
        name, host = one.job.job, one.job.host
        if one.needs_engine and host in hosts:
            is_running = one.state == "running"
            found[name] = Queued(id=hosts[host], is_running=is_running)
        elif one.needs_engine and host in reasons:
            words = reasons[host]
            found[name] = Queued(id="", is_running=False, words=words, is_away=True)
    return found


def judge(
    attempts: Sequence[Attempt], wishes: Sequence[Wish], *, is_published: bool
) -> tuple[JobState, str]:
    """Return the state of a job by its files alone, and why."""
    if is_published:
        return "published", ""
    wish = wishes[-1].what if wishes else ""
    told = [one for one in attempts if one.what != "refused"]
    state, why = _judge_last(told[-1]) if told else ("planned", "")
    if wish == "cancel" and state != "running":
        return "cancelled", ""
    if wish == "hold" and state != "running":
        return "held", ""
    is_again = wish in {"retry", "release"}
    is_retried = is_again and count_starts(attempts) <= wishes[-1].starts
    if is_retried and state in NEED_A_PERSON:
        return "planned", "to be tried again"
    if attempts and attempts[-1].what == "refused" and state not in ENDED | {"running"}:
        return "waiting", attempts[-1].why
    return state, why


def _judge_last(last: Attempt) -> tuple[JobState, str]:
    match last.what:
        case "published":  # and removed since, or on a host that shares no folder
            return "finished", "its run is not in the folder: ssdlab campaign tend"
        case "given up":
            return "given up", last.why
        case "not published":
            return "finished", last.why
        case "ended":
            code = f"exit code {last.code}"
            if not last.state:
                return ("refused" if last.code in {1, 2} else "killed"), code
            return _OF_RUN.get(last.state, "failed"), code
        case _:
            return "running", ""


def _progress(
    campaign: CampaignFolder, job: Job, now_s: float
) -> tuple[dict[str, Any], float]:
    """Return what the progress of a run last said, and how old that is [s]."""
    place = campaign.top / "progress"
    name = f"{job.job}.json"
    with suppress(OSError, ValueError, KeyError, TypeError, RunFolderError):
        said = json.loads(place.read(name))
        age_s = now_s - place.changed_ns(name) / 1e9
        least_s, most_s = float(said["left_min_s"]), float(said["left_max_s"])
        longest_s = sum(float(test["longest_s"]) for test in said["tests"])
        words = {
            "phase": _phase(said),
            "done_ratio": 1 - most_s / longest_s if longest_s else None,
            "left_s": (least_s, most_s),
        }
        return words, age_s
    return {}, 0.0


def _phase(said: Mapping[str, Any]) -> str:
    """Return where a run is, in words; the file is another process's text."""
    words = f"{said['test']} {said['phase']}"
    if said["round"]:
        words += f" round {said['round']}/{said['rounds_max']}"
    return "".join(sign for sign in words[:80] if sign.isprintable())


def count_states(statuses: Iterable[JobStatus]) -> dict[JobState, int]:
    """Return how many jobs are in each state."""
    counts: dict[JobState, int] = {}
    for one in statuses:
        counts[one.state] = counts.get(one.state, 0) + 1
    return counts
