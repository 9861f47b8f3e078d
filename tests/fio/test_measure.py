import gzip
import json
import math
from typing import Any

import pytest

from ssdlab.fio.bins import bin_value
from ssdlab.fio.document import Direction
from ssdlab.fio.from_json.parse import document_from_json, parse_document
from ssdlab.fio.from_json.scan import iterate_json
from ssdlab.fio.measure import DEFAULT_LEVELS, StepMeasurement, measure
from ssdlab.model import schema
from ssdlab.model.errors import FioOutputError
from tests.fio.samples import (
    captured,
    changed,
    changed_document,
    document_of,
    form_of,
)

OF_RUN_AND_STEP = {"run_id", "step_id", "test", "phase", "kind", "round", "cell"} | {
    *("access", "block_size_bytes", "read_percent", "threads", "queue_depth")
}


def rows_of(measurement: StepMeasurement) -> dict[str, dict[str, Any]]:
    return {row["direction"]: row for row in measurement.measurements}


def bins_of(measurement: StepMeasurement, direction: str) -> dict[int, int]:
    columns = measurement.bins
    return {
        lat_ns: count
        for name, lat_ns, count in zip(
            columns["direction"], columns["lat_ns"], columns["count"], strict=True
        )
        if name == direction
    }


@pytest.mark.parametrize("name", ["randrw.json", "err_open.json"])
def test_columns_are_those_of_the_tables(name: str) -> None:
    measurement = measure(document_of(name))
    for row in measurement.measurements:
        expected = [
            c for c in schema.MEASUREMENTS.column_names if c not in OF_RUN_AND_STEP
        ]
        assert list(row) == expected
    for table, columns in (
        (schema.PERCENTILES, measurement.percentiles),
        (schema.BINS, measurement.bins),
    ):
        assert ["run_id", "step_id", *columns] == list(table.column_names)


def test_a_mixed_step_has_its_directions_and_their_total() -> None:
    rows = rows_of(measure(document_of("randrw.json")))
    assert list(rows) == ["read", "write", "total"]
    read, write, total = rows.values()
    for column in ("total_ios", "io_bytes", "iops", "bw_bytes_per_s"):
        assert total[column] == read[column] + write[column]
    assert total["runtime_s"] == 1.001
    weighted = 2601 * read["lat_mean_ns"] + 1401 * write["lat_mean_ns"]
    assert total["lat_mean_ns"] == pytest.approx(weighted / 4002)
    assert total["lat_max_ns"] == max(read["lat_max_ns"], write["lat_max_ns"])
    assert total["lat_min_ns"] == min(read["lat_min_ns"], write["lat_min_ns"])


def test_a_total_is_what_fio_says_when_it_merges_itself() -> None:
    """unified_rw_reporting=both gives fio's own sum of the same IOs."""
    document = document_of("unified_both.json")
    fio = document.jobs[0].sides["mixed"]
    total = rows_of(measure(document))["total"]
    assert total["total_ios"] == fio.total_ios
    assert total["iops"] == pytest.approx(fio.iops)
    assert fio.latencies.keys() == {"clat", "lat"}
    for kind, latency in fio.latencies.items():
        summary = latency.summary
        assert total[f"{kind}_min_ns"] == summary.min_ns
        assert total[f"{kind}_mean_ns"] == pytest.approx(summary.mean_ns, abs=1e-6)
        assert total[f"{kind}_stddev_ns"] == pytest.approx(summary.stddev_ns, abs=1e-5)
        assert total[f"{kind}_max_ns"] == summary.max_ns


def test_what_fio_merged_itself_is_the_total_alone() -> None:
    rows = rows_of(measure(document_of("unified_mixed.json")))
    assert list(rows) == ["total"]


def test_a_trim_has_a_row() -> None:
    rows = rows_of(measure(document_of("trimwrite.json")))
    assert list(rows) == ["write", "trim", "total"]
    assert rows["total"]["total_ios"] == 2 * 3010707


def test_merged_bins_are_the_sum_of_those_of_the_directions() -> None:
    measurement = measure(document_of("randrw.json"))
    read, write = bins_of(measurement, "read"), bins_of(measurement, "write")
    total = bins_of(measurement, "total")
    assert total == {
        lat_ns: read.get(lat_ns, 0) + write.get(lat_ns, 0)
        for lat_ns in sorted(read | write)
    }
    assert sum(total.values()) == 4002


def test_percentiles_of_a_direction_are_those_that_fio_printed() -> None:
    document = document_of("randrw.json")
    measurement = measure(document)
    columns = measurement.percentiles
    assert measurement.bins_of == "lat"
    directions: tuple[Direction, ...] = ("read", "write")
    for direction in directions:
        is_of = columns["direction"] == direction
        assert columns["percentile"][is_of].tolist() == list(DEFAULT_LEVELS)
        latency = document.jobs[0].sides[direction].latencies["lat"]
        assert latency.summary is not None
        most = latency.summary.max_ns
        printed = [min(value, most) for value in latency.percentiles.values()]
        assert columns["lat_ns"][is_of].tolist() == printed
    inside = columns["lat_lower_ns"] <= columns["lat_ns"]
    assert (inside & (columns["lat_ns"] < columns["lat_upper_ns"])).all()


def test_a_level_with_too_few_ios_is_not_supported() -> None:
    columns = measure(document_of("randrw.json"), levels=[99.9, 99.99]).percentiles
    total = columns["direction"] == "total"
    assert columns["is_supported"][total].tolist() == [True, False]  # 4,002 IOs
    assert not columns["is_censored"].any()


