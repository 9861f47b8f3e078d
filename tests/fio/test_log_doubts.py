"""What can be told of a log by its times, its values and how it is packed."""

import gzip
import zlib
from pathlib import Path

import pytest

from ssdlab.fio.document import Doubt
from ssdlab.fio.histlogs.read import read_fio_histogram_log
from ssdlab.fio.logs.read import FioLog, LogKind, read_fio_log
from ssdlab.fio.read_logs import LogFileKind, LogsRead
from ssdlab.model.errors import FioOutputError
from tests.fio.histlog_texts import record
from tests.paths import FIO_SAMPLES, require_folder

PER_IO = b"0, 100, 0, 4096, 8192, 0\n999, 300, 1, 512, 0, 1\n1000, 50, 0, 4096, 0, 0\n"


def doubts_of(log: FioLog) -> dict[str, Doubt]:
    return {issue.kind: issue for issue in log.issues}


def test_whole_lines_are_returned_and_marked_when_an_archive_is_cut_short() -> None:
    lines = [f"{n}, {n * n * 7919 % 99991}, 0, 4096, 0\n" for n in range(20_000)]
    packed = gzip.compress("".join(lines).encode())
    log = read_fio_log(packed[: len(packed) // 2], kind="lat")
    assert 1000 < log.row_count < len(lines)
    assert log.frame["lat_ns"].tolist() == [
        int(line.split(", ")[1]) for line in lines[: log.row_count]
    ]
    doubts = doubts_of(log)
    assert doubts["truncated-archive"].is_grave
    assert "cut-short" not in doubts


@pytest.mark.parametrize("name", ["j_lat.1.log.fz", "j_clat_hist.1.log.fz"])
def test_a_log_that_fio_packed_itself_is_refused_by_its_name(
    name: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(zlib.compress(b"\0" * 4000))
    for source in (path, path.read_bytes()):
        with pytest.raises(FioOutputError, match="--inflate-log"):
            read_fio_log(source)
        with pytest.raises(FioOutputError, match="--inflate-log"):
            read_fio_histogram_log(source)


@pytest.mark.parametrize("kind", ["log", "histogram-log"])
def test_a_log_that_fio_packed_itself_is_named_among_others(
    kind: LogFileKind, tmp_path: Path
) -> None:
    (tmp_path / "a_lat.1.log.fz").write_bytes(zlib.compress(b"\0" * 4000))
    (tmp_path / "b_lat.1.log").write_bytes(PER_IO)
    (tmp_path / "c_clat_hist.1.log").write_bytes(record(1001, {3: 5}))
    logs = LogsRead(tmp_path, kind)
    assert len(list(logs)) == 1
    (found,) = [doubt for name, doubt in logs.doubts if name.endswith(".fz")]
    assert found.kind == "unreadable"
    assert "--inflate-log" in found.meaning


def test_rows_of_intervals_are_where_they_were_measured() -> None:
    ends = (999, 2000, 2999, 4001, 4500)  # as fio 3.35 writes them for 1000 ms
    text = "".join(f"{end}, {end}, 1, 0, 0\n" for end in ends).encode()
    log = read_fio_log(text, kind="iops")
    assert log.is_averaged
    seconds = log.seconds()
    assert seconds["start_s"].tolist() == [0, 1, 2, 3, 4]
    assert seconds["iops_mean"].tolist() == list(ends)
    longer = log.seconds(2)
    assert longer["start_s"].tolist() == [0, 2, 4]
    assert longer["iops_mean"].tolist() == [1499.5, 3500, 4500]


@pytest.mark.parametrize("begin", [0, 26_484_000, 1_795_272_647_000])
def test_rows_of_intervals_are_where_they_were_measured_by_any_clock(
    begin: int,
) -> None:
    ends = [begin + 500 * (n + 1) for n in range(8)]
    text = "".join(f"{end}, 5, 0, 0, 0\n" for end in ends).encode()
    seconds = read_fio_log(text, kind="lat").seconds()
    assert (seconds["start_s"] - begin // 1000).tolist() == [0, 1, 2, 3]
    assert seconds["count"].tolist() == [2, 2, 2, 2]


def test_every_second_of_a_real_averaged_log_has_its_row() -> None:
    name = "logs5/icpe24_fio-3.35_mix_kyber_iops.1.log"
    log = read_fio_log(require_folder(FIO_SAMPLES) / name)
    rows = log.frame
    for direction, seconds in log.seconds().groupby("direction", observed=True):
        assert seconds["start_s"].tolist() == list(range(480))
        values = rows.loc[rows["direction"] == direction, "iops"].tolist()
        assert seconds["iops_mean"].tolist() == values


@pytest.mark.parametrize(
    ("kind", "words"), [("iops", "the number of its rows"), ("bw", "block sizes")]
)
def test_a_rate_of_each_io_is_said_to_be_none_of_a_second(
    kind: LogKind, words: str
) -> None:
    assert (
        words in doubts_of(read_fio_log(PER_IO, kind=kind))["rate-of-each-io"].meaning
    )
    averaged = read_fio_log(b"500, 3, 0, 0, 0\n", kind=kind)
    assert "rate-of-each-io" not in doubts_of(averaged)
    assert "rate-of-each-io" not in doubts_of(read_fio_log(PER_IO, kind="lat"))


@pytest.mark.parametrize("padding", [2, 4000])  # read by numpy, and by the kernel
def test_threads_that_share_a_log_are_told_by_their_times(padding: int) -> None:
    thread = "".join(f"{n}, 5, {n % 2}, 0, 0\n" for n in range(2 * padding))
    one, three = (
        read_fio_log((thread * threads).encode(), kind="iops") for threads in (1, 3)
    )
    assert "time-goes-back" not in doubts_of(one)
    doubt = doubts_of(three)["time-goes-back"]
    assert "goes back 4 times" in doubt.meaning
    assert not doubt.is_grave


def test_a_log_whose_archive_was_cut_early_is_found_in_a_folder(tmp_path: Path) -> None:
    lines = b"".join(b"%d, %d, 0, 4096, 0\n" % (at, at * 7919) for at in range(200))
    packed = gzip.compress(lines)
    (tmp_path / "cut_lat.1.log.gz").write_bytes(packed[: len(packed) // 2])
    logs = LogsRead(tmp_path, "log")
    (frame,) = list(logs)
    assert 0 < len(frame) < 200
    assert any(doubt.kind == "truncated-archive" for _, doubt in logs.doubts)
