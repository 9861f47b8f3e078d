"""Documents of one run accumulate; those of another must not be taken for them."""

import gzip
import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ssdlab.fio.document import FioDocument
from ssdlab.fio.output import parse_output
from ssdlab.fio.runs import doubts_of_runs, place_in_runs
from tests.fio.samples import captured
from tests.quick_fio import CLOCK

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
    documents = documents_of(*contents)
    runs = runs_of(documents)
    assert runs[2] == runs[1] + 1
    assert not place_in_runs(documents)[2].is_unclear


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


@pytest.mark.parametrize("by_ms", [0, 900, 1_000])
def test_another_option_is_another_run_though_all_counts_grew(by_ms: int) -> None:
    last = status_interval()[-1]

    def change(job: dict[str, Any]) -> None:
        job["read"]["total_ios"] += 1
        job["job options"]["bs"] = "8k"

    documents = documents_of(last, moved(last, by_ms=by_ms, change=change))
    assert runs_of(documents) == [0, 1]


def do_one_more(job: dict[str, Any]) -> None:
    job["read"]["total_ios"] += 1


def test_a_run_that_began_later_is_another_though_all_counts_grew() -> None:
    last = status_interval()[-1]
    again = moved(last, by_ms=1_300, change=do_one_more)
    assert runs_of(documents_of(last, again)) == [0, 1]
    soon = moved(last, by_ms=900, change=do_one_more)
    assert runs_of(documents_of(last, soon)) == [0, 0]


@pytest.mark.parametrize(
    ("later", "unclear"),
    [
        ({"100": 3, "200": 2, "201": 1}, [False, True]),
        ({"100": 2, "200": 9}, [False, False]),
        ({"100": 9}, [False, False]),
        ({"50": 9, "200": 9}, [False, False]),
    ],
    ids=["grown", "less", "last gone", "first gone"],
)
def test_a_bin_that_lost_ios_is_of_another_run(
    later: dict[str, int], unclear: list[bool]
) -> None:
    contents = [json.loads(json.dumps(status_interval()[-1])) for _ in range(2)]
    for content, bins in zip(contents, ({"100": 3, "200": 1}, later), strict=True):
        del content["timestamp"], content["timestamp_ms"]
        content["jobs"][0]["read"]["clat_ns"]["bins"] = bins
    documents = documents_of(*contents)
    assert runs_of(documents) == [0, 1]
    assert [p.is_unclear for p in place_in_runs(documents)] == unclear


def in_ramp(job: dict[str, Any]) -> None:
    """Let a job be as fio prints it in its ramp: it counts, and measures nothing."""
    nothing = {"min": 0, "max": 0, "mean": 0.0, "stddev": 0.0, "N": 0}
    job["read"].update(slat_ns=nothing, clat_ns=nothing, lat_ns=nothing)
    job["read"].update(total_ios=10**9, io_bytes=10**12)


@pytest.mark.parametrize(
    ("ramp_time", "runs"), [("500ms", [0, 0]), ("1", [0, 0]), (None, [0, 1])]
)
def test_what_was_counted_in_a_short_ramp_is_no_result(
    ramp_time: str | None, runs: list[int]
) -> None:
    first, second, *_ = status_interval()
    for content, runtime_ms in ((first, 700), (second, 800)):  # no proof of age
        content["timestamp_ms"] -= first["timestamp_ms"] % 1000
        content["jobs"][0]["read"]["runtime"] = runtime_ms
        if ramp_time:
            content["jobs"][0]["job options"]["ramp_time"] = ramp_time
    in_ramp(first["jobs"][0])
    second["timestamp_ms"] = first["timestamp_ms"] + 1000
    documents = documents_of(first, second)
    assert runs_of(documents) == runs