def test_a_percentile_in_the_last_bin_is_censored() -> None:
    last = str(int(bin_value(1855)))

    def hang(job: dict[str, Any]) -> None:
        job["read"]["lat_ns"]["bins"] = {"1000": 1, last: 1}

    columns = measure(
        changed_document("randrw.json", hang), levels=[50, 100]
    ).percentiles
    read = columns["direction"] == "read"
    assert columns["is_censored"][read].tolist() == [False, True]


def test_clat_bins_serve_where_lat_has_none_on_one_side() -> None:
    def drop(job: dict[str, Any]) -> None:
        del job["write"]["lat_ns"]["bins"]

    document = changed_document("randrw.json", drop)
    measurement = measure(document)
    assert measurement.bins_of == "clat"
    clat_bins = document.jobs[0].sides["read"].latencies["clat"].bins
    assert clat_bins is not None
    assert list(bins_of(measurement, "read")) == clat_bins.lat_ns.tolist()


def test_output_without_bins_has_no_percentiles() -> None:
    measurement = measure(document_of("unified_both.json"))
    assert measurement.bins_of is None
    assert measurement.percentiles["lat_ns"].size == measurement.bins["count"].size == 0


def test_a_latency_that_was_not_measured_is_missing() -> None:
    total = rows_of(measure(document_of("one_io.json")))["total"]
    assert math.isnan(total["slat_mean_ns"])
    assert total["lat_mean_ns"] == 66470


def test_a_step_without_io_has_no_row() -> None:
    assert measure(document_of("err_open.json")).measurements == ()


def test_entries_that_ran_together_are_added() -> None:
    content = json.loads(captured("randrw.json").read_bytes())
    content["jobs"] *= 2
    once = rows_of(measure(document_of("randrw.json")))["total"]
    twice = rows_of(measure(parse_document(json.dumps(content))))["total"]
    for column in ("total_ios", "io_bytes"):
        assert twice[column] == 2 * once[column]
    assert twice["iops"] == pytest.approx(2 * once["iops"])
    for column in ("runtime_s", "lat_max_ns", "usr_cpu_percent"):
        assert twice[column] == once[column]
    assert twice["lat_mean_ns"] == pytest.approx(once["lat_mean_ns"])


def test_entries_of_several_groups_are_refused() -> None:
    content = json.loads(captured("randrw.json").read_bytes())
    content["jobs"] = [content["jobs"][0], {**content["jobs"][0], "groupid": 1}]
    with pytest.raises(FioOutputError, match="2 groups"):
        measure(parse_document(json.dumps(content)))


def test_the_result_of_a_status_interval_is_its_last_document() -> None:
    data = gzip.decompress(captured("status-interval.json.gz").read_bytes())
    total = rows_of(measure(parse_document(data)))["total"]
    assert total["total_ios"] == 6651469


def all_clients(content: dict[str, Any]) -> bytes:
    """Return a client/server output: two clients and the sum of them."""
    first = {**content.pop("jobs")[0], "hostname": "a"}
    clients = [first, {**first, "hostname": "b"}, {**first, "jobname": "All clients"}]
    return json.dumps({**content, "client_stats": clients}).encode()


def test_the_sum_of_all_clients_is_not_added() -> None:
    content = json.loads(captured("randrw.json").read_bytes())
    total = rows_of(measure(parse_document(all_clients(content))))["total"]
    once = rows_of(measure(document_of("randrw.json")))["total"]
    assert total["total_ios"] == 2 * once["total_ios"]
    assert total["iops"] == pytest.approx(2 * once["iops"])


def in_no_time(job: dict[str, Any]) -> None:
    job["read"] |= {"runtime": 0, "iops": 0.0, "bw_bytes": 0, "bw": 0}


def test_io_that_took_no_time_has_no_rate() -> None:
    row = rows_of(measure(changed_document("one_io.json", in_no_time)))["total"]
    assert row["total_ios"] == 1
    assert math.isnan(row["iops"])
    assert math.isnan(row["bw_bytes_per_s"])


def test_io_that_took_no_time_adds_no_rate_to_what_took_some() -> None:
    content = json.loads(captured("randrw.json").read_bytes())
    content["jobs"] += json.loads(captured("one_io.json").read_bytes())["jobs"]
    in_no_time(content["jobs"][1])
    total = rows_of(measure(parse_document(json.dumps(content))))["total"]
    once = rows_of(measure(document_of("randrw.json")))["total"]
    assert total["iops"] == once["iops"]
    assert total["total_ios"] == once["total_ios"] + 1


def test_edges_of_bins_in_microseconds_are_whole_microseconds() -> None:
    measurement = measure(form_of("2.16-jsonplus"), levels=[50, 100])
    assert measurement.bins_of == "clat"
    read = measurement.bins["direction"] == "read"
    columns = ("lat_ns", "lat_lower_ns", "lat_upper_ns", "count")
    rows = zip(*(measurement.bins[c][read].tolist() for c in columns), strict=True)
    assert list(rows) == [
        (93_000, 93_000, 94_000, 600),
        (141_000, 140_000, 142_000, 390),
        (16_711_680_000, 16_646_144_000, 16_777_216_000, 10),
    ]
    assert measurement.percentiles["is_censored"][:2].tolist() == [False, True]


@pytest.mark.parametrize("key", ["io_bytes", "runtime"])
def test_a_side_without_its_amount_is_refused(key: str) -> None:
    def drop(job: dict[str, Any]) -> None:
        del job["read"][key]

    (found,) = iterate_json(changed("randrw.json", drop))
    document = document_from_json(found, source="cell.json")
    with pytest.raises(FioOutputError, match=r"cell\.json: the read side .* has no "):
        measure(document)
