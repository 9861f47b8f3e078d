"""What a campaign asks for, and the jobs that follow: one run of one drive each."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from ssdlab.campaign.lab import Lab, LabDrive, require_name, require_one_line
from ssdlab.model.errors import UserFileError

Order = Literal["interleaved", "by drive"]
_MOST_JOBS = 100_000
_NAME_OF_TESTS = 30  # signs


@dataclass(frozen=True, kw_only=True, slots=True)
class Selection:
    """Which drives of the lab: patterns such as ``model = "X*"``; empty matches all."""

    model: str = ""
    firmware: str = ""
    host: str = ""

    def matches(self, host: str, drive: LabDrive) -> bool:
        """Return whether a drive is among them."""
        pairs = (
            (host, self.host),
            (drive.model, self.model),
            (drive.firmware, self.firmware),
        )
        return all(fnmatchcase(text, want) for text, want in pairs if want)


@dataclass(frozen=True, kw_only=True, slots=True)
class CampaignAsked:
    """``campaign.toml``: tests of a profile, on which drives, how often, in what order.

    ``tests`` has one entry per run, such as ``["iops,lat", "wsat"]``. With the order
    ``interleaved`` drives of unlike model or firmware take turns, so that a drift of
    the host does not become a difference of drives. A ``seed`` of 0 draws one. Runs of
    a higher ``priority`` begin first.
    """

    name: str
    profile: str = "demo"
    tests: tuple[str, ...] = ("iops,tp,lat,wsat",)
    repeats: int = 1
    drives: tuple[str, ...] = ()
    select: Selection | None = None
    order: Order = "interleaved"
    priority: int = 100
    seed: int = 0
    host_ceiling: bool = False
    temperature_limit: float = 0.0

    def __post_init__(self) -> None:
        """Refuse what cannot be carried out."""
        require_name(self.name, "the campaign")
        require_one_line(profile=self.profile, **dict(enumerate_names(self.tests)))
        if not self.tests or not all(self.tests):
            msg = "tests is empty"
            raise ValueError(msg)
        if not 1 <= self.repeats <= _MOST_JOBS:
            msg = f"repeats is {self.repeats} but must be from 1 to {_MOST_JOBS}"
            raise ValueError(msg)
        if not 0 <= self.priority <= 1000:
            msg = f"priority is {self.priority} but must be from 0 to 1000"
            raise ValueError(msg)
        if not 0 <= self.seed < 2**31:
            msg = f"seed is {self.seed} but must be from 0 to {2**31 - 1}"
            raise ValueError(msg)
        if bool(self.drives) == (self.select is not None):
            msg = "name the drives, or a selection of them in [select]: one of both"
            raise ValueError(msg)


def enumerate_names(tests: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield each entry of ``tests`` with its place."""
    for number, text in enumerate(tests):
        yield f"tests[{number}]", text


@dataclass(frozen=True, kw_only=True, slots=True)
class Job:
    """One run of one drive: everything that the host needs, in one file.

    ``run_id`` is the name of its run and of its folder. ``profile_text`` is the user's
    own profile, if it is one. ``rank`` orders the jobs of a campaign.
    """

    job: str
    run_id: str
    campaign: str
    host: str
    serial: str
    target: str
    confirm: str
    purge: str
    profile: str
    profile_text: str
    tests: str
    seed: int
    repeat: int
    rank: int
    priority: int
    scratch: str
    slots: int
    cores: int
    host_ceiling: bool
    temperature_limit: float

    def __post_init__(self) -> None:
        """Refuse what a job file must not say, whoever wrote it."""
        for name, what in (
            (self.job, "the job"),
            (self.run_id, "the run"),
            (self.campaign, "the campaign"),
            (self.host, "the host"),
            (self.serial, "the serial number"),
        ):
            require_name(name, what)
        LabDrive(target=self.target, confirm=self.confirm, purge=self.purge)
        require_one_line(profile=self.profile, tests=self.tests, scratch=self.scratch)
        if self.profile.startswith("-") or self.tests.startswith("-"):
            msg = "profile and tests must not begin with '-'"
            raise ValueError(msg)
        if not self.scratch.startswith("/"):
            msg = f"scratch {self.scratch!r} is not an absolute path"
            raise ValueError(msg)


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """One run that a campaign asks for, before it has an id."""

    job: str
    host: str
    serial: str
    drive: LabDrive
    tests: str
    repeat: int


