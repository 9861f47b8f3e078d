"""The picture of a run under way, at any size of a terminal."""

import json
import os
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from ssdlab.cli.dashboard import View, draw, log_line, read_view
from ssdlab.engine.progress import (
    CellProgress,
    Progress,
    ProgressOfTest,
    Tracked,
)
from ssdlab.plan.endurance import rate_endurance
from ssdlab.store.telemetry import read_last
from ssdlab.system.folders import Folder
from tests.made_run import Recipe, make_run

CELLS = tuple(
    CellProgress(
        block_size_bytes=size,
        read_percent=mix,
        threads=2,
        queue_depth=16,
        round=2 if number < 2 else 1,
        value=1000.0 + number if number < 4 else None,
    )
    for number, (mix, size) in enumerate(
        (mix, size) for mix in (100, 65, 0) for size in (65_536, 4096)
    )
)
PROGRESS = Progress(
    test="iops",
    phase="rounds",
    step="00012-iops-r002",
    round=2,
    rounds_max=25,
    cell=3,
    cells=6,
    workload="RND 64 KiB 65/35",
    tracking="RND 4 KiB 0/100",
    values=("1000", "1050"),
    verdict="window 2/5",
    steps_done=11,
    left_min_s=600.0,
    left_max_s=1200.0,
    written_bytes=6_000_000_000,
    tests=(
        ProgressOfTest(
            test="wsat",
            longest_s=50,
            left_min_s=0,
            left_max_s=0,
            rounds=6,
            is_steady=True,
        ),
        ProgressOfTest(
            test="tp",
            longest_s=50,
            left_min_s=0,
            left_max_s=0,
            rounds=25,
            is_steady=False,
        ),
        ProgressOfTest(
            test="iops", longest_s=1200, left_min_s=500, left_max_s=900, rounds=2
        ),
        ProgressOfTest(test="lat", longest_s=300, left_min_s=100, left_max_s=300),
    ),
    tracked=Tracked(
        metric="iops",
        values=(1000.0, 1050.0),
        average=1025.0,
        window_rounds=5,
        range_ratio=0.2,
    ),
    matrix=CELLS,
    temperature_celsius=41.2,
)
VIEW = View(
    title="A drive",
    progress=PROGRESS,
    age_s=60.0,
    now=datetime(2026, 11, 24, 19, 0, tzinfo=UTC),
    endurance=(rate_endurance(600e9),),
)


def lines_of(view: View, *, width: int = 80, height: int = 40) -> list[str]:
    console = Console(width=width, color_system=None)
    with console.capture() as shown:
        console.print(draw(view, width=width, height=height))
    return [line.rstrip() for line in shown.get().splitlines()]


def test_time_left_counts_down_and_the_finish_is_a_time_of_day() -> None:
    assert VIEW.left_s == (540.0, 1140.0)
    assert lines_of(VIEW)[-1] == "29 %  9 min to 19 min left  finish 19:09 to 19:19"
    tomorrow = replace(VIEW, age_s=0.0, progress=replace(PROGRESS, left_max_s=8 * 3600))
    assert lines_of(tomorrow)[-1].endswith("finish 19:10 to Wed 03:00")


@given(st.integers(20, 200), st.integers(1, 60))
def test_picture_fits_and_always_has_the_time_left(width: int, height: int) -> None:
    lines = lines_of(VIEW, width=width, height=height)
    assert len(lines) <= height
    assert max(map(len, lines)) <= width
    assert lines[-1].startswith("29 %  9 min to"[: width - 1])


def test_each_test_has_a_bar_and_its_verdict() -> None:
    wsat, tp, iops, lat = lines_of(VIEW)[1:5]
    assert wsat.endswith("100 %  ✓ steady, 6 rounds")
    assert tp.endswith("100 %  ✗ not steady, 25 rounds"[:80])
    assert " 30 %  round 2" in iops  # 900 s less the minute since, of 1200 s
    assert lat.endswith("  0 %")
    assert iops.count("━") / (iops.count("━") + iops.count("─")) == pytest.approx(
        0.3, abs=0.03
    )


def test_last_value_is_placed_in_the_band_of_the_window() -> None:
    lines = lines_of(VIEW)
    (band,) = [line for line in lines if "├" in line]
    # 1025 less and more 10 %; 1050 is 2.4 % above: at 12.4 of the 20 places
    assert band == "  922.5 ├───────────●───────┤ 1,128  +2.4 % of the window's average"
    tracked = replace(PROGRESS.tracked, values=(1000.0, 2000.0))  # type: ignore[type-var] # it is there
    beyond = replace(VIEW, progress=replace(PROGRESS, tracked=tracked))
    (band,) = [line for line in lines_of(beyond) if "├" in line]
    assert "▶" in band
    assert "●" not in band


