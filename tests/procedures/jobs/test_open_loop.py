"""What is due of jobs with a rate, and how late IOs can have been."""

import math

import numpy as np
import pandas as pd
import pytest

from ssdlab.fio.jobs.file_jobs import read_file_jobs
from ssdlab.model.spec import Workload
from ssdlab.procedures.jobs.open_loop import (
    bound_late_share,
    due_iops,
    due_level,
    find_following,
)


def workload(text: str) -> Workload:
    (found,) = read_file_jobs(text, source="mine.fio")
    return found.workload


CLIENTS = "[a]\nrw=randread\nnumjobs=8\nrate_iops=100\nrate_process=poisson\n"


def measured(ios: int, lat_mean_ns: float) -> pd.DataFrame:
    return pd.DataFrame({
        "job": ["a"],
        "total_ios": [ios],
        "lat_mean_ns": [lat_mean_ns],
    })


def test_poisson_process_is_faster_than_asked_as_fio_rounds_down() -> None:
    text = "[a]\nrw=randread\nrate_iops=200000\nrate_process=poisson\n"
    assert due_iops(workload(text)) == pytest.approx(1e6 * math.expm1(1 / 5))
    assert due_iops(workload(text.replace("poisson", "linear"))) == 200_000


def test_busy_time_times_rate_bounds_how_many_are_late() -> None:
    # 10,000 IOs of 1 ms are 10 s, in which 1,000 are due at 100 IOPS a client.
    late = 10 * due_iops(workload(CLIENTS)) / 8
    share = bound_late_share(workload(CLIENTS), measured(10_000, 1e6))
    assert share == pytest.approx((late + 3 * math.sqrt(late)) / 10_000)


@pytest.mark.parametrize("more", ["iodepth=2\nioengine=libaio\n", "thinktime=10\n"])
def test_jobs_that_are_no_clients_have_no_bound(more: str) -> None:
    assert math.isnan(bound_late_share(workload(CLIENTS + more), measured(9, 1e6)))


def test_level_that_passes_all_ios_is_not_bounded() -> None:
    assert due_level(99.0, 0.005) == 99.5
    assert due_level(99.0, 0.01) is None


def test_missing_ios_are_behind_and_no_rate_says_nothing() -> None:
    assert find_following(9_000, due_ios=10_000) == "behind"
    assert find_following(10_000, due_ios=math.nan) is None


def simulate_client(
    generator: np.random.Generator, stalls: list[float], *, rate: float, seconds: float
) -> tuple[list[float], list[float]]:
    """Return latencies as fio counts them, and from the due time [s]."""
    free, of_fio, from_due = 0.0, [], []
    count = generator.poisson(rate * seconds)
    for due in np.sort(generator.uniform(0, seconds, count)).tolist():
        begun = max(due, free)
        free = begun + generator.exponential(5e-4)
        over = [stall + 0.05 for stall in stalls if stall <= free < stall + 0.05]
        free = max([free, *over])
        of_fio.append(free - begun)
        from_due.append(free - due)
    return of_fio, from_due


def test_bound_holds_where_the_drive_stalls_for_all_clients() -> None:
    """Latencies from the due time of simulated clients are at most as bounded."""
    generator = np.random.default_rng(7)
    work, wrong = workload(CLIENTS), 0
    for _ in range(40):
        stalls = generator.uniform(0, 60, 4).tolist()
        clients = [
            simulate_client(generator, stalls, rate=100, seconds=60) for _ in range(8)
        ]
        of_fio, from_due = (np.concatenate(one) for one in zip(*clients, strict=True))
        counted = measured(of_fio.size, float(of_fio.mean()) * 1e9)
        level = due_level(90.0, bound_late_share(work, counted))
        assert level is not None
        wrong += np.percentile(from_due, 90.0) > np.percentile(of_fio, level)
    assert wrong <= 1
