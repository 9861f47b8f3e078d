import gzip
import io
import os
from pathlib import Path

import numpy as np
import pytest

from ssdlab.fio.document import Doubt
from ssdlab.fio.logs.read import (
    FioLog,
    LogKind,
    parse_log,
    read_fio_log,
)
from ssdlab.model.errors import FioOutputError
from tests.fio.samples import captured, log_of
from tests.paths import FIO_SAMPLES, require_folder

PER_IO = b"0, 100, 0, 4096, 8192, 0\n999, 300, 1, 512, 0, 1\n1000, 50, 0, 4096, 0, 0\n"


def doubts_of(log: FioLog) -> dict[str, Doubt]:
    return {issue.kind: issue for issue in log.issues}


# ---- reading any log ----


def test_a_log_is_a_frame_with_units_when_read() -> None:
    frame = read_fio_log(PER_IO, kind="clat").frame
    assert frame.columns.tolist() == [
        "time_ms",
        "clat_ns",
        "direction",
        "block_size_bytes",
        "offset_bytes",
        "is_high_priority",
    ]
    assert frame["time_ms"].tolist() == [0, 999, 1000]
    assert frame["clat_ns"].tolist() == [100, 300, 50]
    assert frame["direction"].tolist() == ["read", "write", "read"]
    assert frame["block_size_bytes"].tolist() == [4096, 512, 4096]
    assert frame["offset_bytes"].tolist() == [8192, 0, 0]
    assert frame["is_high_priority"].tolist() == [False, True, False]


def test_seconds_are_of_the_rows_that_begin_in_them() -> None:
    log = read_fio_log(PER_IO, kind="lat")
    seconds = log.seconds()
    assert seconds["direction"].tolist() == ["read", "write", "read"]
    assert seconds["start_s"].tolist() == [0, 0, 1]
    assert seconds["count"].tolist() == [1, 1, 1]
    assert seconds["lat_mean_ns"].tolist() == [100, 300, 50]
    longer = log.seconds(1.001)
    assert longer["start_s"].tolist() == [0, 0]
    assert longer["lat_mean_ns"].tolist() == [75, 300]
    assert longer["lat_min_ns"].tolist() == [50, 300]
    assert longer["lat_max_ns"].tolist() == [100, 300]


@pytest.mark.parametrize("interval_s", [0, -1, 0.0005, 1.00005])
def test_an_interval_that_is_not_of_whole_milliseconds_is_refused(
    interval_s: float,
) -> None:
    with pytest.raises(ValueError, match="whole milliseconds"):
        read_fio_log(PER_IO, kind="lat").seconds(interval_s)


def test_percentiles_have_the_edges_of_their_bin() -> None:
    row = read_fio_log(PER_IO, kind="lat").percentiles([100.0])
    assert row["direction"].tolist() == ["read", "write"]
    assert row["lat_ns"].tolist() == [
        100,
        300,
    ]  # its middle is 302, and no IO took so long
    assert row["lat_lower_ns"].tolist() == [100, 300]
    assert row["lat_upper_ns"].tolist() == [101, 304]
    assert row["count"].tolist() == [2, 1]
    assert not row["is_censored"].any()


def test_a_percentile_beyond_the_last_bin_of_fio_is_censored() -> None:
    log = read_fio_log(b"0, 99000000000, 0, 4096, 0\n", kind="lat")
    assert log.percentiles([50.0])["is_censored"].tolist() == [True]
    assert log.frame["lat_ns"].tolist() == [99_000_000_000]


@pytest.mark.parametrize("kind", ["iops", "bw", None])
def test_a_log_without_latencies_has_no_percentiles(kind: LogKind | None) -> None:
    with pytest.raises(ValueError, match="has no latencies"):
        read_fio_log(PER_IO, kind=kind).percentiles()


