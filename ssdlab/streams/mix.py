"""Captured streams as one job of fio can issue them, and what it issues.

ssdlab experimental, not the RWSW standard.
"""

import math
from collections.abc import Sequence
from typing import Literal, assert_never

from ssdlab.model.capture import SizeShares, StreamMix
from ssdlab.model.spec import Access, IoStream

Measure = Literal["ios", "bytes", "written bytes"]

MOST_SIZES = 64  # of one direction: BSSPLIT_MAX of fio
_ACCESSES: tuple[Access, ...] = ("rnd", "seq")
_Key = tuple[Access, int, bool]


def read_percent_of(streams: Sequence[IoStream]) -> int:
    """Return the share of reads in whole per cent, never 0 or 100 where both are."""
    reads = sum(stream.share_percent for stream in streams if stream.is_read)
    directions = {stream.is_read for stream in streams}
    if len(directions) == 1:
        return 100 if directions == {True} else 0
    return min(99, max(1, math.floor(reads + 0.5)))


def mix_streams(streams: Sequence[IoStream]) -> StreamMix:
    """Return streams as one job of fio can issue them, which keeps the queue depth.

    Sizes are by direction or by access. Either misplaces a share of IOs and a share of
    bytes; the one whose greater share is less is used, if these are equal the one that
    misplaces fewer IOs, and else sizes by direction. What is present has at least 1 %,
    as random IOs of each direction always have.

    See Also
    --------
    expand_mix : The streams that such a mix makes.
    misplaced_percent : How much of them is of another stream.
    """
    if not streams:
        msg = "there are no streams to mix"
        raise ValueError(msg)
    mixes = (_mix_by_direction(streams), _mix_by_access(streams))
    return min(mixes, key=lambda mix: _misplaced(streams, mix))


def _misplaced(streams: Sequence[IoStream], mix: StreamMix) -> tuple[float, float]:
    """Return the greater share that a mix misplaces, and that of IOs [%].

    Shares that differ by their last digits alone are equal.
    """
    made = expand_mix(mix)
    of_ios = round(misplaced_percent(streams, made), 9)
    return max(of_ios, round(misplaced_percent(streams, made, of="bytes"), 9)), of_ios


def _mix_by_direction(streams: Sequence[IoStream]) -> StreamMix:
    reads = [stream for stream in streams if stream.is_read]
    writes = [stream for stream in streams if not stream.is_read]
    return StreamMix(
        read_percent=read_percent_of(streams),
        read_random_percent=_random_percent(reads or writes),
        write_random_percent=_random_percent(writes or reads),
        sizes_by="direction",
        first_sizes=_sizes(reads or writes),
        second_sizes=_sizes(writes or reads),
    )


def _mix_by_access(streams: Sequence[IoStream]) -> StreamMix:
    reads = [stream for stream in streams if stream.is_read]
    writes = [stream for stream in streams if not stream.is_read]
    runs = [stream for stream in streams if stream.access == "seq"]
    jumps = [stream for stream in streams if stream.access == "rnd"]
    return StreamMix(
        read_percent=read_percent_of(streams),
        read_random_percent=_random_percent(reads or writes),
        write_random_percent=_random_percent(writes or reads),
        sizes_by="access",
        first_sizes=_sizes(runs or jumps),
        second_sizes=_sizes(jumps or runs),
    )


def _random_percent(streams: Sequence[IoStream]) -> int:
    total = math.fsum(stream.share_percent for stream in streams)
    random = math.fsum(s.share_percent for s in streams if s.access == "rnd")
    most = 100 if all(stream.access == "rnd" for stream in streams) else 99
    return min(most, max(1, math.floor(100 * random / total + 0.5)))


def _sizes(streams: Sequence[IoStream]) -> SizeShares:
    shares: dict[int, float] = {}
    for stream in streams:
        size = stream.block_size_bytes
        shares[size] = shares.get(size, 0.0) + stream.share_percent
    if len(shares) > MOST_SIZES:
        msg = f"fio takes at most {MOST_SIZES} block sizes at once, not {len(shares)}"
        raise ValueError(msg)
    sizes = sorted(shares)
    whole = round_shares([shares[size] for size in sizes])
    return tuple(zip(sizes, whole, strict=True))


