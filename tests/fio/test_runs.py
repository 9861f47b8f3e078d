"""Documents of one run accumulate; those of another must not be taken for them."""

import gzip
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ssdlab.fio.document import FioDocument
from ssdlab.fio.output import parse_output
from ssdlab.fio.runs import doubts_of_runs, place_in_runs
from tests.fio.samples import captured

Change = Callable[[dict[str, Any]], object]


def documents_of(*contents: dict[str, Any] | bytes) -> tuple[FioDocument, ...]:
    texts = [c if isinstance(c, bytes) else json.dumps(c).encode() for c in contents]
    return parse_output(b"\n".join(texts), source="made")


def runs_of(documents: tuple[FioDocument, ...]) -> list[int]:
    return [place.run for place in place_in_runs(documents)]


def results_of(documents: tuple[FioDocument, ...]) -> list[int]:
    places = place_in_runs(documents)
    return [number for number, place in enumerate(places) if place.is_result]


def status_interval() -> list[dict[str, Any]]:
    """Return the four documents that fio wrote of one run of 3 s."""
    text = gzip.decompress(captured("status-interval.json.gz").read_bytes()).decode()
    parts = text.replace("}\n{", "}\0{").split("\0")
    return [json.loads(part) for part in parts]


def moved(content: dict[str, Any], *, by_ms: int, change: Change) -> dict[str, Any]:
    """Return a document as it were written later, after a change to its job."""
    content = json.loads(json.dumps(content))
    content["timestamp_ms"] += by_ms
    content["timestamp"] += by_ms // 1000
    change(content["jobs"][0])
    return content


def do_more(job: dict[str, Any]) -> None:
    """Let every counter of a run of the same length be greater."""
    job["read"]["total_ios"] *= 2
    job["read"]["io_bytes"] *= 2
    job["read"]["runtime"] += 1
    job["read"]["lat_ns"]["max"] += 1


def forget_elapsed(job: dict[str, Any]) -> None:
    do_more(job)
    del job["elapsed"]


def test_documents_of_a_status_interval_are_one_run() -> None:
    documents = documents_of(*status_interval())
    assert runs_of(documents) == [0, 0, 0, 0]
    assert results_of(documents) == [3]
    ((result, doubt),) = doubts_of_runs(documents, place_in_runs(documents))
    assert (result, doubt.kind) == (3, "several-documents")
    assert doubt.meaning.startswith("4 documents")


def test_status_intervals_without_time_stamps_are_one_run() -> None:
    contents = status_interval()
    for content in contents:
        del content["timestamp"], content["timestamp_ms"]
    assert runs_of(documents_of(*contents)) == [0, 0, 0, 0]


@pytest.mark.parametrize("change", [do_more, forget_elapsed])
@pytest.mark.parametrize("by_ms", [3_300, 60_000, 86_400_000])
def test_a_second_run_that_did_more_is_told_by_the_clock(
    by_ms: int, change: Change
) -> None:
    last = status_interval()[-1]
    documents = documents_of(last, moved(last, by_ms=by_ms, change=change))
    assert runs_of(documents) == [0, 1]
    assert results_of(documents) == [0, 1]
    doubts = doubts_of_runs(documents, place_in_runs(documents))
    assert [doubt.kind for _, doubt in doubts] == ["several-runs"]


def test_a_second_run_after_whole_second_stamps_is_told() -> None:
    last = status_interval()[-1]
    contents = [last, moved(last, by_ms=4_000, change=forget_elapsed)]
    for content in contents:
        del content["timestamp_ms"]
    assert runs_of(documents_of(*contents)) == [0, 1]


def test_a_run_of_before_is_another_run() -> None:
    last = status_interval()[-1]
    documents = documents_of(last, moved(last, by_ms=-500, change=do_more))
    assert runs_of(documents) == [0, 1]


