"""The seven jobs are those that were published."""

from ssdlab.reference.hgst import read_hgst_peak_jobs
from tests.peak_jobs import read_published


def test_jobs_are_the_published_ones_option_by_option() -> None:
    ours = {job.number: dict(job.options) for job in read_hgst_peak_jobs()}
    assert ours == read_published()
    assert list(ours) == ["01", "02", "03", "04", "05", "06", "07"]


def test_fill_sets_neither_direct_nor_a_time_nor_a_mix() -> None:
    jobs = {job.number: dict(job.options) for job in read_hgst_peak_jobs()}
    assert not {"direct", "runtime", "ramp_time", "time_based"} & set(jobs["04"])
    assert {"rwmixread", "numjobs", "norandommap"}.isdisjoint(jobs["04"])
    for number in jobs.keys() - {"04"}:
        assert (jobs[number]["direct"], jobs[number]["runtime"]) == ("1", "30")
