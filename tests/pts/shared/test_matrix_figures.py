"""Values over block size and R/W mix."""

import pytest

from ssdlab.figures import plot_columns_3d, plot_iops_2d, plot_throughput_2d
from ssdlab.stats.matrix import (
    summarise_iops_matrix,
    summarise_latency_table,
    summarise_throughput,
)
from ssdlab.store.run import Run


def test_iops_2d_is_double_logarithmic_with_a_line_a_mix(run: Run) -> None:
    frame = summarise_iops_matrix(run.measurements, run.windows)
    figure = plot_iops_2d(frame)
    assert [trace.name for trace in figure.data] == [
        "R/W 100/0", "R/W 95/5", "R/W 65/35", "R/W 50/50",
        "R/W 35/65", "R/W 5/95", "R/W 0/100",
    ]  # fmt: skip
    assert figure.layout.xaxis.type == figure.layout.yaxis.type == "log"
    assert list(figure.layout.xaxis.ticktext)[:2] == ["0.5 KiB", "4 KiB"]
    writes = frame[frame["read_percent"] == 0].sort_values("block_size_bytes")
    assert list(figure.data[-1].y) == writes["iops"].tolist()


def test_columns_put_small_blocks_left_and_writes_in_front(run: Run) -> None:
    frame = summarise_iops_matrix(run.measurements, run.windows)
    figure = plot_columns_3d(frame, metric="iops")
    scene = figure.layout.scene
    assert scene.xaxis.ticktext[0] == "0.5 KiB"
    assert scene.yaxis.ticktext[0] == "0/100"
    assert scene.camera.eye.y < 0
    assert [trace.type for trace in figure.data] == ["mesh3d"] * 7
    writes = figure.data[0]
    assert writes.name == "R/W 0/100"
    assert max(writes.y) < 0.5
    assert len(writes.x) == 8 * 8


def test_column_is_as_high_as_its_value_and_says_it(run: Run) -> None:
    frame = summarise_iops_matrix(run.measurements, run.windows)
    writes = plot_columns_3d(frame, metric="iops").data[0]
    cell = frame[(frame["read_percent"] == 0) & (frame["block_size_bytes"] == 4096)]
    heights = [z for x, z in zip(writes.x, writes.z, strict=True) if 0.5 < x < 1.5]
    assert min(heights) == 0
    assert max(heights) == pytest.approx(cell["iops"].iloc[0])
    texts = [t for x, t in zip(writes.x, writes.text, strict=True) if 0.5 < x < 1.5]
    assert set(texts) == {f"4 KiB, R/W 0/100: {cell['iops'].iloc[0]:,.0f} IOPS"}


def test_columns_leave_out_a_cell_that_was_not_measured(run: Run) -> None:
    frame = summarise_iops_matrix(run.measurements, run.windows)
    gap = (frame["read_percent"] == 0) & (frame["block_size_bytes"] == 4096)
    frame.loc[gap, "iops"] = None
    writes = plot_columns_3d(frame, metric="iops").data[0]
    assert len(writes.x) == 7 * 8


def test_columns_of_latency_are_in_milliseconds(run: Run) -> None:
    frame = summarise_latency_table(
        run.measurements, run.windows, percentiles=run.percentiles, bins=run.bins
    )
    figure = plot_columns_3d(frame, metric="lat_max_ns")
    assert figure.layout.scene.zaxis.title.text == "Maximum latency [ms]"
    highest = max(max(trace.z) for trace in figure.data)
    assert highest == pytest.approx(frame["lat_max_ns"].max() / 1e6)


def test_title_of_iops_stands_along_its_axis(run: Run) -> None:
    frame = summarise_iops_matrix(run.measurements, run.windows)
    title = plot_columns_3d(frame, metric="iops").layout.scene.zaxis.title.text
    assert title.strip() == "IOPS"
    assert len(title) > 4


def test_throughput_2d_has_reads_and_writes_in_decimal_megabytes(run: Run) -> None:
    frame = summarise_throughput(run.measurements, run.windows)
    figure = plot_throughput_2d(frame)
    assert [trace.name for trace in figure.data] == ["read (100/0)", "write (0/100)"]
    assert list(figure.data[0].x) == ["128 KiB", "1024 KiB"]
    assert figure.layout.yaxis.title.text == "Throughput [MB/s]"
    writes = frame[frame["read_percent"] == 0].sort_values("block_size_bytes")
    expected = (writes["bw_bytes_per_s"] / 1e6).tolist()
    assert list(figure.data[1].y) == pytest.approx(expected)
