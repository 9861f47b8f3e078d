"""What single jobs of fio reached: rates, and the tail of latency."""

import numpy as np
import pandas as pd

_STEP = ["run_id", "step_id"]
_LEVELS = {99.0: "two_nines", 99.99: "four_nines"}
_KEPT = [
    *("phase", "access", "block_size_bytes", "read_percent"),
    *("threads", "queue_depth", "runtime_s", "bw_bytes_per_s"),
]
_LATENCIES = ["lat_mean_ns", "lat_max_ns"]


def summarise_peak_jobs(
    measurements: pd.DataFrame, percentiles: pd.DataFrame, bins: pd.DataFrame
) -> pd.DataFrame:
    """Summarise jobs of one block size each, one row a job.

    Notes
    -----
    After a ``ramp_time``, fio 3.33 has three different counts of IOs. Its own one is
    of those submitted since, without the ones that were outstanding when the ramp
    ended. Its bytes are of all that were completed since. Its histogram has those as
    well, but for a few that were completed in one batch with the IO that ended the
    ramp. Here IOs, IOPS and latencies are all of the histogram, and the data rate is
    of the bytes.

    >>> job = {"run_id": ["r"], "step_id": ["s"], "direction": ["total"]}
    >>> job |= {"phase": ["job-02"], "access": ["rnd"], "block_size_bytes": [4096]}
    >>> job |= {"read_percent": [0], "threads": [4], "queue_depth": [128]}
    >>> job |= {"io_bytes": [4096 * 2512], "bw_bytes_per_s": [4096 * 1256.0]}
    >>> job |= {"iops": [1000.0], "total_ios": [2000], "runtime_s": [2.0]}
    >>> frame = pd.DataFrame(job).assign(lat_mean_ns=4e8, lat_max_ns=9e8)
    >>> none = pd.DataFrame(
    ...     columns=[
    ...         *("run_id", "step_id", "direction", "percentile"),
    ...         *("lat_ns", "is_supported"),
    ...     ]
    ... )
    >>> bins = {"run_id": ["r"], "step_id": ["s"], "direction": ["total"]}
    >>> bins = pd.DataFrame(bins | {"count": [2500]})
    >>> found = summarise_peak_jobs(frame, none, bins).iloc[0]
    >>> float(found["iops"]), float(found["fio_iops"]), int(found["total_ios"])
    (1250.0, 1000.0, 2500)
    """
    totals = measurements[measurements["direction"] == "total"]
    totals = totals.sort_values("step_id").reset_index(drop=True)
    size = totals["block_size_bytes"].astype("Float64")
    by_bytes = totals["io_bytes"].astype("Float64") / size
    counted = _counted_latencies(totals, bins)
    frame = totals[[*_KEPT, *_LATENCIES]].assign(
        iops=counted.astype(float) / totals["runtime_s"],
        total_ios=counted,
        ios_by_bytes=by_bytes.round().astype("Int64"),
        fio_iops=totals["iops"],
        fio_total_ios=totals["total_ios"].astype("Int64"),
    )
    said = percentiles[percentiles["direction"] == "total"]
    for level, name in _LEVELS.items():
        found = totals[_STEP].merge(_at_level(said, level), on=_STEP, how="left")
        frame[f"lat_{name}_ns"] = found["lat_ns"].astype(float)
        frame[f"is_{name}_supported"] = found["is_supported"].astype("boolean")
    return frame


def guide_mb_per_s(bw_bytes_per_s: float) -> float:
    """Return a data rate in the MB/s of HGST/WD's guide.

    >>> guide_mb_per_s(512 * 1024 * 1024)
    512.0
    """
    return _fio_kb_per_s(bw_bytes_per_s) / 1024


def _fio_kb_per_s(bw_bytes_per_s: float) -> float:
    """Return a data rate in the KB/s that fio printed until 2.x: 1,024 B/s.

    >>> _fio_kb_per_s(479_075 * 512)  # the example of the guide prints 239540KB/s
    239537.5
    """
    return bw_bytes_per_s / 1024


def _counted_latencies(totals: pd.DataFrame, bins: pd.DataFrame) -> "pd.Series[int]":
    """Return how many IOs the histogram of each step has; missing without one."""
    of_all = bins[bins["direction"] == "total"]
    counts = of_all.groupby(_STEP, as_index=False)["count"].sum()
    return totals[_STEP].merge(counts, on=_STEP, how="left")["count"].astype("Int64")


def _at_level(percentiles: pd.DataFrame, level: float) -> pd.DataFrame:
    is_it = np.isclose(percentiles["percentile"].astype(float), level, rtol=0)
    return percentiles.loc[is_it, [*_STEP, "lat_ns", "is_supported"]]
