"""`ssdlab profiles`, and a profile from a file for `ssdlab plan` and `ssdlab run`."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ssdlab.model.units import MIB
from ssdlab.pts import PROFILES, find_profile
from ssdlab.pts.profile_file import parse_profile
from tests.cli.called import call

COMMAND = (sys.executable, "-m", "ssdlab.cli")
SMALL = """\
based_on = "pts-c-1.1"
active_ranges = ["100 % 16 MiB", "75 % 16 MiB", "100 % 8 GiB"]
cell_s = 0.5
"""


def plan(*arguments: str | Path, target: str = "virtual") -> dict[str, Any]:
    done = call("plan", "--target", target, "--json", *arguments)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(SMALL, "utf-8")
    return path


def test_list_has_every_profile_with_title_document_tests_and_time() -> None:
    done = call("profiles")
    assert done.returncode == 0, done.stderr
    for name, profile in PROFILES.items():
        at = done.stdout.index(f"{name} ")
        about = done.stdout[at:].split("\n")[:3]
        assert profile.title in about[0]
        assert profile.spec_version in about[0]
        assert about[1].split() == ", ".join(profile.tests).split()
        assert "user capacities" in about[2]
    assert "69 h 2 min to 161 h 27 min, plus fills of 8 user capacities" in done.stdout


def test_list_as_json_says_the_same() -> None:
    rows = json.loads(call("profiles", "--json").stdout)
    assert [row["name"] for row in rows] == list(PROFILES)
    first = rows[0]
    assert first["seconds_min"] == 69 * 3600 + 2 * 60
    assert first["tests"] == list(find_profile(first["name"]).tests)


def test_what_show_prints_is_a_profile_of_a_file(tmp_path: Path) -> None:
    done = call("profiles", "show", "pts-c-1.1")
    path = tmp_path / "copy.toml"
    path.write_text(done.stdout, "utf-8")
    parsed = parse_profile(done.stdout, source="x", name="pts-c-1.1")
    assert parsed == find_profile("pts-c-1.1")
    again = call("profiles", "show", path)
    assert again.returncode == 0, again.stderr
    assert 'name = "copy"' in again.stdout
    assert "active_ranges = [" in again.stdout


def test_plan_takes_a_profile_from_a_file(mine: Path) -> None:
    planned = plan("--profile", mine, "--tests", "iops")
    assert planned["profile"] == "mine"
    (iops,) = planned["tests"]
    assert iops["phases"] == [
        f"{kind}-{name}"
        for name in ("AR100-16MiB", "AR75-16MiB")
        for kind in ("purge", "wipc", "rounds")
    ]
    assert iops["fill_bytes"] == 2 * 2 * planned["capacity_bytes"]
    left_out = "active range AR100-8GiB: left out, 100 % of 134.2 MB is too small"
    assert left_out in planned["departures"]
    assert "time of a cell: 0.5 s instead of 1 min" in planned["departures"]


def test_plan_of_all_has_the_tests_of_the_profile(mine: Path) -> None:
    for profile, tests in (
        ("demo", find_profile("demo").tests),
        (mine, ("iops", "tp", "lat", "wsat")),
    ):
        planned = plan("--profile", profile, "--tests", "all")
        assert tuple(test["test"] for test in planned["tests"]) == tests
    planned = plan("--profile", "pts-2.0-enterprise")
    assert [test["test"] for test in planned["tests"]] == ["iops", "tp", "lat", "wsat"]


@pytest.mark.parametrize(
    ("command", "profile"), [("plan", "tkperf"), ("run", "pts-c-1.1")]
)
def test_test_that_the_profile_does_not_have_is_refused(
    command: str, profile: str, tmp_path: Path
) -> None:
    runs = ("--runs", tmp_path / "runs")
    where = runs if command == "run" else ()
    done = call(
        command, "--target", "virtual", "--profile", profile, "--tests", "lat,hir",
        *where,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stdout == ""
    assert f"{profile} test 'hir'" in done.stderr
    assert "Choose from: iops, tp, lat, wsat." in done.stderr
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'based_on = "demo"\ncel_s = 1\n', "cel_s: a profile has no such value"),
        (b'based_on = "demo"\ncell_s = "1"\n', "cell_s: '1' is not a number"),
        (b"cell_s = 1\n", "based_on: it is missing"),
        (b"\xff\xfe", "it is not UTF-8 text"),
        (b"#" * 100_001, "it is too large for a profile"),
        (None, "file not found"),
    ],
    ids=["key", "type", "base", "bytes", "size", "absent"],
)
def test_wrong_file_ends_with_2_and_names_file_and_key(
    content: bytes | None, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "wrong.toml"
    if content is not None:
        path.write_bytes(content)
    done = call("plan", "--target", "virtual", "--profile", path)
    assert done.returncode == 2
    assert done.stderr.startswith(f"ssdlab: {path}: {words}")
    assert done.stderr.count("\n") == 1


def test_wrong_file_is_refused_by_run_and_show_alike(tmp_path: Path) -> None:
    path, runs = tmp_path / "wrong.toml", tmp_path / "runs"
    path.write_text('based_on = "demo"\ncell_s = 0\n')
    shown = call("profiles", "show", path)
    run = call("run", "--target", "virtual", "--profile", path, "--runs", runs)
    assert shown.returncode == run.returncode == 2
    assert shown.stderr == run.stderr
    assert f"{path}: cell_s: 0 is out of range: 0.1" in run.stderr
    assert not runs.exists()


def test_profile_without_a_range_that_fits_is_refused() -> None:
    done = call("plan", "--target", "virtual", "--profile", "pts-c-1.1")
    assert done.returncode == 2
    assert "active_ranges: none of AR100-8GiB" in done.stderr


@pytest.mark.fio
def test_run_measures_each_range_of_a_file(mine: Path, tmp_path: Path) -> None:
    mine.write_text(
        f'{SMALL}\nlat_mixes = [0]\nlat_block_sizes = ["4 KiB"]\nmax_rounds = 5\n'
        'write_cache = "as found"\n',
        "utf-8",
    )
    command = (
        *COMMAND, "run", "--target", "virtual:size=64MiB", "--profile", str(mine),
        "--tests", "lat", "--runs", str(tmp_path / "runs"), "--seed", "7",
    )  # fmt: skip
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    (run,) = (tmp_path / "runs").glob("*mine*")
    record = json.loads((run / "run.json").read_text())
    assert record["asked"]["settings"]["ranges"]["active_ranges"][1] == {
        "percent": 75,
        "amount_bytes": 16 * MIB,
        "segments": 1,
    }
    jobs = {
        path.parent.name.split("-", 1)[1]: path.read_text()
        for path in sorted(run.glob("steps/*/job.fio"))
    }
    cells = [text for name, text in jobs.items() if "-rounds-" in name]
    assert len(cells) == 2 * 5
    assert all(f"size={16 * MIB}\n" in text for text in cells)
    for active, part in (("AR100", 32 * MIB), ("AR75", 24 * MIB)):
        assert f"\nsize={part}\n" in jobs[f"lat-wipc-{active}-16MiB"]
        assert f"\noffset_increment={part}\n" in jobs[f"lat-wipc-{active}-16MiB"]
    for text in jobs.values():
        assert "offset=0\n" in text or "\noffset=" not in text
