"""Findings of whole runs, as ingest writes them."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from ssdlab.ingest.ingest import ingest_run
from ssdlab.model.drive import Bus, Drive, PurgeChoice
from ssdlab.model.errors import RunFolderError
from ssdlab.model.host_checks import HostCheck
from ssdlab.model.records import CeilingPoint
from ssdlab.store.manifest import seal_run
from ssdlab.store.raw import put_aside_unfinished
from ssdlab.store.records import RunState, read_record, write_record, write_state
from ssdlab.store.run import Run, open_tables
from tests.engine.plans import INPUTS, cell_name, drive, write_papers
from tests.fakes import FakeBackend, Mishap
from tests.paths import ROOT

SAMPLE = ROOT / "data" / "samples" / "virtual-lat"
GAP_S = 0.001  # little beside cells of a second
ROUND_3 = cell_name(9, 3, 100)
MADE_UP = ("departure", "")  # what the papers of a made-up run say
UNPROVEN = ("purge-unverified", "")  # their method is the one word "trim"


def measured(run: Path, backend: FakeBackend | None = None) -> Run:
    drive(run, backend or FakeBackend(gap_s=GAP_S))
    write_papers(run)
    ingest_run(run, INPUTS)
    return open_tables(run)


def found(run: Run) -> list[tuple[str, str]]:
    return list(zip(run.findings["code"], run.findings["test"], strict=True))


def test_findings_are_those_of_the_record_and_of_the_frames(tmp_path: Path) -> None:
    run = measured(tmp_path / "run", FakeBackend(gap_s=GAP_S, gaps_s={ROUND_3: 60}))
    assert found(run) == [MADE_UP, UNPROVEN, ("idle-gap", "iops")]
    assert run.findings["number"].tolist() == [1, 2, 3]
    assert set(run.findings["severity"]) == {"major"}
    row = run.runs.iloc[0]
    assert not row["is_conformant"]
    gaps = (
        "gaps: 1 in which the device was idle, the longest 1 min; windows restart "
        "after each"
    )
    assert row["departures"].splitlines() == [
        "the target is made up",
        "purge: trim; not proven to leave the device as if never used",
        f"iops: {gaps}",
    ]


def test_suspend_is_a_grave_finding_of_its_test(tmp_path: Path) -> None:
    backend = FakeBackend(
        mishaps={
            ROUND_3: Mishap(suspended_s=5400),
            cell_name(10, 3, 65): Mishap(suspended_s=1800),
        }
    )
    run = measured(tmp_path / "run", backend)
    row = run.findings.set_index("code").loc["suspended"]
    assert (row["severity"], row["test"]) == ("grave", "iops")
    assert row["words"] == (
        f"suspended: the machine was in 2 steps, for 2 h in all, first in {ROUND_3} or "
        "in the gap before it; windows restart after it"
    )


def test_doubt_of_a_purge_is_a_finding_of_its_test_and_no_complaint(
    tmp_path: Path,
) -> None:
    doubtful = Mishap(purge_doubt="no LBA could be read back")
    mishaps = {"00001-iops-purge": doubtful}
    run = measured(tmp_path / "run", FakeBackend(gap_s=GAP_S, mishaps=mishaps))
    assert found(run) == [MADE_UP, UNPROVEN, ("purge-unverified", "iops")]
    assert run.findings["words"].iloc[-1] == "purge: no LBA could be read back"


def test_run_without_findings_is_conformant(tmp_path: Path) -> None:
    run = measured(tmp_path / "run")
    erase = PurgeChoice(method="ata-security-erase", words="security erase", why="")
    record = replace(run.record, departures=(), purge_choice=erase)
    write_record(run.path, record)
    seal_run(run.path)
    ingest_run(run.path, INPUTS)
    again = open_tables(run.path)
    assert found(again) == []
    assert bool(again.runs.iloc[0]["is_conformant"])
    assert again.runs.iloc[0]["departures"] == ""
    assert again.runs.iloc[0]["doubts"] == ""


def test_run_that_was_interrupted_is_not_conformant(tmp_path: Path) -> None:
    stop = cell_name(10, 3, 65)
    mishaps = {stop: Mishap(raises=KeyboardInterrupt())}
    with pytest.raises(KeyboardInterrupt):
        drive(tmp_path, FakeBackend(gap_s=GAP_S, mishaps=mishaps))
    put_aside_unfinished(tmp_path)
    write_papers(tmp_path)
    write_state(tmp_path, RunState(status="interrupted"))
    ingest_run(tmp_path, INPUTS)
    run = open_tables(tmp_path)
    assert found(run) == [MADE_UP, ("unfinished", ""), UNPROVEN]
    assert "not started: wsat" in run.findings["words"][1]


def test_result_at_the_ceiling_in_the_record_is_found(tmp_path: Path) -> None:
    run = measured(tmp_path / "run")
    totals = run.measurements[run.measurements["direction"] == "total"]
    most = float(totals.loc[totals["kind"] == "cell", "iops"].max())
    ceiling = tuple(
        CeilingPoint(
            threads=32,
            queue_depth=32,
            block_size_bytes=4096,
            iops=most,
            read_percent=read,
        )
        for read in (100, 0)
    )
    write_record(run.path, replace(run.record, host_ceiling=ceiling))
    ingest_run(run.path, INPUTS)
    again = open_tables(run.path)
    assert again.record.host_ceiling == ceiling
    assert ("host-ceiling", "iops") in found(again)


def test_old_run_folder_gets_its_findings(tmp_path: Path) -> None:
    """The sample was recorded before there were findings."""
    shutil.copytree(SAMPLE, tmp_path / "run")
    ingest_run(tmp_path / "run")
    run = open_tables(tmp_path / "run")
    codes = found(run)
    assert ("virtual-target", "") in codes
    assert ("time-scaled", "lat") in codes
    assert not {code for code, _ in codes} & {
        "purge-none", "purge-unverified", "fill-short", "clock-jump", "not-steady",
        "idle-gap", "unfinished", "departure",
    }  # fmt: skip
    words = set(run.findings["words"])
    assert words >= set(read_record(SAMPLE).departures)
    departures = run.runs["departures"].iloc[0].splitlines()
    assert departures[: len(run.record.departures)] == list(run.record.departures)


def test_tables_of_an_older_version_say_what_to_do(tmp_path: Path) -> None:
    run = measured(tmp_path / "run")
    (run.path / "tables" / "findings.parquet").unlink()
    assert isinstance(open_tables(run.path).steps, pd.DataFrame)
    with pytest.raises(
        RunFolderError, match=r"findings\.parquet does not exist yet.*ssdlab ing"
    ):
        _ = open_tables(run.path).findings


def made_drive(bus: Bus) -> Drive:
    return Drive(
        path="/dev/nvme0n1", name="nvme0n1", model="M", serial="S", firmware="F",
        wwn="", bus=bus, capacity_bytes=2**30, logical_sector_bytes=512,
        physical_sector_bytes=512, device_number="259:0",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("bus", "is_missed"), [("nvme", True), ("loop", False)], ids=["drive", "loop"]
)
def test_health_of_a_drive_is_judged_when_the_tables_are_built(
    tmp_path: Path, bus: Bus, *, is_missed: bool
) -> None:
    run = measured(tmp_path / "run")
    write_record(run.path, replace(run.record, drive=made_drive(bus)))
    ingest_run(run.path, INPUTS)
    silent = set(open_tables(run.path).findings["code"])
    assert ("no-health" in silent) == is_missed
    begin_s, end_s = run.steps["started_s"].min(), run.steps["ended_s"].max()
    (run.path / "telemetry").mkdir(exist_ok=True)
    lines = (
        json.dumps({"time_s": time_s, "block": {"media_errors": errors}})
        for time_s, errors in ((begin_s, 0.0), (end_s, 3.0))
    )
    (run.path / "telemetry" / "session-001.jsonl").write_text("\n".join(lines), "utf-8")
    ingest_run(run.path, INPUTS)
    told = set(open_tables(run.path).findings["code"])
    assert "media-errors" in told
    assert "no-health" not in told


@pytest.mark.parametrize(
    ("bus", "changes", "is_missed"),
    [
        ("nvme", {"write_cache": "disabled"}, True),
        ("nvme", {"write_cache": "as found"}, False),
        ("nvme", {"write_cache": "disabled", "write_cache_fault": "none"}, False),
        ("loop", {"write_cache": "disabled"}, False),
    ],
)
def test_write_cache_that_was_set_must_be_read_within_the_test(
    tmp_path: Path, bus: Bus, changes: dict[str, Any], *, is_missed: bool
) -> None:
    run = measured(tmp_path / "run")
    write_record(run.path, replace(run.record, drive=made_drive(bus), **changes))
    ingest_run(run.path, INPUTS)
    codes = set(open_tables(run.path).findings["code"])
    assert ("write-cache-unread" in codes) == is_missed


def test_bad_settings_of_the_host_are_one_finding_of_the_run(tmp_path: Path) -> None:
    run = measured(tmp_path / "run")
    checks = tuple(
        HostCheck(
            check_id=name, title=name, verdict="bad", read="", why="", remedy="",
            source="",
        )
        for name in ("governor", "ASPM")
    )  # fmt: skip
    write_record(run.path, replace(run.record, host_checks=checks))
    seal_run(run.path)
    ingest_run(run.path, INPUTS)
    assert found(open_tables(run.path))[-1] == ("host-settings", "")