def test_data_rates_are_in_bytes_per_second() -> None:
    log = read_fio_log(b"500, 3, 0, 0\n", kind="bw")
    assert log.frame["bw_bytes_per_s"].tolist() == [3072]
    assert log.seconds()["bw_mean_bytes_per_s"].tolist() == [3072]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("job_bw.log", "bw"),
        ("job_lat.1.log", "lat"),
        ("a_lat_clat.12.log", "clat"),
        ("job_slat.3.log.gz", "slat"),
        ("job_iops.1.log.host-a", "iops"),
        ("job.log", "unknown"),
    ],
)
def test_the_kind_of_a_log_stands_in_its_name(
    name: str, kind: str, tmp_path: Path
) -> None:
    data = gzip.compress(PER_IO) if name.endswith(".gz") else PER_IO
    (tmp_path / name).write_bytes(data)
    log = read_fio_log(tmp_path / name)
    assert (log.kind, log.row_count) == (kind, 3)
    assert ("unknown-kind" in doubts_of(log)) == (kind == "unknown")


def test_values_of_an_unknown_kind_stand_as_fio_wrote_them() -> None:
    log = read_fio_log(PER_IO)
    assert log.frame["value"].tolist() == [100, 300, 50]
    assert log.seconds()["value_mean"].tolist() == [100, 300, 50]


def test_a_log_is_read_from_an_open_file() -> None:
    log = read_fio_log(io.BytesIO(PER_IO), kind="lat")
    assert len(log.frame) == log.row_count == 3


def test_a_byte_order_mark_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "job_lat.1.log"
    path.write_bytes(b"\xef\xbb\xbf" + PER_IO)
    assert read_fio_log(path).frame["time_ms"].tolist() == [0, 999, 1000]
    assert read_fio_log(path.read_bytes(), kind="lat").row_count == 3


# ---- units ----


@pytest.mark.parametrize(
    ("version", "ns"), [("fio-2.17", 7000), ("fio-2.99", 7), ("fio-3.33", 7)]
)
def test_latencies_are_in_ns_on_every_version(version: str, ns: int) -> None:
    log = read_fio_log(b"1, 7, 0, 4096\n", kind="lat", fio_version=version)
    assert log.frame["lat_ns"].tolist() == [ns]
    assert log.seconds()["lat_mean_ns"].tolist() == [ns]
    assert log.percentiles([50.0])["lat_ns"].tolist() == [ns]
    assert "unit-assumed" not in doubts_of(log)


def test_a_unit_that_cannot_be_known_is_a_grave_doubt() -> None:
    log = read_fio_log(b"1, 7, 0, 4096\n", kind="lat")
    assert log.frame["lat_ns"].tolist() == [7]
    assert doubts_of(log)["unit-assumed"].is_grave


def test_a_log_of_three_columns_is_of_an_old_fio_and_in_us() -> None:
    log = read_fio_log(b"1, 7, 0\n", kind="lat")
    assert log.layout == ("time", "value", "direction")
    assert log.frame["lat_ns"].tolist() == [7000]
    assert "before 2.99" in doubts_of(log)["unit-assumed"].meaning


def test_a_log_with_a_priority_is_of_a_new_fio_and_in_ns() -> None:
    assert "unit-assumed" not in doubts_of(read_fio_log(PER_IO, kind="lat"))


def test_a_value_that_has_no_room_in_its_unit_is_damaged_not_wrong() -> None:
    lines = f"1, {2**63 - 1}, 0, 0\n2, 5, 0, 0\n3, 6, 0, 0\n".encode()
    assert read_fio_log(lines, kind="iops").frame["iops"].max() == 2**63 - 1
    log = read_fio_log(lines, kind="bw")
    assert log.frame["bw_bytes_per_s"].tolist() == [5 * 1024, 6 * 1024]
    assert doubts_of(log)["damaged-lines"].is_grave


# ---- what is wrong with a log ----


