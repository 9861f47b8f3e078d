import numpy as np
import pytest

from ssdlab.fio.logs import FioLog, LogKind, parse_log, tabulate_series
from ssdlab.model.errors import FioOutputError
from ssdlab.model.schema import SERIES
from tests.fio.samples import captured
from tests.paths import FIO_SAMPLES, require_folder


def log_of(kind: LogKind, thread: int) -> FioLog:
    text = captured(f"randrw_{kind}.{thread}.log").read_text()
    return parse_log(text, kind=kind)


def test_a_log_of_fio_3_33_is_read() -> None:
    log = log_of("iops", 1)
    assert log.time_ms.tolist() == [200, 200, 400, 400, 600, 600, 800, 800]
    assert log.numbers.tolist() == [1305, 705, 1300, 700, 1305, 700, 1300, 700]
    assert log.directions.tolist() == [0, 1] * 4
    assert log.block_size_bytes.tolist() == [0] * 8


def test_a_data_rate_is_in_bytes_when_read() -> None:
    text = captured("randrw_bw.1.log").read_text()
    first_kib = int(text.split(",")[1])
    assert log_of("bw", 1).numbers[0] == first_kib * 1024


@pytest.mark.parametrize(
    "line",
    ["8, 17, 1, 4096", "8, 17, 1, 4096, 0x4002", "8, 17, 1, 4096, 24838144, 0"],
    ids=["4 columns", "5 columns", "6 columns"],
)
def test_a_line_of_any_width_is_read(line: str) -> None:
    log = parse_log(line, kind="lat")
    assert (log.time_ms[0], log.numbers[0]) == (8, 17)
    assert (log.directions[0], log.block_size_bytes[0]) == (1, 4096)


def test_an_empty_log_has_no_rows() -> None:
    assert parse_log("", kind="bw").time_ms.shape == (0,)


@pytest.mark.parametrize(
    "text",
    ["a, b, c, d", "1, 2, 3", "1, 2, 9, 4", "1, 2, 0, 4\n1, 2"],
    ids=["text", "3 columns", "no direction", "cut short"],
)
def test_a_text_that_is_no_log_is_refused(text: str) -> None:
    with pytest.raises(FioOutputError, match=r"cell_bw\.1\.log: it is no log of fio"):
        parse_log(text, kind="bw", source="cell_bw.1.log")


@pytest.mark.parametrize("folder", ["logs4", "logs5"])
def test_a_real_log_is_read_as_it_stands(folder: str) -> None:
    for path in require_folder(FIO_SAMPLES / folder).glob("*.log"):
        text = path.read_text()
        rows = [
            [int(cell, 0) for cell in line.split(",")] for line in text.splitlines()
        ]
        log = parse_log(text, kind="iops", source=path.name)
        read = [log.time_ms, log.numbers, log.directions, log.block_size_bytes]
        assert np.column_stack(read).tolist() == [row[:4] for row in rows]


def test_the_columns_of_a_series_are_those_of_the_table() -> None:
    frame = tabulate_series([[log_of("iops", 1)]], interval_ms=200)
    assert ["run_id", "step_id", *frame.columns] == list(SERIES.column_names)
    assert frame["lat_mean_ns"].isna().all()


def test_rates_of_threads_add_and_latencies_are_weighted_in_a_series() -> None:
    iops = ["200, 100, 0, 0\n200, 300, 1, 0", "201, 50, 0, 0"]
    lat = ["200, 10, 0, 0\n200, 30, 1, 0", "199, 70, 0, 0"]
    bw = ["200, 4, 0, 0\n200, 12, 1, 0", "200, 2, 0, 0"]
    threads = [
        [parse_log(i, kind="iops"), parse_log(b, kind="bw"), parse_log(x, kind="lat")]
        for i, b, x in zip(iops, bw, lat, strict=True)
    ]
    frame = tabulate_series(threads, interval_ms=200).set_index("direction")
    assert frame["time_s"].tolist() == [0.2] * 3
    assert frame.loc["read", "iops"] == 150
    assert frame.loc["read", "lat_mean_ns"] == pytest.approx(30)
    assert frame.loc["total", "iops"] == 450
    assert frame.loc["total", "bw_bytes_per_s"] == 18 * 1024
    assert frame.loc["total", "lat_mean_ns"] == pytest.approx(30)


def test_a_series_of_two_threads_of_fio_is_the_sum_of_its_logs() -> None:
    kinds: tuple[LogKind, ...] = ("iops", "bw", "lat")
    threads = [[log_of(kind, thread) for kind in kinds] for thread in (1, 2)]
    frame = tabulate_series(threads, interval_ms=200)
    total = frame[frame["direction"] == "total"]
    assert total["time_s"].tolist() == pytest.approx([0.2, 0.4, 0.6, 0.8])
    logged = sum(log_of("iops", thread).numbers.sum() for thread in (1, 2))
    assert total["iops"].sum() == logged
    assert frame["lat_mean_ns"].between(100, 10_000).all()


def test_threads_that_share_a_file_are_added() -> None:
    """per_job_logs=0 writes thread after thread into one file."""
    kinds: tuple[LogKind, ...] = ("iops", "bw", "lat")
    texts = {
        kind: "".join(captured(f"randrw_{kind}.{i}.log").read_text() for i in (1, 2))
        for kind in kinds
    }
    shared = [[parse_log(text, kind=kind) for kind, text in texts.items()]]
    apart = [[log_of(kind, thread) for kind in kinds] for thread in (1, 2)]
    one = tabulate_series(shared, interval_ms=200)
    two = tabulate_series(apart, interval_ms=200)
    for column in ("direction", "time_s", "iops", "bw_bytes_per_s"):
        assert one[column].tolist() == two[column].tolist()
    assert one["lat_mean_ns"].tolist() == pytest.approx(
        two["lat_mean_ns"].tolist(), rel=0.01
    )
