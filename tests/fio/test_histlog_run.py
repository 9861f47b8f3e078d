"""Histogram logs of real fio against the histograms in its JSON of the same run."""

import json
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ssdlab.fio.bins import bin_index
from ssdlab.fio.histlogs.read import FioHistogramLog, read_fio_histogram_log
from ssdlab.model.errors import FioOutputError
from tests.quick_fio import CLOCK

pytestmark = pytest.mark.fio

Histogram = Counter[tuple[str, int]]

# A pause of some ms after each IO: each one but the first ends a record.
RECORD_EACH = ("--log_hist_msec=1", "--thinktime=5000", "--number_ios=90")


def run_fio(folder: Path, *options: str) -> dict[str, Any]:
    command = ["fio", CLOCK, "--name=made", "--ioengine=null", "--size=1g", "--bs=4k"]
    logs = ["--write_hist_log=made", "--output-format=json+", "--output=made.json"]
    subprocess.run([*command, *logs, *options], cwd=folder, check=True)
    found: dict[str, Any] = json.loads((folder / "made.json").read_text())
    return found


def logs_of(folder: Path) -> list[Path]:
    return sorted(folder.glob("made_clat_hist*.log"))


def bins_of_json(output: dict[str, Any], coarseness: int) -> Histogram:
    """Return the counts by direction and column, as the JSON has them."""
    found: Histogram = Counter()
    for job in output["jobs"]:
        for direction in ("read", "write", "trim"):
            for name, count in job[direction]["clat_ns"].get("bins", {}).items():
                column = int(bin_index(int(name))) >> coarseness
                found[direction, column] += count
    return found


def bins_of_log(log: FioHistogramLog) -> Histogram:
    merged = log.merged()
    lower = log.layout.edges(np.arange(log.layout.column_count))[0]
    columns = np.searchsorted(lower, merged["lat_lower_ns"]).tolist()
    keys = zip(merged["direction"], columns, strict=True)
    return Counter(dict(zip(keys, merged["count"].tolist(), strict=True)))


@pytest.mark.parametrize("coarseness", range(7))
def test_merged_log_equals_json_when_every_io_ends_a_record(
    tmp_path: Path, coarseness: int
) -> None:
    mix = ["--rw=randrw", "--numjobs=2", f"--log_hist_coarseness={coarseness}"]
    output = run_fio(tmp_path, *RECORD_EACH, *mix)
    log = read_fio_histogram_log(logs_of(tmp_path))
    assert log.layout.coarseness == coarseness
    assert log.layout.unit_ns == 1
    assert not [doubt for doubt in log.issues if doubt.is_grave]
    assert bins_of_log(log) == bins_of_json(output, coarseness)


def test_log_lacks_what_ends_after_its_last_record(tmp_path: Path) -> None:
    rate = ["--rate_iops=20000", "--log_hist_msec=300", "--time_based", "--runtime=1"]
    output = run_fio(tmp_path, "--rw=randrw", "--numjobs=2", *rate)
    log = read_fio_histogram_log(logs_of(tmp_path))
    assert "end-not-logged" in [doubt.kind for doubt in log.issues]
    assert 200 < log.record_ms < 400  # the machine may be busy
    found, expected = bins_of_log(log), bins_of_json(output, 0)
    assert found <= expected
    assert found.total() < expected.total()
    intervals = log.percentiles([50], interval_s=0.3).query("direction == 'total'")
    assert intervals["total_ios"].sum() == found.total()


def test_trims_are_a_direction_of_their_own(tmp_path: Path) -> None:
    output = run_fio(tmp_path, "--rw=randtrim", *RECORD_EACH)
    log = read_fio_histogram_log(logs_of(tmp_path))
    assert bins_of_log(log) == bins_of_json(output, 0)
    assert set(log.merged()["direction"]) == {"trim"}


def test_threads_that_share_a_log_are_told(tmp_path: Path) -> None:
    shared = ["--per_job_logs=0", "--numjobs=3"]
    output = run_fio(tmp_path, "--rw=randread", *RECORD_EACH, *shared)
    log = read_fio_histogram_log(logs_of(tmp_path))
    assert "time-goes-back" in [doubt.kind for doubt in log.issues]
    assert bins_of_log(log) == bins_of_json(output, 0)
    totals = log.percentiles([50]).query("direction == 'total'")["total_ios"]
    assert totals.sum() == sum(job["read"]["total_ios"] for job in output["jobs"])


def test_clock_times_give_the_same_bins(tmp_path: Path) -> None:
    output = run_fio(tmp_path, "--rw=randread", *RECORD_EACH, "--log_unix_epoch=1")
    log = read_fio_histogram_log(logs_of(tmp_path))
    assert bins_of_log(log) == bins_of_json(output, 0)
    assert log.records.time_ms.min() > 1_600_000_000_000
    spans = log.records.time_ms - log.records.start_ms
    assert spans.max() < 1000


def test_job_too_short_for_a_record_has_an_empty_log(tmp_path: Path) -> None:
    run_fio(tmp_path, "--rw=randread", "--number_ios=10", "--log_hist_msec=5000")
    (path,) = logs_of(tmp_path)
    assert path.read_bytes() == b""
    with pytest.raises(FioOutputError, match="no IO ended log_hist_msec or more"):
        read_fio_histogram_log(path)
