import gzip
import json
import math
from collections.abc import Callable
from typing import Any

import pytest

from ssdlab.fio.parse import parse_document, parse_documents
from ssdlab.model.errors import FioOutputError
from tests.fio.samples import captured, changed, changed_document, document_of

Json = dict[str, Any]


def test_a_side_says_what_fio_said() -> None:
    document = document_of("randrw.json")
    job = document.jobs[0]
    read = job.sides["read"]
    assert (document.fio_version, document.timestamp_s) == ("fio-3.33", 1795248404.017)
    assert (job.name, job.group_id, job.error, job.elapsed_s) == ("cell", 0, 0, 2)
    assert job.options["rwmixread"] == "65"
    assert (read.total_ios, read.io_bytes, read.runtime_ms) == (2601, 10653696, 1001)
    assert read.iops == pytest.approx(2598.401598)
    assert read.bw_bytes_per_s == 10643052
    assert (read.short_ios, read.drop_ios) == (0, 0)


def test_a_direction_without_io_has_no_latency() -> None:
    trim = document_of("randrw.json").jobs[0].sides["trim"]
    assert not trim.did_io
    assert (trim.slat, trim.clat, trim.lat) == (None, None, None)
    assert (trim.clat_bins, trim.lat_bins) == (None, None)
    assert trim.clat_percentiles == trim.lat_percentiles == {}


def test_a_latency_that_was_not_measured_is_missing_and_not_zero() -> None:
    read = document_of("one_io.json").jobs[0].sides["read"]
    assert read.slat is None
    assert read.lat is not None
    assert (read.lat.min_ns, read.lat.count) == (66470, 1)


def test_trims_are_read() -> None:
    job = document_of("trimwrite.json").jobs[0]
    assert [side.direction for side in job.parts] == ["write", "trim"]
    trim = job.sides["trim"]
    assert trim.lat is not None
    assert trim.lat.count == trim.total_ios == 3010707


def test_bins_are_ascending_and_hold_every_io() -> None:
    read = document_of("randrw.json").jobs[0].sides["read"]
    for bins in (read.lat_bins, read.clat_bins):
        assert bins is not None
        assert (bins.lat_ns[1:] > bins.lat_ns[:-1]).all()
        assert bins.counts.sum() == read.total_ios


def test_bins_in_any_order_are_sorted_and_empty_ones_left_out() -> None:
    def shuffle(job: Json) -> None:
        job["read"]["lat_ns"]["bins"] = {"300": 2, "200": 0, "100": 1}

    bins = changed_document("randrw.json", shuffle).jobs[0].sides["read"].lat_bins
    assert bins is not None
    assert (bins.lat_ns.tolist(), bins.counts.tolist()) == ([100, 300], [1, 2])


def test_the_last_document_is_the_result_when_there_are_several() -> None:
    data = gzip.decompress(captured("status-interval.json.gz").read_bytes())
    documents = parse_documents(data)
    runtimes = [document.jobs[0].sides["read"].runtime_ms for document in documents]
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


@pytest.mark.parametrize(
    ("printed", "is_expected"),
    [("nan", math.isnan), ("-nan", math.isnan), ("inf", math.isinf)],
)
def test_a_number_that_c_prints_is_understood(
    printed: str, is_expected: Callable[[float], bool]
) -> None:
    text = captured("one_io.json").read_text()
    mean = '"mean" : 66470.000000'
    assert text.count(mean) == 1
    lat = (
        parse_document(text.replace(mean, f'"mean" : {printed}'))
        .jobs[0]
        .sides["read"]
        .lat
    )
    assert lat is not None
    assert is_expected(lat.mean_ns)


def without(*path: str) -> Callable[[Json], None]:
    def change(job: Json) -> None:
        for key in path[:-1]:
            job = job[key]
        del job[path[-1]]

    return change


