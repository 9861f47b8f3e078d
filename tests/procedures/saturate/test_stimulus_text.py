"""A stimulus from the text that a user writes."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.model.errors import StimulusError
from ssdlab.model.spec import Access, Workload
from ssdlab.model.units import KIB, MIB
from ssdlab.procedures.saturate.stimulus_text import parse_stimulus, stimulus_text

WORKLOADS = st.builds(
    Workload,
    access=st.sampled_from(("rnd", "seq")),
    block_size_bytes=st.integers(1, 16 * MIB // 512).map(lambda sectors: sectors * 512),
    read_percent=st.integers(0, 100),
    threads=st.integers(1, 1024),
    queue_depth=st.integers(1, 65_536),
)


def workload(
    access: Access, size: int, reads: int, threads: int = 1, depth: int = 32
) -> Workload:
    return Workload(
        access=access,
        block_size_bytes=size,
        read_percent=reads,
        threads=threads,
        queue_depth=depth,
    )


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("RND 4KiB 0/100 T1/Q32", workload("rnd", 4096, 0)),
        ("RND 4KiB 0/100", workload("rnd", 4096, 0)),
        ("seq 128k 0/100", workload("seq", 128 * KIB, 0)),
        ("  Rnd  8 KiB  67/33  t4/q16 ", workload("rnd", 8192, 67, 4, 16)),
        ("rnd 4096 100/0", workload("rnd", 4096, 100)),
        ("SEQ 0.5 KiB 50/50", workload("seq", 512, 50)),
        ("seq 1m 0/100 T2/Q1", workload("seq", MIB, 0, 2, 1)),
    ],
)
def test_stimulus_is_read_when_it_is_written_so(text: str, wanted: Workload) -> None:
    assert parse_stimulus(text) == wanted


@given(WORKLOADS)
def test_workload_comes_back_from_its_text(one: Workload) -> None:
    assert parse_stimulus(stimulus_text(one)) == one


@given(WORKLOADS)
def test_label_of_the_pts_is_a_stimulus_of_the_same_label(one: Workload) -> None:
    text = f"{one.label} T{one.threads}/Q{one.queue_depth}"
    assert parse_stimulus(text).label == one.label


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "its form is not recognised"),
        ("rnd", "its form is not recognised"),
        ("rand 4k 0/100", "its form is not recognised"),
        ("rnd 4k 0/100 Q32", "its form is not recognised"),
        ("rnd 4k 0/100 T1/Q32 x", "its form is not recognised"),
        ("rnd ٤k 0/100", "its form is not recognised"),
        ("rnd 4k 30/60", "30 % reads and 60 % writes are not 100 %"),
        ("rnd 4kb 0/100", "a block of 4000 B is not a multiple of 512 B"),
        ("rnd 0k 0/100", "a block of 0 B is not a multiple of 512 B"),
        ("rnd 4parsec 0/100", "'4parsec'"),
        ("rnd 32m 0/100", "a block may have at most 16 MiB"),
        ("rnd 4k 0/100 T0/Q1", "T0 is not between T1 and T1024"),
        ("rnd 4k 0/100 T1/Q65537", "Q65537 is not between Q1 and Q65536"),
    ],
)
def test_text_is_refused_in_one_line_when_it_is_no_stimulus(
    text: str, why: str
) -> None:
    with pytest.raises(StimulusError, match=re.escape(why)) as caught:
        parse_stimulus(text)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 2


@given(st.text())
def test_any_text_is_a_stimulus_or_refused(text: str) -> None:
    refusal = "x"
    try:
        parse_stimulus(text)
    except StimulusError as error:
        refusal = str(error)
    assert refusal.isprintable()
