"""The readings of the telemetry: each declared once, and none written beside."""

import pytest

from ssdlab.host.inventory import read_load
from ssdlab.model.drive import DriveHealth
from ssdlab.model.telemetry import HEALTH_READINGS, READINGS, Reading

_UNITS = {"celsius": "°C", "percent": "%", "bytes": "B", "s": "s", "ns": "ns"}
_UNITS |= {"watts": "W", "joules": "J", "hours": "h", "width": "lanes"}


def test_readings_of_a_source_have_names_and_words_of_their_own() -> None:
    for values in (
        [(one.source, one.name) for one in READINGS],
        [(one.source, one.words) for one in READINGS],
    ):
        assert len(set(values)) == len(values)


@pytest.mark.parametrize("reading", READINGS, ids=lambda one: one.name)
def test_name_ends_in_the_unit(reading: Reading) -> None:
    ending = reading.name.removesuffix("_max").rpartition("_")[2]
    if "gt_s" in reading.name:
        assert reading.unit == "GT/s"
    else:
        assert reading.unit == _UNITS.get(ending, "")


def test_all_that_a_drive_tells_in_numbers_is_a_reading() -> None:
    told = {*DriveHealth.__slots__, "temperature_throttled_s", "critical_warnings"}
    names = {one.name for one in HEALTH_READINGS}
    assert names == told - {"throttled_s", "warnings"}


def test_what_is_read_of_the_host_is_declared() -> None:
    assert set(read_load()) <= {one.name for one in READINGS if one.source == "host"}
