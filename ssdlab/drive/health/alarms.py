"""Alarms of a drive that must not be measured any longer."""

from ssdlab.drive.health.nvme import TEMPERATURE_WARNING
from ssdlab.model.drive import DriveHealth


def find_alarm(health: DriveHealth, *, limit_celsius: float | None) -> str:
    """Return why a run must stop, or an empty text.

    Examples
    --------
    >>> find_alarm(DriveHealth(temperature_celsius=71), limit_celsius=70)
    'it is at 71 °C, above the limit of 70 °C'
    """
    warnings = tuple(words for words in health.warnings if words != TEMPERATURE_WARNING)
    reasons = (*warnings, *_heat(health, limit_celsius))
    if health.is_failing and not warnings:
        reasons = ("it reports that it is failing", *reasons)
    return "; ".join(reasons)


def _heat(health: DriveHealth, limit_celsius: float | None) -> tuple[str, ...]:
    now, critical = health.temperature_celsius, health.critical_temperature_celsius
    if now is None:
        return ()
    if limit_celsius is not None and now > limit_celsius:
        return (f"it is at {now:g} °C, above the limit of {limit_celsius:g} °C",)
    if critical is not None and now >= critical:
        return (f"it is at {now:g} °C, its critical temperature is {critical:g} °C",)
    return ()
