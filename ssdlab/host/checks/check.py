"""The definition of a check: a name, a reason, and a function."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from ssdlab.host.checks.scene import Scene
from ssdlab.host.notation import format_cpus
from ssdlab.model.host_checks import NOT_APPLYING, CheckVerdict, HostCheck

OWN = "ssdlab"
Needs = Literal["", "drive", "network"]


def guide(section: str) -> str:
    """Return the citation of a section of the guide."""
    return f"HGST/WD guide {section}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    """A file of the kernel and its wanted content.

    A ``value`` of ``None`` is for a file that another setting changes as well: its
    content is restored together with that.
    """

    path: str
    value: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """The result of a check."""

    verdict: CheckVerdict
    read: str
    remedy: str = ""


def _nothing(_: Scene) -> tuple[Setting, ...]:
    return ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Check:
    """A check of the host.

    ``settings`` returns changes that would make it good and can be undone. A check
    without a source is ssdlab's own.
    """

    check_id: str
    title: str
    why: str
    look: Callable[[Scene], Finding]
    source: str = OWN
    settings: Callable[[Scene], tuple[Setting, ...]] = _nothing
    needs: Needs = ""


def good(read: str) -> Finding:
    """Return a result without a complaint."""
    return Finding(verdict="good", read=read)


def warn(read: str, remedy: str) -> Finding:
    """Return a doubtful result."""
    return Finding(verdict="warn", read=read, remedy=remedy)


def bad(read: str, remedy: str) -> Finding:
    """Return a bad result."""
    return Finding(verdict="bad", read=read, remedy=remedy)


def unknown(read: str, remedy: str = "") -> Finding:
    """Return an unknown result: it could not be read, and why."""
    return Finding(verdict="unknown", read=read, remedy=remedy)


def missing(path: str, why: str = "") -> Finding:
    """Return an unknown result: the kernel lacks a file; ``why`` is appended."""
    return unknown(f"{path} does not exist here{why}")


def not_applying(why: str) -> Finding:
    """Return that a check does not apply."""
    return unknown(f"{NOT_APPLYING}: {why}")


def examine(check: Check, scene: Scene) -> HostCheck:
    """Return the result of a check, or that it does not apply."""
    found = _unneeded(check, scene) or check.look(scene)
    is_open = found.verdict in {"bad", "warn"}
    return HostCheck(
        check_id=check.check_id,
        title=check.title,
        verdict=found.verdict,
        read=found.read,
        why=check.why,
        remedy=found.remedy,
        source=check.source,
        is_appliable=is_open and bool(check.settings(scene)),
    )


def write_by_hand(value: object, path: str) -> str:
    """Return the command that writes a file of the kernel."""
    return f"echo {value} | sudo tee {path}"


def name_cpus(cpus: Collection[int]) -> str:
    """Return processors in words: ``CPUs 0-3``."""
    return f"CPU{'' if len(cpus) == 1 else 's'} {format_cpus(cpus) or 'none'}"


def tell_each(values: Mapping[int, str]) -> str:
    """Return the value of each group of processors: ``powersave on CPUs 0-3``."""
    groups: dict[str, list[int]] = {}
    for cpu, value in values.items():
        groups.setdefault(value, []).append(cpu)
    return ", ".join(f"{value} on {name_cpus(cpus)}" for value, cpus in groups.items())


def _unneeded(check: Check, scene: Scene) -> Finding | None:
    if check.needs == "drive" and scene.drive is None:
        return not_applying("the target is not a drive")
    if check.needs == "network" and not scene.is_network:
        return not_applying("the target is not reached by a network")
    return None
