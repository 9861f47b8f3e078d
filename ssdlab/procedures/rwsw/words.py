"""What applied streams leave out of a capture and what fio adds to them, in words."""

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from ssdlab.model.capture import StreamCount
from ssdlab.model.spec import IoStream
from ssdlab.streams.kept import KeptShares, measure_kept
from ssdlab.streams.mix import (
    Measure,
    expand_mix,
    misplaced_percent,
    mix_streams,
)

_MEASURES: dict[Measure, str] = {
    "ios": "IOs",
    "bytes": "bytes",
    "written bytes": "written bytes",
}
_FEW_WRITTEN_PERCENT = 50.0
_MOST_NAMED = 12
_MIX = (
    "One fio job makes all streams, so that the queue depth is kept: it draws "
    "direction, access and size of each IO in whole per cent, and sizes by direction "
    "or by access only."
)
_REMEDY = "A higher --share applies more streams."


@dataclass(frozen=True, kw_only=True, slots=True)
class AppliedPart:
    """All that was counted in a capture or in one step of it, and what is applied.

    ``step`` is the number of the step, ``None`` for the whole capture.
    """

    counts: Collection[StreamCount]
    streams: Sequence[IoStream]
    step: int | None = None

    @property
    def kept(self) -> KeptShares:
        """Which part of what was counted is applied."""
        return measure_kept(self.counts, self.streams)


def count_words(number: int, one: str, *, many: str = "") -> str:
    """Return ``1 step`` and ``2 steps``.

    >>> count_words(1, "step"), count_words(1200, "step")
    ('1 step', '1,200 steps')
    """
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def join_words(words: Iterable[str]) -> str:
    """Return a list in words.

    >>> join_words(["a", "b", "c"]), join_words(["a"])
    ('a, b and c', 'a')
    """
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def misplaced_words(
    pairs: Sequence[tuple[Sequence[IoStream], Sequence[IoStream]]],
) -> str:
    """Return which shares belong to other streams: the greatest of pairs.

    Each pair is of the streams that were wanted and of those that are made. What
    there is nothing of, such as written bytes in reads alone, is left out.
    """
    shares = {
        name: [misplaced_percent(*pair, of=measure) for pair in pairs]
        for measure, name in _MEASURES.items()
    }
    return join_words(
        f"{_percent(max(known))} of {name}"
        for name, values in shares.items()
        if (known := [value for value in values if not math.isnan(value)])
    )


def mix_note(applied: Iterable[Sequence[IoStream]]) -> str:
    """Say what is not exact about mixes of streams, and how much it may be."""
    mixed = [streams for streams in applied if len(streams) > 1]
    if not mixed:
        return "Each workload is a single stream, exactly as captured."
    pairs = [(streams, expand_mix(mix_streams(streams))) for streams in mixed]
    limit = "up to " if len(pairs) > 1 else ""
    return (
        f"{_MIX} So {limit}{misplaced_words(pairs)} belong to another stream than in "
        "the applied workload; what is not applied is not counted here."
    )


def kept_note(parts: Sequence[AppliedPart]) -> str:
    """Say which part of the capture, or of its steps, is applied."""
    kept = [part.kept for part in parts]
    values = {
        "IOs": [shares.ios_percent for shares in kept],
        "bytes": [shares.bytes_percent for shares in kept],
        "written bytes": [shares.written_bytes_percent for shares in kept],
    }
    words = join_words(
        f"{_span(known)} of {name}"
        for name, held in values.items()
        if (known := [value for value in held if not math.isnan(value)])
    )
    where = "the capture" if parts[0].step is None else "the steps"
    return (
        f"Streams are chosen by their IOs. Of {where}, the applied ones make up "
        f"{words}."
    )


def loss_notes(parts: Sequence[AppliedPart]) -> tuple[str, ...]:
    """Say where a direction is not applied, and where few written bytes are."""
    notes = []
    for direction in ("write", "read"):
        lost = [part for part in parts if part.kept.lost_direction == direction]
        if lost:
            notes.append(
                _lost_words(lost, "reads" if direction == "read" else "writes")
            )
    few = [p for p in parts if 0 < p.kept.written_bytes_percent < _FEW_WRITTEN_PERCENT]
    if few:
        what = _span([part.kept.written_bytes_percent for part in few])
        notes.append(
            f"{_place(few)} only {what} of the written bytes belong to applied "
            f"streams: most writes are left out. {_REMEDY}"
        )
    return tuple(notes)


def _lost_words(
    lost: Sequence[AppliedPart], direction: Literal["reads", "writes"]
) -> str:
    reads = [part.kept.captured_read_percent for part in lost]
    shares = reads if direction == "reads" else [100 - share for share in reads]
    return (
        f"{_place(lost)} {direction} were {_span(shares)} of IOs, but none are "
        f"applied. {_REMEDY}"
    )


def _place(parts: Sequence[AppliedPart]) -> str:
    steps = [f"{part.step}" for part in parts if part.step is not None]
    if not steps:
        return "In the capture"
    if len(steps) > _MOST_NAMED:
        return f"In {len(steps)} steps"
    return f"In {'step' if len(steps) == 1 else 'steps'} {join_words(steps)}"


def _span(values: Sequence[float]) -> str:
    least, most = _percent(min(values)), _percent(max(values))
    return most if least == most else f"{least.removesuffix(' %')} to {most}"


def _percent(value: float) -> str:
    """Return a share; nothing but all of it is 100 %."""
    text = f"{value:.3g}"
    return "almost 100 %" if text == "100" and value < 100 else f"{text} %"
