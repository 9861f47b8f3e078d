"""Power from a file: aligned, added once, and refused where it cannot be."""

import math
import shlex
import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

import ssdlab
from ssdlab.importers.power import import_power, read_power
from ssdlab.model.errors import RunFolderError, UserFileError
from ssdlab.telemetry.clocks import ClockOffset
from ssdlab.telemetry.energy import read_energy, summarise_energy
from ssdlab.testing import make_run
from tests.cli.called import call

BEHIND_S = 41.7


def true_watts(kind: str, read_percent: object) -> float:
    """Return the power of a modelled drive: of writes more than of reads."""
    if kind in {"purge", "precondition"}:
        return {"purge": 2.5, "precondition": 7.0}[kind]
    return 6.0 if read_percent == 0 else 3.0 if read_percent == 100 else 4.5


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "run"
    make_run(folder, tests=["iops"])
    return folder


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "run")
    return tmp_path / "run"


@pytest.fixture
def recorded(run: Path, tmp_path: Path) -> Path:
    """Return what a logger whose clock is behind wrote ten times a second."""
    rng = np.random.default_rng(12)
    steps = ssdlab.open_run(run).steps.dropna(subset=["started_s", "ended_s"])
    times = np.arange(steps["started_s"].min() - 30, steps["ended_s"].max() + 30, 0.1)
    watts = np.full(len(times), 1.5)
    for row in steps.to_dict("records"):
        inside = (times >= row["started_s"]) & (times <= row["ended_s"])
        watts[inside] = true_watts(row["kind"], row["read_percent"])
    watts = watts + rng.normal(0, 0.2, len(times))
    file = tmp_path / "power.csv"
    lines = [
        f"{t - BEHIND_S:.3f},{w - 1:.4f},1.0" for t, w in zip(times, watts, strict=True)
    ]
    file.write_text("\n".join(["time_s,watts_12v,watts_3v3", *lines]) + "\n")
    return file


def test_power_of_a_logger_is_aligned_and_is_that_of_the_model(
    run: Path, recorded: Path
) -> None:
    done = call("meter", run, "--csv", recorded)
    assert done.returncode == 0, done.stderr
    assert f"clocks   {BEHIND_S:+.1f}" in done.stdout
    opened = ssdlab.open_run(run)
    count = read_energy(opened.telemetry)
    assert count is not None
    assert count.apart_s < 0.5
    found = summarise_energy(
        opened.telemetry, opened.steps, opened.measurements, opened.windows
    )
    cells = found[found["kind"] == "cell"]
    assert len(cells) > 10
    for row in cells.to_dict("records"):
        true = true_watts("cell", row["read_percent"])
        assert abs(row["watts"] - true) <= row["watts_shifted"] + 0.1
    page = (run / "report.html").read_text("utf-8")
    assert "Power and energy" in page
    assert "IOPS/W" in page
    assert call("check", run).returncode in {0, 2}


def test_power_is_replaced_and_never_counted_twice(run: Path, recorded: Path) -> None:
    offset = ClockOffset(offset_s=BEHIND_S, error_s=0.1)
    for _ in range(2):
        import_power(run, recorded, offset=offset)
    count = read_energy(ssdlab.open_run(run).telemetry)
    assert count is not None
    span = float(count.times_s[-1] - count.times_s[0])
    assert 1.0 < count.joules[-1] / span < 8.0


def test_run_with_a_meter_of_its_own_is_left_alone(run: Path, recorded: Path) -> None:
    (run / "telemetry").mkdir(exist_ok=True)
    (run / "telemetry" / "meter-001.jsonl").write_text("")
    with pytest.raises(RunFolderError, match="a meter recorded its power"):
        import_power(run, recorded)


def test_offset_and_its_error_belong_together(run: Path, recorded: Path) -> None:
    done = call("meter", run, "--csv", recorded, "--offset", "3")
    assert done.returncode == 2
    assert "--offset and --clock-error belong together" in done.stderr


def test_times_beside_the_run_are_refused(run: Path, recorded: Path) -> None:
    done = call(
        "meter", run, "--csv", recorded, "--offset", "99999", "--clock-error", "1"
    )
    assert done.returncode == 2
    assert "none of its times are within the run" in done.stderr
    assert not (run / "telemetry" / "power.jsonl").exists()


