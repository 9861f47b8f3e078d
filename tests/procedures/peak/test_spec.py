"""The seven peak jobs as a plan: their order, their purges, their job files."""

import json

import pytest

from ssdlab.fio.jobs.jobfile import render_job
from ssdlab.fio.jobs.jobspec import ALIASES, parse_job_file
from ssdlab.fio.jobs.published import differing_options
from ssdlab.fio.jobs.workload import describe_workload
from ssdlab.model.plain import from_plain, to_plain
from ssdlab.model.spec import PtsTest
from ssdlab.model.step import Step, StepResult
from ssdlab.model.units import KIB, MIB
from ssdlab.plan.context import Batch, PlanContext
from ssdlab.plan.estimate import estimate_suite
from ssdlab.plan.phases import plan_suite
from ssdlab.procedures.peak.spec import find_format_advice, peak
from tests.peak_jobs import read_published

CONTEXT = PlanContext(
    capacity_bytes=64 * MIB, sector_bytes=512, active_range_percent=100, seed=5
)
FILE = {"ioengine": "libaio", "filename": "/x", "allow_file_create": "0"}
READING = {
    *("randseed", "disk_util", "lat_percentiles", "clat_percentiles"),
    *("percentile_list", "log_avg_msec", "per_job_logs"),
    *("write_iops_log", "write_bw_log", "write_lat_log"),
}
NUMBERS = ("01", "02", "03", "04", "05", "06", "07")


def batches(*, seconds: float = 30, ramp_s: int = 5) -> list[Batch]:
    found = []
    tests = peak(seconds=seconds, ramp_s=ramp_s).tests
    plan = plan_suite(tests, CONTEXT, lambda _judgement: None)
    batch = next(plan)
    try:
        while True:
            found.append(batch)
            results = tuple(StepResult(step_id=step.step_id) for step in batch.steps)
            batch = plan.send(results)
    except StopIteration:
        return found


def job_step(number: str) -> Step:
    return next(
        step
        for batch in batches()
        for step in batch.steps
        if step.phase_id == f"job-{number}"
    )


@pytest.mark.parametrize("number", NUMBERS)
def test_job_file_has_the_published_options_and_only_adds_what_reading_needs(
    number: str,
) -> None:
    text = render_job(job_step(number), FILE, cpus=range(8))
    ran = parse_job_file(text).resolved(0)
    published = {
        ALIASES.get(name, name): value
        for name, value in read_published()[number].items()
    }
    assert {name: ran.get(name) for name in published} == {
        **published,
        **({"runtime": "30000ms"} if "runtime" in published else {}),
    }
    added = set(ran) - set(published)
    assert added <= {*READING, "filename", "allow_file_create"}
    assert {"randseed", "lat_percentiles", "percentile_list"} <= added
    assert set(differing_options(published, ran)) == added


def test_fill_goes_through_the_page_cache_to_the_end_of_the_device() -> None:
    text = render_job(job_step("04"), FILE, cpus=range(8))
    ran = parse_job_file(text).resolved(0)
    assert not {"direct", "runtime", "time_based", "io_size", "numjobs"} & set(ran)
    assert (ran["rw"], ran["size"], ran["iodepth"]) == ("write", "100%", "16")
    assert job_step("04").io_bytes == CONTEXT.capacity_bytes


@pytest.mark.parametrize("number", NUMBERS)
def test_workload_of_the_plan_is_what_the_job_file_asks_for(number: str) -> None:
    step = job_step(number)
    assert step.workload
    options: dict[str, str | None] = dict(read_published()[number])
    said = describe_workload(options)
    assert said
    assert said.access == step.workload.access
    assert said.block_size_bytes == step.workload.block_size_bytes
    assert said.read_percent == step.workload.read_percent
    load = (step.workload.threads, step.workload.queue_depth)
    assert (said.threads, said.queue_depth) == load


def test_each_job_that_writes_comes_after_a_purge_and_reads_after_the_fill() -> None:
    phases = [step.phase_id for batch in batches() for step in batch.steps]
    writes = [f"{what}-{n}" for n in NUMBERS[:4] for what in ("format", "job")]
    assert phases == [*writes, "job-05", "job-06", "job-07"]
    kinds = [step.kind for batch in batches() for step in batch.steps]
    assert kinds[::2][:4] == ["purge"] * 4
    assert kinds[7] == "precondition"


def test_reads_follow_the_fill_and_each_other_at_once() -> None:
    following = {
        batch.steps[0].phase_id: (batch.next_step.phase_id, batch.is_next_certain)
        for batch in batches()
        if batch.next_step
    }
    assert following == {
        "job-04": ("job-05", True),
        "job-05": ("job-06", True),
        "job-06": ("job-07", True),
    }


def test_time_is_that_of_ramps_and_jobs_and_of_the_fill() -> None:
    (cost,) = estimate_suite(peak().tests, CONTEXT, write_bytes_per_s=MIB)
    assert cost.cost.seconds_min == cost.cost.seconds_max == 6 * (5 + 30) + 64
    assert cost.cost.fill_bytes == CONTEXT.capacity_bytes
    (short,) = estimate_suite(peak(seconds=2, ramp_s=0).tests, CONTEXT, MIB)
    assert short.cost.seconds_min == 6 * 2 + 64


def test_published_options_survive_the_record_of_a_run() -> None:
    (test,) = peak().tests
    (data,) = json.loads(json.dumps([to_plain(test)]))
    assert from_plain(PtsTest, data) == test


def test_scaled_jobs_say_so_and_published_ones_do_not() -> None:
    assert not any(note.startswith("Scaled") for note in peak().notes)
    (scaled,) = (n for n in peak(seconds=1).notes if n.startswith("Scaled"))
    assert "measured for 1 s instead of 30 s" in scaled
    assert "ramped" not in scaled
    (both,) = (n for n in peak(seconds=9, ramp_s=0).notes if n.startswith("Scaled"))
    assert "9 s instead of 30 s and ramped up for 0 s instead of 5 s" in both
    (half,) = (n for n in peak(seconds=0.5).notes if n.startswith("Scaled"))
    assert "measured for 0.5 s instead of 30 s" in half


@pytest.mark.parametrize(("seconds", "ramp_s"), [(0, 5), (30, -1)])
def test_job_that_measures_nothing_is_refused(seconds: int, ramp_s: int) -> None:
    with pytest.raises(ValueError, match="measures nothing"):
        peak(seconds=seconds, ramp_s=ramp_s)


@pytest.mark.parametrize(
    ("sector", "sizes", "words"),
    [
        (512, (4 * KIB, MIB), "all jobs have blocks of 4 KiB or larger"),
        (512, (KIB // 2, MIB), "some jobs have blocks of 4 KiB or larger"),
        (4096, (KIB // 2, MIB), "recommends sectors of 512 B"),
        (4096, (4 * KIB, MIB), None),
        (512, (KIB // 2, 2 * KIB), None),
        (0, (4 * KIB, MIB), None),
    ],
)
def test_format_advice_is_given_where_the_sectors_do_not_fit(
    sector: int, sizes: tuple[int, ...], words: str | None
) -> None:
    found = find_format_advice(sector, sizes)
    assert len(found) == (words is not None)
    assert all(words in line for line in found if words)
