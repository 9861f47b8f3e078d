"""Versions of fio print fractions wrongly; what was counted beside them is right."""

from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ssdlab.fio.document import FioDocument, FioSide
from ssdlab.fio.from_text.normal import parse_normal
from ssdlab.fio.from_text.text_numbers import parse_amount

Printer = Callable[[int, int, int], str]
KIB = 1024
RUNS = st.tuples(
    st.integers(1, 10**8), st.integers(1, 10**6), st.sampled_from([512, 4096, 1 << 20])
)


def scaled(number: int, width: int, base: int) -> tuple[int, int, int | None]:
    """Return a number divided until it fits, the power, and what was left over."""
    power, left = 0, None
    while len(str(number)) > width:
        number, left = divmod(number, base)
        power += 1
    return number, power, left


def print_old(number: int, width: int, base: int) -> str:
    """As ``num2str()`` of fio 2.x does."""
    whole, power, left = scaled(number, width, base)
    prefix = " KMGTP"[power].strip()
    room = width - len(str(whole))
    if left is None:
        return f"{whole}{prefix}"
    if room <= 1:
        return f"{whole + (left >= base / 2)}{prefix}"
    while len(str(left)) > room - 1:
        left = (left + 9) // 10
    return f"{whole}.{left}{prefix}"


def print_new(number: int, width: int, base: int, *, carries: bool) -> str:
    """As ``num2str()`` of fio 3.x does; up to 3.25 it loses what is carried."""
    whole, power, left = scaled(number, width, base)
    prefix = " kMGTP"[power].strip() + ("i" if base == KIB and power else "")
    room = width - len(str(whole)) - 1
    if left is None:
        return f"{whole}{prefix}"
    if room < 1:
        return f"{whole + (left >= base / 2)}{prefix}"
    fraction = f"{left / base:.{room}f}"
    return f"{whole + (carries and fraction[0] == '1')}.{fraction[2:]}{prefix}"


def old_text(ios: int, ms: int, size: int) -> str:
    done, bw, iops = ios * size, ios * size * 1000 // ms, ios * 1000 // ms
    io_text, bw_text = (f"{print_old(n, 6, KIB)}B" for n in (done, bw))
    sizes = "/".join([f"{print_old(size, 4, KIB)}-{print_old(size, 4, KIB)}"] * 3)
    return f"""j: (g=0): rw=read, bs={sizes}, ioengine=sync, iodepth=1
fio-2.2.10
Starting 1 process

j: (groupid=0, jobs=1): err= 0: pid=7: Mon Jan  5 10:00:00 2015
  read : io={io_text}, bw={bw_text}/s, iops={print_old(iops, 6, 1000)}, runt={ms:6}msec
  cpu          : usr=2.00%, sys=9.00%, ctx=1, majf=0, minf=9
     issued    : total=r={ios}/w=0/d=0, short=r=0/w=0/d=0, drop=r=0/w=0/d=0

Run status group 0 (all jobs):
   READ: io={io_text}, aggrb={bw_text}/s, minb=1KB/s, maxb=1KB/s, mint={ms}msec, \
maxt={ms}msec
"""


def new_text(ios: int, ms: int, size: int, *, version: str, carries: bool) -> str:
    def said(number: int, base: int) -> str:
        return print_new(number, 4, base, carries=carries)

    done, bw, iops = ios * size, ios * size * 1000 // ms, ios * 1000 // ms
    io_text, bw_text = (f"{said(n, KIB)}B" for n in (done, bw))
    bs = ", ".join(
        f"({letter}) {said(size, KIB)}B-{said(size, KIB)}B" for letter in "RWT"
    )
    return f"""j: (g=0): rw=read, bs={bs}, ioengine=sync, iodepth=1
{version}
Starting 1 process

j: (groupid=0, jobs=1): err= 0: pid=7: Fri Jan  5 10:00:00 2018
  read: IOPS={said(iops, 1000)}, BW={bw_text}/s ({said(bw, 1000)}B/s)\
({io_text}/{ms}msec)
  cpu          : usr=2.00%, sys=9.00%, ctx=1, majf=0, minf=9
     issued rwt: total={ios},0,0, short=0,0,0, dropped=0,0,0

Run status group 0 (all jobs):
   READ: bw={bw_text}/s ({said(bw, 1000)}B/s), 1B/s-1B/s (1B/s-1B/s), io={io_text} \
({said(done, 1000)}B), run={ms}-{ms}msec
"""


def read(text: str) -> tuple[FioDocument, FioSide]:
    (document,) = parse_normal(text, source="made")
    return document, document.jobs[0].sides["read"]


def assert_counted(text: str, ios: int, ms: int, size: int) -> None:
    document, side = read(text)
    assert side.iops == ios * 1000 / ms
    assert side.io_bytes == ios * size
    assert side.bw_bytes_per_s == ios * size * 1000 // ms
    assert [doubt for doubt in document.doubts if doubt.is_grave] == []


@given(RUNS)
@example((17_980, 1000, 4096))
@settings(max_examples=300, deadline=None)
def test_fio_3_8_is_read_by_its_counts(run: tuple[int, int, int]) -> None:
    assert_counted(new_text(*run, version="fio-3.8", carries=False), *run)


@given(RUNS)
@example((66_760_175, 9, 1 << 20))  # a rate that doubles would round up
@settings(max_examples=300, deadline=None)
def test_fio_3_33_is_read_by_its_counts(run: tuple[int, int, int]) -> None:
    text = new_text(*run, version="fio-3.33", carries=True)
    assert_counted(text, *run)
    assert not [d for d in read(text)[0].doubts if d.kind == "misprinted"]


@given(RUNS)
@example((4460, 1000, 4096))  # 17.42 MiB and 50 of 1024 parts
@settings(max_examples=300, deadline=None)
def test_fio_2_2_is_read_by_its_counts(run: tuple[int, int, int]) -> None:
    assert_counted(old_text(*run), *run)


def test_the_doubt_names_the_number_that_is_wrong() -> None:
    text = new_text(17_980, 1000, 4096, version="fio-3.8", carries=False)
    assert "IOPS=17.0k" in text
    document, _ = read(text)
    (doubt,) = [doubt for doubt in document.doubts if doubt.kind == "misprinted"]
    assert doubt.place == "jobs[0].read.iops"
    assert "printed as 17000, but 17980 by its counts: some" in doubt.meaning


def test_bytes_without_a_block_size_are_told_by_the_data_rate() -> None:
    text = new_text(4603, 1000, 4096, version="fio-3.8", carries=False)
    assert "(17.0MiB/1000msec)" in text
    _, side = read(text.partition("\n")[2])
    assert side.io_bytes == pytest.approx(4603 * 4096, rel=0.003)


def test_what_a_right_version_says_wrongly_is_grave() -> None:
    text = new_text(17_980, 1000, 4096, version="fio-3.33", carries=False)
    document, side = read(text)
    assert side.iops == 17_980
    assert [d.kind for d in document.doubts if d.is_grave] == ["misprinted"]


@given(st.integers(0, 10**13))
@settings(max_examples=400, deadline=None)
def test_every_number_may_have_been_printed_as_it_was(number: int) -> None:
    old = parse_amount(f"{print_old(number, 6, KIB)}B", kilo=KIB, is_old=True)
    assert old is not None
    assert old.is_near(number, slack=1.0)
    for carries in (False, True):
        new = parse_amount(f"{print_new(number, 4, KIB, carries=carries)}B")
        assert new is not None
        assert new.is_near(number, slack=1.0)
