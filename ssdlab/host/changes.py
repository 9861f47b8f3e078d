"""Changes of the host between two checks."""

from collections.abc import Sequence

from ssdlab.model.host_checks import CheckVerdict, HostCheck

_WORDS: dict[CheckVerdict, str] = {
    "good": "good",
    "warn": "warning",
    "bad": "bad",
    "unknown": "unknown",
}
# They change all the time, and the telemetry records what matters of them.
_MOMENTARY = frozenset((
    "cpu_freq_fixed_max",
    "cpu_throttle_counts",
    "cpu_throttled",
    "other_load",
    "programs_on_the_drive",
    "swap",
))
_WORST_FIRST: tuple[CheckVerdict, ...] = ("bad", "warn", "unknown", "good")


def compare_checks(
    before: Sequence[HostCheck], now: Sequence[HostCheck]
) -> tuple[str, ...]:
    """Describe which host checks have another verdict now.

    Examples
    --------
    >>> common = {"check_id": "cpu_turbo", "title": "Turbo clock"}
    >>> common |= {"why": "", "source": ""}
    >>> off = HostCheck(verdict="good", read="turbo is off", remedy="", **common)
    >>> on = HostCheck(verdict="warn", read="turbo is on", remedy="Set it.", **common)
    >>> compare_checks((off,), (on,))
    ('Turbo clock: good (turbo is off) before, warning (turbo is on) now',)
    """
    earlier = {check.check_id: check for check in before}
    changed = [
        check
        for check in now
        if check.check_id in earlier.keys() - _MOMENTARY
        and earlier[check.check_id].verdict != check.verdict
    ]
    changed.sort(key=lambda check: _WORST_FIRST.index(check.verdict))
    return tuple(_tell(earlier[check.check_id], check) for check in changed)


def _tell(before: HostCheck, now: HostCheck) -> str:
    return (
        f"{now.title}: {_WORDS[before.verdict]} ({before.read}) before, "
        f"{_WORDS[now.verdict]} ({now.read}) now"
    )
