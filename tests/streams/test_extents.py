"""Captures added up, the streams that are applied, and the steps of a map."""

import random
from itertools import pairwise
from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.model.capture import Capture, CaptureStep, StreamCount
from ssdlab.model.spec import Access, Workload
from ssdlab.model.units import KIB
from ssdlab.streams.extents import (
    merge_steps,
    select_streams,
    share_streams,
    sum_streams,
    tabulate_capture,
)
from ssdlab.streams.kept import keep_streams, measure_kept, streams_of


def count(
    ios: int, access: Access = "rnd", size: int = 4 * KIB, *, is_read: bool = True
) -> StreamCount:
    return StreamCount(access=access, block_size_bytes=size, is_read=is_read, ios=ios)


def step(number: int, *streams: StreamCount, depth: float | None = 4.0) -> CaptureStep:
    return CaptureStep(
        number=number,
        start_s=(number - 1) * 10.0,
        duration_s=10.0,
        queue_depth=depth,
        streams=streams,
    )


COUNTS = st.lists(
    st.builds(
        StreamCount,
        access=st.sampled_from(["rnd", "seq"]),
        block_size_bytes=st.sampled_from([512, 4096, 8192, 65536]),
        is_read=st.booleans(),
        ios=st.integers(1, 10**9),
    ),
    min_size=1,
    max_size=12,
)


def test_cumulative_workload_adds_streams_up_over_steps() -> None:
    """By hand: 30 + 10 reads of 4 KiB, 25 writes, 5 SEQ of 64 KiB; 70 in all."""
    steps = [
        step(1, count(30), count(5, "seq", 64 * KIB)),
        step(2, count(25, is_read=False), count(10)),
    ]
    total = sum_streams(steps)
    assert [(stream.label, stream.ios) for stream in total] == [
        ("RND 4 KiB read", 40),
        ("RND 4 KiB write", 25),
        ("SEQ 64 KiB read", 5),
    ]
    shares = [stream.share_percent for stream in share_streams(total)]
    assert shares == pytest.approx([400 / 7, 250 / 7, 50 / 7])


def test_applied_workload_is_the_fewest_streams_of_80_percent() -> None:
    """50 + 25 are 75 %, so the third is needed: 90 IOs are then 100 %."""
    counts = [
        count(50),
        count(25, is_read=False),
        count(15, "seq"),
        count(10, size=512),
    ]
    applied = select_streams(counts)
    assert [stream.share_percent for stream in applied] == pytest.approx([
        5000 / 90,
        2500 / 90,
        1500 / 90,
    ])


def test_applied_workload_stops_at_exactly_the_share() -> None:
    applied = select_streams([count(80), count(20, is_read=False)])
    assert [stream.label for stream in applied] == ["RND 4 KiB read"]
    assert applied[0].share_percent == 100


def test_equal_streams_are_chosen_by_name_not_by_order() -> None:
    same = [count(5, "seq"), count(5, size=8 * KIB), count(5, is_read=False), count(5)]
    for place in range(4):
        turned = same[place:] + same[:place]
        chosen = select_streams(turned, least_percent=50)
        assert [s.label for s in chosen] == ["RND 4 KiB read", "RND 4 KiB write"]


@pytest.mark.parametrize("share", [0.0, -1.0, 100.5, float("nan")])
def test_share_that_is_none_is_refused(share: float) -> None:
    with pytest.raises(ValueError, match="is not above 0 and at most 100"):
        select_streams([count(1)], least_percent=share)


def test_nothing_to_choose_from_is_refused() -> None:
    with pytest.raises(ValueError, match="there are no IOs to choose streams from"):
        select_streams([])


@given(counts=COUNTS, least=st.floats(0.01, 100))
def test_applied_shares_add_up_and_are_enough(
    counts: list[StreamCount], least: float
) -> None:
    applied = select_streams(counts, least_percent=least)
    assert sum(stream.share_percent for stream in applied) == pytest.approx(100)
    total = sum_streams([step(1, *counts)])
    held = sum(stream.ios for stream in total[: len(applied)])
    whole = sum(stream.ios for stream in total)
    assert held * 100 >= whole * least * (1 - 1e-12)
    assert (held - total[len(applied) - 1].ios) * 100 < whole * least * (1 + 1e-12)


