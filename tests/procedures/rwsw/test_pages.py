"""Runs by a capture, for real on the virtual SSD: their commands and their pages."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from ssdlab.cli import main
from ssdlab.model.capture import EXPERIMENTAL, Capture, CaptureStep, StreamCount
from ssdlab.procedures.rwsw.load import Saturating
from ssdlab.procedures.rwsw.spec import individual_streams
from ssdlab.report import write_report
from ssdlab.store.run import open_tables
from tests.made_procedure import measure_made
from tests.paths import ROOT
from tests.rendered import words

SHOP = str(ROOT / "tests" / "data" / "capture-made-shop.csv")
TARGET = ["--capture", SHOP, "--target", "virtual:size=64MiB"]


def run(*arguments: str, code: int = 0) -> str:
    done = CliRunner().invoke(main, ["rwsw", *arguments])
    assert done.exit_code == code, done.output
    return done.output


def page_titles(page: str) -> list[str]:
    found = re.findall(r"<h3>(.*?)</h3>", page, flags=re.DOTALL)
    return [words(title).strip() for title in found]


@pytest.mark.parametrize("command", ["capture", "wsat", "streams", "replay", "sweep"])
def test_help_says_what_it_is_not(command: str) -> None:
    assert EXPERIMENTAL in words(run(command, "--help"))


def test_capture_is_tabulated_and_written(tmp_path: Path) -> None:
    table = tmp_path / "again.csv"
    said = run("capture", SHOP, "-o", str(table))
    assert EXPERIMENTAL in said
    assert re.search(r"RND 4 KiB read +284,700 +45\.17 +7\.03 +- +51\.83", said)
    assert re.search(r"SEQ 128 KiB write +47,050 +7\.47 +37\.20 +88\.46 +-", said)
    assert "In the capture only 5.13 % of the written bytes belong to applied" in said
    found = json.loads(run("capture", str(table), "--json"))
    assert found["what"] == EXPERIMENTAL
    assert len(found["steps"]) == 12
    assert sum(s["share_percent"] for s in found["applied"]) == pytest.approx(100)
    assert found["kept"]["written_bytes_percent"] == pytest.approx(5.13, abs=0.01)


def test_large_counts_do_not_run_together(tmp_path: Path) -> None:
    table = tmp_path / "large.csv"
    head = "step,start_s,duration_s,queue_depth,access,block_size_bytes,direction,ios"
    row = "1,0,0.001,123456789,rnd,4096,read,999999999999999"
    table.write_text(f"{head}\n{row}\n", "utf-8")
    said = run("capture", str(table))
    assert "1 step over" in said
    lines = said.splitlines()
    (stream,) = (line for line in lines if line.startswith("RND"))
    assert re.split(" {2,}", stream) == [
        *("RND 4 KiB read", "999,999,999,999,999"),
        *("100.00", "100.00", "-", "100.00"),
    ]
    (step,) = (line for line in lines if line.startswith("1  "))
    assert len(re.split(" {2,}", step)) == 6
    assert {len(line) for line in lines[-2:]} == {len(step)}
    found = json.loads(run("capture", str(table), "--json"))
    assert found["kept"]["written_bytes_percent"] is None


def test_wrong_capture_is_one_line_and_exit_code_2(tmp_path: Path) -> None:
    file = tmp_path / "bad.csv"
    file.write_text("step,x\n1,2\n", "utf-8")
    said = run("capture", str(file), code=2)
    assert re.fullmatch(r"ssdlab: .*bad\.csv, line 1: .*header.*\n", said)
    said = run("wsat", "--target", "virtual", "--capture", str(file), code=2)
    assert "bad.csv, line 1: " in said


def test_dry_run_costs_the_steps_of_the_replay() -> None:
    said = run("replay", *TARGET, "--scale", "0.01", "--dry-run")
    assert re.search(r"rwsw-replay +13 ", said)


def reports(folder: Path) -> str:
    (report,) = folder.glob("*/report.html")
    return report.read_text("utf-8")


def test_streams_alone_are_means_of_the_judged_rounds(tmp_path: Path) -> None:
    """One round in three is judged and does 300 IOPS; all others do 900."""
    stream = StreamCount(access="rnd", block_size_bytes=4096, is_read=False, ios=5)
    step = CaptureStep(
        number=1, start_s=0, duration_s=60, queue_depth=2, streams=(stream,)
    )
    procedure = individual_streams(
        Capture(name="made", steps=(step,)),
        saturating=Saturating(round_seconds=1, sample_every_rounds=3, max_rounds=30),
    )
    done = measure_made(
        tmp_path / "run",
        procedure,
        lambda step: 900.0 if (step.round or 0) % 3 else 300.0,
    )
    text = words(write_report(done).read_text("utf-8"))
    assert re.search(r"3 - 15, 5 rounds 3 apart yes 300\.000 ", text)
    assert "rounds 3 - 15, samples 3 apart" in text
    assert re.search(r"Least squares fit [^.]*\S+ x sample", text)


@pytest.mark.fio
def test_replay_is_measured_and_shown_beside_the_capture(tmp_path: Path) -> None:
    table = tmp_path / "short.csv"
    rows = Path(SHOP).read_text("utf-8").splitlines()
    head = [row for row in rows if row.partition(",")[0] in {"step", "1", "2"}]
    table.write_text("\n".join(head) + "\n", "utf-8")
    run(
        *("replay", "--capture", str(table), "--target", "virtual:size=64MiB"),
        *("--scale", "0.002", "--runs", str(tmp_path / "runs")),
    )
    page = reports(tmp_path / "runs")
    titles = page_titles(page)
    assert titles[:4] == [
        f"IO stream map ({EXPERIMENTAL})",
        f"Cumulative workload ({EXPERIMENTAL})",
        f"Replay of the steps: IOPS ({EXPERIMENTAL})",
        f"Part of each step that is replayed ({EXPERIMENTAL})",
    ]
    text = words(page)
    assert "Each step, replayed and native, of the applied streams" in text
    assert "In step 1 writes were 14.7 % of IOs, but none are applied." in text
    assert re.search(r"1 81\.365 94\.689 0\.000 85/15 100/0 ", text)
    assert "composite" not in text.lower()


@pytest.mark.fio
def test_wsat_is_measured_and_its_pages_say_what_it_is_not(tmp_path: Path) -> None:
    run(
        *("wsat", *TARGET, "--seconds-per-round", "0.5", "--sample-every", "1"),
        *("--max-rounds", "6", "--runs", str(tmp_path / "runs")),
    )
    (report,) = (tmp_path / "runs").glob("*/report.html")
    measured = open_tables(report.parent).measurements
    writes = measured[measured["direction"] == "write"]
    moved = (writes["bw_bytes_per_s"] * writes["runtime_s"]).sum()
    mean = moved / writes["total_ios"].sum()
    assert mean == pytest.approx(4628.48, rel=0.05)  # what one job makes, by hand
    page = reports(tmp_path / "runs")
    titles = page_titles(page)
    assert f"IOPS vs time ({EXPERIMENTAL})" in titles
    text = words(page)
    assert "Applied test workload: 4 streams" in text
    assert "A write 41,426.362 4,096.000 4,628.480" in text
    assert "4.32 % of IOs, 1.6 % of bytes and 23 % of written bytes belong to" in text
    assert "only 5.13 % of the written bytes belong to applied streams" in text
    assert "4 streams, 84/16" in text
    assert "composite" not in text.lower()
