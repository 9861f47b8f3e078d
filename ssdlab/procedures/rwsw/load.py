"""Streams of a capture as a workload, and the rounds that saturate a drive by it."""

from collections.abc import Sequence
from dataclasses import dataclass

from ssdlab.model.spec import IoStream, Stimulus, Tracking, Workload
from ssdlab.model.units import duration_label
from ssdlab.streams.mix import read_percent_of

SATURATION = "saturation"
_MOST_QUEUE_DEPTH = 128  # of one thread, where the OIO can be divided evenly
_MOST_THREADS = 64


@dataclass(frozen=True, kw_only=True, slots=True)
class Saturating:
    """How long a workload is applied until it is steady: the rounds of WSAT.

    One round in ``sample_every_rounds`` is judged; it ends without a steady state after
    ``max_rounds``.
    """

    round_seconds: float = 60.0
    sample_every_rounds: int = 31  # PTS 2.0.2, section 10
    max_rounds: int = 1440  # 24 h


def divide_oio(oio: int) -> tuple[int, int]:
    """Return threads and queue depth whose product is exactly the OIO.

    The fewest threads that leave 128 a thread at most; one thread where none do.

    >>> divide_oio(32), divide_oio(1024), divide_oio(306), divide_oio(307)
    ((1, 32), (8, 128), (3, 102), (1, 307))
    """
    for threads in range(1, _MOST_THREADS + 1):
        if oio % threads == 0 and oio // threads <= _MOST_QUEUE_DEPTH:
            return threads, oio // threads
    return 1, oio


def stream_workload(streams: Sequence[IoStream], oio: int) -> Workload:
    """Return the workload of streams; a single stream is a plain workload.

    Streams of both accesses have no single one: such a workload is called random.
    """
    threads, queue_depth = divide_oio(oio)
    first = streams[0]
    if len(streams) == 1:
        return Workload(
            access=first.access,
            block_size_bytes=first.block_size_bytes,
            read_percent=100 if first.is_read else 0,
            threads=threads,
            queue_depth=queue_depth,
        )
    return Workload(
        access="rnd",
        block_size_bytes=0,
        read_percent=read_percent_of(streams),
        threads=threads,
        queue_depth=queue_depth,
        streams=tuple(streams),
    )


def saturation_by(workload: Workload, rounds: Saturating) -> Stimulus:
    """Return the rounds of a workload, judged by the IOPS of all streams."""
    return Stimulus(
        phase_id=SATURATION,
        workload=workload,
        round_seconds=rounds.round_seconds,
        time_limit_s=rounds.max_rounds * rounds.round_seconds,
        sample_every_rounds=rounds.sample_every_rounds,
        tracking=Tracking(
            access=workload.access,
            block_size_bytes=workload.block_size_bytes,
            read_percent=workload.read_percent,
            metric="iops",
            streams=len(workload.streams),
        ),
    )


def round_notes(rounds: Saturating) -> tuple[str, ...]:
    """Return what is shorter or longer than nominal."""
    nominal = Saturating()
    if rounds == nominal:
        return ()
    return (f"{_round_words(rounds)}; nominal: {_round_words(nominal)}.",)


def _round_words(rounds: Saturating) -> str:
    every = rounds.sample_every_rounds
    judged = "each of them" if every == 1 else f"one in {every:,}"
    return (
        f"{rounds.max_rounds:,} rounds of {duration_label(rounds.round_seconds)} at "
        f"most, {judged} judged"
    )
