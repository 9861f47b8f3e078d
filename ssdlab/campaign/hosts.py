"""What the hosts of a campaign said of themselves when they began to work on a job."""

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from ssdlab.campaign.asked import Job
from ssdlab.campaign.folder import CampaignFolder
from ssdlab.model.errors import RunFolderError
from ssdlab.model.plain import from_plain, to_plain
from ssdlab.model.units import capacity_label
from ssdlab.model.version import VERSION
from ssdlab.store.records import to_json

_FOLDER, _SUFFIX = "hosts", ".json"
_MOST_APART_S = 1.0
_LEAST_FREE_BYTES = 2_000_000_000  # some runs with their raw output


@dataclass(frozen=True, kw_only=True, slots=True)
class HostFacts:
    """A host at the moment ``at_s`` by its own clock, written to the shared folder."""

    at_s: float
    version: str
    scratch_free_bytes: int


def note_host(campaign: CampaignFolder, job: Job, clock: Callable[[], float]) -> None:
    """Write what a host is like; that the shared folder is away stops nothing."""
    with suppress(OSError, RunFolderError):
        place = (campaign.top / _FOLDER).make()
        free = shutil.disk_usage(job.scratch).free
        facts = HostFacts(at_s=clock(), version=VERSION, scratch_free_bytes=free)
        place.write(f"{job.host}{_SUFFIX}", to_json(to_plain(facts)))


def check_hosts(campaign: CampaignFolder) -> Iterator[str]:
    """Yield what is wrong with hosts, in words.

    How far a clock is from that of the shared folder is the time that a host wrote into
    its file less the time that the file has. A host of which no job has begun yet is
    not known.
    """
    place = campaign.top / _FOLDER
    known: dict[str, HostFacts] = {}
    for host in campaign.hosts():
        name = f"{host}{_SUFFIX}"
        if not place.has(name):
            continue
        try:
            facts = from_plain(HostFacts, json.loads(place.read(name)))
        except (OSError, ValueError, RunFolderError) as error:
            yield f"{host}: what it said of itself cannot be read ({error})"
            continue
        known[host] = facts
        ahead_s = facts.at_s - place.changed_ns(name) / 1e9
        if abs(ahead_s) > _MOST_APART_S:
            side = "ahead of" if ahead_s > 0 else "behind"
            yield f"{host}: its clock is {abs(ahead_s):.1f} s {side} the shared folder"
        if facts.scratch_free_bytes < _LEAST_FREE_BYTES:
            free = capacity_label(facts.scratch_free_bytes)
            yield f"{host}: its scratch folder had only {free} free"
    yield from _check_versions(known)


def _check_versions(known: Mapping[str, HostFacts]) -> Iterator[str]:
    hosts: dict[str, list[str]] = {}
    for host, facts in known.items():
        hosts.setdefault(facts.version, []).append(host)
    if len(hosts) > 1:
        listed = "; ".join(f"{one} on {', '.join(hosts[one])}" for one in sorted(hosts))
        yield f"hosts have different versions of ssdlab: {listed}"
