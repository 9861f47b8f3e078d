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
    """Return the readings by their names in the telemetry; what is not told is absent.

    Parameters
    ----------
    health : DriveHealth
        What the drive told.
    link : PcieLink, optional
        How its link stands now.
    took_s : float, optional
        How long it took to ask.
    """
    told = {one.name: getattr(health, one.name) for one in HEALTH_READINGS}
    if link is not None:
        names = [name for one in LINK_READINGS for name in (one.name, most_of(one))]
        told |= {name: getattr(link, name.removeprefix(LINK_PREFIX)) for name in names}
    told[READING_TOOK] = took_s
    return {name: float(value) for name, value in told.items() if value is not None}
