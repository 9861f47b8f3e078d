"""Texts of blkparse added up; the samples are written by hand after its man page."""

import io

import pytest

from ssdlab.model.capture import CaptureStep
from ssdlab.model.errors import CaptureError
from ssdlab.streams import blkparse
from ssdlab.streams.blkparse import is_blkparse, read_blkparse
from ssdlab.streams.capture import read_capture
from tests.paths import ROOT

MADE = ROOT / "tests" / "data" / "blkparse-made.txt"


def line(
    time_s: float, action: str, where: str, *, kind: str = "R", device: str = "8,0"
) -> str:
    begin = f"  {device}    1        1 {time_s:14.9f}   697"
    return f"{begin}  {action}   {kind} {where} [x]\n"


def add_up(
    text: str, *, step_seconds: float = 1.0, device: str = ""
) -> tuple[CaptureStep, ...]:
    file = io.BytesIO(text.encode())
    return read_blkparse(file, source="made", step_seconds=step_seconds, device=device)


def test_sample_is_added_up_as_by_hand() -> None:
    """Two steps of 1 s, from the first D at 1 us; the end joins the second.

    Step 1: reads 2048+8 (RND, the first) and 2056+8 (SEQ), a write of 16 KiB (RND).
    Outstanding: 0 to 0.25 s one, to 0.5 s two, to 0.75 s one, 0.8 to 0.9 s one: 1.1 s
    (less a microsecond). Step 2: a write where the last ended (SEQ), 1.2 to 1.7 s; a
    read where the last ended (SEQ), 1.7 to 2.0 s. Discards and flushes are left out.
    """
    one, two = read_capture(MADE, step_seconds=1.0).steps
    assert {stream.label: stream.ios for stream in one.streams} == {
        "RND 4 KiB read": 1,
        "SEQ 4 KiB read": 1,
        "RND 16 KiB write": 1,
    }
    assert {stream.label: stream.ios for stream in two.streams} == {
        "SEQ 16 KiB write": 1,
        "SEQ 4 KiB read": 1,
    }
    assert (one.start_s, one.duration_s, two.duration_s) == (0, 1, 1)
    assert one.queue_depth == pytest.approx(1.1, abs=1e-5)
    assert two.queue_depth == pytest.approx(0.8, abs=1e-5)


def test_sequential_is_told_by_the_direction_alone() -> None:
    """A write between two reads that follow one another changes nothing."""
    text = line(0, "D", "100 + 8") + line(0.2, "D", "500 + 8", kind="W")
    text += line(0.4, "D", "108 + 8") + line(0.9, "D", "108 + 8", kind="W")
    (step,) = add_up(text)
    assert {stream.label for stream in step.streams} == {
        "RND 4 KiB read",
        "SEQ 4 KiB read",
        "RND 4 KiB write",
    }


def test_idle_steps_between_are_kept_and_time_goes_on() -> None:
    steps = add_up(line(5, "D", "0 + 8") + line(8.5, "D", "8 + 8"))
    assert [step.ios for step in steps] == [1, 0, 0, 1]
    assert [step.start_s for step in steps] == [0, 1, 2, 3]
    assert steps[-1].duration_s == pytest.approx(0.5)


def test_depth_is_not_known_without_completions() -> None:
    (step,) = add_up(line(0, "D", "0 + 8") + line(0.5, "D", "8 + 8"))
    assert step.queue_depth is None


def test_queued_ios_count_where_none_is_dispatched() -> None:
    text = line(0, "Q", "0 + 8") + line(0.25, "C", "0 + 8") + line(1, "C", "9 + 8")
    (step,) = add_up(text)
    assert step.ios == 1
    assert step.queue_depth == pytest.approx(0.25)


def test_requeued_dispatch_is_counted_once() -> None:
    """D 0 to 0.25 s, requeued, again 0.5 to 1 s: one IO, 0.75 of it outstanding."""
    text = line(0, "D", "100 + 8") + line(0.25, "R", "100 + 8")
    text += line(0.5, "D", "100 + 8") + line(1, "C", "100 + 8")
    (step,) = add_up(text, step_seconds=10)
    assert [(s.label, s.ios) for s in step.streams] == [("RND 4 KiB read", 1)]
    assert step.queue_depth == pytest.approx(0.75)


def test_requeued_dispatch_leaves_its_access_as_it_was() -> None:
    """The second read follows the first one, however often it is dispatched."""
    text = line(0, "D", "100 + 8") + line(0.1, "D", "108 + 8")
    text += line(0.2, "R", "108 + 8") + line(0.3, "D", "108 + 8")
    (step,) = add_up(text)
    assert {s.label: s.ios for s in step.streams} == {
        "RND 4 KiB read": 1,
        "SEQ 4 KiB read": 1,
    }


