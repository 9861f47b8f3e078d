"""Meters: files of sysfs and programs, of known power, and what is refused."""

import os
import shlex
import signal
import sys
import time
from pathlib import Path

import pytest

from ssdlab.host.meters import (
    CommandMeter,
    SysfsMeter,
    joules_of,
    open_meter,
    parse_watts_line,
)
from ssdlab.model.errors import UserFileError

HWMON = "/sys/class/hwmon/hwmon3"


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def put(root: Path, path: str, value: object) -> Path:
    file = root / path.lstrip("/")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{value}\n")
    return file


def opened(root: Path, *paths: str, clock: Clock) -> SysfsMeter:
    from ssdlab.host import meters  # noqa: PLC0415 - the private reader of a rail

    rails = [meters._rail(f"sysfs:{path}", root) for path in paths]
    meter = SysfsMeter(rails, clock=clock)
    meter.close()  # a test samples by itself
    return meter


def test_power_is_integrated_by_trapezoids(tmp_path: Path) -> None:
    """From 2 to 4 W in a second are 3 J; 4 W for two seconds are 8 J more."""
    file, clock = put(tmp_path, f"{HWMON}/power1_input", 2_000_000), Clock()
    meter = opened(tmp_path, f"{HWMON}/power1_input", clock=clock)
    for now_s, watts in ((101.0, 4), (103.0, 4)):
        clock.now_s = now_s
        file.write_text(f"{watts * 1_000_000}\n")
        meter.sample()
    assert meter.read() == pytest.approx({"energy_joules": 11.0, "power_watts": 11 / 3})
    clock.now_s = 104.0
    meter.sample()
    assert meter.read() == pytest.approx({"energy_joules": 15.0, "power_watts": 4.0})


def test_rails_are_summed_and_energy_may_begin_anew(tmp_path: Path) -> None:
    zone = "/sys/class/powercap/intel-rapl:0"
    file, clock = put(tmp_path, f"{zone}/energy_uj", 9_000_000), Clock()
    put(tmp_path, f"{zone}/max_energy_range_uj", 10_000_000)
    put(tmp_path, f"{HWMON}/power1_input", 1_000_000)
    meter = opened(tmp_path, f"{zone}/energy_uj", f"{HWMON}/power1_input", clock=clock)
    clock.now_s = 102.0
    file.write_text("1500000\n")  # it went over its range: 2.5 J
    meter.sample()
    assert meter.read()["energy_joules"] == pytest.approx(2.5 + 2.0)


def test_file_that_goes_away_counts_nothing_meanwhile(tmp_path: Path) -> None:
    file, clock = put(tmp_path, f"{HWMON}/power1_input", 2_000_000), Clock()
    meter = opened(tmp_path, f"{HWMON}/power1_input", clock=clock)
    file.unlink()
    for now_s in (101.0, 102.0):
        clock.now_s = now_s
        meter.sample()
    assert meter.read()["energy_joules"] == 0
    put(tmp_path, f"{HWMON}/power1_input", 2_000_000)
    clock.now_s = 103.0
    meter.sample()
    clock.now_s = 104.0
    meter.sample()
    assert meter.read()["energy_joules"] == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("quarch:QTL1999", "it is no meter"),
        ("sysfs:/etc/passwd", "it is not below /sys"),
        ("sysfs:/sys/../etc/power1_input", "it is not below /sys"),
        (f"sysfs:{HWMON}/temp1_input", "holds neither power nor energy"),
        (f"sysfs:{HWMON}/power9_input", "cannot be read as a number"),
        ("command:", "it is no program"),
        ("command:no-such-program --json", "no-such-program is no program"),
        ('command:"', "it cannot be read"),
    ],
)
def test_what_is_no_meter_is_refused(spec: str, words: str, tmp_path: Path) -> None:
    put(tmp_path, f"{HWMON}/temp1_input", 40_000)
    with pytest.raises(UserFileError, match=words):
        open_meter([spec], root=tmp_path)


def test_command_is_not_summed_with_others() -> None:
    with pytest.raises(UserFileError, match="cannot be summed"):
        open_meter(["command:cat", "command:cat"])


def printing(watts: str, *, every_s: float = 0.02) -> str:
    script = (
        "import itertools, time\n"
        f"for watts in itertools.cycle({watts}):\n"
        "    print(watts, flush=True)\n"
        f"    time.sleep({every_s})\n"
    )
    return f"command:{shlex.quote(sys.executable)} -c {shlex.quote(script)}"


def test_command_of_constant_power_counts_its_energy() -> None:
    meter = open_meter([printing("['6.25 W']")])
    try:
        meter.read()
        time.sleep(0.5)
        found = meter.read()
    finally:
        meter.close()
    assert found["power_watts"] == pytest.approx(6.25, rel=0.15)
    assert isinstance(meter, CommandMeter)


def test_command_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    child = tmp_path / "child"
    script = (
        "import os, subprocess, sys, time\n"
        "words = [sys.executable, '-c', 'import time; time.sleep(60)']\n"
        "own = subprocess.Popen(words)\n"
        f"open({str(child)!r}, 'w').write(str(own.pid))\n"
        "print(5, flush=True)\n"
        "time.sleep(60)\n"
    )
    meter = open_meter([f"command:{sys.executable} -c {shlex.quote(script)}"])
    meter.close()
    meter.close()
    pid = int(child.read_text())
    for _ in range(100):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return
        if state == "Z":
            return
        time.sleep(0.02)
    os.kill(pid, signal.SIGKILL)
    pytest.fail("what the program started still runs")


def test_command_that_prints_no_watts_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ssdlab.host.meters._SILENT_S", 0.3)
    with pytest.raises(UserFileError, match="printed no number of watts"):
        open_meter([printing("['hello', '-3', '1e9', 'nan']")])


def test_command_that_fell_silent_has_no_reading(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    meter = open_meter([f"command:{sys.executable} -c 'print(5)'"])
    monkeypatch.setattr("ssdlab.host.meters._SILENT_S", 0.1)
    time.sleep(0.2)
    assert meter.read() == {}
    meter.close()


@pytest.mark.parametrize(
    ("line", "watts"),
    [("5", 5.0), (" 4.25 W\n", 4.25), ("3e0 watts", 3.0), ("5 V", None), ("", None)],
)
def test_line_is_watts_or_nothing(line: str, watts: float | None) -> None:
    assert parse_watts_line(line) == watts


def test_energy_of_readings_is_that_of_trapezoids() -> None:
    assert list(joules_of([1.0, 2.0, 4.0], [2.0, 2.0, 6.0])) == [0.0, 2.0, 10.0]
