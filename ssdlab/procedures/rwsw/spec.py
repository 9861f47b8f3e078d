"""Tests by a capture of IO streams: RWSW PTS.

ssdlab experimental, not the RWSW standard: the recipes are recalled ones, and where
they say nothing the choice is ours (docs/decisions/0031).
"""

import math
from collections.abc import Sequence
from typing import NoReturn

from ssdlab.model.asked import Procedure
from ssdlab.model.capture import EXPERIMENTAL, Capture, CaptureStep
from ssdlab.model.errors import CaptureError
from ssdlab.model.plain import to_plain
from ssdlab.model.spec import (
    Histogram,
    IoStream,
    Phase,
    Precondition,
    PtsTest,
    Purge,
)
from ssdlab.model.units import KIB, duration_label
from ssdlab.procedures.rwsw.load import (
    Saturating,
    round_notes,
    saturation_by,
    stream_workload,
)
from ssdlab.procedures.rwsw.words import (
    AppliedPart,
    count_words,
    kept_note,
    loss_notes,
    mix_note,
)
from ssdlab.streams.extents import (
    LEAST_SHARE_PERCENT,
    select_streams,
    sum_streams,
)
from ssdlab.streams.mix import mix_streams

WSAT, STREAMS, REPLAY, SWEEP = "rwsw-wsat", "rwsw-streams", "rwsw-replay", "rwsw-sweep"
SWEEP_OIO = tuple(2**power for power in range(10, -1, -1))  # 1024 to 1
SOURCE = EXPERIMENTAL
LEAST_STEP_S = 0.5  # of a replayed step: fio ends within some ms of its time
MOST_OIO = 65_536

_READS_NOTE = (
    "A read-only stream reads a purged drive, on which nothing was written: many "
    "drives answer without touching their flash."
)
_FILL_BLOCK_BYTES = 128 * KIB
_FILL_QUEUE_DEPTH = 32
_IDLE_STEPS = "idle steps of the capture are"
_FILLS = 2  # 2X user capacity


def wsat(
    capture: Capture,
    *,
    oio: int = 32,
    least_percent: float = LEAST_SHARE_PERCENT,
    saturating: Saturating | None = None,
) -> Procedure:
    """Return multi-stream WSAT: purge, then the applied workload until it is steady."""
    rounds = saturating or Saturating()
    applied = _applied(capture, least_percent)
    test = _test(
        WSAT,
        "Multi-stream WSAT",
        (Purge(), saturation_by(stream_workload(applied, oio), rounds)),
    )
    notes = (*_stream_notes(capture, applied), *round_notes(rounds))
    return _procedure(WSAT, "multi-stream WSAT", capture, tests=(test,), notes=notes)


def individual_streams(
    capture: Capture,
    *,
    oio: int = 32,
    least_percent: float = LEAST_SHARE_PERCENT,
    saturating: Saturating | None = None,
) -> Procedure:
    """Return WSAT of each applied stream alone, each from its own purge; see `wsat`."""
    rounds = saturating or Saturating()
    applied = _applied(capture, least_percent)
    tests = tuple(
        _test(
            f"stream-{number}",
            f"Stream {number}: {stream.label}",
            (Purge(), saturation_by(stream_workload((stream,), oio), rounds)),
        )
        for number, stream in enumerate(applied, start=1)
    )
    part = AppliedPart(counts=sum_streams(capture.steps), streams=applied)
    notes = (kept_note([part]), *loss_notes([part]), *round_notes(rounds))
    if any(stream.is_read for stream in applied):
        notes = (_READS_NOTE, *notes)
    return _procedure(STREAMS, "individual streams", capture, tests=tests, notes=notes)


def replay(
    capture: Capture,
    *,
    scale: float = 1.0,
    least_percent: float = LEAST_SHARE_PERCENT,
) -> Procedure:
    """Return the replay of the steps: purge, 2X fill, each step's mix at its depth."""
    steps = capture.busy_steps
    parts = [_part_of(capture, step, least_percent) for step in steps]
    phases = [
        _replayed(capture, step, part.streams, scale=scale)
        for step, part in zip(steps, parts, strict=True)
    ]
    fill = Precondition(
        phase_id="fill",
        block_size_bytes=_FILL_BLOCK_BYTES,
        queue_depth=_FILL_QUEUE_DEPTH,
        capacity_multiple=_FILLS,
    )
    notes = [f"Each step is applied for {scale:g} times its captured duration."]
    if idle := len(capture.steps) - len(steps):
        words = count_words(idle, "idle step of the capture is", many=_IDLE_STEPS)
        notes.append(f"{words} left out.")
    notes += [kept_note(parts), *loss_notes(parts)]
    notes.append(mix_note([part.streams for part in parts]))
    test = _test(REPLAY, "Replay of the steps", (Purge(), fill, *phases))
    return _procedure(REPLAY, "replay", capture, tests=(test,), notes=tuple(notes))


