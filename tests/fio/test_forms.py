"""The forms that fio's JSON had over the years, and has in odd runs."""

import json
import math
from typing import Any

import pytest

from ssdlab.fio.document import Doubt, FioDisk, FioOption, FioSide, RateSummary
from ssdlab.fio.doubts import find_doubts
from ssdlab.fio.frames.result import tabulate
from ssdlab.fio.from_json.parse import document_from_json, parse_document
from ssdlab.fio.from_json.scan import iterate_json
from tests.fio.samples import captured, changed_document, form_of, form_path
from tests.paths import FIO_SAMPLES, require_folder

Json = dict[str, Any]


def kinds(doubts: tuple[Doubt, ...]) -> list[str]:
    return [doubt.kind for doubt in doubts]


def read_of(version: str) -> FioSide:
    return form_of(version).jobs[0].sides["read"]


def test_fio_2_1_counts_kib_and_microseconds_and_no_ios() -> None:
    read = read_of("2.1.4")
    assert (read.io_bytes, read.bw_bytes_per_s) == (40960 * 1024, 8192 * 1024)
    assert (read.total_ios, read.short_ios, read.dropped_ios) == (None, None, None)
    assert (read.iops, read.runtime_ms) == (2048, 5000)
    lat, clat = read.latencies["lat"], read.latencies["clat"]
    assert (lat.summary.min_ns, lat.summary.max_ns) == (105_000, 9_010_000)
    assert (lat.summary.mean_ns, lat.summary.stddev_ns) == (487_000, 78_500)
    assert lat.summary.count is None
    assert clat.percentiles == {1.0: 110_000, 50.0: 470_000, 99.0: 1_012_000}


def test_fio_2_1_gives_its_samples_of_the_rate_in_kib() -> None:
    read = read_of("2.1.4")
    assert read.sampled_iops is None
    assert read.sampled_bw == RateSummary(
        minimum=7000 * 1024, maximum=9000 * 1024, mean=8190.5 * 1024, stddev=12544
    )
    assert form_of("2.1.4").jobs[0].sides["write"].sampled_bw is None


def test_fio_2_1_gives_no_options_and_no_time() -> None:
    document = form_of("2.1.4")
    (job,) = document.jobs
    assert (document.global_options, job.options) == ((), ())
    assert (document.timestamp_s, job.elapsed_s, job.started_s) == (None, None, None)
    assert (job.sync, job.steady_state, job.total_errors) == (None, None, None)


def test_bins_by_index_are_named_in_nanoseconds() -> None:
    bins = read_of("2.16-jsonplus").latencies["clat"].bins
    assert bins is not None
    assert bins.unit_ns == 1000
    assert bins.lat_ns.tolist() == [93_000, 141_000, 16_711_680_000]
    assert bins.counts.tolist() == [600, 390, 10]


def change_bins(change: Json) -> bytes:
    content = json.loads(form_path("2.16-jsonplus").read_bytes())
    content["jobs"][0]["read"]["clat"]["bins"].update(change)
    return json.dumps(content).encode()


@pytest.mark.parametrize(
    "change",
    [
        {"FIO_IO_U_PLAT_NR": 1856},
        {"FIO_IO_U_PLAT_BITS": 5},
        {"1216": 1},
        {"7": -1},
        {"7": "many"},
    ],
)
def test_bins_by_an_unknown_index_are_missing_and_a_grave_doubt(change: Json) -> None:
    (found,) = iterate_json(change_bins(change))
    document = document_from_json(found, source="x")
    assert document.jobs[0].sides["read"].latencies["clat"].bins is None
    (doubt,) = document.doubts
    assert (doubt.kind, doubt.is_grave) == ("bad-value", True)
    assert doubt.place == "jobs[0].read.clat.bins"


def test_the_last_bin_is_a_doubt() -> None:
    doubts = find_doubts(form_of("2.16-jsonplus"))
    assert kinds(doubts) == ["microseconds", "censored"]
    assert doubts[1].meaning.startswith("10 IOs are in fio's last bin")


def test_an_array_has_its_own_counters_and_those_of_its_members() -> None:
    own, members, disk = form_of("3.16-md").disks
    assert (own.name, own.is_of_members, own.read_ios) == ("md6", False, 50)
    assert members == FioDisk(
        name="md6",
        read_ios=25,
        write_ios=3,
        read_merges=1,
        write_merges=2,
        read_ticks_ms=40,
        write_ticks_ms=5,
        in_queue_ms=45,
        util_percent=12.5,
        is_of_members=True,
    )
    assert (disk.name, disk.is_of_members, disk.util_percent) == ("sdc", False, 11.25)


