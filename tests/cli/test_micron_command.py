"""`ssdlab saturate`, `sequence`, `precondition-time` and `compare-hosts`."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ssdlab.cli import main
from ssdlab.model.step import Step
from ssdlab.procedures.saturate.spec import saturate
from ssdlab.procedures.saturate.stimulus_text import parse_stimulus
from tests.made_procedure import measure_made
from tests.paths import ROOT

SHOP = ROOT / "tests" / "data" / "capture-made-shop.csv"
SEQUENTIAL = parse_stimulus("SEQ 128KiB 0/100")


def ssdlab(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def refused(*arguments: str | Path) -> str:
    """Return the one line that a request is refused with."""
    done = ssdlab(*arguments)
    assert done.exit_code == 2, done.output
    (line,) = done.output.strip().splitlines()
    return line


def test_dry_run_of_saturation_prices_both_attempts() -> None:
    done = ssdlab("saturate", "--target", "virtual:size=64MiB", "--dry-run")
    assert done.exit_code == 0, done.output
    (row,) = (line for line in done.output.splitlines() if "27-79" in line)
    assert row.startswith("saturate ")
    assert "2 h 5 min to 6 h 15 min" in row


def test_dry_run_of_sequences_prices_both() -> None:
    done = ssdlab(
        "sequence", "--target", "virtual:size=64MiB", "--minutes", "0.01", "--dry-run"
    )
    assert done.exit_code == 0, done.output
    rows = [row for row in done.output.splitlines() if row.startswith("sequence-")]
    assert [row.split()[:6] for row in rows] == [
        [f"sequence-{number}", "76", "75", "45", "s", "0"] for number in (1, 2)
    ]


@pytest.mark.parametrize(
    ("arguments", "notes"),
    [
        (
            ("saturate", "--iterations", "7", "--minutes", "0.1"),
            (
                "7 iterations; the source requires 25 or more.",
                "Iterations of 6 s; those of the source take 5 min.",
            ),
        ),
        (("sequence", "--rounds", "6"), ("Each stage takes 30 min (6 rounds of",)),
        (
            ("peak", "--seconds", "2"),
            (
                "timed jobs are measured for 2 s instead of 30 s",
                "The device has sectors of 512 B, and all jobs have blocks of 4 KiB",
            ),
        ),
        (
            ("rwsw", "wsat", "--capture", str(SHOP), "--max-rounds", "9"),
            ("Capture: capture-made-shop.", "; nominal: ", "1,440"),
        ),
    ],
    ids=lambda value: value[0] if isinstance(value[0], str) else "",
)
def test_dry_run_says_how_a_procedure_departs(
    arguments: tuple[str, ...], notes: tuple[str, ...]
) -> None:
    done = ssdlab(*arguments, "--target", "virtual:size=64MiB", "--dry-run")
    assert done.exit_code == 0, done.output
    for note in notes:
        assert note in done.output
    assert "a separate procedure, not a test of the PTS" in done.output


@pytest.mark.parametrize("seed", ["-5", "2147483648", "99999999999999999999999", "x"])
@pytest.mark.parametrize("command", ["saturate", "sequence", "peak", "run"])
def test_seed_out_of_range_is_refused(command: str, seed: str, tmp_path: Path) -> None:
    nowhere = tmp_path / "no-target"  # so that nothing is run, whatever happens
    done = ssdlab(command, "--target", nowhere, "--seed", seed, "--runs", tmp_path)
    assert done.exit_code == 2
    assert "Invalid value for '--seed'" in done.output


def test_same_run_is_not_compared_with_itself(tmp_path: Path) -> None:
    procedure = saturate(parse_stimulus("RND 4KiB 0/100"), iterations=10, minutes=1)
    run = measure_made(tmp_path / "run", procedure, lambda _step: 900.0)
    copy = shutil.copytree(run.path, tmp_path / "copy")
    link = tmp_path / "link"
    link.symlink_to(run.path)
    page = tmp_path / "hosts.html"
    for other in (run.path, link, copy):
        line = refused("compare-hosts", run.path, other, "-o", page)
        assert "both folders hold the run run. Give two runs" in line
    assert not page.exists()


def test_stimulus_that_is_none_is_refused() -> None:
    line = refused("saturate", "--target", "virtual", "--stimulus", "rnd 4k 50/40")
    assert "50 % reads and 40 % writes are not 100 %" in line
    line = refused("sequence", "--target", "virtual", "--second", "x")
    assert "'x' is not a valid stimulus" in line


@pytest.mark.parametrize("minutes", ["nan", "inf", "0", "-1"])
def test_minutes_that_are_none_are_refused(minutes: str) -> None:
    done = ssdlab("saturate", "--target", "virtual", "--minutes", minutes)
    assert done.exit_code == 2
    assert "--minutes" in done.output


def test_precondition_time_of_a_drive_has_both_units() -> None:
    done = ssdlab("precondition-time", "--capacity-gb", "480", "--rate", "380")
    assert done.exit_code == 0
    assert "42.11 min, decimal units throughout" in done.output
    assert "43.12 min, as in Micron's" in done.output


def test_precondition_time_prints_the_table_and_its_oddity() -> None:
    done = ssdlab("precondition-time", "--table")
    assert done.exit_code == 0
    rows = [line.split() for line in done.output.splitlines() if " GB " in line[:10]]
    assert rows == [
        ["480", "GB", "380", "43", "53", "43.12", "42.11"],
        ["960", "GB", "520", "63", "63", "63.02", "61.54"],
        ["1920", "GB", "520", "126", "126", "126.03", "123.08"],
        ["7680", "GB", "520", "504", "504", "504.12", "492.31"],
    ]
    assert "Either 53 is a misprint of 43" in done.output


def test_precondition_time_as_json_has_every_number() -> None:
    done = ssdlab(
        *("precondition-time", "--capacity-gb", "960", "--rate", "520"),
        *("--table", "--json"),
    )
    found = json.loads(done.output)
    assert found["drive"]["minutes_1024_mb_per_gb"] == pytest.approx(63.015, abs=1e-3)
    assert found["table"][0]["printed_precondition_minutes"] == 53
    assert [bool(row["oddity"]) for row in found["table"]] == [True, *[False] * 3]


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--rate", "3"),
        ("--capacity-gb", "3"),
        ("run", "--rate", "3"),
    ],
    ids=lambda arguments: " ".join(arguments) or "nothing",
)
def test_precondition_time_asks_for_what_it_needs(arguments: tuple[str, ...]) -> None:
    line = refused("precondition-time", *arguments)
    assert "Give RUN, or --capacity-gb and --rate, or --table." in line


def unsteady(step: Step) -> float:
    return 2.0 ** (5 + (step.round or 0) % 7)


def test_precondition_time_of_a_run_takes_its_steady_rate(tmp_path: Path) -> None:
    procedure = saturate(SEQUENTIAL, iterations=5, minutes=1)
    run = measure_made(tmp_path / "run", procedure, lambda _step: 1000.0)
    done = ssdlab("precondition-time", run.path, "--json")
    assert done.exit_code == 0, done.output
    drive = json.loads(done.output)["drive"]
    assert drive["rate_mb_per_s"] == pytest.approx(131.072)
    assert drive["capacity_gb"] == pytest.approx(0.067108864)
    assert drive["minutes_1000_mb_per_gb"] == pytest.approx(
        2 * 67.108864 / 131.072 / 60
    )
    assert drive["fill_2x_minutes_measured"] > 0
    assert not drive["is_virtual"]


@pytest.mark.parametrize(
    ("stimulus", "iops_of", "status", "why"),
    [
        ("SEQ 128KiB 0/100", unsteady, "finished", "did not get steady"),
        ("SEQ 64KiB 0/100", lambda _s: 9.0, "finished", "no saturation by 128 KiB"),
        ("RND 128KiB 0/100", lambda _s: 9.0, "finished", "no saturation by 128 KiB"),
        ("SEQ 128KiB 0/100", lambda _s: 9.0, "interrupted", "not finished"),
    ],
    ids=["unsteady", "64K", "random", "interrupted"],
)
def test_precondition_time_refuses_a_run_without_a_rate(
    tmp_path: Path, stimulus: str, iops_of: object, status: object, why: str
) -> None:
    procedure = saturate(parse_stimulus(stimulus), iterations=5, minutes=1)
    run = measure_made(tmp_path / "run", procedure, iops_of, status=status)  # type: ignore[arg-type]
    line = refused("precondition-time", run.path)
    assert why in line
    assert "ssdlab saturate" in line


def test_precondition_time_refuses_what_is_no_run(tmp_path: Path) -> None:
    assert str(tmp_path) in refused("precondition-time", tmp_path)


def test_hosts_are_compared_on_a_page(tmp_path: Path) -> None:
    procedure = saturate(parse_stimulus("RND 4KiB 0/100"), iterations=10, minutes=1)

    def falling(step: Step) -> float:
        return max(9000.0 - 2000.0 * (step.round or 0), 5000.0)

    fast = measure_made(tmp_path / "fast", procedure, falling)
    slow = measure_made(
        tmp_path / "slow", procedure, lambda _s: 3000.0, label="\x1b[31mred"
    )
    page = tmp_path / "hosts.html"
    done = ssdlab("compare-hosts", fast.path, slow.path, "-o", page)
    assert done.exit_code == 0, done.output
    assert "Host B looks like a bottleneck" in done.output
    assert "\x1b" not in done.output
    assert "The same drive on two hosts" in page.read_text("utf-8")
    nowhere = tmp_path / "no" / "page.html"
    line = refused("compare-hosts", fast.path, slow.path, "-o", nowhere)
    assert "cannot be written" in line


@pytest.mark.parametrize(
    ("command", "runs", "options"),
    [
        ("precondition-time", 1, ("--json",)),
        ("classes", 1, ("--json",)),
        ("compare-hosts", 2, ("-o", "hosts.html")),
    ],
)
def test_run_that_lost_its_tables_is_read_all_the_same(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    runs: int,
    options: tuple[str, ...],
) -> None:
    monkeypatch.chdir(tmp_path)
    procedure = saturate(SEQUENTIAL, iterations=5, minutes=1)
    made = [
        measure_made(tmp_path / f"run-{at}", procedure, lambda _step: 1000.0)
        for at in range(runs)
    ]
    for run in made:
        shutil.rmtree(run.path / "tables")
    done = ssdlab(command, *(run.path for run in made), *options)
    assert done.exit_code == 0, done.output


def test_stimuli_are_given_by_name_or_as_those_of_the_hosts_and_not_both() -> None:
    plan = ("saturate", "--target", "virtual:size=64MiB", "--dry-run")
    both = ssdlab(*plan, "--host-stimuli", "--stimulus", "RND 4KiB 0/100")
    assert both.exit_code == 2
    assert "not both" in both.output
    hosts = ssdlab(*plan, "--host-stimuli")
    assert hosts.exit_code == 0, hosts.output
    lines = hosts.output.splitlines()
    tests = [line.split()[0] for line in lines if line.startswith("saturate")]
    assert tests[-3:] == ["saturate", "saturate-2", "saturate-3"]
