"""The job file of a composite step: sizes, zones, alignment, TC and QD."""

import pytest

from ssdlab.fio.jobs.jobfile import render_job
from ssdlab.model.spec import Composite, Workload
from ssdlab.model.step import Step
from ssdlab.model.units import MIB
from ssdlab.plan.context import PlanContext
from ssdlab.pts.shared.composite import BLOCK_SHARES, ZONES
from tests.fio.jobs import cell, options_of
from tests.plan.made import drive

NULL = {"ioengine": "null"}
SHARES = (
    "512/4:1024/1:1536/1:2048/1:2560/1:3072/1:3584/1:4096/67:8192/10:16384/7:32768/3:"
    "65536/3"
)
SPAN = 64 * MIB


def composite(alignment_bytes: int = 0, *, threads: int = 1, depth: int = 1) -> Step:
    work = Workload(
        access="rnd",
        block_size_bytes=0,
        read_percent=40,
        threads=threads,
        queue_depth=depth,
        composite=Composite(
            block_shares=BLOCK_SHARES, zones=ZONES, alignment_bytes=alignment_bytes
        ),
    )
    context = PlanContext(
        capacity_bytes=SPAN, sector_bytes=512, active_range_percent=100, seed=5
    )
    return cell(work, seconds=60, context=context)


def test_composite_has_shares_and_zones_and_no_single_size() -> None:
    shared = options_of(render_job(composite(), NULL))["global"]
    assert shared["bssplit"] == SHARES
    assert shared["random_distribution"] == "zoned:50/5:30/15:20/80"
    assert "bs" not in shared
    assert (shared["rw"], shared["rwmixread"]) == ("randrw", "40")
    assert shared["norandommap"] == "1"
    assert shared["random_generator"] == "tausworthe64"


@pytest.mark.parametrize(("alignment", "said"), [(0, None), (4096, "4096")])
def test_composite_is_aligned_as_it_is_asked(alignment: int, said: str | None) -> None:
    shared = options_of(render_job(composite(alignment), NULL))["global"]
    assert shared.get("blockalign") == said


@pytest.mark.parametrize("test", ["cbw", "dirth"])
def test_thread_count_is_numjobs_and_queue_depth_is_iodepth_in_every_step(
    test: str,
) -> None:
    """Others have them the other way round: PTS 2.0.2, section 13."""
    steps = [step for step in drive("demo", [test]).steps if step.workload]
    seen = set()
    for step in steps:
        assert step.workload
        shared = options_of(render_job(step, NULL))["global"]
        load = (step.workload.threads, step.workload.queue_depth)
        assert (int(shared["numjobs"]), int(shared["iodepth"])) == load
        assert ("bssplit" in shared) == (test == "cbw")
        seen.add(load)
    assert {(32, 1), (1, 32), (8, 2), (2, 8)} <= seen
