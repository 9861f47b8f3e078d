"""Captures from our own table: what is read, and what is refused by its line."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.model.capture import Capture, CaptureStep, StreamCount
from ssdlab.model.errors import CaptureError
from ssdlab.streams import capture as store
from ssdlab.streams.capture import (
    parse_capture,
    read_capture,
    render_capture,
    write_capture,
)
from tests.paths import ROOT

HEAD = "step,start_s,duration_s,queue_depth,access,block_size_bytes,direction,ios\n"
SHOP = ROOT / "tests" / "data" / "capture-made-shop.csv"


def parse(rows: str) -> tuple[CaptureStep, ...]:
    return parse_capture(HEAD + rows, source="made.csv")


def test_rows_of_one_step_are_its_streams() -> None:
    (step,) = parse("1,0,300,5.5,rnd,4096,read,90\n1,0,300,5.5,SEQ,65536,Write,10\n")
    assert (step.queue_depth, step.ios) == (5.5, 100)
    assert step.iops == pytest.approx(1 / 3)
    assert step.bw_bytes_per_s == pytest.approx((90 * 4096 + 10 * 65536) / 300)
    assert [stream.label for stream in step.streams] == [
        "RND 4 KiB read",
        "SEQ 64 KiB write",
    ]


def test_idle_step_and_unknown_queue_depth_are_read() -> None:
    idle, busy = parse("1,0,10,0,,,,0\n2,10,10,,rnd,512,read,1\n")
    assert (idle.streams, idle.queue_depth) == ((), 0)
    assert busy.queue_depth is None


def test_sample_of_the_repository_is_whole() -> None:
    capture = read_capture(SHOP)
    assert capture.name == "capture-made-shop"
    assert (len(capture.steps), len(capture.busy_steps)) == (12, 11)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("1,0,0,1,rnd,4096,read,1", "line 2: duration_s is 0"),
        ("1,0,9,1,rnd,4096,read", "line 2: it has 7 cells instead of 8"),
        ("1,0,9,1,rnd,4096,read,-1", "line 2: ios is '-1', not a whole number"),
        ("1,0,9,1,rnd,4k,read,1", "line 2: block_size_bytes is '4k'"),
        ("1,0,9,1,rnd,0,read,1", "line 2: 0 B is not a valid block size"),
        ("1,0,nan,1,rnd,4096,read,1", "line 2: duration_s is 'nan'"),
        ("1,0,9,1,odd,4096,read,1", "line 2: access is 'odd'"),
        ("1,0,9,1,rnd,4096,trim,1", "line 2: direction is 'trim'"),
        ("1,0,9,1,rnd,4096,read,0", "line 2: ios is 0"),
        ("1,0,9,1,rnd,512,read,1\n1,0,9,1,rnd,512,read,1", "line 3: step 1 has RND"),
        (
            "1,0,9,1,rnd,512,read,1\n1,0,9,2,seq,512,read,1",
            "line 3: queue_depth differs",
        ),
        ("1,0,9,1,,,,0\n1,0,9,1,seq,512,read,1", "line 3: step 1 has an idle row"),
        (
            "2,0,9,1,rnd,512,read,1\n1,9,9,1,rnd,512,read,1",
            "line 3: step 1 comes after",
        ),
        (
            "1,0,9,1,rnd,512,read,1\n2,8,9,1,rnd,512,read,1",
            "line 3: step 2 begins before",
        ),
        ('1,0,9,1,rnd,512,"read,1', "line 2: it is not CSV"),
    ],
)
def test_wrong_row_is_named_by_its_line(rows: str, said: str) -> None:
    with pytest.raises(CaptureError, match=r"made\.csv, ") as refused:
        parse(rows)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "it is empty"),
        (b"a,b\n1,2\n", "line 1: it is neither the header"),
        (
            HEAD.encode() + b"1,0,9,1,rnd,512,r\xff,1\n",
            "line 2: it is not text in UTF-8",
        ),
        (HEAD.encode() + b"1,0,9,0,,,,0\n", "none of its steps has IOs"),
    ],
)
def test_file_that_is_no_capture_is_refused(
    tmp_path: Path, content: bytes, said: str
) -> None:
    file = tmp_path / "made.csv"
    file.write_bytes(content)
    with pytest.raises(CaptureError, match=r"made\.csv") as refused:
        read_capture(file)
    assert said in str(refused.value)


def test_absent_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match=r"cannot be read \(No such file"):
        read_capture(tmp_path / "absent.csv")


def test_too_many_rows_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MOST_ROWS", 2)
    rows = "".join(f"{at},{at},1,1,rnd,512,read,1\n" for at in range(4))
    with pytest.raises(CaptureError, match="line 4: there are more than 2 rows"):
        parse(rows)


def test_byte_order_mark_and_blank_lines_do_no_harm(tmp_path: Path) -> None:
    file = tmp_path / "made.csv"
    text = f"\ufeff{HEAD}\r\n1,0,9,1,rnd,512,read,7\r\n\r\n"
    file.write_bytes(text.encode())
    assert read_capture(file).steps[0].ios == 7


@st.composite
def captures(draw: st.DrawFn) -> Capture:
    keys = st.tuples(
        st.sampled_from(["rnd", "seq"]), st.integers(1, 1 << 20), st.booleans()
    )
    steps = []
    for number in range(1, draw(st.integers(1, 4)) + 1):
        found = draw(st.lists(keys, max_size=4, unique=True))
        streams = tuple(
            StreamCount(
                access="rnd" if access == "rnd" else "seq",
                block_size_bytes=size,
                is_read=is_read,
                ios=draw(st.integers(1, 10**12)),
            )
            for access, size, is_read in found
        )
        depth = draw(st.none() | st.integers(0, 10**6).map(lambda n: n / 1000))
        steps.append(
            CaptureStep(
                number=number,
                start_s=number * 2.5,
                duration_s=2.5,
                queue_depth=depth,
                streams=streams,
            )
        )
    return Capture(name="made", steps=tuple(steps))


@given(capture=captures())
def test_written_table_is_read_back_equal(capture: Capture) -> None:
    assert parse_capture(render_capture(capture), source="made") == capture.steps


def test_written_file_is_read_back_equal(tmp_path: Path) -> None:
    capture = read_capture(SHOP)
    again = read_capture(write_capture(capture, tmp_path / "again.csv"))
    assert again.steps == capture.steps


def test_file_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match=r"cannot be written \(No such file"):
        write_capture(read_capture(SHOP), tmp_path / "absent" / "again.csv")