def sweep(
    capture: Capture,
    *,
    oio: int = 32,
    point_seconds: float = 60.0,
    least_percent: float = LEAST_SHARE_PERCENT,
    saturating: Saturating | None = None,
) -> Procedure:
    """Return the OIO sweep: purge, WSAT preconditioning, then OIO 1024 to 1."""
    rounds = saturating or Saturating()
    applied = _applied(capture, least_percent)
    points = tuple(
        Histogram(
            phase_id=f"oio-{point}",
            workload=stream_workload(applied, point),
            seconds=point_seconds,
        )
        for point in SWEEP_OIO
    )
    before = saturation_by(stream_workload(applied, oio), rounds)
    test = _test(SWEEP, "OIO sweep", (Purge(), before, *points))
    order = (
        "Preconditioned by the applied workload itself until steady; then each OIO for "
        f"{duration_label(point_seconds)}, from high to low."
    )
    notes = (order, *_stream_notes(capture, applied), *round_notes(rounds))
    return _procedure(SWEEP, "OIO sweep", capture, tests=(test,), notes=notes)


def step_phase(number: int) -> str:
    """Return the phase of a replayed step of the capture, such as ``step-0007``."""
    return f"step-{number:04d}"


def _applied(capture: Capture, least_percent: float) -> tuple[IoStream, ...]:
    streams = select_streams(sum_streams(capture.steps), least_percent=least_percent)
    _require_mix(capture, streams)
    return streams


def _stream_notes(capture: Capture, applied: Sequence[IoStream]) -> tuple[str, ...]:
    """Say what of a capture is left out, and what fio adds to the rest."""
    part = AppliedPart(counts=sum_streams(capture.steps), streams=applied)
    return (kept_note([part]), *loss_notes([part]), mix_note([applied]))


def _part_of(capture: Capture, step: CaptureStep, least_percent: float) -> AppliedPart:
    streams = select_streams(step.streams, least_percent=least_percent)
    _require_mix(capture, streams)
    return AppliedPart(counts=step.streams, streams=streams, step=step.number)


def _require_mix(capture: Capture, streams: Sequence[IoStream]) -> None:
    """Require that one job of fio can make the streams."""
    try:
        mix_streams(streams)
    except ValueError as error:
        _refuse(capture, str(error), "Use a lower share: --share.")


def _replayed(
    capture: Capture, step: CaptureStep, streams: Sequence[IoStream], *, scale: float
) -> Histogram:
    if step.queue_depth is None:
        reason = f"step {step.number} has no queue depth, and a replay needs it"
        _refuse(capture, reason, "Add it in the column queue_depth.")
    seconds = step.duration_s * scale
    if seconds < LEAST_STEP_S:
        reason = f"step {step.number} would take {seconds:.3g} s"
        _refuse(capture, reason, f"Scale it to {LEAST_STEP_S:g} s or more: --scale.")
    oio = max(1, math.floor(step.queue_depth + 0.5))
    if oio > MOST_OIO:
        reason = f"step {step.number} has a queue depth of {oio:,}"
        _refuse(capture, reason, f"The most that a host can keep is {MOST_OIO:,}.")
    return Histogram(
        phase_id=step_phase(step.number),
        workload=stream_workload(streams, oio),
        seconds=seconds,
    )


def _test(test_id: str, title: str, phases: tuple[Phase, ...]) -> PtsTest:
    return PtsTest(
        test_id=test_id,
        title=f"{title} ({EXPERIMENTAL})",
        pts_section="",
        phases=phases,
    )


def _procedure(
    name: str,
    words: str,
    capture: Capture,
    *,
    tests: tuple[PtsTest, ...],
    notes: tuple[str, ...],
) -> Procedure:
    """Return a procedure; its report needs the capture too."""
    return Procedure(
        name=name,
        title=f"{capture.name}: {words} ({EXPERIMENTAL})",
        source=SOURCE,
        tests=tests,
        notes=(f"{EXPERIMENTAL}. Capture: {capture.name}.", *notes),
        given={"capture": to_plain(capture)},
    )


def _refuse(capture: Capture, reason: str, remedy: str) -> NoReturn:
    raise CaptureError(source=capture.name, line=0, reason=reason, remedy=remedy)
