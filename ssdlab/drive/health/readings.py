"""The health of a drive as readings of the telemetry."""

from ssdlab.model.drive import DriveHealth, PcieLink

_FIELDS = (
    "temperature_celsius",
    "warning_temperature_celsius",
    "critical_temperature_celsius",
    "warning_temperature_s",
    "critical_temperature_s",
    "wear_percent",
    "spare_percent",
    "host_written_bytes",
    "host_read_bytes",
    "media_errors",
    "error_log_entries",
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
    told: dict[str, float | None] = {
        **{name: getattr(health, name) for name in _FIELDS},
        "temperature_throttled_s": health.throttled_s,
        "is_failing": health.is_failing,
        "critical_warnings": _count_warnings(health),
        **({} if link is None else _link_readings(link)),
        "health_read_s": took_s,
    }
    return {name: float(value) for name, value in told.items() if value is not None}


def _count_warnings(health: DriveHealth) -> int | None:
    """Return how many stand now; a drive that tells of no state tells of none."""
    return None if health.is_failing is None else len(health.warnings)


def _link_readings(link: PcieLink) -> dict[str, float | None]:
    return {
        "pcie_link_width": link.width,
        "pcie_link_width_max": link.width_max,
        "pcie_link_speed_gt_s": link.speed_gt_s,
        "pcie_link_speed_gt_s_max": link.speed_gt_s_max,
    }