def test_damaged_lines_are_left_out_and_named() -> None:
    lines = PER_IO + b"1001, 3O, 0, 4096, 0, 0\n\n1002, 9, 0, 4096, 0, 0\n1003, 8\n"
    log = read_fio_log(lines, kind="lat")
    assert log.frame["lat_ns"].tolist() == [100, 300, 50, 9]
    doubt = doubts_of(log)["damaged-lines"]
    assert doubt.is_grave
    assert doubt.meaning == "2 lines are damaged and were left out: lines 4, 7"


def test_the_first_damaged_lines_are_named_when_there_are_many() -> None:
    lines = b"1, 2, 0, 4096, 0\n" + b"1, 2, 0, 4096, 0\n1, 2, 0\n" * 30
    log = read_fio_log(lines, kind="iops")
    assert log.row_count == 31
    assert doubts_of(log)["damaged-lines"].meaning.endswith("29, 31, 33, ...")


def test_a_last_line_that_is_cut_short_is_left_out_and_named() -> None:
    log = read_fio_log(PER_IO + b"2000, 77", kind="lat")
    assert log.frame["time_ms"].tolist() == [0, 999, 1000]
    assert doubts_of(log)["cut-short"].is_grave
    assert doubts_of(log)["cut-short"].place == "line 4"
    assert "cut-short" not in doubts_of(read_fio_log(PER_IO + b" \t", kind="lat"))


@pytest.mark.parametrize("data", [b"", b"\n\n", b" \r\n", b"\xef\xbb\xbf"])
def test_an_empty_log_has_no_rows_and_says_so(data: bytes) -> None:
    log = read_fio_log(data, kind="lat")
    assert len(log.frame) == len(log.percentiles()) == len(log.seconds()) == 0
    assert not log.is_averaged
    assert list(doubts_of(log)) == ["no-rows"]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"fio: no log here\n", "its first line is 'fio: no log here'"),
        (b"1, 2, 0, 4096", "it has no complete line"),
        (b"\x00\xff\n" * 9, "its first line is"),
        (b"1, 2, 9, 4096\n", "its first line is"),
        (b"1, 0, 4096, 0, 0, 0, 0, 0, 0, 0\n", "is it a histogram log"),
        (PER_IO + b"no row\n" * 4, "most of its lines are damaged"),
        (b'{"fio version": "fio-3.33"}\n', "its first line is"),
    ],
)
def test_what_is_no_log_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(FioOutputError, match=f"it is not a log of fio .*{reason}"):
        read_fio_log(data)


def test_a_log_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FioOutputError, match="No such file"):
        read_fio_log(tmp_path / "none_lat.1.log")
    with pytest.raises(FioOutputError, match="cannot be read"):
        read_fio_log(tmp_path)
    (tmp_path / "cut_lat.1.log.gz").write_bytes(gzip.compress(PER_IO)[:12])
    with pytest.raises(FioOutputError, match="cannot be read"):
        read_fio_log(tmp_path / "cut_lat.1.log.gz")


def test_a_log_that_changes_before_its_rows_are_read_is_refused(
    tmp_path: Path,
) -> None:
    path = tmp_path / "job_lat.1.log"
    path.write_bytes(PER_IO)
    log = read_fio_log(path)
    path.write_bytes(PER_IO * 2)
    os.utime(path, (1, 1))
    with pytest.raises(FioOutputError, match="changed while it was being read"):
        assert len(log.frame)
    with pytest.raises(FioOutputError, match="changed while it was being read"):
        log.seconds(2)


# ---- real logs ----


