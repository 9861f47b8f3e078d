"""Streams as one job of fio can make them: whole shares, and what is misplaced."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.model.spec import Access, IoStream
from ssdlab.model.units import KIB
from ssdlab.streams.mix import (
    expand_mix,
    mean_block_bytes,
    misplaced_percent,
    mix_streams,
    read_percent_of,
    round_shares,
)


def stream(
    share: float, access: Access = "rnd", size: int = 4 * KIB, *, is_read: bool = True
) -> IoStream:
    return IoStream(
        access=access, block_size_bytes=size, is_read=is_read, share_percent=share
    )


@st.composite
def streams(draw: st.DrawFn) -> tuple[IoStream, ...]:
    keys = draw(
        st.lists(
            st.tuples(
                st.sampled_from(["rnd", "seq"]),
                st.sampled_from([512, 4096, 16384, 131072]),
                st.booleans(),
            ),
            min_size=1,
            max_size=8,
            unique=True,
        )
    )
    weights = [draw(st.integers(1, 10_000)) for _ in keys]
    return tuple(
        IoStream(
            access="rnd" if key[0] == "rnd" else "seq",
            block_size_bytes=key[1],
            is_read=key[2],
            share_percent=100 * weight / sum(weights),
        )
        for key, weight in zip(keys, weights, strict=True)
    )


def test_random_streams_are_made_by_direction_exactly() -> None:
    """By hand: 60 % reads, of them 3 of 4 of 4 KiB; writes all of 8 KiB."""
    wanted = (stream(45), stream(15, size=512), stream(40, size=8 * KIB, is_read=False))
    mix = mix_streams(wanted)
    assert (mix.sizes_by, mix.read_percent) == ("direction", 60)
    assert (mix.first_sizes, mix.second_sizes) == (
        ((512, 25), (4096, 75)),
        ((8192, 100),),
    )
    assert (mix.read_random_percent, mix.write_random_percent) == (100, 100)
    assert misplaced_percent(wanted, expand_mix(mix)) == pytest.approx(0)


def test_sizes_go_by_access_where_that_misplaces_fewer() -> None:
    """By hand: half RND 4 KiB, half SEQ 128 KiB, both all reads."""
    wanted = (stream(50), stream(50, "seq", 128 * KIB))
    mix = mix_streams(wanted)
    assert mix.sizes_by == "access"
    assert (mix.first_sizes, mix.second_sizes) == (((131072, 100),), ((4096, 100),))
    made = {s.label: s.share_percent for s in expand_mix(mix)}
    assert made == {"RND 4 KiB read": 50, "SEQ 128 KiB read": 50}


def test_misplaced_ios_are_counted_by_hand() -> None:
    """RND reads and SEQ writes of two sizes: no one rule has both."""
    wanted = (
        *(stream(40), stream(20, "seq", 64 * KIB)),
        *(stream(20, is_read=False), stream(20, "seq", is_read=False)),
    )
    made = expand_mix(mix_streams(wanted))
    apart = {s.label: s.share_percent for s in wanted}
    for s in made:
        apart[s.label] = apart.get(s.label, 0) - s.share_percent
    assert misplaced_percent(wanted, made) == pytest.approx(
        sum(part for part in apart.values() if part > 0)
    )
    assert misplaced_percent(wanted, wanted) == 0
    other = (stream(100, size=512),)
    assert misplaced_percent(wanted, other) == pytest.approx(100)


SHOP = (
    stream(52),
    stream(22, "seq", 64 * KIB),
    stream(16, is_read=False),
    stream(10, size=8 * KIB),
)


def test_random_share_of_each_direction_is_its_own() -> None:
    """Of 84 % reads 62 are random, 74 of 100; of the writes all are.

    By access: SEQ 64 KiB, RND 68 of 78 of 4 KiB. By hand SEQ 84 * 26 %, RND reads
    62.16 %, of them 87 of 100 of 4 KiB; writes 16 %, of them 13 of 100 of 8 KiB.
    """
    mix = mix_streams(SHOP)
    assert mix.sizes_by == "access"
    assert (mix.read_random_percent, mix.write_random_percent) == (74, 100)
    made = {s.label: s.share_percent for s in expand_mix(mix)}
    assert made == pytest.approx({
        "RND 4 KiB read": 84 * 0.74 * 0.87,
        "SEQ 64 KiB read": 84 * 0.26,
        "RND 4 KiB write": 16 * 0.87,
        "RND 8 KiB read": 84 * 0.74 * 0.13,
        "RND 8 KiB write": 16 * 0.13,
    })
    assert misplaced_percent(SHOP, expand_mix(mix)) < 4.5
    writes = mean_block_bytes(expand_mix(mix), is_read=False)
    assert writes == pytest.approx(4096 * 1.13)


def test_mix_is_chosen_by_bytes_as_well_as_by_ios() -> None:
    """By access 20 % of IOs and 47 % of bytes are misplaced, by direction 30 and 25.

    By direction, of the writes 25 of 100 are RND and 75 of 100 of 4 KiB: 15 % of IOs
    are RND 4 KiB and 15 % SEQ 64 KiB writes, which nobody wanted.
    """
    wanted = (
        stream(20, size=128 * KIB),
        stream(20, size=64 * KIB, is_read=False),
        stream(60, "seq", is_read=False),
    )
    mix = mix_streams(wanted)
    assert mix.sizes_by == "direction"
    made = expand_mix(mix)
    assert misplaced_percent(wanted, made) == pytest.approx(30)
    assert misplaced_percent(wanted, made, of="bytes") == pytest.approx(25)


def test_misplaced_bytes_are_counted_by_hand() -> None:
    """Written: 40 of 4 KiB wanted; 20 of 4 and 20 of 8 KiB made, 160 of 240 KiB."""
    wanted = (stream(60), stream(40, is_read=False))
    made = (
        *(stream(60), stream(20, is_read=False)),
        stream(20, size=8 * KIB, is_read=False),
    )
    assert misplaced_percent(wanted, made) == pytest.approx(20)
    of_written = misplaced_percent(wanted, made, of="written bytes")
    assert of_written == pytest.approx(100 * 160 / 240)
    of_bytes = misplaced_percent(wanted, made, of="bytes")
    assert of_bytes == pytest.approx(100 * 160 / 480)


def test_misplaced_share_of_what_is_not_there_is_missing() -> None:
    reads = (stream(100),)
    assert math.isnan(misplaced_percent(reads, reads, of="written bytes"))
    assert math.isnan(mean_block_bytes(reads, is_read=False))


@pytest.mark.parametrize(
    ("reads", "percent"), [(0.0, 0), (0.2, 1), (50.5, 51), (99.9, 99), (100.0, 100)]
)
def test_share_of_reads_is_never_all_where_there_are_writes(
    reads: float, percent: int
) -> None:
    parts = [stream(reads), stream(100 - reads, is_read=False)]
    assert read_percent_of([s for s in parts if s.share_percent]) == percent


@given(wanted=streams())
def test_made_shares_add_up_and_name_every_size(wanted: tuple[IoStream, ...]) -> None:
    mix = mix_streams(wanted)
    made = expand_mix(mix)
    assert sum(s.share_percent for s in made) == pytest.approx(100)
    sizes = {s.block_size_bytes for s in wanted}
    assert {s.block_size_bytes for s in made} == sizes
    assert 0 <= misplaced_percent(wanted, made) <= 100
    assert 0 <= misplaced_percent(wanted, made, of="bytes") <= 100 + 1e-9
    directions = {s.is_read for s in wanted}
    assert {s.is_read for s in made} == directions
    for is_read in directions:
        held = {s.access for s in wanted if s.is_read == is_read}
        if held == {"rnd"}:
            assert {s.access for s in made if s.is_read == is_read} == held
    assert mix_streams(tuple(reversed(wanted))) == mix


@given(shares=st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=64))
def test_rounded_shares_add_up_to_100_and_leave_nothing_out(
    shares: list[float],
) -> None:
    whole = round_shares(shares)
    assert sum(whole) == 100
    assert min(whole) >= 1
    total = sum(shares)
    if min(shares) >= total / 100:
        exact = [100 * share / total for share in shares]
        assert all(
            abs(one - other) < 1 for one, other in zip(whole, exact, strict=True)
        )


def test_no_stream_and_too_many_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="there are no streams to mix"):
        mix_streams([])
    many = [stream(100 / 65, size=512 * (at + 1)) for at in range(65)]
    with pytest.raises(
        ValueError, match="fio takes at most 64 block sizes at once, not 65"
    ):
        mix_streams(many)
