import gzip
import math
from collections.abc import Callable
from typing import Any

import pytest

from ssdlab.fio.document import FioOption
from ssdlab.fio.from_json.parse import parse_document, parse_documents
from ssdlab.model.errors import FioOutputError
from tests.fio.samples import captured, changed, changed_document, document_of

Json = dict[str, Any]


def test_a_side_says_what_fio_said() -> None:
    document = document_of("randrw.json")
    job = document.jobs[0]
    read = job.sides["read"]
    assert (document.fio_version, document.timestamp_s) == ("fio-3.33", 1795248404.017)
    assert (job.name, job.group_id, job.error, job.elapsed_s) == ("cell", 0, 0, 2)
    assert FioOption(name="rwmixread", value="65") in job.options
    assert (read.total_ios, read.io_bytes, read.runtime_ms) == (2601, 10653696, 1001)
    assert read.iops == pytest.approx(2598.401598)
    assert read.bw_bytes_per_s == 10643052
    assert (read.short_ios, read.dropped_ios) == (0, 0)


def test_a_direction_without_io_has_no_latency() -> None:
    trim = document_of("randrw.json").jobs[0].sides["trim"]
    assert not trim.did_io
    assert trim.latencies == {}
    assert (trim.sampled_iops, trim.sampled_bw) == (None, None)


def test_a_latency_that_was_not_measured_is_missing_and_not_zero() -> None:
    read = document_of("one_io.json").jobs[0].sides["read"]
    assert "slat" not in read.latencies
    summary = read.latencies["lat"].summary
    assert (summary.min_ns, summary.count) == (66470, 1)


def test_trims_are_read() -> None:
    job = document_of("trimwrite.json").jobs[0]
    assert [side.direction for side in job.parts] == ["write", "trim"]
    trim = job.sides["trim"]
    assert trim.latencies["lat"].summary.count == trim.total_ios == 3010707


def test_bins_are_ascending_and_hold_every_io() -> None:
    read = document_of("randrw.json").jobs[0].sides["read"]
    for bins in (read.latencies["lat"].bins, read.latencies["clat"].bins):
        assert bins is not None
        assert (bins.lat_ns[1:] > bins.lat_ns[:-1]).all()
        assert bins.counts.sum() == read.total_ios


def test_bins_in_any_order_are_sorted_and_empty_ones_left_out() -> None:
    def shuffle(job: Json) -> None:
        job["read"]["lat_ns"]["bins"] = {"300": 2, "200": 0, "100": 1}

    job = changed_document("randrw.json", shuffle).jobs[0]
    bins = job.sides["read"].latencies["lat"].bins
    assert bins is not None
    assert (bins.lat_ns.tolist(), bins.counts.tolist()) == ([100, 300], [1, 2])


def test_the_last_document_is_the_result_when_there_are_several() -> None:
    data = gzip.decompress(captured("status-interval.json.gz").read_bytes())
    documents = parse_documents(data)
    runtimes = [
        document.jobs[0].sides["read"].runtime_ms or 0 for document in documents
    ]
    assert len(documents) == 4
    assert runtimes == sorted(runtimes)
    assert parse_document(data).jobs[0].sides["read"].runtime_ms == runtimes[-1]


def test_text_around_the_json_is_kept() -> None:
    document = document_of("err_open.json")
    assert document.prefix == "fio: file creation disallowed by allow_file_create=0"
    assert document_of("signal.json").prefix == "fio: terminating on signal 2"
    data = captured("randrw.json").read_bytes()
    around = parse_document(b"note: {it runs}\n" + data + b"\n3;fio-3.33;cell\n")
    assert (around.prefix, around.suffix) == ("note: {it runs}", "3;fio-3.33;cell")


def test_text_between_documents_belongs_to_the_later_one() -> None:
    data = captured("one_io.json").read_bytes()
    first, second = parse_documents(data + b"\nfio: something\n" + data)
    assert (first.prefix, first.suffix) == ("", "")
    assert (second.prefix, second.suffix) == ("fio: something", "")


def test_a_sum_beside_its_parts_is_not_counted_twice() -> None:
    job = document_of("unified_both.json").jobs[0]
    assert [side.direction for side in job.parts] == ["read", "write"]
    assert job.sides["mixed"].total_ios == sum(s.total_ios or 0 for s in job.parts)


def test_a_mixed_side_counts_when_it_stands_alone() -> None:
    job = document_of("unified_mixed.json").jobs[0]
    assert [side.direction for side in job.parts] == ["mixed"]


@pytest.mark.parametrize("printed", ["nan", "-nan", "inf"])
def test_what_c_prints_for_no_number_is_missing_and_a_doubt(printed: str) -> None:
    text = captured("one_io.json").read_text()
    mean = '"mean" : 66470.000000'
    assert text.count(mean) == 1
    document = parse_document(text.replace(mean, f'"mean" : {printed}'))
    summary = document.jobs[0].sides["read"].latencies["lat"].summary
    assert math.isnan(summary.mean_ns)
    (doubt,) = document.doubts
    assert (doubt.kind, doubt.place) == ("no-number", "jobs[0].read.lat_ns.mean")


