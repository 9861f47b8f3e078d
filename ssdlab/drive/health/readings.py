"""The health of a drive as readings of the telemetry."""

from ssdlab.model.drive import DriveHealth, PcieLink
from ssdlab.model.telemetry import (
    HEALTH_READINGS,
    LINK_PREFIX,
    LINK_READINGS,
    READING_TOOK,
    most_of,
)


def health_readings(
    health: DriveHealth, link: PcieLink | None, *, took_s: float | None = None
) -> dict[str, float]:
    """Return the readings by their names in the telemetry; missing ones are absent."""
    raw = {one.name: getattr(health, one.name) for one in HEALTH_READINGS}
    if link is not None:
        names = [name for one in LINK_READINGS for name in (one.name, most_of(one))]
        raw |= {name: getattr(link, name.removeprefix(LINK_PREFIX)) for name in names}
    raw[READING_TOOK] = took_s
    return {name: float(value) for name, value in raw.items() if value is not None}
