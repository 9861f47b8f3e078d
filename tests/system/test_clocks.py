"""The clock of a run goes on in a suspend, and tells how long that was."""

import time

import pytest

from ssdlab.system.clocks import RunClock, boot_time_s


class Machine:
    """The clocks of a machine that can be suspended, in seconds."""

    def __init__(self) -> None:
        self.now_s, self.slept_s, self.reads = 1000.0, 0.0, 0

    def boot(self) -> float:
        return self.now_s

    def awake(self) -> float:
        self.reads += 1
        return self.now_s - self.slept_s

    def suspend(self, seconds: float) -> None:
        self.now_s += seconds
        self.slept_s += seconds


def test_suspend_counts_and_is_told() -> None:
    machine = Machine()
    clock = RunClock(unix=lambda: 5000.0, boot=machine.boot, awake=machine.awake)
    assert (clock(), clock.suspended_s()) == (5000.0, 0.0)
    machine.now_s += 7
    assert (clock(), clock.suspended_s()) == (5007.0, 0.0)
    machine.suspend(3600)
    assert (clock(), clock.suspended_s()) == (8607.0, 3600.0)


def test_correction_of_the_systems_clock_is_not_seen() -> None:
    machine, unix = Machine(), [5000.0]
    clock = RunClock(unix=lambda: unix[0], boot=machine.boot, awake=machine.awake)
    unix[0] = 0.0
    machine.now_s += 1
    assert (clock(), clock.suspended_s()) == (5001.0, 0.0)


def test_delay_between_two_readings_is_no_suspend() -> None:
    machine = Machine()
    clock = RunClock(unix=lambda: 0.0, boot=machine.boot, awake=machine.awake)
    reads = machine.reads

    def late() -> float:
        """Answer late the first time, as where another process had the processor."""
        if machine.reads == reads:
            machine.reads += 1
            machine.now_s += 2
        return machine.now_s

    clock._boot = late
    assert clock.suspended_s() == pytest.approx(0)


def test_clocks_of_this_machine_agree() -> None:
    clock = RunClock()
    began_s = clock()
    time.sleep(0.05)
    assert 0.05 <= clock() - began_s < 5
    assert abs(clock.suspended_s()) < 0.1
    assert abs(clock() - time.time()) < 5


def test_monotonic_clock_serves_where_there_is_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(time, "CLOCK_BOOTTIME", raising=False)
    assert abs(boot_time_s() - time.monotonic()) < 1
    clock = RunClock()
    assert abs(clock.suspended_s()) < 0.1
