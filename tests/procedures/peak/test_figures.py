"""What the figures of the peak jobs draw."""

import pandas as pd
import pytest

from ssdlab.procedures.peak.figures import plot_peak_latencies, plot_peak_rates


def frame() -> pd.DataFrame:
    common = {"access": "rnd", "threads": 4, "queue_depth": 128}
    return pd.DataFrame([
        {
            **common,
            "job": job,
            "read_percent": mix,
            "block_size_bytes": size,
            "iops": iops,
            "bw_bytes_per_s": iops * size,
            "lat_mean_ns": mean,
            "lat_two_nines_ns": 2 * mean,
            "lat_four_nines_ns": 4 * mean,
            "lat_max_ns": 8 * mean,
            "is_two_nines_supported": True,
            "is_four_nines_supported": is_sure,
        }
        for job, mix, size, iops, mean, is_sure in (
            ("02", 0, 4096, 1e5, 1e6, True),
            ("03", 0, 1 << 20, 100.0, 1e9, False),
            ("06", 100, 4096, 2e5, 5e5, pd.NA),
        )
    ]).astype({"is_four_nines_supported": "boolean"})


def test_rates_stand_over_their_jobs_in_decimal_units() -> None:
    figure = plot_peak_rates(frame())
    writes, reads, written, read = figure.data
    assert (writes.name, reads.name) == ("write", "read")
    assert (list(writes.x), list(writes.y)) == ([0, 1], [1e5, 100.0])
    assert list(written.y) == pytest.approx([409.6, 104.8576])
    assert (list(reads.x), list(read.y)) == ([2], [pytest.approx(819.2)])
    assert list(figure.layout.xaxis.ticktext) == ["02", "03", "06"]
    assert figure.layout.yaxis.type == figure.layout.yaxis2.type == "log"
    assert figure.layout.yaxis2.title.text == "Throughput [MB/s]"
    assert {mark.type for mark in figure.data} == {"scatter"}, "no bars on log axes"
    assert "job 03, write RND 1024 KiB, T4/Q128" in writes.text


def test_latencies_stand_side_by_side_and_doubtful_levels_are_hollow() -> None:
    figure = plot_peak_latencies(frame())
    assert [mark.name for mark in figure.data] == ["mean", "99 %", "99.99 %", "maximum"]
    assert list(figure.data[0].y) == [1.0, 1000.0, 0.5]
    assert list(figure.data[2].marker.symbol) == [
        *("triangle-up", "triangle-up-open", "triangle-up-open"),
    ]
    places = [x for mark in figure.data for x in mark.x]
    assert len(set(places)) == 12
    assert all(abs(x - round(x)) < 0.5 for x in places)


def test_job_without_a_rate_is_no_mark() -> None:
    cells = frame()
    cells.loc[0, ["iops", "bw_bytes_per_s"]] = float("nan")
    figure = plot_peak_rates(cells)
    assert figure.data[0].y[0] is None
    assert 1 < figure.layout.yaxis.range[0] <= 2


def test_names_of_jobs_escape_what_files_hold() -> None:
    figure = plot_peak_rates(frame().assign(access="<b>x"))
    names = [name for mark in figure.data for name in mark.text]
    assert len(names) == 6
    assert all("&lt;B&gt;X" in name and "<" not in name for name in names)
