"""Is a campaign well, and what of it can be removed."""

from collections.abc import Iterator
from pathlib import Path

from ssdlab.campaign.backends.port import Backend
from ssdlab.campaign.folder import CampaignFolder
from ssdlab.campaign.hosts import check_hosts
from ssdlab.campaign.publish import find_damage
from ssdlab.campaign.work import Scratch
from ssdlab.system.locks import try_lock

_SUFFIXES = ("lock", "attempts.jsonl")


def check_campaign(campaign: CampaignFolder, backend: Backend) -> tuple[str, ...]:
    """Return what is wrong, in words."""
    queue = backend.list()
    found = ["The engine does not answer."] if queue is None else []
    found += {one.words: None for one in (queue or {}).values() if one.is_away}
    for job in campaign.jobs():
        if campaign.is_published(job):
            damage = find_damage(campaign.runs / job.run_id)
            found += [f"{job.run_id}: {words}" for words in damage]
    return (*found, *check_hosts(campaign), *campaign.find_bad_files())


def clean_scratch(
    campaign: CampaignFolder, *, removes: bool
) -> Iterator[tuple[Path, str]]:
    """Remove the run folders on this host of which the published copy is whole.

    Yields each folder with what was done, or would be.
    """
    for job in campaign.jobs():
        scratch = Scratch(job=job)
        if scratch.run.is_dir() and campaign.is_published(job):
            yield scratch.run, _clean(campaign, scratch, removes=removes)


def _clean(campaign: CampaignFolder, scratch: Scratch, *, removes: bool) -> str:
    if find_damage(campaign.runs / scratch.job.run_id):
        return "kept: its published copy was changed"
    place = scratch.folder
    with place.opened_in_place(scratch.name("lock")) as lock:
        if not try_lock(lock):
            return "kept: somebody works on it"
        if not removes:
            return "can be removed"
        for folder in (scratch.job.run_id, scratch.name("profile")):
            (place / folder).remove_tree()
        for suffix in _SUFFIXES:
            place.remove(scratch.name(suffix))
        return "removed"
