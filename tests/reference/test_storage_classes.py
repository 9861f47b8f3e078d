"""The nine storage classes are those of the published table, value by value."""

import csv

import pandas as pd
import pytest

from ssdlab.reference.storage_classes import read_storage_classes
from tests.paths import REFERENCE, require_folder

# Our column, and the column of the transcript.
COLUMNS = {
    "row": "row",
    "group": "group",
    "storage_class": "class",
    "device": "device_description",
    "capacity_gb": "capacity_gb",
    "fob_iops": "wsat_fob_rnd_4kib_write_iops_t4q32",
    "write_iops": "iops_ss_rnd_4kib_100w",
    "mixed_iops": "iops_ss_rnd_4kib_65_35",
    "read_iops": "iops_ss_rnd_4kib_100r",
    "tp_write_mb_per_s": "tp_seq_1024kib_write_mb_s_t1q32",
    "tp_read_mb_per_s": "tp_seq_1024kib_read_mb_s_t1q32",
    "lat_mean_ms": "lat_rnd_4kib_write_avg_ms_t1q1",
    "lat_max_ms": "lat_rnd_4kib_write_max_ms_t1q1",
}
TEXTS = ("group", "storage_class", "device")


@pytest.fixture(scope="module")
def classes() -> pd.DataFrame:
    return read_storage_classes()


def transcript() -> list[dict[str, str]]:
    path = require_folder(REFERENCE) / "calypso_2014_storage_class.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("place", range(9))
def test_row_is_that_of_the_published_table(classes: pd.DataFrame, place: int) -> None:
    ours, theirs = classes.iloc[place], transcript()[place]
    for name, theirs_name in COLUMNS.items():
        if name in TEXTS:
            assert ours[name] == theirs[theirs_name]
        else:
            assert float(ours[name]) == float(theirs[theirs_name]), name
    workers = f"T{ours['iops_threads']}Q{ours['iops_queue_depth']}"
    assert workers == theirs["iops_test_thread_queue"]
    assert bool(ours["doubtful"]) == theirs["note"].startswith("suspicious")


def test_there_are_no_other_rows(classes: pd.DataFrame) -> None:
    assert len(classes) == len(transcript()) == 9
    assert classes["storage_class"].is_unique


def test_doubt_names_columns_and_says_why(classes: pd.DataFrame) -> None:
    doubtful = classes[classes["doubtful"] != ""]
    assert doubtful["storage_class"].tolist() == ["SAS HDD"]
    (row,) = doubtful.to_dict("records")
    assert set(str(row["doubtful"]).split()) == {"lat_mean_ms", "lat_max_ms"}
    assert 1000 / float(row["lat_mean_ms"]) == pytest.approx(18, abs=0.1)
    assert "about 18 IOPS" in str(row["note"])


def test_every_other_average_latency_agrees_with_the_iops(
    classes: pd.DataFrame,
) -> None:
    """At T1/Q1 a device does no more than twice what it does at many IOs at once."""
    sure = classes[classes["doubtful"] == ""]
    alone = 1000 / (sure["lat_mean_ms"] + 0.005)
    assert (alone < 2 * sure["write_iops"]).all()
    # SSHD: 54 IOPS alone against 134; the doubtful row is 19 times apart.
    assert (sure["write_iops"] / alone < 5).all()


def test_histogram_that_the_note_quotes_agrees_with_its_row(
    classes: pd.DataFrame,
) -> None:
    row = classes.set_index("storage_class").loc["SATA Client"]
    mean_ms = 1000 / 16_775
    assert mean_ms == pytest.approx(0.0596, abs=5e-5)
    assert row["lat_mean_ms"] == pytest.approx(mean_ms, abs=0.005)
    assert row["lat_max_ms"] == 11.95
    mib_per_s = 16_775 * 4096 / 2**20
    assert mib_per_s == pytest.approx(65.53, abs=0.005)
