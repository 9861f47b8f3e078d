"""Histogram logs: what is read, what is left out, and what is added up."""

import csv
import gzip
import json
from collections import Counter
from io import BytesIO
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdlab.fio.bins import bin_edges, bin_value
from ssdlab.fio.histlogs.layout import LAYOUTS
from ssdlab.fio.histlogs.read import FioHistogramLog, read_fio_histogram_log
from ssdlab.model.errors import FioOutputError
from tests.fio.histlog_texts import COLUMNS, damaged_text, record
from tests.paths import FIO_SAMPLES, require_folder

LOG = record(1001, {3: 5, 7: 2}) + record(1001, {2: 4}, direction=1)


def counts_of(log: FioHistogramLog) -> dict[tuple[str, int], int]:
    """Return the merged counts by direction and column."""
    merged = log.merged()
    lower = log.layout.edges(np.arange(log.layout.column_count))[0]
    columns = np.searchsorted(lower, merged["lat_lower_ns"])
    keys = zip(merged["direction"], columns.tolist(), strict=True)
    return dict(zip(keys, merged["count"], strict=True))


def kinds_of(log: FioHistogramLog) -> list[str]:
    return [doubt.kind for doubt in log.issues if doubt.is_grave]


@pytest.mark.parametrize("columns", sorted(LAYOUTS))
def test_columns_are_fio_bins_side_by_side(columns: int) -> None:
    layout = LAYOUTS[columns]
    assert columns * 2**layout.coarseness == layout.bin_count
    every = np.arange(columns)
    lower, upper = layout.edges(every)
    assert lower[0] == 0
    assert (lower[1:] == upper[:-1]).all()
    first = bin_value(every << layout.coarseness, layout.unit_ns)
    assert (bin_edges(first, layout.unit_ns)[0] == lower).all()
    values = layout.values(every)
    assert ((values >= lower) & (values < upper)).all()
    if layout.coarseness == 0:
        assert (values == first).all()
    assert np.flatnonzero(layout.is_last(every)).tolist() == [columns - 1]


def test_layouts_are_those_of_every_fio() -> None:
    found = {(one.bin_count, one.unit_ns, one.coarseness) for one in LAYOUTS.values()}
    assert found == {
        (bins, unit, coarseness)
        for bins, unit in ((1856, 1), (1216, 1000))
        for coarseness in range(7)
    }
    assert LAYOUTS[152].words == (
        "152 columns: the 1216 bins in us of fio before 2.99, coarseness 3"
    )


def test_merged_bins_of_a_2_17_run_are_those_published() -> None:
    folder = require_folder(FIO_SAMPLES / "hist2")
    log = read_fio_histogram_log(sorted(folder.glob("*_clat_hist.*.log")))
    assert (log.layout.bin_count, log.layout.coarseness) == (1216, 0)
    assert not kinds_of(log)
    assert "microseconds" in [doubt.kind for doubt in log.issues]
    # Their names of bins are those of fiologparser_hist.py: of half a bin more.
    names_us = [float(line) for line in (folder / "bin_vals").read_text().split()]
    published = json.loads((folder / "expected_read.json").read_text())
    found: Counter[str] = Counter()
    for (direction, column), count in counts_of(log).items():
        assert direction == "read"
        found[f"{names_us[column] / 1000:.6f}"] += count
    assert found == {f"{float(ms):.6f}": count for ms, count in published.items()}


def test_frame_of_a_coarse_log_is_what_another_reader_finds() -> None:
    folder = require_folder(FIO_SAMPLES / "local_fio333")
    path = folder / "hist_c3_clat_hist.1.log"
    log = read_fio_histogram_log(path)
    assert log.layout.words.startswith("232 columns: the 1856 bins in ns")
    rows = list(csv.reader(path.read_text().splitlines(), skipinitialspace=True))
    expected = [
        (number, int(row[0]), ("read", "write")[int(row[1])], int(row[2]), int(cell))
        for number, row in enumerate(rows, start=1)
        for cell in row[3:]
        if cell != "0"
    ]
    names = ["record", "time_ms", "direction", "block_size_bytes", "count"]
    assert list(log.frame[names].itertuples(index=False, name=None)) == expected
    assert set(log.frame["file"]) == {str(path)}


