"""Tables of older versions: read as this version makes them, from those beside."""

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from ssdlab.model.errors import RunFolderError
from ssdlab.model.schema import PERCENTILES
from ssdlab.stats.latency import UNKNOWN_EXTREMES, percentiles_from_bins
from ssdlab.store.export import export_run
from ssdlab.store.run import open_tables
from ssdlab.store.tables import frame_to_arrow, place_windows, read_table
from ssdlab.system.folders import Folder
from tests.paths import ROOT
from tests.stats.frames import Row, steps, window, windows

SAMPLE = ROOT / "data" / "samples" / "virtual-b"
_SIDE = ["step_id", "direction"]


def as_version_1_had_it(run: Path) -> pd.DataFrame:
    """Return percentiles as the middle of their bins, each called supported."""
    opened = open_tables(run)
    held = dict(iter(opened.bins.groupby(_SIDE)))
    parts = []
    for side, rows in opened.percentiles.groupby(_SIDE, sort=False):
        bins = held[side]
        named = percentiles_from_bins(
            bins["lat_ns"], bins["count"], rows["percentile"], within=UNKNOWN_EXTREMES
        )
        parts.append(rows.assign(lat_ns=named, is_supported=True))
    return pd.concat(parts).astype({"is_supported": "boolean"})


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """Return a run folder whose percentiles are those of version 1."""
    run = tmp_path / "run"
    shutil.copytree(SAMPLE, run)
    content = frame_to_arrow(PERCENTILES, as_version_1_had_it(run))
    content = content.replace_schema_metadata({"ssdlab_schema": "1"})
    pq.write_table(content, run / "tables" / "percentiles.parquet")
    return run


def test_older_percentiles_are_read_as_this_version_makes_them(old: Path) -> None:
    stored = pq.read_table(old / "tables" / "percentiles.parquet", partitioning=None)
    found, wanted = open_tables(old).percentiles, open_tables(SAMPLE).percentiles
    assert (stored["lat_ns"].to_numpy() > wanted["lat_ns"]).any()
    pd.testing.assert_frame_equal(found, wanted)


def test_some_columns_of_older_percentiles_are_those_of_all(old: Path) -> None:
    names = ["lat_ns", "is_supported"]
    found = read_table(Folder(old / "tables"), PERCENTILES, names)
    pd.testing.assert_frame_equal(found, open_tables(old).percentiles[names])


def test_an_export_of_an_older_run_is_that_of_this_version(
    old: Path, tmp_path: Path
) -> None:
    place = export_run(open_tables(old), "parquet", tmp_path / "out")
    found = read_table(Folder(place), PERCENTILES)
    pd.testing.assert_frame_equal(found, open_tables(SAMPLE).percentiles)


def test_a_printed_percentile_without_a_bin_stays(old: Path) -> None:
    path = old / "tables" / "percentiles.parquet"
    frame = as_version_1_had_it(old).assign(lat_lower_ns=np.nan)
    frame["is_supported"] = frame["is_supported"].where(frame["lat_ns"] < 0)
    content = frame_to_arrow(PERCENTILES, frame)
    pq.write_table(content.replace_schema_metadata({"ssdlab_schema": "1"}), path)
    pd.testing.assert_frame_equal(open_tables(old).percentiles, frame)


CELLS: dict[int, Row] = {
    1: {"block_size_bytes": None, "read_percent": 40, "threads": 32, "queue_depth": 32},
    2: {"block_size_bytes": None, "read_percent": 40, "threads": 32, "queue_depth": 16},
    3: {"block_size_bytes": None, "read_percent": 0, "threads": 32, "queue_depth": 32},
    4: {"block_size_bytes": 4096, "read_percent": 40, "threads": 32, "queue_depth": 32},
    5: {"block_size_bytes": 8192, "read_percent": 40, "threads": None},
    6: {"block_size_bytes": 4096, "read_percent": 40, "access": "seq"},
}


@pytest.mark.parametrize(
    ("told", "cell"),
    [
        ({"block_size_bytes": None, "threads": 32, "queue_depth": 32}, 1),
        ({"block_size_bytes": None, "threads": 32, "queue_depth": 16}, 2),
        ({"block_size_bytes": None, "read_percent": 0}, 3),
        ({"block_size_bytes": 4096}, 4),
        ({"block_size_bytes": 8192}, 5),
        ({"block_size_bytes": 4096, "access": "seq"}, 6),
        ({"block_size_bytes": 512}, None),
    ],
    ids=["tc and qd", "other qd", "writes", "any tc", "no tc", "other access", "none"],
)
def test_window_of_an_older_version_gets_the_cell_it_tells(
    told: Row, cell: int | None
) -> None:
    usual: Row = {"test": "cbw", "access": "rnd", "read_percent": 40}
    ran = steps([
        usual | {"phase": "demand", "kind": "cell", "cell": number} | own
        for number, own in CELLS.items()
    ])
    judged = windows([window("demand", 1, 5, **(usual | told))])
    found = place_windows(judged, ran)["cell"].iloc[0]
    assert (None if pd.isna(found) else found) == cell
    other = place_windows(judged.assign(phase="wdpc"), ran)["cell"]
    assert other.isna().all()


def test_older_run_has_no_jobs_and_a_newer_one_must_have_the_table(old: Path) -> None:
    opened = open_tables(old)
    assert opened.jobs.empty
    assert opened.job_bins.empty
    assert opened.windows["job"].isna().all()
    path = old / "tables" / "measurements.parquet"
    content = pq.read_table(path, partitioning=None)
    pq.write_table(content.replace_schema_metadata({"ssdlab_schema": "7"}), path)
    with pytest.raises(RunFolderError, match=r"jobs\.parquet does not exist yet"):
        _ = open_tables(old).jobs
