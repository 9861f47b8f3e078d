"""When a run must stop for its drive."""

import pytest

from ssdlab.drive.health import find_alarm
from ssdlab.drive.health.nvme import CRITICAL_WARNINGS, TEMPERATURE_WARNING
from ssdlab.model.drive import DriveHealth


@pytest.mark.parametrize("words", [*CRITICAL_WARNINGS, "something new"])
def test_every_critical_warning_but_that_of_the_temperature_stops(words: str) -> None:
    alarm = find_alarm(DriveHealth(warnings=(words,)), limit_celsius=None)
    assert alarm == ("" if words == TEMPERATURE_WARNING else words)


def test_a_drive_that_tells_nothing_is_no_alarm() -> None:
    assert find_alarm(DriveHealth(), limit_celsius=1) == ""


def test_a_drive_that_says_that_it_fails_and_not_why_stops() -> None:
    alarm = find_alarm(DriveHealth(is_failing=True), limit_celsius=None)
    assert alarm == "it reports that it is failing"


@pytest.mark.parametrize(
    ("celsius", "limit", "critical", "alarm"),
    [
        (70, 70, None, ""),
        (70.5, 70, None, "it is at 70.5 °C, above the limit of 70 °C"),
        (84, None, 85, ""),
        (85, None, 85, "it is at 85 °C, its critical temperature is 85 °C"),
        (86, 90, 85, "it is at 86 °C, its critical temperature is 85 °C"),
        (60, None, None, ""),
    ],
)
def test_the_limit_is_passed_above_it_and_the_critical_temperature_at_it(
    celsius: float, limit: float | None, critical: float | None, alarm: str
) -> None:
    health = DriveHealth(
        temperature_celsius=celsius, critical_temperature_celsius=critical
    )
    assert find_alarm(health, limit_celsius=limit) == alarm


def test_all_reasons_are_told_at_once() -> None:
    health = DriveHealth(temperature_celsius=90, warnings=(CRITICAL_WARNINGS[3],))
    alarm = find_alarm(health, limit_celsius=80)
    assert alarm == (
        "the media are read-only; it is at 90 °C, above the limit of 80 °C"
    )