def test_a_latency_of_zeros_is_not_measured_where_fio_gives_no_count() -> None:
    read = read_of("3.16-md")
    assert read.latencies.keys() == {"clat", "lat"}
    assert read.latencies["clat"].summary.count == 50


def test_options_of_clients_are_told_apart_by_host() -> None:
    assert form_of("3.41-clients").global_options == (
        FioOption(name="ioengine", value="libaio", hostname="alpha"),
        FioOption(name="bs", value="4k", hostname="alpha"),
        FioOption(name="ioengine", value="io_uring", hostname="beta"),
        FioOption(name="bs", value="4k", hostname="beta"),
    )


def test_the_sum_of_all_clients_is_kept_apart() -> None:
    document = form_of("3.41-clients")
    assert [job.is_aggregate for job in document.jobs] == [False, False, True]
    assert [job.hostname for job in document.measured] == ["alpha", "beta"]
    ios = [job.sides["read"].total_ios for job in document.jobs]
    assert ios == [100, 200, 300]
    first, _, total = document.jobs
    assert total.is_sum(total.sides["read"])
    assert not first.is_sum(first.sides["read"])
    (doubt,) = find_doubts(document)
    assert (doubt.kind, doubt.place) == ("aggregate", "client_stats[2]")
    assert not doubt.is_grave


@pytest.mark.parametrize(
    ("printed", "started_s"), [(1790000000123, 1790000000.123), (1790000000, 1.79e9)]
)
def test_the_start_of_a_job_is_read_in_ms_or_s(printed: int, started_s: float) -> None:
    def start(job: Json) -> None:
        job["job_start"] = printed

    job = changed_document("one_io.json", start).jobs[0]
    assert job.started_s == started_s


def test_samples_of_rates_are_in_iops_and_bytes() -> None:
    read = read_of("3.41-clients")
    assert read.sampled_iops == RateSummary(
        minimum=25, maximum=75, mean=50.125, stddev=2.5
    )
    assert read.sampled_bw == RateSummary(
        minimum=102_400, maximum=307_200, mean=205_312, stddev=10_496
    )


def test_keys_of_later_versions_do_not_disturb() -> None:
    assert form_of("3.41-clients").doubts == ()


def test_repeated_options_are_all_kept_in_their_order() -> None:
    text = captured("randrw.json").read_text()
    assert text.count('"bs" : "4k"') == 1
    twice = text.replace('"bs" : "4k"', '"bs" : "4k",\n "bs" : "8k", "bs" : "4k"')
    options = parse_document(twice).jobs[0].options
    sizes = [option.value for option in options if option.name == "bs"]
    assert sizes == ["4k", "8k", "4k"]
    once = parse_document(text).jobs[0].options
    assert len(options) == len(once) + 2
    assert parse_document(twice).jobs[0].sides["read"].total_ios == 2601


@pytest.mark.parametrize(
    "value",
    ['x}"y', "{", '"}', "\\", 'a", "bs" : "4k', "job options", "global options"],
)
def test_an_option_of_any_text_is_kept(value: str) -> None:
    content = json.loads(captured("randrw.json").read_bytes())
    content["jobs"][0]["job options"]["description"] = value
    content["global options"] = {value: value}
    document = parse_document(json.dumps(content))
    assert FioOption(name="description", value=value) in document.jobs[0].options
    assert document.global_options == (FioOption(name=value, value=value),)


@pytest.mark.parametrize("value", ['x}"y', "job options", "{"])
def test_a_repeated_option_is_seen_beside_any_text(value: str) -> None:
    content = json.loads(captured("randrw.json").read_bytes())
    content["jobs"][0]["job options"] = {"description": value, "bs": "1", "zz": "2"}
    text = json.dumps(content).replace('"zz": "2"', '"bs": "2"')
    found = [(o.name, o.value) for o in parse_document(text).jobs[0].options]
    assert found == [("description", value), ("bs", "1"), ("bs", "2")]


def test_real_options_of_two_servers_are_all_kept() -> None:
    path = require_folder(FIO_SAMPLES) / "local_fio333" / "client_two_servers.json"
    names = [option.name for option in parse_document(path.read_bytes()).global_options]
    assert names == ["ioengine", "size", "bs", "runtime"] * 2


def test_fsyncs_are_kept_apart() -> None:
    path = require_folder(FIO_SAMPLES) / "local_fio333"
    path /= "fdatasync_lat_percentiles_group.json"
    document = parse_document(path.read_bytes())
    sync = document.jobs[0].sync
    assert sync is not None
    assert sync.lat is not None
    assert sync.lat.summary.mean_ns == 997558.169797
    assert sync.lat.percentiles[99.0] == 8224768
    # fio says 0 of fdatasyncs, and yet their latency: none of them is a wrong count.
    assert sync.total_ios == sync.lat.summary.count == 5112
    assert kinds(document.doubts) == ["sync-count"]