def round_shares(shares: Sequence[float]) -> tuple[int, ...]:
    """Round shares to whole per cent that add up to 100, each 1 at least.

    The order is kept: after rounding down, the rest goes to the largest remainders, the
    first of equals; a share that got nothing takes 1 from the largest.

    >>> round_shares([1, 1, 1]), round_shares([999, 1])
    ((34, 33, 33), (99, 1))
    """
    total = math.fsum(shares)
    exact = [100 * share / total for share in shares]
    whole = [math.floor(share + 1e-9) for share in exact]
    order = sorted(range(len(whole)), key=lambda at: (whole[at] - exact[at], at))
    for at in order[: 100 - sum(whole)]:
        whole[at] += 1
    for at in range(len(whole)):
        if not whole[at]:
            whole[whole.index(max(whole))] -= 1
            whole[at] = 1
    return tuple(whole)


def expand_mix(mix: StreamMix) -> tuple[IoStream, ...]:
    """Return the streams that a mix issues.

    Each combination of direction, size and access with its share of IOs [%], the
    greatest first.

    Notes
    -----
    Sizes by direction do not depend on access, and sizes by access not on direction.
    So a mix may issue streams that the capture lacks, such as random IOs of the sizes
    of the sequential ones.
    """
    made = [
        stream
        for is_read in (True, False)
        for access in _ACCESSES
        for stream in _expand(mix, access, is_read=is_read)
        if stream.share_percent > 0
    ]
    return tuple(sorted(made, key=lambda stream: -stream.share_percent))


def _expand(mix: StreamMix, access: Access, *, is_read: bool) -> list[IoStream]:
    share = mix.read_percent if is_read else 100 - mix.read_percent
    random = mix.read_random_percent if is_read else mix.write_random_percent
    likely = random if access == "rnd" else 100 - random
    is_first = is_read if mix.sizes_by == "direction" else access == "seq"
    return [
        IoStream(
            access=access,
            block_size_bytes=size,
            is_read=is_read,
            share_percent=share * likely * part / 10_000,
        )
        for size, part in (mix.first_sizes if is_first else mix.second_sizes)
    ]


def misplaced_percent(
    wanted: Sequence[IoStream], made: Sequence[IoStream], *, of: Measure = "ios"
) -> float:
    """Return the share of IOs or bytes that belongs to another stream than it should.

    Half the sum of the differences of all shares [%]: 0 if they are equal, 100 if
    they have no stream in common. NaN if either has nothing of what is counted.

    >>> small, large = (
    ...     IoStream(access="rnd", block_size_bytes=b, is_read=True, share_percent=50)
    ...     for b in (4096, 12288)
    ... )
    >>> misplaced_percent([small, small], [small, large])
    50.0
    >>> misplaced_percent([small, small], [small, large], of="bytes")
    75.0
    """
    shares: dict[_Key, float] = {}
    for sign, streams in ((1, wanted), (-1, made)):
        amounts = [_amount(stream, of) for stream in streams]
        total = math.fsum(amounts)
        if not total:
            return math.nan
        for stream, amount in zip(streams, amounts, strict=True):
            key = (stream.access, stream.block_size_bytes, stream.is_read)
            shares[key] = shares.get(key, 0.0) + sign * 100 * amount / total
    return math.fsum(map(abs, shares.values())) / 2


def _amount(stream: IoStream, of: Measure) -> float:
    """Return the counted amount of a stream, in any unit."""
    match of:
        case "ios":
            return stream.share_percent
        case "bytes":
            return stream.share_percent * stream.block_size_bytes
        case "written bytes":
            is_written = not stream.is_read
            return is_written * stream.share_percent * stream.block_size_bytes
        case _:
            assert_never(of)


def mean_block_bytes(streams: Sequence[IoStream], *, is_read: bool) -> float:
    """Return the mean size of the reads or of the writes of streams."""
    held = [stream for stream in streams if stream.is_read == is_read]
    ios = math.fsum(_amount(stream, "ios") for stream in held)
    return math.fsum(_amount(s, "bytes") for s in held) / ios if ios else math.nan
