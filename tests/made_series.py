"""A long series for a made run: a rate with noise, and one interval far above it."""

import numpy as np

from ssdlab.model.schema import TABLES
from ssdlab.store.run import Run
from ssdlab.store.tables import write_table
from ssdlab.system.folders import Folder

PEAK_IOPS = 3e5


def write_series(run: Run, points: int) -> None:
    """Give the first step of the run's WSAT rounds a series, a point a millisecond."""
    step = run.steps[run.steps["test"] == "wsat"]["step_id"].iloc[1]
    rate = 4e4 * np.random.default_rng(1).lognormal(0, 0.05, points)
    rate[points // 3] = PEAK_IOPS
    columns = {
        "run_id": [run.record.run_id] * points,
        "step_id": [step] * points,
        "direction": ["total"] * points,
        "time_s": (0.001 * np.arange(1, points + 1)).tolist(),
        "iops": rate.tolist(),
        "bw_bytes_per_s": (4096 * rate).tolist(),
        "lat_mean_ns": (128e9 / rate).tolist(),
    }
    tables = run.path / "tables"
    (tables / "series.parquet").unlink()  # it may be one file with those of copies
    write_table(Folder(tables), TABLES["series"], columns)