@pytest.mark.parametrize(
    "change",
    [
        lambda job: job.update(jobname="other"),
        lambda job: job.update(groupid=1),
        lambda job: job["read"].update(total_ios=1),
        lambda job: job["read"]["lat_ns"].update(max=100),
        lambda job: job["read"]["lat_ns"].update(min=51),
    ],
    ids=["job", "group", "count", "greatest", "least"],
)
def test_without_a_clock_a_difference_tells_runs_apart(change: Change) -> None:
    contents = [moved(c, by_ms=0, change=lambda _: None) for c in status_interval()]
    change(contents[2]["jobs"][0])
    for content in contents:
        del content["timestamp"], content["timestamp_ms"]
    runs = runs_of(documents_of(*contents))
    assert runs[:3] == [0, 0, 1]


def test_without_a_clock_a_run_that_leaps_is_another() -> None:
    contents = [status_interval()[-1]]
    contents.append(moved(contents[0], by_ms=0, change=do_more))
    for content in contents:
        del content["timestamp"], content["timestamp_ms"]
    assert runs_of(documents_of(*contents)) == [0, 1]


def test_another_version_is_another_run() -> None:
    contents = status_interval()[:2]
    contents[1]["fio version"] = "fio-3.35"
    assert runs_of(documents_of(*contents)) == [0, 1]


def test_a_document_that_was_cut_is_no_result_where_a_whole_one_is() -> None:
    *whole, last = status_interval()
    cut = json.dumps(last, indent=1).encode()[:-2000]
    documents = documents_of(*whole, cut)
    assert runs_of(documents) == [0, 0, 0, 0]
    assert results_of(documents) == [2]
    assert not documents[3].is_whole


def test_a_document_that_was_cut_is_the_result_where_there_is_no_other() -> None:
    cut = json.dumps(status_interval()[0], indent=1).encode()[:-2000]
    assert results_of(documents_of(cut)) == [0]


def fio(folder: Path, *options: str, forms: str = "json") -> bytes:
    """Return what fio says of a job that does next to nothing."""
    job = ("--name=a", "--ioengine=null", "--size=1g", "--rate_iops=1000")
    output = folder / "output"
    subprocess.run(
        ["fio", f"--output-format={forms}", f"--output={output}", *job, *options],
        cwd=folder,
        check=True,
        capture_output=True,
    )
    return output.read_bytes()


@pytest.mark.fio
def test_a_run_goes_on_though_its_ramp_resets_the_counters(tmp_path: Path) -> None:
    timed = ("--time_based", "--runtime=3", "--ramp_time=2", "--status-interval=1")
    documents = parse_output(fio(tmp_path, *timed), source="fio")
    ios = [document.jobs[0].sides["read"].total_ios or 0 for document in documents]
    assert ios != sorted(ios), "the ramp did not reset the counters"
    assert set(runs_of(documents)) == {0}
    assert results_of(documents) == [len(documents) - 1]


@pytest.mark.fio
def test_all_forms_of_all_intervals_of_two_jobs_are_one_run(tmp_path: Path) -> None:
    timed = ("--time_based", "--runtime=2")
    second = ("--name=b", "--stonewall", "--ioengine=null", "--size=1g", "--rw=write")
    slow = ("--rate_iops=500", "--status-interval=1")
    said = fio(tmp_path, *timed, *second, *timed, *slow, forms="normal,json,terse")
    documents = parse_output(said, source="fio")
    assert [document.form for document in documents[:3]] == ["terse", "json", "normal"]
    assert set(runs_of(documents)) == {0}
    (result,) = results_of(documents)
    assert result == len(documents) - 2
    assert documents[result].form == "json"
    doubts = doubts_of_runs(documents, place_in_runs(documents))
    assert {doubt.kind for _, doubt in doubts} == {"several-documents", "several-forms"}


@pytest.mark.fio
@pytest.mark.parametrize("forms", ["json", "normal", "normal,json,terse"])
def test_the_same_job_run_twice_is_two_runs(tmp_path: Path, forms: str) -> None:
    few = fio(tmp_path, "--number_ios=500", forms=forms)
    many = fio(tmp_path, "--number_ios=300", forms=forms)
    documents = parse_output(few + many, source="fio")
    count = len(documents) // 2
    assert runs_of(documents) == [0] * count + [1] * count
    ios = [documents[n].jobs[0].sides["read"].io_bytes for n in results_of(documents)]
    assert ios == [500 * 4096, 300 * 4096]
