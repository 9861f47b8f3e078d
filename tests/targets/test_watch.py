"""When the health of a drive stops its run."""

from dataclasses import replace

import pytest

from ssdlab.model.drive import Drive, DriveHealth
from ssdlab.targets.watch import DriveWatch, reading_interval_s

LIMIT = 70.0
DRIVE = Drive(
    path="/dev/nvme9n1",
    name="nvme9n1",
    model="M",
    serial="S",
    firmware="F",
    wwn="",
    bus="nvme",
    capacity_bytes=1,
    logical_sector_bytes=512,
    physical_sector_bytes=512,
    device_number="259:9",
)


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


def watch_at(clock: Clock, celsius: float, limit: float | None) -> DriveWatch:
    watch = DriveWatch(drive=DRIVE, limit_celsius=limit, clock=clock)
    watch.health = DriveHealth(temperature_celsius=celsius)
    return watch


@pytest.mark.parametrize(("celsius", "is_alarm"), [(LIMIT, False), (LIMIT + 1, True)])
def test_limit_counts_by_the_last_reading(
    clock: Clock, *, celsius: float, is_alarm: bool
) -> None:
    alarm = watch_at(clock, celsius, LIMIT).find_alarm()
    assert ("above the limit of 70 °C" in alarm) == is_alarm


def test_old_reading_is_forgotten_and_not_to_know_is_an_alarm_under_a_limit(
    clock: Clock,
) -> None:
    limited = watch_at(clock, 40, LIMIT)
    failing = watch_at(clock, 40, None)
    failing.health = DriveHealth(is_failing=True)
    assert failing.find_alarm() == "it reports that it is failing"
    clock.now_s = 121
    assert "no longer reported" in limited.find_alarm()
    assert failing.find_alarm() == ""


def test_nothing_is_asked_or_concluded_while_paused(clock: Clock) -> None:
    watch = watch_at(clock, LIMIT + 1, LIMIT)
    with watch.paused():
        clock.now_s = 3600
        assert (watch.read(), watch.find_alarm()) == ({}, "")
    assert "above the limit" in watch.find_alarm()  # the pause does not make it old


def test_drives_whose_queue_has_to_run_empty_are_asked_less_often() -> None:
    assert reading_interval_s(DRIVE) == 5
    assert reading_interval_s(replace(DRIVE, bus="ata")) == 30