@pytest.mark.parametrize(
    "path",
    [
        ("jobname",),
        ("error",),
        ("usr_cpu",),
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
        ("many", ("read", "iops"), "which is no number"),
        (True, ("read", "iops"), "which is no number"),
        (1e300, ("read", "iops"), "greater than any number of fio"),
        (2**63, ("read", "io_bytes"), "greater than any number of fio"),
        (1.5, ("read", "total_ios"), "which is no whole number"),
        (None, ("read", "total_ios"), "which is no whole number"),
        (-1, ("read", "io_bytes"), "which is no count"),
        (7, ("read", "lat_ns"), "is not a JSON object"),
        ({"x": 1}, ("read", "lat_ns", "bins"), "an entry that is no bin"),
        ({"7": 1.5}, ("read", "lat_ns", "bins"), "an entry that is no bin"),
        ({"7": -1}, ("read", "lat_ns", "bins"), "a count that cannot be"),
        ({"-7": 1}, ("read", "lat_ns", "bins"), "a negative latency"),
        ({"x": 1}, ("read", "lat_ns", "percentile"), "a key that is no number"),
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
    with pytest.raises(FioOutputError, match="x: it holds no JSON of fio"):
        parse_documents(data, source="x")


def test_a_document_that_is_cut_short_is_refused() -> None:
    data = captured("randrw.json").read_bytes()
    with pytest.raises(FioOutputError, match="damaged or cut short"):
        parse_documents(data[: len(data) // 2])


def test_a_document_nested_without_end_is_refused() -> None:
    data = b'{"fio version": ' + b'{"a": ' * 100_000
    with pytest.raises(FioOutputError, match="damaged or cut short"):
        parse_documents(data)


def test_a_document_without_jobs_is_refused() -> None:
    with pytest.raises(FioOutputError, match=r"fio-3\.33: jobs is missing"):
        parse_documents(b'{"fio version": "fio-3.33"}')


def old_side(job: Json) -> Json:
    """Make a job what fio 2.18 would have written: microseconds and KiB."""
    for side in (job["read"], job["write"], job["trim"]):
        for kind in ("slat", "clat", "lat"):
            table = side.pop(f"{kind}_ns")
            for name in ("N", "bins"):
                table.pop(name, None)
            side[kind] = table
        for name in ("io_kbytes", "bw_bytes"):
            del side[name]
    return job


def test_the_units_of_fio_2_are_made_those_of_fio_3() -> None:
    content = json.loads(captured("randrw.json").read_bytes())
    content["fio version"] = "fio-2.18-59-g618e"
    read = old_side(content["jobs"][0])["read"]
    read |= {"io_bytes": 2932, "bw": 292, "total_ios": 733}
    read["lat"] |= {"min": 3995, "max": 25318, "mean": 13657.451659, "stddev": 4045.5}
    read["clat"]["percentile"] = {"50.000000": 13888, "0.00": 0}
    side = parse_document(json.dumps(content)).jobs[0].sides["read"]
    assert (side.io_bytes, side.bw_bytes_per_s) == (2932 * 1024, 292 * 1024)
    assert side.lat is not None
    assert (side.lat.min_ns, side.lat.max_ns) == (3_995_000, 25_318_000)
    assert side.lat.mean_ns == pytest.approx(13_657_451.659)
    assert side.lat.count == 733
    assert side.clat_percentiles == {50.0: 13_888_000}


def test_bins_of_fio_2_are_named_as_left_out() -> None:
    content = json.loads(captured("randrw.json").read_bytes())
    content["fio version"] = "fio-2.18"
    old_side(content["jobs"][0])["read"]["clat"]["bins"] = {"12": 3}
    document = parse_document(json.dumps(content))
    assert document.jobs[0].sides["read"].clat_bins is None
    assert document.left_out == ("jobs[0].read.clat.bins: bins of fio before 2.99",)


def test_the_sum_of_all_clients_is_left_out_and_named() -> None:
    content = json.loads(captured("one_io.json").read_bytes())
    job = content.pop("jobs")[0]
    job["hostname"] = "a"
    content["client_stats"] = [job, {**job, "jobname": "All clients"}]
    document = parse_document(json.dumps(content))
    assert [(entry.name, entry.hostname) for entry in document.jobs] == [("tiny", "a")]
    assert document.left_out == (
        "client_stats[1]: 'All clients', the sum of the others",
    )


def test_io_that_is_no_read_or_write_is_named_as_left_out() -> None:
    def sync(job: Json) -> None:
        job["sync"]["total_ios"] = 12

    left_out = changed_document("randrw.json", sync).left_out
    assert left_out == ("jobs[0].sync: 12 IOs that are no read or write",)


def test_an_entry_without_any_direction_is_refused() -> None:
    def strip(job: Json) -> None:
        for name in ("read", "write", "trim"):
            del job[name]

    with pytest.raises(FioOutputError, match=r"jobs\[0\]\.read is missing"):
        changed_document("randrw.json", strip)