def test_power_that_tells_no_clock_is_refused(run: Path, tmp_path: Path) -> None:
    steps = ssdlab.open_run(run).steps
    times = np.arange(steps["started_s"].min() - 5, steps["ended_s"].max() + 5, 0.5)
    file = tmp_path / "flat.csv"
    file.write_text("time_s,watts\n" + "".join(f"{t:.2f},5.0\n" for t in times))
    done = call("meter", run, "--csv", file)
    assert done.returncode == 2
    assert "its clock cannot be aligned" in done.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no column of times"),
        ("a,b\n1,2\n", "no column of times"),
        ("time_s,volts\n1,2\n", "none of watts"),
        ("time_s,watts\n1,2\n2,x\n", "line 3 has no time and watts"),
        ("time_s,watts\n1,2\n2\n", "line 3 has no time and watts"),
        ("time_s,watts\n1,2\n2,nan\n", "line 3 has no finite numbers"),
        ("time_s,watts\n1,2\n", "fewer than 3 readings"),
        ("time,watts\n2026-01-01T00:00:00,2\n", "line 2 has no time and watts"),
    ],
)
def test_file_that_is_no_power_is_refused(
    text: str, words: str, tmp_path: Path
) -> None:
    file = tmp_path / "power.csv"
    file.write_text(text)
    with pytest.raises(UserFileError, match=words):
        read_power(file)


def test_times_may_be_moments_and_rails_are_summed(tmp_path: Path) -> None:
    file = tmp_path / "power.csv"
    moments = [datetime.fromtimestamp(at, UTC).isoformat() for at in (30, 10, 20)]
    file.write_text(
        "Time,Watts_12V,note,watts_5v\n"
        + "".join(f"{one},1.5,x,{n}\n" for n, one in enumerate(moments))
    )
    times, watts = read_power(file)
    assert times == [10, 20, 30]
    assert watts == [2.5, 3.5, 1.5]


@pytest.mark.fio
def test_meter_of_a_run_records_what_it_was_told(tmp_path: Path) -> None:
    """A program of known truth: 5 + 2 sin(2 pi t / 7) W, twenty times a second."""
    script = (
        "import math, time\n"
        "while True:\n"
        "    watts = 5 + 2 * math.sin(2 * math.pi * time.time() / 7)\n"
        "    print(f'{watts:.4f} W', flush=True)\n"
        "    time.sleep(0.05)\n"
    )
    profile = tmp_path / "short.toml"
    profile.write_text(
        'based_on = "demo"\ncell_s = 1\nmax_rounds = 5\nlat_mixes = [100, 0]\n'
        'lat_block_sizes = ["4 KiB"]\nwipc_capacity_multiple = 1\nhistogram_s = 1\n'
    )
    run = tmp_path / "run"
    meter = f"command:{sys.executable} -c {shlex.quote(script)}"
    done = call(
        "run", f"file:{tmp_path / 'drive.bin'},size=32MiB", "--profile", profile,
        "--tests", "lat", "--run-folder", run, "--meter", meter,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr

    def joules(time_s: float) -> float:
        return 5 * time_s - 7 / math.pi * math.cos(2 * math.pi * time_s / 7)

    opened = ssdlab.open_run(run)
    count = read_energy(opened.telemetry)
    assert count is not None
    cells = opened.steps[opened.steps["kind"] == "cell"]
    assert len(cells) == 10
    for span in cells[["started_s", "ended_s"]].to_numpy(float):
        true = joules(span[1]) - joules(span[0])
        assert count.within(*span) == pytest.approx(true, abs=0.9 * count.apart_s)
    whole = count.within(cells["started_s"].min(), cells["ended_s"].max())
    true = joules(cells["ended_s"].max()) - joules(cells["started_s"].min())
    assert whole == pytest.approx(true, rel=0.05)


def test_meter_that_is_none_is_refused_before_anything_is_touched(
    tmp_path: Path,
) -> None:
    done = call(
        "run", "virtual", "--run-folder", tmp_path / "run", "--meter", "quarch:1"
    )
    assert done.returncode == 2
    assert "it is no meter" in done.stderr
    assert not (tmp_path / "run").exists()
