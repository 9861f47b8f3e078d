import json
from typing import Any

import pytest

from ssdlab.fio.bins import bin_value
from ssdlab.fio.document import Doubt
from ssdlab.fio.doubts import find_doubts
from ssdlab.fio.from_json.parse import parse_document
from tests.fio.samples import captured, changed_document, document_of, form_of

Json = dict[str, Any]


def kinds(doubts: tuple[Doubt, ...]) -> list[str]:
    return [doubt.kind for doubt in doubts]


def test_a_plain_measurement_has_no_doubt() -> None:
    assert find_doubts(document_of("randrw.json")) == ()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("err_open.json", ["text-before", "no-io"]),
        ("signal.json", ["text-before"]),
        ("unified_mixed.json", ["mixed"]),
        ("unified_both.json", ["mixed"]),
        ("errors-passed-over.json", ["job-error", "job-error"]),
    ],
)
def test_each_oddity_of_a_run_is_a_doubt(name: str, expected: list[str]) -> None:
    assert kinds(find_doubts(document_of(name))) == expected


def test_old_versions_are_doubts() -> None:
    assert kinds(find_doubts(form_of("2.1.4"))) == ["microseconds", "no-io-count"]


def changed_read(**values: object) -> tuple[Doubt, ...]:
    def change(job: Json) -> None:
        job["read"].update(values)

    return find_doubts(changed_document("randrw.json", change))


def test_short_and_dropped_ios_are_doubts() -> None:
    doubts = changed_read(short_ios=3, drop_ios=2)
    assert kinds(doubts) == ["short-ios", "dropped-ios"]
    assert doubts[0].meaning == "3 IOs transferred fewer bytes than requested"


def test_a_latency_that_was_not_measured_is_a_doubt_where_there_was_io() -> None:
    nothing = {"min": 0, "max": 0, "mean": 0.0, "stddev": 0.0, "N": 0}
    doubts = changed_read(lat_ns=nothing, clat_ns=nothing, slat_ns=nothing)
    assert [(doubt.kind, doubt.place) for doubt in doubts] == [
        ("no-latency", "jobs[0].read.lat")
    ]


def changed_bins(bins: dict[str, int], count: int) -> tuple[Doubt, ...]:
    def change(job: Json) -> None:
        job["read"]["lat_ns"] |= {"bins": bins, "N": count}

    return find_doubts(changed_document("randrw.json", change))


def test_bins_that_hold_another_number_of_ios_are_a_doubt() -> None:
    (doubt,) = changed_bins({"1004": 7}, 8)
    assert (doubt.kind, doubt.place) == ("bins-differ", "jobs[0].read.lat.bins")
    assert doubt.meaning == "the bins hold 7 IOs of 8"


def test_names_that_are_not_fios_are_a_doubt() -> None:
    assert kinds(changed_bins({"1000": 7, "1004": 1}, 8)) == ["foreign-bins"]


def test_ios_in_the_last_bin_are_a_doubt() -> None:
    last = int(bin_value(1855))
    (doubt,) = changed_bins({"1004": 7, str(last): 2}, 9)
    assert doubt.kind == "censored"
    assert doubt.meaning.startswith("2 IOs are in fio's last bin")
    assert changed_bins({"1004": 7, str(int(bin_value(1854))): 2}, 9) == ()


def test_a_version_of_unknown_form_is_a_doubt() -> None:
    text = captured("randrw.json").read_text().replace('"fio-3.33"', '"fio-next"')
    (doubt,) = find_doubts(parse_document(text))
    assert doubt.meaning == "'fio-next' is treated as a version since 2.99"


def test_a_long_text_around_is_told_in_part() -> None:
    text = "x" * 2000 + captured("randrw.json").read_text()
    (doubt,) = find_doubts(parse_document(text))
    assert doubt.meaning == "x" * 500 + "... (1500 more characters)"


def test_entries_of_clients_are_named_as_fio_names_them() -> None:
    content = json.loads(captured("err_open.json").read_text().partition("\n")[2])
    content["client_stats"] = [{**content.pop("jobs")[0], "hostname": "a"}]
    (doubt,) = find_doubts(parse_document(json.dumps(content)))
    assert (doubt.kind, doubt.place) == ("no-io", "client_stats[0]")


@pytest.mark.parametrize(
    ("values", "place"),
    [
        ({"iops": 260100.0}, "jobs[0].read.iops"),
        ({"bw_bytes": 10653696 // 1024}, "jobs[0].read.bw"),
        ({"io_bytes": 10653696 * 1024}, "jobs[0].read.bw"),
    ],
    ids=["iops", "rate in KiB", "bytes"],
)
def test_a_rate_that_is_not_that_of_its_amount_is_a_grave_doubt(
    values: dict[str, object], place: str
) -> None:
    (doubt,) = changed_read(**values)
    assert (doubt.kind, doubt.place, doubt.is_grave) == ("rate-differs", place, True)


def test_a_document_without_a_job_is_a_doubt() -> None:
    document = parse_document(b'{"fio version" : "fio-3.33", "jobs" : []}')
    assert kinds(find_doubts(document)) == ["no-jobs"]
