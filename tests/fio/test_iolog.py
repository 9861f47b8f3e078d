"""fio's IO logs: what is read of them, what is refused, and what is written again."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.fio.jobs.iolog import read_iolog
from ssdlab.model.errors import UserFileError

V3 = b"fio version 3 iolog\n"
RECORDED = V3 + (
    b"0 /dev/nvme0n1 add\n"
    b"40 /dev/nvme0n1 open\n"
    b"1000 /dev/nvme0n1 read 0 4096\n"
    b"1500 /dev/nvme0n1 write 4096 8192\n"
    b"1500 /dev/nvme0n1 sync 0 0\n"
    b"4000 /dev/nvme0n1 datasync 0 0\n"
    b"9000 /dev/nvme0n1 trim 1048576 65536\n"
    b"9100 /dev/nvme0n1 close\n"
)


def test_log_is_described_and_written_again() -> None:
    found = read_iolog(RECORDED, source="a.log")
    assert (found.reads, found.writes, found.trims, found.ios) == (1, 1, 1, 3)
    assert found.io_bytes == 4096 + 8192 + 65536
    assert (found.span_us, found.pause_us) == (8000, 5000)
    assert found.end_bytes == 1048576 + 65536
    assert found.unit_bytes == 4096
    assert found.sizes_bytes == (4096, 8192, 65536)
    assert found.sequential_ios == 1
    assert found.content == V3 + (
        b"1 log add\n"
        b"1 log open\n"
        b"1 log read 0 4096\n"
        b"501 log write 4096 8192\n"
        b"501 log sync 0 0\n"
        b"3001 log sync 0 0\n"
        b"8001 log trim 1048576 65536\n"
    )


def test_log_of_version_2_has_no_times() -> None:
    text = b"fio version 2 iolog\r\n/x add\r\n/x read 512 512\r\n\r\n/x write 0 512\r\n"
    found = read_iolog(text, source="a.log")
    assert (found.span_us, found.unit_bytes, found.ios) == (0, 512, 2)
    assert found.content.endswith(b"1 log read 512 512\n1 log write 0 512\n")


BAD = {
    b"": "it does not begin with",
    b"fio version 4 iolog\n": "it does not begin with",
    b"\x00\x12eb": "it does not begin with",
    V3: "it has no IO",
    V3 + b"1 x sync 0 0\n": "it has no IO",
    V3 + b"1 x erase 0 512\n": "line 2: 'erase' is none of read, write, trim, datasync",
    V3 + b"1 x read 0\n": "line 2: it is no line of an IO log",
    V3 + b"x read 0 512\n": "line 2: 'x' is not a whole number",
    V3 + b"1 x read -4096 512\n": "line 2: '-4096' is not a whole number",
    V3 + b"1 x read 0 0\n": "line 2: an IO of 0 B at 0 is not possible",
    V3 + b"1 x read 0 99999999999\n": "an IO of 99999999999 B",
    V3 + b"1 x read 9999999999999999999 512\n": "at 9999999999999999999 is not",
    V3 + b"1 x read 99999999999999999999 512\n": "is not a whole number",
    V3 + b"9 x read 0 512\n8 x read 0 512\n": "line 3: its time is before that",
    V3 + b"0 x read 0 512\n999999999999 x read 0 512\n": "more than a week",
    V3 + b"1 x read 0 512\n2 y read 0 512\n": "it has IOs of 2 files, not of one",
    V3 + b"1 x wait 100 0\n": "record the log again with write_iolog",
    V3 + "1 x réad 0 512\n".encode(): "is none of",
    V3 + b"1 \x1b[31m \x1b[2J 0 512\n": "is none of",
}


@pytest.mark.parametrize("content", BAD)
def test_bad_log_is_refused_in_one_sentence(content: bytes) -> None:
    with pytest.raises(UserFileError) as caught:
        read_iolog(content, source="a.log")
    said = str(caught.value)
    assert said.startswith("a.log: ")
    assert said.isprintable()
    assert BAD[content] in said


IOS = st.lists(
    st.tuples(
        st.integers(0, 10**6),
        st.sampled_from(["read", "write", "trim", "sync"]),
        st.integers(0, 2**40),
        st.integers(1, 2**26),
    ),
    min_size=1,
    max_size=30,
)


@given(IOS)
def test_log_is_the_same_when_it_is_read_again(
    ios: list[tuple[int, str, int, int]],
) -> None:
    at_us, lines = 0, []
    for gap_us, what, offset, size in ios:
        at_us += gap_us
        place = "0 0" if what == "sync" else f"{offset} {size}"
        lines.append(f"{at_us} /dev/sda {what} {place}\n")
    moves = [one for one in ios if one[1] != "sync"]
    if not moves:
        return
    found = read_iolog(V3 + "".join(lines).encode(), source="a.log")
    assert read_iolog(found.content, source="b.log") == found
    assert found.ios == len(moves)
    assert found.io_bytes == sum(size for *_, size in moves)
    assert found.end_bytes == max(offset + size for *_, offset, size in moves)
    assert found.unit_bytes == math.gcd(
        *(n for *_, at, size in moves for n in (at, size))
    )
    assert found.span_us == at_us - ios[0][0]
    assert found.pause_us == max([gap for gap, *_ in ios[1:]], default=0)
