"""What fio logs and what it says of the same run agree, for every form of log."""

import json
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ssdlab.fio.logs.read import FioLog, LogKind, read_fio_log

pytestmark = pytest.mark.fio

START = ("time", "value", "direction", "block size")
LEVELS = (1.0, 50.0, 90.0, 99.0, 99.9, 100.0)
BW = ("bw_bytes_per_s", "bw_bytes")
_HUNG_S = 60
LATENCIES: tuple[LogKind, ...] = ("lat", "clat", "slat")


@dataclass(frozen=True)
class Run:
    """The folder of a run and its job."""

    folder: Path
    job: Mapping[str, Any]

    def logs(self, kind: LogKind) -> list[FioLog]:
        paths = sorted(self.folder.glob(f"run_{kind}.*"))
        assert paths
        return [read_fio_log(path) for path in paths]

    def sides(self) -> Iterable[tuple[str, Mapping[str, Any]]]:
        for direction in ("read", "write", "trim"):
            if self.job[direction]["total_ios"]:
                yield direction, self.job[direction]


def run(folder: Path, *options: str) -> Run:
    wanted = ":".join(map(str, LEVELS))
    command = [
        *(
            "fio",
            "--name=job",
            "--ioengine=null",
            "--iodepth=4",
            "--size=8m",
            "--bs=4k",
        ),
        *(f"--write_{kind}_log={folder / 'run'}" for kind in ("bw", "iops", "lat")),
        *("--output-format=json+", f"--percentile_list={wanted}"),
        *("--lat_percentiles=1", "--clat_percentiles=1", "--slat_percentiles=1"),
        *options,
    ]
    content = json.loads(_finished(command, folder))
    return Run(folder, content["jobs"][0])


def _finished(command: Sequence[str], folder: Path) -> bytes:
    """Return what fio said; one that hangs while it packs its logs is begun again."""

    def finish() -> bytes:
        return subprocess.run(
            command, capture_output=True, check=True, cwd=folder, timeout=_HUNG_S
        ).stdout

    try:
        return finish()
    except subprocess.TimeoutExpired:
        return finish()


PER_IO = {
    "plain": ((), (*START, "priority flag")),
    "offset": (("--log_offset=1",), (*START, "offset", "priority flag")),
    "priority": (("--log_prio=1",), (*START, "priority")),
    "both": (("--log_offset=1", "--log_prio=1"), (*START, "offset", "priority")),
    "clock": (("--log_unix_epoch=1",), (*START, "priority flag")),
    "writes": (("--rw=write",), (*START, "priority flag")),
    "trims": (("--rw=randtrim",), (*START, "priority flag")),
    "packed": (("--log_compression=1m",), (*START, "priority flag")),
}


@pytest.mark.parametrize(("options", "layout"), PER_IO.values(), ids=list(PER_IO))
def test_a_log_of_every_io_agrees_with_what_fio_says(
    options: tuple[str, ...], layout: tuple[str, ...], tmp_path: Path
) -> None:
    made = run(tmp_path, "--rw=randrw", *options)
    for kind in LATENCIES:
        (log,) = made.logs(kind)
        assert log.layout == layout
        assert not log.is_averaged
        assert not [issue for issue in log.issues if issue.is_grave]
        rows = log.frame.groupby("direction", observed=True)[f"{kind}_ns"]
        percentiles = log.percentiles(LEVELS)
        for direction, side in made.sides():
            said = side[f"{kind}_ns"]
            assert rows.count()[direction] == side["total_ios"] == said["N"]
            assert rows.mean()[direction] == pytest.approx(said["mean"], rel=1e-6)
            assert rows.min()[direction] == said["min"]
            assert rows.max()[direction] == said["max"]
            found = percentiles[percentiles["direction"] == direction]
            named = [min(said["max"], one) for one in said["percentile"].values()]
            assert found["lat_ns"].tolist() == named  # fio's own may be beyond it


@pytest.mark.parametrize("kind", LATENCIES)
def test_seconds_hold_every_row_of_a_log(kind: LogKind, tmp_path: Path) -> None:
    made = run(
        tmp_path, "--rw=randrw", "--rate_iops=2000", "--time_based=1", "--runtime=1"
    )
    (log,) = made.logs(kind)
    for seconds in (log.seconds(), log.seconds(0.1)):
        totals = seconds["count"] * seconds[f"{kind}_mean_ns"]
        for direction, side in made.sides():
            is_one = seconds["direction"] == direction
            assert seconds["count"][is_one].sum() == side["total_ios"]
            said = side[f"{kind}_ns"]
            assert totals[is_one].sum() == pytest.approx(
                said["mean"] * said["N"], rel=1e-6
            )
            assert seconds[f"{kind}_min_ns"][is_one].min() == said["min"]
            assert seconds[f"{kind}_max_ns"][is_one].max() == said["max"]


@pytest.mark.parametrize("options", [(), ("--log_offset=1",), ("--log_max_value=1",)])
def test_an_averaged_log_is_told_from_one_of_every_io(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    paced = ("--rw=randrw", "--rate_iops=2000", "--time_based=1", "--runtime=1")
    made = run(tmp_path, *paced, "--log_avg_msec=100", *options)
    for kind in (*LATENCIES, "iops", "bw"):
        (log,) = made.logs(kind)
        assert log.is_averaged
        assert "averaged" in {issue.kind for issue in log.issues}
        assert log.layout[:4] == START
    (iops,), (bw,) = made.logs("iops"), made.logs("bw")
    for direction, side in made.sides():
        for log, column, said in ((iops, "iops", "iops"), (bw, *BW)):
            rows = log.frame[log.frame["direction"] == direction]
            spans_ms = np.diff(rows["time_ms"], prepend=0)  # longer on a busy machine
            mean = np.average(rows[column], weights=spans_ms)
            # Rows are late on a busy machine: this tells the unit alone.
            assert 0.3 < mean / side[said] < 3


@pytest.mark.parametrize("shared", ["0", "1"])
def test_logs_of_several_jobs_hold_every_io(shared: str, tmp_path: Path) -> None:
    made = run(
        tmp_path,
        *("--rw=randrw", "--numjobs=3", "--group_reporting=1"),
        f"--per_job_logs={shared}",
    )
    logs = made.logs("lat")
    assert len(logs) == (3 if shared == "1" else 1)
    for direction, side in made.sides():
        counts = [int((log.frame["direction"] == direction).sum()) for log in logs]
        assert sum(counts) == side["total_ios"]


def test_a_priority_is_the_one_asked_for(tmp_path: Path) -> None:
    made = run(tmp_path, "--rw=read", "--log_prio=1", "--prioclass=2", "--prio=5")
    (log,) = made.logs("lat")
    assert set(log.frame["priority_class"]) == {"best effort"}
    assert set(log.frame["priority_level"]) == {5}


def test_offsets_are_those_of_a_sequential_job(tmp_path: Path) -> None:
    made = run(tmp_path, "--rw=write", "--log_offset=1", "--bs=64k")
    (log,) = made.logs("clat")
    assert log.frame["offset_bytes"].tolist() == list(range(0, 8 << 20, 64 << 10))
    assert set(log.frame["block_size_bytes"]) == {64 << 10}
