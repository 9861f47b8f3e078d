"""What a campaign would take, host by host, without touching anything."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ssdlab.campaign.asked import Wanted
from ssdlab.campaign.lab import Lab
from ssdlab.engine.profiles import open_profile
from ssdlab.model.errors import UserError
from ssdlab.plan.context import PlanContext
from ssdlab.plan.estimate import estimate_suite
from ssdlab.pts.fitting import ask_suite
from ssdlab.pts.profile import Profile
from ssdlab.pts.suite import choose_tests
from ssdlab.targets.opening import read_shape
from ssdlab.targets.shape import Shape

_USUAL_BYTES_PER_S = 500e6  # of a SATA drive, about
_SECTOR_BYTES = 512


@dataclass(frozen=True, kw_only=True, slots=True)
class RunCost:
    """What one run takes: its time [s] and what it writes [B], at least and at most.

    Both are ``None`` if the capacity of the drive is unknown; ``why`` says so. The time
    is without purges, which only the drive knows.
    """

    wanted: Wanted
    seconds: tuple[float, float] | None = None
    written_bytes: tuple[float, float] | None = None
    why: str = ""

    @property
    def endurance_ratio(self) -> float | None:
        """The most that it writes, as a share of the rated endurance of the drive."""
        rated = self.wanted.drive.endurance_bytes
        return self.written_bytes[1] / rated if self.written_bytes and rated else None


@dataclass(frozen=True, kw_only=True, slots=True)
class HostCost:
    """The runs of a host in their order, and how long they take in its slots [s]."""

    host: str
    slots: int
    runs: tuple[RunCost, ...]
    seconds: tuple[float, float]


def plan_campaign(
    lab: Lab, wanted: Sequence[Wanted], *, profile: str
) -> tuple[HostCost, ...]:
    """Return what every host of a campaign would do, in its order."""
    chosen = open_profile(profile)
    costs = [_cost(one, chosen) for one in wanted]
    hosts = dict.fromkeys(one.host for one in wanted)
    return tuple(
        HostCost(
            host=host,
            slots=lab.hosts[host].slots,
            runs=tuple(one for one in costs if one.wanted.host == host),
            seconds=_span(
                [one for one in costs if one.wanted.host == host],
                slots=lab.hosts[host].slots,
            ),
        )
        for host in hosts
    )


def _cost(wanted: Wanted, profile: Profile) -> RunCost:
    shape = find_shape(wanted)
    if shape is None:
        return RunCost(wanted=wanted, why="its capacity is not in lab.toml")
    try:
        asked = ask_suite(
            profile,
            choose_tests(profile, wanted.tests),
            capacity_bytes=shape.capacity_bytes,
            sector_bytes=shape.sector_bytes,
        )
    except UserError as error:
        return RunCost(wanted=wanted, why=str(error))
    context = PlanContext(
        capacity_bytes=shape.capacity_bytes,
        sector_bytes=shape.sector_bytes,
        active_range_percent=asked.active_range_percent,
        seed=0,
    )
    speed = shape.write_bytes_per_s or _USUAL_BYTES_PER_S
    costs = [one.cost for one in estimate_suite(asked.tests, context, speed)]
    return RunCost(
        wanted=wanted,
        seconds=(
            sum(one.seconds_min for one in costs),
            sum(one.seconds_max for one in costs),
        ),
        written_bytes=(
            sum(one.written_bytes_min for one in costs),
            sum(one.written_bytes_max for one in costs),
        ),
    )


def find_shape(wanted: Wanted) -> Shape | None:
    """Return the shape of a drive that may be in another host, as far as known."""
    target, capacity_bytes = wanted.drive.target, wanted.drive.capacity_bytes
    if not target.startswith("/dev/"):
        return read_shape(target)
    if not capacity_bytes:
        return None
    return Shape(
        capacity_bytes=capacity_bytes, sector_bytes=_SECTOR_BYTES, kind="block"
    )


def _span(runs: Sequence[RunCost], *, slots: int) -> tuple[float, float]:
    """Return how long runs take if each begins in the slot that is free first [s].

    One drive is never measured twice at once.
    """
    least, most = (_finish(runs, slots, end) for end in (0, 1))
    return least, most


def _finish(runs: Sequence[RunCost], slots: int, end: int) -> float:
    free_s = [0.0] * slots
    drive_s: dict[str, float] = {}
    for one in runs:
        serial = one.wanted.serial
        place = min(range(slots), key=free_s.__getitem__)
        begin_s = max(free_s[place], drive_s.get(serial, 0.0))
        took_s = one.seconds[end] if one.seconds else 0.0
        free_s[place] = drive_s[serial] = begin_s + took_s
    return max(free_s)


def find_endurance_use(runs: Sequence[RunCost]) -> Mapping[str, float]:
    """Return what share of its rated endurance each drive would be written."""
    found: dict[str, float] = {}
    for one in runs:
        if one.endurance_ratio is not None:
            serial = one.wanted.serial
            found[serial] = found.get(serial, 0.0) + one.endurance_ratio
    return found
