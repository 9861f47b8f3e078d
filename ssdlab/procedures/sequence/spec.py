"""Stimulus-sequence variance: Micron, Best Practices, Rev. B 4/17."""

from ssdlab.model.asked import Procedure
from ssdlab.model.spec import PtsTest, Purge, Workload
from ssdlab.model.units import duration_label
from ssdlab.procedures.saturate.spec import ITERATIONS, MINUTES, SOURCE, stage
from ssdlab.procedures.saturate.stimulus_text import stimulus_text

SEQUENCE = "sequence"
STAGES = ("stage1", "stage2", "stage3")
FIRST, SECOND = "RND 4KiB 0/100", "SEQ 128KiB 0/100"  # Micron, Rev. B 4/17


def sequence(
    first: Workload,
    second: Workload,
    *,
    rounds: int = ITERATIONS,
    minutes: float = MINUTES,
) -> Procedure:
    """Return two tests of three stages: first, second, first; second, first, second."""
    tests = tuple(
        _test(number, order, rounds=rounds, minutes=minutes)
        for number, order in enumerate(
            ((first, second, first), (second, first, second)), start=1
        )
    )
    return Procedure(
        name=SEQUENCE,
        title=f"Sequences of {stimulus_text(first)} and {stimulus_text(second)}",
        source=SOURCE,
        tests=tests,
        notes=_notes(rounds=rounds, minutes=minutes),
    )


def _test(
    number: int, order: tuple[Workload, ...], *, rounds: int, minutes: float
) -> PtsTest:
    stages = (
        stage(name, workload, rounds=rounds, minutes=minutes)
        for name, workload in zip(STAGES, order, strict=True)
    )
    names = ", ".join(workload.label for workload in order)
    return PtsTest(
        test_id=f"{SEQUENCE}-{number}",
        title=f"Sequence {number}: {names}",
        pts_section="",
        phases=(Purge(), *stages),
    )


def _notes(*, rounds: int, minutes: float) -> tuple[str, ...]:
    took, each = (duration_label(s * 60) for s in (rounds * minutes, minutes))
    words = (
        f"Each stage takes {took} ({rounds} rounds of {each}). The length of the "
        "source's stages is unknown. Nothing is written before the first stage, and "
        "there is no purge between the stages of a sequence."
    )
    return (words,)
