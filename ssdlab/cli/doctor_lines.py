"""What `ssdlab doctor` prints, line by line."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import click

from ssdlab.cli.group import terminal_width
from ssdlab.text.terminal import printable, wrapped

if TYPE_CHECKING:
    from ssdlab.host.tuning import Tuned
    from ssdlab.model.host_checks import HostCheck

_SIGNS = {  # in the order of display
    "bad": ("✗ bad", "red"),
    "warn": ("! warning", "yellow"),
    "unknown": ("? unknown", "cyan"),
    "good": ("✓ good", "green"),
}
_LABEL = 10
_APPLY = "let ssdlab change it, until --revert or a reboot"
_CPU = re.compile(r"/cpu(\d+)/")
_COMMAND = re.compile(  # in a remedy: users copy it, so it stays on one line
    r"(?<!\S)(?:sudo|echo|numactl|nvme format|sg_format|losetup)\s[^;(]*[^;(\s]"
)


def report_lines(checks: Sequence["HostCheck"], *, apply_command: str) -> Iterator[str]:
    """Yield the findings, worst first; of the good ones only what was read."""
    for check in _of(checks, "bad", "warn"):
        yield from _open_lines(check)
        if check.is_appliable:
            yield f"{'  or':<{_LABEL}}{_APPLY}"
        yield ""
    applying = [check for check in checks if check.applies]
    for verdict in ("unknown", "good"):
        for check in _of(applying, verdict):
            yield from _closed_lines(check)
        yield ""
    others = [check.title for check in checks if not check.applies]
    if others:
        yield from _wrapped("", f"Not applicable here: {'; '.join(others)}.")
        yield ""
    appliable = sum(check.is_appliable for check in checks)
    if appliable:
        yield f"ssdlab can change {appliable} of these, until --revert or a reboot:"
        yield f"{'':<{_LABEL}}{printable(apply_command)}"
    yield summary_line(checks)


def summary_line(checks: Sequence["HostCheck"]) -> str:
    """Return how many checks have each verdict."""
    counts = {
        verdict: len([check for check in _of(checks, verdict) if check.applies])
        for verdict in _SIGNS
    }
    warnings = "warning" if counts["warn"] == 1 else "warnings"
    others = sum(not check.applies for check in checks)
    parts = (
        f"{counts['bad']} bad, {counts['warn']} {warnings}, {counts['good']} good, "
        f"{counts['unknown']} unknown"
    )
    return f"{parts}, {others} not applicable" if others else parts


def tuned_lines(tuned: Sequence["Tuned"]) -> Iterator[str]:
    """Yield each change, with those of several CPUs in one line."""
    groups: dict[tuple[str, str, str, str], list[int]] = {}
    for one in tuned:
        found = _CPU.search(one.path)
        path = _CPU.sub("/cpu{}/", one.path)
        key = (path, one.before, one.after, one.fault)
        groups.setdefault(key, []).extend([int(found.group(1))] if found else [])
    for (path, before, after, fault), cpus in groups.items():
        shown = path.replace("{}", _listed(cpus)) if cpus else path
        what = f"{before}, {fault}" if fault else f"{before} → {after}"
        yield printable(f"{shown}: {what}")


def _listed(cpus: Sequence[int]) -> str:
    from ssdlab.host.notation import format_cpus

    return f"[{format_cpus(cpus)}]" if len(cpus) > 1 else str(cpus[0])


def _of(checks: Iterable["HostCheck"], *verdicts: str) -> list["HostCheck"]:
    return [check for name in verdicts for check in checks if check.verdict == name]


def _open_lines(check: "HostCheck") -> Iterator[str]:
    sign, colour = _SIGNS[check.verdict]
    title = click.style(check.title, bold=True)
    yield click.style(f"{sign:<{_LABEL}}", fg=colour) + title
    yield from _wrapped("  read", check.read)
    yield from _wrapped("  why", f"{check.why} ({check.source})")
    yield from _wrapped("  do", check.remedy)


def _closed_lines(check: "HostCheck") -> Iterator[str]:
    sign, colour = _SIGNS[check.verdict]
    lines = _wrapped("", f"{check.title}: {check.read}")
    first = next(lines)
    yield click.style(f"{sign:<{_LABEL}}", fg=colour) + first[_LABEL:]
    yield from lines
    if check.remedy:
        yield from _wrapped("  do", check.remedy)


def _wrapped(label: str, text: str) -> Iterator[str]:
    first, rest = f"{label:<{_LABEL}}", " " * _LABEL
    width = terminal_width()
    yield from wrapped(text, width=width, first=first, rest=rest, whole=_COMMAND)