def test_a_document_of_windows_line_ends_is_the_same() -> None:
    data = captured("randrw.json").read_bytes().replace(b"\n", b"\r\n")
    document = parse_document(b"C:\\> fio job.fio\r\n" + data + b"\r\nC:\\>\r\n")
    assert document.jobs[0].sides["read"].total_ios == 2601
    assert (document.prefix, document.suffix) == ("C:\\> fio job.fio", "C:\\>")


def steady(job: Json) -> None:
    job["steadystate"] = {
        "ss": "iops:0.000100%",
        "duration": 4,
        "attained": 0,
        "criterion": "0.000000%",
        "max_deviation": 0.0,
        "slope": -1.5,
        "data": {
            "bw_mean": 2049145,
            "iops_mean": 500,
            "iops": [1001, 1000, 0, 0],
            "bw": [4100581, 4096000, 0, 0],
        },
    }


def test_samples_that_fio_had_not_taken_are_missing_and_so_is_their_mean() -> None:
    """As fio 3.33 prints them of a job that ended before its window was full."""
    document = changed_document("one_io.json", steady)
    state = document.jobs[0].steady_state
    assert state is not None
    assert (state.iops, state.bw_bytes_per_s) == ((1001, 1000), (4100581, 4096000))
    assert (state.iops_mean, state.bw_mean_bytes_per_s) == (None, None)
    assert (state.slope, state.is_attained, state.duration_s) == (-1.5, False, 4)
    assert kinds(document.doubts) == ["window-not-full"]


def test_a_steady_state_of_latency_has_its_samples() -> None:
    """As fio prints them since 3.41, where the rule is of latency."""

    def change(job: Json) -> None:
        steady(job)
        job["steadystate"] |= {"ss": "lat:5.000000%", "attained": 1}
        job["steadystate"]["data"] |= {
            "lat_mean": 81_500,
            "lat_ns": [80_000, 81_000, 82_000, 83_000],
            "iops": [1001, 1000, 1002, 1003],
            "bw": [4100581, 4096000, 4104192, 4108288],
        }

    document = changed_document("one_io.json", change)
    state = document.jobs[0].steady_state
    assert state is not None
    assert state.criterion == "lat:5.000000%"
    assert (*state.lat_ns, state.lat_mean_ns) == (
        80_000,
        81_000,
        82_000,
        83_000,
        81_500,
    )
    assert not document.doubts
    rows = tabulate([[document]]).steadystate
    assert rows["lat_ns"].tolist() == [80_000, 81_000, 82_000, 83_000]
    assert set(rows["lat_mean_ns"]) == {81_500}


def test_a_steady_state_without_samples_is_the_rule_alone() -> None:
    def change(job: Json) -> None:
        steady(job)
        del job["steadystate"]["data"]

    state = changed_document("one_io.json", change).jobs[0].steady_state
    assert state is not None
    assert (state.iops, state.iops_mean) == ((), None)
    assert (state.criterion, state.found) == ("iops:0.000100%", "0.000000%")


def test_io_that_took_no_time_has_no_rate_and_a_doubt() -> None:
    def change(job: Json) -> None:
        job["read"] |= {"runtime": 0, "iops": 0.0, "bw_bytes": 0}

    document = changed_document("one_io.json", change)
    read = document.jobs[0].sides["read"]
    assert math.isnan(read.iops)
    assert math.isnan(read.bw_bytes_per_s)
    assert "runtime-0" in kinds(find_doubts(document))


def test_a_side_that_is_not_all_zeros_is_not_idle() -> None:
    def change(job: Json) -> None:
        job["trim"]["short_ios"] = 3

    trim = changed_document("randrw.json", change).jobs[0].sides["trim"]
    assert trim.short_ios == 3


def test_every_side_of_unified_both_is_told_a_part_or_a_sum() -> None:
    job = parse_document(captured("unified_both.json").read_bytes()).jobs[0]
    assert {name: job.is_sum(side) for name, side in job.sides.items()} == {
        "read": False,
        "write": False,
        "trim": False,
        "mixed": True,
    }
    (mixed,) = parse_document(captured("unified_mixed.json").read_bytes()).jobs
    assert not mixed.is_sum(mixed.sides["mixed"])


def test_disks_of_one_name_are_told_apart_by_their_hosts() -> None:
    content = json.loads(form_path("3.16-md").read_bytes())
    disk = content["disk_util"][-1]
    content["disk_util"] = [disk | {"hostname": name} for name in ("alpha", "beta")]
    document = parse_document(json.dumps(content))
    assert [(one.hostname, one.name) for one in document.disks] == [
        ("alpha", disk["name"]),
        ("beta", disk["name"]),
    ]
    assert not document.doubts
