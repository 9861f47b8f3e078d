import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.model.fio_option import FioOption
from ssdlab.model.spec import Precondition, Workload
from ssdlab.reference.hgst import read_hgst_peak_jobs

NEVER = (
    *("exec_prerun", "exec_postrun", "filename", "directory", "include", "ioengine_so"),
    *("write_iolog", "read_iolog", "opendir", "cgroup", "profile", "EXEC_PRERUN", ""),
)
SIGNS = "\n\r;#[]=$`\\/ \t\0"


def test_every_option_of_the_shipped_jobs_is_one() -> None:
    for job in read_hgst_peak_jobs():
        for name, value in job.options:
            if name != "runtime":  # which the step has
                assert tuple(FioOption(name, value)) == (name, value)


@pytest.mark.parametrize("name", NEVER)
def test_an_option_that_runs_or_names_something_is_none(name: str) -> None:
    with pytest.raises(ValueError, match="has no fio option"):
        FioOption(name, "1")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ioengine", "external:/tmp/evil.so"),
        ("ioengine", "exec"),
        ("bs", "4k\nexec_prerun=touch x"),
        ("bs", "4k ; exec"),
        ("numjobs", "99999"),
        ("cpus_allowed", "0-99999999999"),
        ("size", "101%"),
        ("direct", "1\n"),
    ],
)
def test_a_value_that_the_option_cannot_have_is_refused(name: str, value: str) -> None:
    with pytest.raises(ValueError, match="cannot be"):
        FioOption(name, value)


@given(name=st.text(), value=st.text())
def test_a_random_pair_is_no_option(name: str, value: str) -> None:
    with pytest.raises(ValueError, match="fio option"):
        FioOption(name, value)


@given(
    name=st.sampled_from(["rw", "bs", "ioengine", "size", "cpus_allowed", "ramp_time"]),
    value=st.text(SIGNS + "randwi14k%", min_size=1),
)
def test_no_value_has_a_sign_that_means_something_in_a_job_file(
    name: str, value: str
) -> None:
    try:
        option = FioOption(name, value)
    except ValueError:
        return
    assert not set(option.value) & set(SIGNS)


def test_a_workload_takes_no_pair_that_was_not_checked() -> None:
    pair = ("exec_prerun", "touch x")
    with pytest.raises(TypeError, match="exec_prerun"):
        Workload(
            access="rnd",
            block_size_bytes=4096,
            read_percent=0,
            threads=1,
            queue_depth=1,
            fio_options=(pair,),  # type: ignore[arg-type]
        )
    with pytest.raises(TypeError, match="exec_prerun"):
        Precondition(
            phase_id="fill",
            block_size_bytes=4096,
            queue_depth=1,
            capacity_multiple=1.0,
            fio_options=(pair,),  # type: ignore[arg-type]
        )
