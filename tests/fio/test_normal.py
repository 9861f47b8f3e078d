"""fio's normal text: a real log of 2.2.10, forms of old versions, and damage."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdlab.fio.document import FioDocument, RateSummary
from ssdlab.fio.from_text.normal import parse_normal
from ssdlab.fio.runs import place_in_runs
from tests.paths import FIO_SAMPLES, ROOT, require_folder

DATA = ROOT / "tests" / "data"
MIB = 1024**2


def parse(text: str) -> tuple[FioDocument, ...]:
    return parse_normal(text, source="text")


def only(text: str) -> FioDocument:
    (document,) = parse(text)
    return document


def data(name: str) -> str:
    return (DATA / name).read_text("utf-8")


def grave(document: FioDocument) -> list[str]:
    return [doubt.kind for doubt in document.doubts if doubt.is_grave]


def test_log_of_fio_2_2_10_holds_five_runs() -> None:
    folder = require_folder(FIO_SAMPLES / "text")
    text = (folder / "vps_fio-2.2.10_randwrite.log").read_text("utf-8")
    documents = parse(text)
    assert [document.fio_version for document in documents] == ["fio-2.2.10"] * 5
    assert all(document.is_whole for document in documents)
    assert [grave(document) for document in documents] == [[]] * 5
    sides = [document.jobs[0].sides["write"] for document in documents]
    assert [list(document.jobs[0].sides) for document in documents] == [["write"]] * 5
    assert {side.io_bytes for side in sides} == {4096 * MIB}
    assert {side.total_ios for side in sides} == {1048576}
    runtimes = [77721, 146268, 125736, 126614, 152746]
    assert [side.runtime_ms for side in sides] == runtimes
    assert [side.iops for side in sides] == [1048576e3 / ms for ms in runtimes]
    assert [side.bw_bytes_per_s // 1024 for side in sides] == [
        *(53966, 28675, 33358, 33126, 27459)
    ]
    assert [disk.write_ios for doc in documents for disk in doc.disks] == [
        *(1049139, 1048697, 1047431, 1048256, 1048353)
    ]


def test_latencies_of_fio_2_2_10_are_in_their_own_unit() -> None:
    folder = require_folder(FIO_SAMPLES / "text")
    text = (folder / "vps_fio-2.2.10_randwrite.log").read_text("utf-8")
    first, second = (doc.jobs[0].sides["write"] for doc in parse(text)[:2])
    slat, clat = first.latencies["slat"], first.latencies["clat"]
    assert (slat.summary.min_ns, slat.summary.max_ns) == (3_000, 61_963_000)
    assert (clat.summary.mean_ns, clat.summary.stddev_ns) == (9359340, 11559650)
    assert clat.summary.count == 1048576
    assert (len(clat.percentiles), slat.percentiles) == (17, {})
    assert clat.percentiles[99.99] == 856_064_000
    assert second.latencies["clat"].percentiles[50.0] == 15_000_000
    sampled = first.sampled_bw
    assert sampled is not None
    assert (sampled.minimum, sampled.maximum) == (4 * 1024, 10860 * 1024)
    assert sampled.mean == pytest.approx(6838.29 * 1024)
    assert sampled.stddev == pytest.approx(1694.44 * 1024)
    assert first.sampled_iops is None


def test_fio_2_1_counts_a_kb_as_1024_bytes_and_names_no_dropped_ios() -> None:
    document = only(data("normal-2.1.txt"))
    assert document.is_whole
    assert document.fio_version == "fio-2.1.3"
    first, second = document.jobs
    read, write = first.sides.values()
    assert (first.name, first.group_id, first.error) == ("seq", 0, 0)
    assert (read.total_ios, read.short_ios, read.dropped_ios) == (8192, 1, None)
    assert read.io_bytes == 8192 * 128 * 1024
    assert read.iops == 819.2
    assert read.bw_bytes_per_s == 107374182
    assert write.io_bytes == 8004 * 128 * 1024
    assert read.sampled_bw == RateSummary(
        minimum=1000 * MIB, maximum=1050 * MIB, mean=1024.5 * MIB, stddev=8.25 * MIB
    )
    clat = read.latencies["clat"]
    assert (clat.summary.min_ns, clat.summary.mean_ns) == (1_000_000, 12_750_000)
    assert [*clat.percentiles] == [1, 5, 50, 99, 99.99]
    trim = second.sides["trim"]
    assert (second.error, second.total_errors) == (5, 1)
    assert (trim.io_bytes, trim.total_ios, trim.iops) == (10240, 20, 20)


def test_numbers_may_have_a_blank_behind_them_as_in_early_fio_2() -> None:
    text = data("normal-2.1.txt")
    spaced = re.sub(r"(\b(?:min|max|iops)=\s*\w+),", r"\1 ,", text)
    assert spaced.count(" ,") > 10
    assert numbers(only(spaced)) == numbers(only(text))
    assert grave(only(spaced)) == []
    read = only(spaced).jobs[0].sides["read"]
    assert read.latencies["clat"].summary.max_ns == 250_000_000
    assert read.sampled_bw is not None


def test_disks_of_an_array_come_with_the_sum_over_its_members() -> None:
    disks = only(data("normal-2.1.txt")).disks
    assert [(disk.name, disk.is_of_members) for disk in disks] == [
        *(("md0", False), ("md0", True), ("sda", False), ("sdb", False))
    ]
    assert (disks[1].read_ticks_ms, disks[1].in_queue_ms) == (50000, 110000)
    assert disks[1].util_percent == 98.25


def test_text_around_is_kept_and_progress_is_not() -> None:
    document = only(data("normal-2.1.txt"))
    assert document.prefix == "$ fio mixed.fio"
    assert document.suffix == "$"


def test_fio_3_1_has_three_counts_and_no_count_of_fsyncs() -> None:
    document = only(data("normal-3.1.txt"))
    (job,) = document.jobs
    (side,) = job.sides.values()
    assert document.is_whole
    assert grave(document) == []
    assert (side.total_ios, side.short_ios, side.dropped_ios) == (123136, 0, 7)
    assert side.iops == 123136e3 / 10001
    assert job.sync is not None
    assert job.sync.total_ios is None
    assert job.sync.lat is not None
    assert job.sync.lat.summary.max_ns == 200_000_000
    assert job.sync.lat.percentiles == {1.0: 5_000_000, 99.0: 75_000_000}
    assert [disk.write_ios for disk in document.disks] == [122000]


def test_bytes_are_as_printed_and_doubted_where_the_block_size_is_a_range() -> None:
    document = only(data("normal-3.1.txt"))
    side = document.jobs[0].sides["write"]
    assert side.io_bytes == 481 * MIB
    assert side.bw_bytes_per_s == pytest.approx(48.1 * MIB)
    (doubt,) = [d for d in document.doubts if d.place.endswith(".io_bytes")]
    assert (doubt.kind, doubt.is_grave) == ("rounded", False)
    assert str(MIB) in doubt.meaning


def test_bytes_printed_while_a_run_goes_on_are_no_more_than_was_issued() -> None:
    text = data("normal-3.1.txt").replace("4096B-16.0KiB", "4096B-4096B")
    text = text.replace("total=0,123136,0", "total=0,123056,0")
    results = text[text.index("one: (groupid") :]
    interim, last = parse(text + results)
    sides = [document.jobs[0].sides["write"] for document in (interim, last)]
    assert [side.io_bytes for side in sides] == [123056 * 4096] * 2 < [481 * MIB]
    kinds = [(d.kind, d.place) for d in interim.doubts]
    assert ("rounded", "jobs[0].write.io_bytes") in kinds
    assert sides[0].latencies["clat"].summary.count is None
    (_, result) = place_in_runs((interim, last))
    assert (result.run, result.is_result) == (0, True)


def test_latencies_carry_their_own_units_and_prefixes() -> None:
    side = only(data("normal-3.1.txt")).jobs[0].sides["write"]
    clat, lat = side.latencies["clat"], side.latencies["lat"]
    assert (clat.summary.min_ns, clat.summary.max_ns) == (701, 1_234_600)
    assert (lat.summary.min_ns, lat.summary.mean_ns) == (1e9, 1.5e9)
    assert clat.percentiles[99.99] == 1236992
    assert lat.percentiles[50.0] == 1502e6


@pytest.mark.parametrize("name", ["normal-2.1.txt", "normal-3.1.txt"])
def test_line_ends_and_indentation_do_not_matter(name: str) -> None:
    text = data(name)
    pasted = "\n".join("    " + line for line in text.split("\n"))
    for other in (text.replace("\n", "\r\n"), pasted):
        document = only(other)
        assert document.is_whole
        assert numbers(document) == numbers(only(text))


def numbers(document: FioDocument) -> list[object]:
    return [
        (job.name, side.direction, side.io_bytes, side.total_ios, side.iops)
        for job in document.jobs
        for side in job.sides.values()
    ]


@pytest.mark.parametrize("name", ["normal-2.1.txt", "normal-3.1.txt"])
def test_colours_of_a_terminal_do_not_matter(name: str) -> None:
    text = data(name)
    found = re.sub(
        "min|io", lambda word: f"\x1b[01;31m\x1b[K{word[0]}\x1b[m\x1b[K", text
    )
    lines = "".join(f"\x1b[37m{line}\x1b[0m\r\n" for line in text.split("\n"))
    titled = f"\x1b]0;~: fio\x07\x1b[?2004l\r{text}"
    for other in (found, lines, titled):
        document = only(other)
        assert document.jobs[0].sides["write"].latencies.keys() >= {"clat", "lat"}
        assert grave(document) == grave(only(text))
        assert document.is_whole
        assert numbers(document) == numbers(only(text))


def test_two_runs_in_one_text_are_two_documents() -> None:
    documents = parse(data("normal-2.1.txt") + data("normal-3.1.txt"))
    assert [document.fio_version for document in documents] == ["fio-2.1.3", "fio-3.1"]
    assert all(document.is_whole for document in documents)


def test_a_run_cut_short_before_another_is_told_from_it() -> None:
    old, new = data("normal-2.1.txt"), data("normal-3.1.txt")
    first, second = parse(old[: old.index("rnd: (groupid")] + new)
    assert (first.is_whole, len(first.jobs)) == (False, 1)
    assert grave(first) == ["truncated"]
    assert (second.is_whole, second.fio_version) == (True, "fio-3.1")


def test_a_run_without_results_is_a_document_without_jobs() -> None:
    text = data("normal-3.1.txt")
    document = only(text[: text.index("one: (groupid")])
    assert (document.jobs, document.is_whole) == ((), False)
    assert grave(document) == ["truncated"]


def test_a_run_of_which_no_job_did_io_is_a_grave_doubt() -> None:
    text = (
        "fio-3.33\nStarting 1 process\nfio: error\n\nRun status group 0 (all jobs):\n"
    )
    document = only(text)
    assert (document.jobs, document.prefix) == ((), "fio: error")
    assert grave(document) == ["no-io"]


def test_an_entry_without_its_beginning_is_left_out() -> None:
    text = data("normal-3.1.txt")
    document = only(text[text.index("  write: IOPS") :])
    assert (document.jobs, document.is_whole) == ((), False)
    assert "truncated" in grave(document)


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("io=481MiB (504MB)", "io=381MiB (404MB)", "group-differs"),
        ("run=10001-10001", "run=10001-20001", "group-differs"),
        ("IOPS=12.3k", "IOPS=13.3k", "rates-differ"),
        ("BW=48.1MiB/s", "BW=58.1MiB/s", "rates-differ"),
        ("IOPS=12.3k", "IOPS=1x.3k", "unreadable-line"),
        ("clat (nsec): min=701", "clat (nsec): mln=701", "unreadable-line"),
        ("cpu  ", "cqu  ", "missing"),
        ("  write: IOPS", "  wrlte: IOPS", "missing"),
    ],
)
def test_what_does_not_fit_is_a_grave_doubt(old: str, new: str, kind: str) -> None:
    text = data("normal-3.1.txt")
    assert old in text
    assert kind in grave(only(text.replace(old, new)))


def test_a_level_above_100_percent_is_no_percentile() -> None:
    text = data("normal-3.1.txt")
    changed = text.replace("99.99th=[1236992]", "600th=[3]")
    assert changed != text
    document = only(changed)
    clat = document.jobs[0].sides["write"].latencies["clat"]
    assert dict(clat.percentiles) == {}
    (doubt,) = [doubt for doubt in document.doubts if doubt.is_grave]
    assert (doubt.kind, doubt.place) == ("unreadable-line", "jobs[0].line 10")
    assert "600th=[3]" in doubt.meaning


def test_a_client_prints_all_servers_into_one_document() -> None:
    entries = data("normal-3.1.txt")
    entries = entries[entries.index("one: (groupid") :]
    first, _, _ = entries.partition("\nDisk stats")
    last = first[: first.index("\nRun status")].replace("one: ", "All clients: ")
    last = re.sub(r"pid=\d+", "pid=0", last)
    text = (
        "hostname=vm, be=0, 64-bit, os=Linux, arch=x86-64, fio=fio-3.33, flags=1\n"
        f"<vm> Starting 1 process\n<vm> \n{entries}\n<vm> \n{first}\n{last}"
    )
    document = only(text)
    assert document.is_whole
    assert document.fio_version == "fio-3.33"
    assert [(job.name, job.hostname, job.is_aggregate) for job in document.jobs] == [
        *(("one", "vm", False), ("one", "vm", False), ("All clients", "", True))
    ]


@pytest.mark.parametrize("text", ["", "fio-3.33\n", "| a | b |\nread: no\nbw (x\n"])
def test_what_is_not_normal_output_is_no_document(text: str) -> None:
    assert parse(text) == ()


@pytest.mark.parametrize("name", ["normal-2.1.txt", "normal-3.1.txt"])
def test_every_cut_keeps_whole_entries_only(name: str) -> None:
    text = data(name)
    whole = numbers(only(text))
    disks_begin = text.index("\nDisk stats")
    for length in range(len(text)):
        for document in parse(text[:length]):
            found = numbers(document)
            assert found == whole[: len(found)]
            if document.is_whole:
                assert length >= disks_begin - 1
                assert found == whole
            else:
                assert "truncated" in grave(document)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_any_change_of_a_byte_raises_nothing(drawn: st.DataObject) -> None:
    text = data(drawn.draw(st.sampled_from(["normal-2.1.txt", "normal-3.1.txt"])))
    at = drawn.draw(st.integers(0, len(text) - 1))
    change = drawn.draw(st.text(max_size=3))
    parse(text[:at] + change + text[at + 1 :])


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_any_order_of_lines_raises_nothing(drawn: st.DataObject) -> None:
    lines = (data("normal-2.1.txt") + data("normal-3.1.txt")).split("\n")
    picked = drawn.draw(st.lists(st.sampled_from(lines), max_size=30))
    parse("\n".join(picked))


def test_time_is_linear_in_the_text() -> None:
    text = data("normal-3.1.txt")
    entry, results = text[text.index("one: (group") :].split("\nRun status", 1)
    latency = next(line for line in entry.splitlines() if "clat (" in line)
    started = time.process_time()
    assert len(parse(text * 1000)) == 1000
    (document,) = parse(entry * 1000 + f"\nRun status{results}" * 1000)
    assert "group-differs" in grave(document)
    parse(entry.replace(latency, f"{latency}\n" * 40_000))
    assert time.process_time() - started < 30
