"""Readings for the telemetry."""

from ssdlab.drive.health import health_readings
from ssdlab.model.drive import DriveHealth, PcieLink

NAMES = {
    "temperature_celsius",
    "temperature_throttled_s",
    "warning_temperature_s",
    "critical_temperature_s",
    "wear_percent",
    "spare_percent",
    "spare_threshold_percent",
    "power_on_hours",
    "power_cycles",
    "unsafe_shutdowns",
    "host_written_bytes",
    "host_read_bytes",
    "media_errors",
    "error_log_entries",
    "is_failing",
    "critical_warnings",
    "pcie_link_width",
    "pcie_link_width_max",
    "pcie_link_speed_gt_s",
    "pcie_link_speed_gt_s_max",
    "health_read_s",
}


def test_all_that_is_told_is_a_number_under_its_name() -> None:
    health = DriveHealth(
        temperature_celsius=1,
        throttled_s=2,
        warning_temperature_s=3,
        critical_temperature_s=4,
        wear_percent=5,
        spare_percent=6,
        spare_threshold_percent=5,
        power_on_hours=1000,
        power_cycles=12,
        unsafe_shutdowns=3,
        host_written_bytes=7,
        host_read_bytes=8,
        media_errors=9,
        error_log_entries=10,
        is_failing=True,
        warnings=("a", "b"),
    )
    link = PcieLink(
        address="0000:01:00.0",
        width=4,
        width_max=8,
        speed_gt_s=8.0,
        speed_gt_s_max=16.0,
    )
    readings = health_readings(health, link, took_s=0.25)
    assert set(readings) == NAMES
    assert all(type(value) is float for value in readings.values())
    assert readings["temperature_throttled_s"] == 2
    assert readings["is_failing"] == 1
    assert readings["critical_warnings"] == 2
    assert readings["pcie_link_width"] == 4
    assert readings["health_read_s"] == 0.25


def test_what_is_not_told_is_absent() -> None:
    assert health_readings(DriveHealth(), None) == {}
    assert health_readings(DriveHealth(is_failing=False), PcieLink(address="x")) == {
        "is_failing": 0.0,
        "critical_warnings": 0.0,
    }
