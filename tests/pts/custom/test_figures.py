"""What the figure of imported workloads draws."""

import pandas as pd

from ssdlab.pts.custom.figures import plot_workloads


def frame(sizes: tuple[int, ...] = (4096,)) -> pd.DataFrame:
    rows = [
        {
            "access": "rnd",
            "block_size_bytes": size,
            "read_percent": mix,
            "threads": threads,
            "queue_depth": depth,
            "iops": 1000.0 * threads * depth,
            "lat_mean_ns": 2e6,
        }
        for size in sizes
        for mix in (0, 100)
        for threads, depth in ((8, 16), (1, 1), (1, 32))
    ]
    return pd.DataFrame(rows).astype({"threads": "Int64", "queue_depth": "Int64"})


def test_cells_stand_in_the_order_of_their_outstanding_ios() -> None:
    figure = plot_workloads(frame())
    assert list(figure.layout.xaxis.categoryarray) == ["T1/Q1", "T1/Q32", "T8/Q16"]
    first, _, second, _ = figure.data
    assert list(first.x) == ["T1/Q1", "T1/Q32", "T8/Q16"]
    assert list(first.y) == [1000.0, 32_000.0, 128_000.0]
    assert list(second.y) == [2.0, 2.0, 2.0]  # ms
    assert (first.yaxis, second.yaxis) == ("y", "y2")
    assert figure.layout.yaxis2.title.text == "Average latency [ms]"


def test_each_workload_has_one_line_in_each_panel_and_one_legend_entry() -> None:
    figure = plot_workloads(frame((4096, 65536)))
    named = [line.name for line in figure.data if line.showlegend]
    assert named == [
        "RND 4 KiB R/W 0/100",
        "RND 4 KiB R/W 100/0",
        "RND 64 KiB R/W 0/100",
        "RND 64 KiB R/W 100/0",
    ]
    assert len(figure.data) == 8
    styles = {(line.line.color, line.line.dash) for line in figure.data}
    assert len(styles) == 4


def test_cell_of_unknown_threads_is_not_drawn() -> None:
    cells = frame()
    cells.loc[0, "threads"] = pd.NA
    drawn = [x for line in plot_workloads(cells).data[::2] for x in line.x]
    assert drawn.count("T8/Q16") == 0