def fio(folder: Path, *options: str, forms: str = "json") -> bytes:
    """Return what fio says of a job that does next to nothing."""
    job = ("--name=a", "--ioengine=null", "--size=1g", "--rate_iops=1000")
    output = folder / "output"
    subprocess.run(
        [
            "fio",
            CLOCK,
            f"--output-format={forms}",
            f"--output={output}",
            *job,
            *options,
        ],
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


@pytest.mark.fio
def test_runs_of_other_block_sizes_in_one_file_are_each_a_result(
    tmp_path: Path,
) -> None:
    asked = [("--bs=4k", "--number_ios=200"), ("--bs=8k", "--number_ios=300")]
    said = b"".join(fio(tmp_path, *options) for options in asked)
    documents = parse_output(said, source="fio")
    assert results_of(documents) == [0, 1]
    ios = [document.jobs[0].sides["read"].total_ios for document in documents]
    assert ios == [200, 300]


@pytest.mark.fio
def test_a_ramp_shorter_than_fio_counts_time_is_no_run_of_its_own(
    tmp_path: Path,
) -> None:
    timed = ("--time_based", "--runtime=1", "--ramp_time=1", "--status-interval=300ms")
    documents = parse_output(fio(tmp_path, *timed), source="fio")
    latencies = [bool(d.jobs[0].sides["read"].latencies) for d in documents]
    assert latencies[0] != latencies[-1], "no document was written in the ramp"
    assert results_of(documents) == [len(documents) - 1]


_TEXT = """one: (groupid=0, jobs=1): err= 0: pid=7: Mon Jan  1 00:00:00 2018
  write: IOPS=1024, BW=4096KiB/s (4194kB/s)({io}/{runtime}msec)
    clat ({unit}): min={least}, max={most}, avg={mean}, stdev={stddev}
  cpu          : usr=2.00%, sys=9.00%, ctx=1, majf=0, minf=9
     issued rwt: total=0,{ios},0, short=0,0,0, dropped=0,0,0

Run status group 0 (all jobs):
  WRITE: bw=4096KiB/s (4194kB/s), io={io} (4MB), run={runtime}-{runtime}msec
"""


def test_normal_text_that_changes_its_unit_goes_on() -> None:
    in_ns = {"unit": "nsec", "least": 2614, "most": 123456, "mean": 4015, "stddev": 9}
    in_us = {"unit": "usec", "least": 2, "most": 123, "mean": 4.02, "stddev": 1.01}
    first = _TEXT.format(io="4100KiB", ios=1024, runtime=1000, **in_ns)
    second = _TEXT.format(io="8192KiB", ios=2048, runtime=2000, **in_us)
    text = f"one: (g=0): rw=write\nfio-3.33\nStarting 1 process\n\n{first}\n{second}"
    documents = documents_of(text.encode())
    assert len(documents) == 2
    assert runs_of(documents) == [0, 0]
    assert results_of(documents) == [1]


@pytest.mark.fio
def test_forms_of_a_run_in_which_an_io_failed_are_one_run(tmp_path: Path) -> None:
    output = tmp_path / "output"
    failing = ("--name=a", "--filename=/dev/full", "--rw=write", "--size=4k")
    good = ("--name=b", "--ioengine=null", "--size=400k", "--rate_iops=1000")
    forms = ("--output-format=normal,json,terse", f"--output={output}")
    subprocess.run(
        ["fio", *forms, *failing, *good],
        cwd=tmp_path,
        check=False,
        capture_output=True,
    )
    documents = parse_output(output.read_bytes(), source="fio")
    assert sorted(document.form for document in documents) == [
        "json",
        "normal",
        "terse",
    ]
    assert set(runs_of(documents)) == {0}


@pytest.mark.fio
def test_normal_text_of_a_client_is_whole(tmp_path: Path) -> None:
    socket, job = tmp_path / "s", tmp_path / "job.fio"
    job.write_text("[one]\nioengine=null\nsize=400k\n[two]\nioengine=null\nsize=400k\n")
    server = subprocess.Popen(
        ["fio", f"--server=sock:{socket}"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        until = time.monotonic() + 10
        while not socket.exists() and time.monotonic() < until:
            time.sleep(0.01)
        said = subprocess.run(
            ["fio", f"--client=sock:{socket}", str(job)],
            check=True,
            capture_output=True,
        ).stdout
    finally:
        server.terminate()
        server.wait(10)
    (document,) = documents_of(said)
    assert [name for job in document.jobs if (name := job.name)][-1] == "All clients"
    assert document.jobs[-1].is_aggregate
    assert not [doubt for doubt in document.doubts if doubt.is_grave]