def test_matrix_has_a_place_for_each_cell_and_dots_for_those_to_come() -> None:
    lines = lines_of(VIEW)
    place = next(n for n, line in enumerate(lines) if "100/0" in line)
    assert [line.split() for line in lines[place : place + 3]] == [
        ["IOPS", "100/0", "65/35", "0/100"],
        ["4", "KiB", "1,001", "1,003", "·"],
        ["64", "KiB", "1,000", "1,002", "·"],
    ]
    assert not any("100/0" in line for line in lines_of(VIEW, height=10))


def test_state_of_the_drive_is_shown_where_it_is_known() -> None:
    assert any(
        "41 °C · 6 GB written · 1 % of the rated" in line for line in lines_of(VIEW)
    )
    cold = replace(PROGRESS, temperature_celsius=None)
    bare = replace(VIEW, progress=cold, endurance=())
    assert any(line == "6 GB written" for line in lines_of(bare))


def test_line_of_a_log_has_the_time_the_share_and_the_finish() -> None:
    line = log_line(VIEW)
    assert line.startswith("19:00:00  29 % | iops rounds | round 2 of at most 25 | ")
    assert " | 41 °C | " in line
    assert line.endswith(" left | finish 19:09 to 19:19")
    metered = replace(PROGRESS, temperature_celsius=None, power_watts=6.0)
    assert " | 6.00 W | " in log_line(replace(VIEW, progress=metered))


def test_what_a_run_wrote_is_read_back(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", Recipe(tests=("iops",), rounds=5)).path
    assert read_view(run, now_s=1e9) is None or (run / "progress.json").exists()
    (run / "progress.json").write_text(json.dumps({**asdict(PROGRESS), "line": "x"}))
    view = read_view(run, now_s=(run / "progress.json").stat().st_mtime + 5)
    assert view is not None
    assert view.progress == PROGRESS
    assert view.age_s == pytest.approx(5, abs=0.01)


@pytest.mark.parametrize(
    "change",
    [
        {"left_max_s": 1e300, "left_min_s": 1e300},
        {"left_max_s": -1.0},
        {"workload": "\x1b[2J", "phase": "\x1b]0;title\x07", "verdict": "\n" * 50},
        {"step_percent": 5.0, "step_extent": "\x1b[2J\n\n"},
        {"tests": ()},
        {"cell": -5, "round": 10**30},
    ],
    ids=["endless", "negative", "codes", "extent", "bare", "places"],
)
def test_strange_progress_is_drawn_without_harm(change: dict[str, object]) -> None:
    strange = replace(VIEW, progress=replace(PROGRESS, **change))  # type: ignore[arg-type] # wrong on purpose
    shown = "\n".join(lines_of(strange))
    assert "\x1b" not in shown + log_line(strange)
    assert len(lines_of(strange, height=12)) <= 12
    assert "left" in shown


@pytest.mark.parametrize(
    "content", [b"", b"[]", b'{"test": 5}', b"\xff", b"[" * 100_000]
)
def test_damaged_progress_shows_nothing(tmp_path: Path, content: bytes) -> None:
    run = make_run(tmp_path / "run", Recipe(tests=("iops",), rounds=5)).path
    (run / "progress.json").write_bytes(content)
    assert read_view(run, now_s=0.0) is None


@pytest.mark.parametrize("kind", ["link", "endless", "pipe", "folder"])
def test_what_is_no_file_of_the_run_is_not_read(tmp_path: Path, kind: str) -> None:
    run = make_run(tmp_path / "run", Recipe(tests=("iops",), rounds=5)).path
    said = json.dumps(asdict(PROGRESS))
    place, theirs = run / "progress.json", tmp_path / "theirs"
    theirs.write_text(said.replace("iops", "secret"))
    place.unlink(missing_ok=True)
    match kind:
        case "link":
            place.symlink_to(theirs)
        case "endless":
            place.symlink_to("/dev/zero")
        case "pipe":
            os.mkfifo(place)
        case _:
            place.mkdir()
    assert read_view(run, now_s=1e9) is None


def test_last_temperature_is_that_of_the_newest_session(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    lines = [
        {"time_s": 1.0, "block": {"temperature_celsius": 40.0}},
        {"time_s": 2.0, "block": {"temperature_celsius": 47.5}},
        {"time_s": 2.5, "host": {"load": 1.0}},
    ]
    text = "\n".join(map(json.dumps, lines))
    (tmp_path / "session-001.jsonl").write_text(text.replace("47.5", "90"))
    (tmp_path / "session-002.jsonl").write_text("x" * 100_000 + f"\n{text}\n{{cut")
    assert read_last(folder, "temperature_celsius") == 47.5
    assert read_last(folder, "wear_percent") is None
    power = {"time_s": 2.0, "meter": {"energy_joules": 9.0, "power_watts": 5.5}}
    (tmp_path / "meter-001.jsonl").write_text(f"{json.dumps(power)}\n")
    assert read_last(folder, "power_watts") is None
    assert read_last(folder, "power_watts", of="meter-") == 5.5
    assert read_last(Folder(tmp_path / "none"), "temperature_celsius") is None