def test_frame_names_each_bin_by_its_edges() -> None:
    row = read_fio_histogram_log(LOG).frame.iloc[0]
    assert (row["lat_lower_ns"], row["lat_ns"], row["lat_upper_ns"]) == (256, 384, 512)
    assert row["count"] == 5
    assert not row["is_censored"]


def test_last_bin_is_censored() -> None:
    log = read_fio_histogram_log(record(1001, {COLUMNS - 1: 1}))
    assert log.merged()["is_censored"].tolist() == [True]
    assert log.percentiles([50])["is_censored"].all()


@pytest.mark.parametrize(
    "pack",
    [
        bytes,
        BytesIO,
        gzip.compress,
        lambda data: pa.Codec("zstd").compress(data, asbytes=True),
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: data.removesuffix(b"\n"),
    ],
    ids=["bytes", "file", "gzip", "zstd", "crlf", "no-final-newline"],
)
def test_log_is_read_from_any_form(pack: type[bytes], tmp_path: Path) -> None:
    expected = {("read", 3): 5, ("read", 7): 2, ("write", 2): 4}
    assert counts_of(read_fio_histogram_log(pack(LOG))) == expected
    packed = pack(LOG)
    if isinstance(packed, bytes):
        path = tmp_path / "log"
        path.write_bytes(packed)
        assert counts_of(read_fio_histogram_log(path)) == expected


def test_archive_cut_short_gives_its_whole_lines() -> None:
    lines = b"".join(record(1000 * n, {n % 29: n, 5: 7 * n}) for n in range(1, 3000))
    log = read_fio_histogram_log(gzip.compress(lines)[:-2000])
    assert "truncated-archive" in kinds_of(log)
    assert 0 < log.records.lines.size < 2999
    assert log.records.lines.tolist() == list(range(1, log.records.lines.size + 1))


def test_logs_of_several_threads_are_pooled(tmp_path: Path) -> None:
    paths = [tmp_path / "a_clat_hist.1.log", tmp_path / "a_clat_hist.2.log"]
    for path in paths:
        path.write_bytes(LOG)
    log = read_fio_histogram_log(paths)
    expected = {("read", 3): 10, ("read", 7): 4, ("write", 2): 8}
    assert counts_of(log) == expected
    assert log.files == tuple(map(str, paths))
    assert log.frame.groupby("file")["count"].sum().tolist() == [11, 11]


def test_logs_of_several_coarsenesses_are_read_as_the_coarsest() -> None:
    fine = record(1001, {0: 1, 63: 2, 64: 4, 1855: 8}, columns=1856)
    log = read_fio_histogram_log([fine, LOG])
    expected = {0: 3, 1: 4, 3: 5, 7: 2, 28: 8}
    reads = {c: n for (way, c), n in counts_of(log).items() if way == "read"}
    assert reads == expected
    assert "several-coarsenesses" in [doubt.kind for doubt in log.issues]
    assert not log.frame.duplicated(["file", "record", "lat_ns"]).any()