def test_kept_shares_are_as_by_hand() -> None:
    """60 + 20 of 100 IOs; 80 of 420 blocks of 4 KiB; 20 of 340 written ones."""
    counts = [
        count(60),
        count(20, is_read=False),
        count(20, "seq", 64 * KIB, is_read=False),
    ]
    kept = measure_kept(counts, select_streams(counts))
    assert kept.ios_percent == 80
    assert kept.bytes_percent == pytest.approx(100 * 80 / 400)
    assert kept.written_bytes_percent == pytest.approx(100 * 20 / 340)
    assert (kept.captured_read_percent, kept.applied_read_percent) == (60, 75)
    assert not kept.lost_direction


@pytest.mark.parametrize(
    ("counts", "applied", "lost"),
    [
        ([count(85), count(15, is_read=False)], [count(85)], "write"),
        ([count(15), count(85, is_read=False)], [count(85, is_read=False)], "read"),
        ([count(85), count(15, size=512)], [count(85)], ""),
        (
            [count(85), count(15, is_read=False)],
            [count(1), count(1, is_read=False)],
            "",
        ),
    ],
)
def test_lost_direction_is_told(
    counts: list[StreamCount], applied: list[StreamCount], lost: str
) -> None:
    kept = measure_kept(counts, [one.with_share(1) for one in applied])
    assert kept.lost_direction == lost


def test_share_of_nothing_is_missing() -> None:
    kept = measure_kept([count(5)], [count(5).with_share(100)])
    assert isnan(kept.written_bytes_percent)
    assert kept.ios_percent == 100


@given(counts=COUNTS)
def test_all_streams_keep_all(counts: list[StreamCount]) -> None:
    total = sum_streams([step(1, *counts)])
    kept = measure_kept(total, share_streams(total))
    assert (kept.ios_percent, kept.bytes_percent) == (100, 100)
    assert kept.captured_read_percent == kept.applied_read_percent
    assert keep_streams(total, share_streams(total)) == total
    assert measure_kept(total, ()).ios_percent == 0


def test_plain_workload_is_one_stream() -> None:
    alone = Workload(
        access="seq", block_size_bytes=8192, read_percent=0, threads=1, queue_depth=4
    )
    (stream,) = streams_of(alone)
    assert (stream.label, stream.share_percent) == ("SEQ 8 KiB write", 100)


@given(counts=COUNTS, seed=st.integers(0, 99))
def test_order_of_streams_does_not_matter(counts: list[StreamCount], seed: int) -> None:
    turned = random.Random(seed).sample(counts, len(counts))
    assert sum_streams([step(1, *turned)]) == sum_streams([step(1, *counts)])
    assert select_streams(turned) == select_streams(counts)


@given(parts=st.lists(COUNTS, min_size=1, max_size=5))
def test_merged_steps_are_the_cumulative_workload(
    parts: list[list[StreamCount]],
) -> None:
    steps = [step(number, *counts) for number, counts in enumerate(parts, start=1)]
    merged = merge_steps(steps)
    assert merged.streams == sum_streams(steps) == sum_streams([merged])
    assert merged.duration_s == 10 * len(steps)
    labels = [stream.ios for stream in merged.streams]
    assert all(one >= other for one, other in pairwise(labels))


def test_merged_queue_depth_is_the_mean_over_time() -> None:
    first = CaptureStep(number=1, start_s=0, duration_s=30, queue_depth=2)
    second = CaptureStep(number=2, start_s=30, duration_s=10, queue_depth=10)
    assert merge_steps([first, second]).queue_depth == pytest.approx(4)
    unknown = CaptureStep(number=2, start_s=30, duration_s=10)
    assert merge_steps([first, unknown]).queue_depth is None


def test_nothing_to_merge_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no step to merge"):
        merge_steps([])


def test_map_names_the_largest_streams_and_adds_up_the_others() -> None:
    capture = Capture(
        name="made",
        steps=(
            step(1, count(6), count(3, size=8 * KIB), count(1, size=512)),
            step(2),
            step(3, count(1, "seq"), count(4, size=8 * KIB), depth=None),
        ),
    )
    frame = tabulate_capture(capture, most=2)
    assert frame["step"].tolist() == [1, 1, 1, 3, 3, 3]
    assert frame["stream"].tolist()[:3] == [
        "RND 8 KiB read",
        "RND 4 KiB read",
        "All other streams",
    ]
    assert frame["share_percent"].tolist() == pytest.approx([30, 60, 10, 80, 0, 20])
    assert frame["iops"].tolist() == pytest.approx([1.0] * 3 + [0.5] * 3)
    assert frame["queue_depth"].isna().tolist() == [False] * 3 + [True] * 3
