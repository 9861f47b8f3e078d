"""A published job as it reaches a target on a host."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.fio.jobs.jobfile import render_job
from ssdlab.fio.jobs.published import (
    clip_cpus,
    differing_options,
    has_processes,
    published_options,
)
from ssdlab.model.fio_option import fio_options
from ssdlab.model.spec import Workload
from tests.fio.jobs import cell, options_of

FILE = {"ioengine": "libaio", "filename": "/x"}
NBD = {"ioengine": "nbd", "uri": "nbd+unix:///?socket=/s"}


def work(**options: str) -> Workload:
    return Workload(
        access="rnd",
        block_size_bytes=4096,
        read_percent=0,
        threads=1,
        queue_depth=1,
        fio_options=fio_options(options),
    )


def test_engine_is_the_published_one_where_a_path_leads_to_the_target() -> None:
    job = work(ioengine="sync", thread="0")
    assert published_options(job, FILE, cpus=None) == {
        "ioengine": "sync",
        "thread": "0",
        "filename": "/x",
    }


def test_engine_is_that_of_a_target_that_has_no_path() -> None:
    options = published_options(work(ioengine="sync"), NBD, cpus=None)
    assert options == {"ioengine": "nbd", "uri": NBD["uri"]}


def test_nothing_of_ours_stands_in_a_published_job() -> None:
    text = render_job(cell(work(rw="randrw", bs="4k")), FILE)
    shared = options_of(text)["global"]
    ours = {"direct", "thread", "refill_buffers", "random_generator", "numjobs"}
    assert not ours & set(shared)
    assert shared["rw"] == "randrw"


@pytest.mark.parametrize(
    ("present", "expected"),
    [
        (range(88), "1-4"),
        (range(5), "1-4"),
        (range(4), "1-3"),
        (range(2), "1"),
        (range(1), ""),
        ([0, 2, 4, 6], "2,4"),
        ([8, 9], ""),
    ],
)
def test_processors_are_clipped_to_those_that_are_there(
    present: list[int], expected: str
) -> None:
    assert clip_cpus("1-4", present) == expected
    options = published_options(work(cpus_allowed="1-4"), FILE, cpus=present)
    assert options.get("cpus_allowed") == (expected or None)


def test_processors_stay_as_published_where_the_host_is_not_known() -> None:
    options = published_options(work(cpus_allowed="1-4"), FILE, cpus=None)
    assert options["cpus_allowed"] == "1-4"


def test_job_is_placed_near_the_target_unless_it_places_itself() -> None:
    near = {**FILE, "cpus_allowed": "8,9"}
    assert published_options(work(), near, cpus=range(16))["cpus_allowed"] == "8-9"
    placed = published_options(work(cpus_allowed="1-4"), near, cpus=range(16))
    assert placed["cpus_allowed"] == "1-4"
    ours = options_of(render_job(cell(), near))
    assert ours["global"]["cpus_allowed"] == "8,9"


@given(
    st.sets(st.integers(0, 60), min_size=1),
    st.sets(st.integers(0, 60)),
)
def test_clipped_processors_are_the_wanted_ones_that_are_there(
    wanted: set[int], present: set[int]
) -> None:
    said = clip_cpus(",".join(map(str, wanted)), present)
    numbers: set[int] = set()
    for part in filter(None, said.split(",")):
        first, _, last = part.partition("-")
        numbers |= set(range(int(first), int(last or first) + 1))
    assert numbers == wanted & present
    assert clip_cpus(said, present) == said if said else not wanted & present


def test_sizes_and_times_differ_by_what_they_mean() -> None:
    alike = {"bs": "1M", "runtime": "30", "ramp_time": "5"}
    ran = {"bs": "1048576", "runtime": "30000ms", "ramp_time": "5s"}
    assert differing_options(alike, ran) == {}
    assert differing_options({"bs": "1M"}, {"bs": "4k"}) == {"bs": ("1M", "4k")}


def test_options_are_compared_by_one_of_their_names() -> None:
    published = {"iodepth_batch_complete": "4", "thread": "0"}
    ran = {"iodepth_batch_complete_min": "4", "direct": "1"}
    assert differing_options(published, ran) == {
        "thread": ("0", None),
        "direct": (None, "1"),
    }


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"thread": "0"}, True),
        ({"rw": "write"}, True),
        ({"thread": "1"}, False),
        ({}, False),
    ],
)
def test_jobs_are_processes_unless_they_say_otherwise(
    options: dict[str, str], *, expected: bool
) -> None:
    assert has_processes(work(**options)) is expected