def without(*path: str) -> Callable[[Json], None]:
    def change(job: Json) -> None:
        for key in path[:-1]:
            job = job[key]
        del job[path[-1]]

    return change


@pytest.mark.parametrize(
    "path",
    [
        ("error",),
        ("read", "total_ios"),
        ("read", "runtime"),
        ("write", "lat_ns"),
        ("write", "lat_ns", "mean"),
        ("trim", "io_bytes"),
    ],
    ids=".".join,
)
def test_a_missing_key_is_named_with_version_and_file(path: tuple[str, ...]) -> None:
    data = changed("randrw.json", without(*path))
    place = rf"cell\.json: fio-3\.33: jobs\[0\]\.{'.'.join(path)} is missing"
    with pytest.raises(FioOutputError, match=place):
        parse_document(data, source="cell.json")


def having(value: object, *path: str) -> Callable[[Json], None]:
    def change(job: Json) -> None:
        for key in path[:-1]:
            job = job[key]
        job[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("value", "path", "reason"),
    [
        ("many", ("read", "iops"), "which is not a number"),
        (True, ("read", "iops"), "which is not a number"),
        (1e300, ("read", "iops"), "greater than any number of fio"),
        (2**63, ("read", "io_bytes"), "greater than any number of fio"),
        (1.5, ("read", "total_ios"), "which is not a whole number"),
        (None, ("read", "total_ios"), "which is not a whole number"),
        (-1, ("read", "io_bytes"), "which is not a count"),
        (7, ("read", "lat_ns"), "is not a JSON object"),
        ({"x": 1}, ("read", "lat_ns", "bins"), "an entry that is not a bin"),
        ({"7": 1.5}, ("read", "lat_ns", "bins"), "an entry that is not a bin"),
        ({"7": -1}, ("read", "lat_ns", "bins"), "an impossible count"),
        ({"-7": 1}, ("read", "lat_ns", "bins"), "a negative latency"),
        ({"7": 1, "07": 1}, ("read", "lat_ns", "bins"), "has a bin twice"),
        ({"x": 1}, ("read", "lat_ns", "percentile"), "a key that is not a percentage"),
        (
            {"150": 1},
            ("read", "lat_ns", "percentile"),
            "a key that is not a percentage",
        ),
        ({"99": []}, ("read", "lat_ns", "percentile"), "which is not a number"),
        (-5, ("read", "lat_ns", "min"), "which is negative"),
        ("cell", ("groupid",), "which is not a whole number"),
    ],
)
def test_a_value_that_fio_does_not_write_is_named(
    value: object, path: tuple[str, ...], reason: str
) -> None:
    with pytest.raises(FioOutputError, match=reason) as raised:
        changed_document("randrw.json", having(value, *path))
    assert ".".join(path) in str(raised.value)


@pytest.mark.parametrize(
    "data",
    [b"", b"no JSON", b"[1, 2]", b'{"jobs": []}', b"\x00\xff{", b"3;fio-3.33;x;0"],
    ids=["empty", "text", "list", "foreign", "binary", "terse"],
)
def test_data_without_fio_json_is_refused(data: bytes) -> None:
    with pytest.raises(FioOutputError, match="x: it has no JSON of fio"):
        parse_documents(data, source="x")


def test_a_document_that_is_cut_short_is_refused() -> None:
    data = captured("randrw.json").read_bytes()
    with pytest.raises(FioOutputError, match="damaged or truncated"):
        parse_documents(data[: len(data) // 2])


def test_a_document_nested_without_end_is_refused() -> None:
    data = b'{"fio version": "fio-3.33", "jobs": ' + b'{"a": ' * 100_000
    with pytest.raises(FioOutputError, match="damaged or truncated"):
        parse_documents(data)


def test_a_document_without_jobs_is_refused() -> None:
    with pytest.raises(FioOutputError, match=r"fio-3\.33: jobs is missing"):
        parse_documents(b'{"fio version": "fio-3.33"}')


def test_io_that_is_no_read_or_write_is_named_as_left_out() -> None:
    def reset(job: Json) -> None:
        job["ZNS Reset"] = {"total_ios": 12}

    (doubt,) = changed_document("randrw.json", reset).doubts
    assert (doubt.kind, doubt.place) == ("left-out", "jobs[0].ZNS Reset")
    assert doubt.meaning == "12 IOs that are neither reads nor writes; not read"
    assert not doubt.is_grave


def test_an_entry_without_any_direction_is_refused() -> None:
    def strip(job: Json) -> None:
        for name in ("read", "write", "trim"):
            del job[name]

    with pytest.raises(FioOutputError, match=r"jobs\[0\]\.read is missing"):
        changed_document("randrw.json", strip)