def list_wanted(lab: Lab, asked: CampaignAsked, *, source: str) -> tuple[Wanted, ...]:
    """Return the runs of a campaign in their order; drives not good are left out.

    Raises
    ------
    UserFileError
        If a drive is not in the lab, or none is left.
    """
    chosen = _chosen(lab, asked, source)
    good = [one for one in chosen if one[2].state == "good"]
    if not good:
        raise UserFileError(source=source, reason="it asks for no drive that is good")
    names = [_name_of(tests) for tests in asked.tests]
    if len(set(names)) < len(names):
        reason = "two entries of tests are named alike; use repeats"
        raise UserFileError(source=source, reason=reason)
    if len(good) * len(asked.tests) * asked.repeats > _MOST_JOBS:
        reason = f"it asks for more than {_MOST_JOBS} runs"
        raise UserFileError(source=source, reason=reason)
    rows = [
        Wanted(
            job=f"{serial}-{_name_of(tests)}-{repeat:02d}",
            host=host,
            serial=serial,
            drive=drive,
            tests=tests,
            repeat=repeat,
        )
        for repeat in range(asked.repeats)
        for tests in asked.tests
        for host, serial, drive in _in_turn(good)
    ]
    if asked.order == "by drive":
        places = {serial: place for place, (_, serial, _) in enumerate(good)}
        rows.sort(key=lambda one: places[one.serial])
    return tuple(rows)


def left_out(lab: Lab, asked: CampaignAsked, *, source: str) -> Mapping[str, LabDrive]:
    """Return the drives that are asked for and not good, by serial number."""
    return {
        serial: drive
        for _, serial, drive in _chosen(lab, asked, source)
        if drive.state != "good"
    }


def _chosen(
    lab: Lab, asked: CampaignAsked, source: str
) -> list[tuple[str, str, LabDrive]]:
    if asked.select is not None:
        return [one for one in lab.drives if asked.select.matches(one[0], one[2])]
    known = {serial: (host, serial, drive) for host, serial, drive in lab.drives}
    missing = [serial for serial in asked.drives if serial not in known]
    if missing:
        reason = f"the lab has no drive {missing[0]!r}"
        raise UserFileError(source=source, reason=reason)
    if len(set(asked.drives)) < len(asked.drives):
        reason = "a drive is named twice; use repeats"
        raise UserFileError(source=source, reason=reason)
    return [known[serial] for serial in asked.drives]


def _in_turn(
    drives: Sequence[tuple[str, str, LabDrive]],
) -> list[tuple[str, str, LabDrive]]:
    """Return drives so that those of unlike model or firmware take turns."""
    groups: dict[tuple[str, str], list[tuple[str, str, LabDrive]]] = {}
    for one in drives:
        groups.setdefault((one[2].model, one[2].firmware), []).append(one)
    longest = max(map(len, groups.values()))
    return [
        group[place]
        for place in range(longest)
        for group in groups.values()
        if place < len(group)
    ]


def _name_of(tests: str) -> str:
    """Return a short name of a set of tests.

    >>> _name_of("iops, lat")
    'iops+lat'
    """
    signs = (sign if sign.isalnum() or sign == "-" else "+" for sign in tests)
    parts = [part for part in "".join(signs).split("+") if part]
    return "+".join(parts)[:_NAME_OF_TESTS].rstrip("+") or "tests"
