"""Health of a drive: temperature, wear, errors, and alarms that stop a run."""

from ssdlab.drive.health.access import require_health_access
from ssdlab.drive.health.alarms import find_alarm
from ssdlab.drive.health.reading import read_health
from ssdlab.drive.health.readings import health_readings

__all__ = ["find_alarm", "health_readings", "read_health", "require_health_access"]
