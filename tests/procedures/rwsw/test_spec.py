"""The experimental procedures by a capture: which phases, which mixes, which words."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.model.asked import Procedure
from ssdlab.model.capture import EXPERIMENTAL, Capture, CaptureStep, StreamCount
from ssdlab.model.errors import CaptureError
from ssdlab.model.plain import from_plain, to_plain
from ssdlab.model.spec import (
    Access,
    Histogram,
    Precondition,
    Purge,
    Stimulus,
)
from ssdlab.model.units import KIB
from ssdlab.procedures.rwsw.load import Saturating, divide_oio
from ssdlab.procedures.rwsw.spec import individual_streams, replay, sweep, wsat


def count(
    ios: int, access: Access = "rnd", size: int = 4 * KIB, *, is_read: bool = True
) -> StreamCount:
    return StreamCount(access=access, block_size_bytes=size, is_read=is_read, ios=ios)


def step(number: int, *streams: StreamCount, depth: float | None = 4.0) -> CaptureStep:
    return CaptureStep(
        number=number,
        start_s=(number - 1) * 300.0,
        duration_s=300.0,
        queue_depth=depth,
        streams=streams,
    )


MADE = Capture(
    name="made",
    steps=(
        step(1, count(60), count(30, is_read=False), count(10, "seq"), depth=4.5),
        step(2),
        step(3, count(100, "seq", 64 * KIB, is_read=False), depth=0.2),
    ),
)
PROCEDURES = [wsat, individual_streams, replay, sweep]


@pytest.mark.parametrize("build", PROCEDURES)
def test_every_title_says_what_it_is_not(
    build: Callable[[Capture], Procedure],
) -> None:
    procedure = build(MADE)
    titles = [procedure.title, procedure.source, procedure.notes[0]]
    titles += [test.title for test in procedure.tests]
    assert all(EXPERIMENTAL in title for title in titles)
    assert procedure.given["capture"]["name"] == "made"  # type: ignore[index] # a dict
    assert from_plain(Procedure, to_plain(procedure)) == procedure


def test_wsat_applies_the_dominant_streams_until_steady() -> None:
    """100 SEQ writes and 60 reads are 80 % of 200 IOs; by hand: 62.5 and 37.5 %."""
    (test,) = wsat(MADE, oio=48).tests
    purge, rounds = test.phases
    assert isinstance(purge, Purge)
    assert isinstance(rounds, Stimulus)
    work = rounds.workload
    assert [stream.share_percent for stream in work.streams] == [62.5, 37.5]
    assert (work.read_percent, work.threads, work.queue_depth) == (38, 1, 48)
    assert rounds.tracking is not None
    assert rounds.tracking.label == "2 streams, 38/62"
    assert (rounds.max_rounds, rounds.capacity_multiple) == (1440, None)


def test_each_stream_is_a_test_with_a_purge_of_its_own() -> None:
    procedure = individual_streams(MADE, least_percent=95)
    assert [test.test_id for test in procedure.tests] == [
        "stream-1",
        "stream-2",
        "stream-3",
    ]
    labels = []
    for test in procedure.tests:
        purge, rounds = test.phases
        assert isinstance(purge, Purge)
        assert isinstance(rounds, Stimulus)
        assert not rounds.workload.streams
        labels.append(rounds.workload.label)
    assert labels == ["SEQ 64 KiB 0/100", "RND 4 KiB 100/0", "RND 4 KiB 0/100"]


def test_replay_keeps_order_depth_and_scaled_time_of_each_busy_step() -> None:
    procedure = replay(MADE, scale=0.01)
    (test,) = procedure.tests
    purge, fill, *steps = test.phases
    assert isinstance(purge, Purge)
    assert isinstance(fill, Precondition)
    assert fill.capacity_multiple == 2
    runs = [phase for phase in steps if isinstance(phase, Histogram)]
    assert [run.phase_id for run in runs] == ["step-0001", "step-0003"]
    assert [run.seconds for run in runs] == [3.0, 3.0]
    assert [run.workload.queue_depth for run in runs] == [5, 1]
    first = runs[0].workload.streams
    assert [s.share_percent for s in first] == pytest.approx([200 / 3, 100 / 3])
    assert "1 idle step of the capture is left out." in procedure.notes


def test_sweep_goes_from_1024_to_1_after_its_preconditioning() -> None:
    (test,) = sweep(MADE, point_seconds=2).tests
    purge, before, *points = test.phases
    assert isinstance(purge, Purge)
    assert isinstance(before, Stimulus)
    loads = [
        point.workload.threads * point.workload.queue_depth
        for point in points
        if isinstance(point, Histogram)
    ]
    assert loads == [1024, 512, 256, 128, 64, 32, 16, 8, 4, 2, 1]


@pytest.mark.parametrize(
    ("capture", "scale", "said"),
    [
        (MADE, 0.001, "step 1 would take 0.3 s"),
        (
            Capture(name="x", steps=(step(1, count(1), depth=None),)),
            1,
            "no queue depth",
        ),
        (Capture(name="x", steps=(step(1, count(1), depth=1e6),)), 1, "of 1,000,000"),
    ],
)
def test_steps_that_cannot_be_replayed_are_refused(
    capture: Capture, scale: float, said: str
) -> None:
    with pytest.raises(CaptureError, match=said):
        replay(capture, scale=scale)


def test_more_sizes_than_fio_takes_are_refused() -> None:
    many = tuple(count(1, size=512 * at) for at in range(1, 80))
    with pytest.raises(CaptureError, match="64 block sizes at once"):
        wsat(Capture(name="x", steps=(step(1, *many),)), least_percent=100)


def test_shorter_rounds_are_said() -> None:
    notes = wsat(MADE, saturating=Saturating(round_seconds=1, max_rounds=20)).notes
    assert notes[-1] == (
        "20 rounds of 1 s at most, one in 31 judged; nominal: 1,440 rounds of 1 min at "
        "most, one in 31 judged."
    )


@given(oio=st.integers(1, 70_000))
def test_divided_oio_is_exact(oio: int) -> None:
    threads, depth = divide_oio(oio)
    assert threads * depth == oio
    assert threads == 1 or depth <= 128


def test_judging_each_round_is_said_in_plain_words() -> None:
    notes = wsat(MADE, saturating=Saturating(sample_every_rounds=1)).notes
    assert notes[-1].startswith("1,440 rounds of 1 min at most, each of them judged;")


def test_wsat_says_what_of_the_writes_it_leaves_out() -> None:
    """85 reads and 10 writes of 4 KiB are applied, 5 writes of 1 MiB are not."""
    large = count(5, "seq", 1024 * KIB, is_read=False)
    made = Capture(
        name="x", steps=(step(1, count(85), count(10, is_read=False), large),)
    )
    notes = " ".join(wsat(made, least_percent=90).notes)
    assert (
        "Of the capture, the applied ones make up 95 % of IOs, 6.91 % of bytes and "
        "0.775 % of written bytes."
    ) in notes
    assert "In the capture only 0.775 % of the written bytes belong to applied" in notes
    assert "written bytes belong to another stream than in the applied" in notes
    all_kept = " ".join(wsat(made, least_percent=100).notes)
    assert "100 % of IOs, 100 % of bytes and 100 % of written bytes." in all_kept
    assert "is left out" not in all_kept


def test_replay_says_in_which_steps_a_direction_vanishes() -> None:
    made = Capture(
        name="x",
        steps=(
            step(1, count(85), count(15, is_read=False)),
            step(2, count(50), count(50, is_read=False)),
            step(3, count(90), count(10, is_read=False)),
        ),
    )
    notes = replay(made).notes
    assert any(
        note.startswith("In steps 1 and 3 writes were 10 to 15 % of IOs, but none are")
        for note in notes
    )
    assert not any("reads were" in note for note in notes)
    only = Capture(name="x", steps=(step(1, count(5), count(95, is_read=False)),))
    assert any("In step 1 reads were 5 % of IOs" in note for note in replay(only).notes)
    assert any(
        "In the capture reads were 5 %" in note
        for note in individual_streams(only).notes
    )