def test_dispatch_is_taken_back_from_the_step_it_was_in() -> None:
    text = line(0, "D", "0 + 8") + line(0.9, "D", "500 + 8", kind="W")
    text += line(1.2, "R", "500 + 8", kind="W") + line(1.5, "D", "500 + 16", kind="W")
    text += line(2.0, "C", "0 + 8")
    first, second = add_up(text)
    assert [(s.label, s.ios) for s in first.streams] == [("RND 4 KiB read", 1)]
    assert [(s.label, s.ios) for s in second.streams] == [("RND 8 KiB write", 1)]


def test_outstanding_ios_are_told_apart_by_direction_and_size() -> None:
    """A read and a write of one sector: the write ends at 0.5 s, the read at 1 s."""
    text = line(0, "D", "0 + 8") + line(0, "D", "0 + 16", kind="W")
    text += line(0.5, "C", "0 + 16", kind="W") + line(1, "C", "0 + 8")
    (step,) = add_up(text, step_seconds=10)
    assert step.queue_depth == pytest.approx(1.5)


def test_completion_ends_the_io_of_its_size() -> None:
    """Reads of 8 and of 16 sectors at one place, until 1 and 0.5 s; then one more."""
    text = line(0, "D", "0 + 8") + line(0, "D", "0 + 16")
    text += line(0.5, "C", "0 + 16") + line(1, "C", "0 + 8") + line(3, "D", "64 + 8")
    (step,) = add_up(text, step_seconds=10)
    assert step.queue_depth == pytest.approx(0.5)


def test_two_ios_of_one_extent_are_two() -> None:
    text = line(0, "D", "0 + 8") + line(0, "D", "0 + 8")
    text += line(0.5, "C", "0 + 8") + line(1, "C", "0 + 8")
    (step,) = add_up(text, step_seconds=10)
    assert step.queue_depth == pytest.approx(1.5)
    assert step.ios == 2


def test_parts_of_a_request_end_it_when_all_are_complete() -> None:
    text = line(0, "D", "0 + 16") + line(0.5, "C", "0 + 8") + line(1, "C", "8 + 8")
    text += line(2, "D", "64 + 8")
    (step,) = add_up(text, step_seconds=10)
    assert step.queue_depth == pytest.approx(0.5)


def test_merged_queueings_end_with_their_one_request() -> None:
    text = line(0, "Q", "0 + 8") + line(0, "Q", "8 + 8") + line(0.5, "C", "0 + 16")
    text += line(1, "Q", "64 + 8")
    (step,) = add_up(text, step_seconds=10)
    assert step.queue_depth == pytest.approx(1.0)


def test_rest_of_a_request_in_parts_may_be_requeued() -> None:
    """What was done of it stays counted; its rest is dispatched as an IO of its own."""
    text = line(0, "D", "0 + 16") + line(0.25, "C", "0 + 8") + line(0.5, "R", "8 + 8")
    text += line(0.75, "D", "8 + 8") + line(1, "C", "8 + 8")
    (step,) = add_up(text, step_seconds=10)
    assert {s.label: s.ios for s in step.streams} == {
        "RND 8 KiB read": 1,
        "RND 4 KiB read": 1,
    }
    assert step.queue_depth == pytest.approx(0.75)


def test_one_of_several_devices_must_be_named() -> None:
    text = line(0, "D", "0 + 8") + line(0.5, "D", "0 + 8", device="8,16")
    text += line(0.9, "D", "8 + 8", device="8,16")
    with pytest.raises(CaptureError, match=r"line 2: .* including 8,0 and"):
        add_up(text)
    (step,) = add_up(text, device="8,16")
    assert step.ios == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            line(0, "D", "0 + 8") + "nonsense\n",
            "line 2: the line is not output of blkparse",
        ),
        (
            line(0, "D", "0 + 8") + "x" * 9000,
            "line 2: the line is not output of blkparse",
        ),
        (line(0, "D", "0 + 8"), "all of its IOs have the same time"),
        (line(0, "C", "0 + 8"), "no dispatched"),
        (line(0, "D", "0 + 8") + line(1e9, "D", "8 + 8"), "more than 10,000 steps"),
    ],
)
def test_text_that_is_none_is_refused(text: str, said: str) -> None:
    with pytest.raises(CaptureError, match="made") as refused:
        add_up(text)
    assert said in str(refused.value)


def test_lost_completions_do_not_fill_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blkparse, "MOST_OUTSTANDING", 4)
    begun = "".join(line(at / 100, "D", f"{at * 8} + 8") for at in range(9))
    assert add_up(begun)[0].ios == 9
    with pytest.raises(CaptureError, match="more than 4 IOs are outstanding"):
        add_up(line(0, "D", "9000 + 8") + line(0, "C", "9000 + 8") + begun)


def test_streams_of_a_step_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blkparse, "MOST_STREAMS", 2)
    text = "".join(line(at / 100, "D", f"{at * 99} + {at + 1}") for at in range(4))
    with pytest.raises(CaptureError, match="a step has more than 2 streams"):
        add_up(text)


def test_first_line_tells_a_trace_from_a_table() -> None:
    assert is_blkparse(MADE.read_bytes()[:200])
    assert not is_blkparse(b"step,start_s\n")
    assert not is_blkparse(b"")
