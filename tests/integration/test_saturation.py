"""The optional stimuli of write saturation, from the request to the report."""

import pandas as pd
import pytest

import ssdlab
from ssdlab.ingest.ingest import ingest_run
from ssdlab.report import render_report
from tests.integration.lab import Lab
from tests.rendered import words

BLOCK = 128 * 1024


@pytest.mark.fio
def test_optional_stimuli_are_measured_judged_and_reported(lab: Lab) -> None:
    folder = lab.runs / "run"
    measured = lab.measure(folder, "wsat-vod,wsat-composite")
    assert measured.wait() == 0, measured.said
    run = ssdlab.open_run(folder)
    steps = run.steps.set_index("step_id")
    stream = steps[(steps["test"] == "wsat-vod") & (steps["kind"] == "cell")]
    composite = steps[(steps["test"] == "wsat-composite") & (steps["kind"] == "cell")]
    assert_counts_writes_alone(run, stream)
    assert_goes_on_where_its_writes_came_to(stream)
    assert composite["block_size_bytes"].isna().all()
    assert (composite["read_bytes"] == 0).all()
    judged = run.windows.groupby("test")["tracking"].unique()
    assert judged["wsat-vod"].tolist() == ["SEQ 128 KiB 90/10"]
    assert judged["wsat-composite"].tolist() == ["RND composite 0/100"]
    before = run.windows
    ingest_run(folder)  # which replays the plan: other steps would be an error
    pd.testing.assert_frame_equal(ssdlab.open_run(folder).windows, before)
    page = words(render_report(ssdlab.open_run(folder)))
    for said in (
        "Write saturation, SEQ 128 KiB 90/10 T2/Q16: IOPS vs TGBW",
        "Write saturation, RND composite 0/100 T2/Q16: IOPS vs time",
        "Of the IOs 10 % are writes. TGBW, drive fills and the stop rule",
        "Reads and writes separately, each round",
        "All 2 threads do so, over the same blocks.",
        "Composite block sizes",
        "aligned to the smallest block, 0.5 KiB",
    ):
        assert said in page
    assert page.count("Of the IOs ") == 1


def assert_counts_writes_alone(run: ssdlab.Run, stream: pd.DataFrame) -> None:
    last = stream.iloc[-1]
    assert last["total_written_bytes"] == stream["written_bytes"].sum()
    assert stream["read_bytes"].sum() > 4 * stream["written_bytes"].sum()
    capacity = run.record.target.capacity_bytes
    assert last["drive_fills"] == pytest.approx(last["total_written_bytes"] / capacity)


def assert_goes_on_where_its_writes_came_to(stream: pd.DataFrame) -> None:
    """The second round begins where each of the two threads came to in the first."""
    offsets = stream["offset_bytes"].tolist()
    moved = int(stream["written_bytes"].iloc[0]) // 2
    assert offsets[:2] == [0, moved - moved % BLOCK]
    assert all(offset % BLOCK == 0 for offset in offsets)