def test_logs_of_two_units_are_refused() -> None:
    with pytest.raises(FioOutputError, match=r"before 2\.99 and others are not"):
        read_fio_histogram_log([LOG, record(1001, {0: 1}, columns=19)])


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (b"fio: terminating on signal 2\n", "torn-line"),
        (record(2001, {1: 1})[:40] + b"\n", "torn-line"),
        (record(2001, {1: 1})[:40] + record(2001, {1: 1}), "torn-line"),
        (record(2001, {1: 1}, columns=58), "torn-line"),
        (record(2001, {1: 2**64 - 1000}), "garbage-record"),
        (record(2001, {1: 0x7F3A_9C00_1B20}), "garbage-record"),
        (record(2001, {1: 2**40}), "garbage-record"),
        (record(2001, dict.fromkeys(range(29), 10**7)), "garbage-record"),
        (record(2001, {1: 1}, direction=7), "garbage-record"),
        (record(2**60, {1: 1}), "garbage-record"),
        (record(2001, {1: 1}).replace(b"4096", b"9" * 18), "garbage-record"),
    ],
)
def test_line_that_cannot_be_true_is_left_out_and_named(line: bytes, kind: str) -> None:
    log = read_fio_histogram_log(LOG + line + record(3001, {4: 6}))
    assert counts_of(log) == counts_of(read_fio_histogram_log(LOG)) | {("read", 4): 6}
    assert log.frame["record"].unique().tolist() == [1, 2, 4]
    (doubt,) = [doubt for doubt in log.issues if doubt.is_grave]
    assert doubt.kind == kind
    assert doubt.place == "fio output, line 3"
    assert doubt.meaning.endswith("left out of all sums")


def test_counter_of_32_bits_that_went_back_is_garbage() -> None:
    lines = [record(t, {1: 9}, columns=1216) for t in (100_001, 200_001)]
    wrong = record(300_001, {1: 2**32 - 5}, columns=1216)
    log = read_fio_histogram_log(b"".join([*lines, wrong]))
    assert kinds_of(log) == ["garbage-record"]
    assert counts_of(log) == {("read", 1): 18}


def test_first_lines_of_many_are_named() -> None:
    log = read_fio_histogram_log(LOG + b"x\n" * 70 + LOG)
    (doubt,) = [doubt for doubt in log.issues if doubt.is_grave]
    assert doubt.place == "fio output, lines 3, 4, 5, 6, 7 and 65 more"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (LOG + record(2001, {28: 17})[:-1], 2),
        (LOG + record(2001, {27: 17})[:-1], 3),
        (LOG + record(2001, {27: 17})[:-2], 2),
    ],
    ids=["last count may go on", "last count is 0", "last count is missing"],
)
def test_last_line_counts_when_it_cannot_have_been_cut(text: bytes, kept: int) -> None:
    log = read_fio_histogram_log(text)
    assert log.records.lines.size == kept
    assert kinds_of(log) == ["torn-line"] * (3 - kept)


def test_busy_thread_is_no_garbage() -> None:
    records = [record(1001, {1: 9_000_000}), record(5001, {1: 40_000_000})]
    stalled = [record(5001, {1: 1}), record(5001, {2: 1})]  # fio catches up so
    log = read_fio_histogram_log(b"".join([*records, *stalled]))
    assert not kinds_of(log)
    assert log.merged()["count"].sum() == 49_000_002


def test_file_that_is_no_log_is_named_and_the_rest_is_read() -> None:
    log = read_fio_histogram_log([b'{"fio version": "3.33"}', LOG, b""])
    assert kinds_of(log) == ["no-log", "empty-log"]
    assert counts_of(log) == counts_of(read_fio_histogram_log(LOG))
    assert set(log.frame["file"]) == {"fio output 2"}


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (b"", "the log is empty"),
        (b"1001, 5, 0, 4096\n", "not a histogram log"),
        (record(1001, {1: 2**64 - 1}), "an impossible count"),
        (record(1001, {1: 1})[:-1], "the end is cut off"),
        (Path("no such log"), "cannot be read"),
        ([], "there is no file"),
    ],
)
def test_source_without_a_record_is_refused(
    given: bytes | Path | list[bytes], reason: str
) -> None:
    with pytest.raises(FioOutputError, match=reason):
        read_fio_histogram_log(given)


@given(st.binary(max_size=400) | st.integers(0, 1 << 32).map(damaged_text))
@settings(max_examples=200, deadline=None)
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        log = read_fio_histogram_log(data)
    except FioOutputError:
        return
    assert log.merged()["count"].sum() == log.frame["count"].sum()
    assert (log.frame["count"] > 0).all()
    totals = log.percentiles([50], interval_s=None).query("direction == 'total'")
    assert totals["total_ios"].sum() == log.frame["count"].sum()