@pytest.mark.parametrize("folder", ["logs4", "logs5", "local_fio333"])
def test_a_real_log_is_read_as_it_stands(folder: str) -> None:
    paths = list(require_folder(FIO_SAMPLES / folder).glob("*.log"))
    paths = [path for path in paths if "clat_hist" not in path.name]
    assert paths
    for path in paths:
        log = read_fio_log(path)
        rows = [
            [int(cell, 0) for cell in line.split(",")]
            for line in path.read_text().splitlines()
        ]
        scale = 1024 if log.kind == "bw" else 1
        names = np.array(["read", "write", "trim"])
        columns = np.array(rows).T
        frame = log.frame
        assert frame["time_ms"].tolist() == columns[0].tolist()
        assert frame.iloc[:, 1].tolist() == (columns[1] * scale).tolist()
        assert frame["direction"].tolist() == names[columns[2]].tolist()
        assert frame["block_size_bytes"].tolist() == columns[3].tolist()
        assert log.is_averaged == (not columns[3].any())
        assert {doubt.kind for doubt in log.issues if doubt.is_grave} <= {
            "unit-assumed"
        }


def test_a_histogram_log_is_told_from_a_log() -> None:
    folder = require_folder(FIO_SAMPLES / "local_fio333")
    with pytest.raises(FioOutputError, match="histogram log"):
        read_fio_log(folder / "hist_c3_clat_hist.1.log")


# ---- the logs of a run of ours ----


def test_a_log_of_ours_is_read() -> None:
    frame = log_of("iops", 1).frame
    assert frame["time_ms"].tolist() == [200, 200, 400, 400, 600, 600, 800, 800]
    assert frame["iops"].tolist() == [1305, 705, 1300, 700, 1305, 700, 1300, 700]
    assert frame["direction"].tolist() == ["read", "write"] * 4
    assert frame["block_size_bytes"].tolist() == [0] * 8


def test_a_data_rate_is_in_bytes_when_read() -> None:
    text = captured("randrw_bw.1.log").read_text()
    first_kib = int(text.split(",")[1])
    assert log_of("bw", 1).frame["bw_bytes_per_s"][0] == first_kib * 1024


@pytest.mark.parametrize(
    "line",
    ["8, 17, 1, 4096", "8, 17, 1, 4096, 0x4002", "8, 17, 1, 4096, 24838144, 0"],
    ids=["4 columns", "5 columns", "6 columns"],
)
def test_a_line_of_any_width_is_read(line: str) -> None:
    row = parse_log(line, kind="lat").frame.iloc[0]
    assert (row["time_ms"], row["lat_ns"]) == (8, 17)
    assert (row["direction"], row["block_size_bytes"]) == ("write", 4096)


def test_an_empty_log_of_ours_has_no_rows() -> None:
    assert parse_log("", kind="bw").row_count == 0


@pytest.mark.parametrize(
    "text",
    ["a, b, c, d", "1, 2, 0", "1, 2, 9, 4", "1, 2, 3, 4", "1, 2, 0, 4\n1, 2"],
    ids=["text", "3 columns", "no direction", "sync", "truncated"],
)
def test_a_text_that_is_no_log_is_refused(text: str) -> None:
    with pytest.raises(
        FioOutputError, match=r"cell_bw\.1\.log: it is not a log of fio"
    ):
        parse_log(text, kind="bw", source="cell_bw.1.log")


@pytest.mark.parametrize(
    ("line", "kind", "reason"),
    [
        ("{}, 20000, 0, 0, 0\n", "lat", "its lines are means of intervals"),
        ("{}, 20000, 0, 4096, 0\n", "iops", "it is a log of iops, not of latencies"),
    ],
)
def test_log_that_is_none_of_every_io_is_refused_as_such(
    line: str, kind: LogKind, reason: str
) -> None:
    text = "".join(line.format(500 * number) for number in range(1, 9))
    with pytest.raises(FioOutputError, match=reason):
        read_fio_log(text.encode(), kind=kind).each_io()


def test_log_of_every_io_is_given_as_it_is() -> None:
    log = read_fio_log(b"0, 20500, 0, 4096, 0\n1, 40500, 0, 4096, 0\n", kind="lat")
    assert log.each_io()["lat_ns"].tolist() == [20_500, 40_500]
