"""Single-stimulus saturation: Micron, Best Practices, Rev. B 4/17."""

from ssdlab.model.asked import Procedure
from ssdlab.model.spec import (
    Metric,
    Phase,
    Precondition,
    PtsTest,
    Purge,
    Stimulus,
    Tracking,
    Workload,
)
from ssdlab.model.units import KIB, duration_label
from ssdlab.procedures.saturate.stimulus_text import stimulus_text

SATURATE = "saturate"
ATTEMPTS = ("attempt1", "attempt2")
SOURCE = "Micron Best Practices for SSD Performance Measurement, Rev. B 4/17"
ITERATIONS = 25  # Micron, Rev. B 4/17: "at least 25"
MINUTES = 5.0  # Micron, Rev. B 4/17
_FILLS = 2  # Micron, Rev. B 4/17: 2X advertised capacity ...
_FILL_BLOCK_BYTES = 128 * KIB  # ... with 128K sequential writes
_FILL_QUEUE_DEPTH = 32
_LONGER = 2  # Micron, Rev. B 4/17: double the iterations
_BEGINNING = (
    "Each attempt starts on a purged drive that was then filled twice with 128 KiB "
    "sequential writes. The first round is called FOB here, as in the source, but the "
    "drive is full by then, not fresh out of box as in WSAT."
)

_BEGINNING_FROM_FOB = (
    "Each attempt starts right after a purge, on an empty drive: its first round is "
    "FOB. The source saturates a drive that was filled twice; here the stimulus itself "
    "fills it."
)
HOST_STIMULI = ("RND 4KiB 0/100", "RND 8KiB 67/33", "SEQ 64KiB 0/100")  # Rev. B 4/17


def saturate(
    *workloads: Workload,
    iterations: int = ITERATIONS,
    minutes: float = MINUTES,
    is_from_fob: bool = False,
) -> Procedure:
    """Return the saturation of a purged and filled drive by one stimulus.

    Each of several stimuli has its own purge and fills, in a test of its own.
    ``is_from_fob`` leaves out the fills: the stimulus begins right after the purge.
    """
    tests = tuple(
        PtsTest(
            test_id=SATURATE if number == 1 else f"{SATURATE}-{number}",
            title=f"Saturation by {stimulus_text(workload)}",
            pts_section="",
            phases=_attempt(
                1,
                workload,
                rounds=iterations,
                minutes=minutes,
                is_from_fob=is_from_fob,
            ),
            fallback=_attempt(
                2,
                workload,
                rounds=iterations * _LONGER,
                minutes=minutes,
                is_from_fob=is_from_fob,
            ),
        )
        for number, workload in enumerate(workloads, start=1)
    )
    beginning = _BEGINNING_FROM_FOB if is_from_fob else _BEGINNING
    return Procedure(
        name=SATURATE,
        title=f"Saturation by {', '.join(map(stimulus_text, workloads))}",
        source=SOURCE,
        tests=tests,
        notes=(beginning, *_notes(iterations=iterations, minutes=minutes)),
    )


def is_saturation_test(test: str) -> bool:
    """Tell whether a test is one of those of `saturate`.

    >>> is_saturation_test("saturate"), is_saturation_test("saturate-2")
    (True, True)
    """
    return test.partition("-")[0] == SATURATE


def metric_of(workload: Workload) -> Metric:
    """Return what a stimulus is judged by: IOPS if random, throughput if sequential."""
    return "iops" if workload.access == "rnd" else "bw_bytes_per_s"


def tracking_of(workload: Workload) -> Tracking:
    """Return the tracking variable of a single stimulus."""
    return Tracking(
        access=workload.access,
        block_size_bytes=workload.block_size_bytes,
        read_percent=workload.read_percent,
        metric=metric_of(workload),
    )


def stage(
    phase_id: str, workload: Workload, *, rounds: int, minutes: float
) -> Stimulus:
    """Return rounds of one stimulus: judged after the last, ended by their number."""
    round_s = minutes * 60
    return Stimulus(
        phase_id=phase_id,
        workload=workload,
        round_seconds=round_s,
        time_limit_s=rounds * round_s,
        sample_every_rounds=1,
        tracking=tracking_of(workload),
        ends_when_steady=False,
    )


def _attempt(
    number: int,
    workload: Workload,
    *,
    rounds: int,
    minutes: float,
    is_from_fob: bool,
) -> tuple[Phase, ...]:
    """Return the phases of an attempt: purge, 2X capacity written, the stimulus."""
    fill = Precondition(
        phase_id=f"fill{number}",
        block_size_bytes=_FILL_BLOCK_BYTES,
        queue_depth=_FILL_QUEUE_DEPTH,
        capacity_multiple=_FILLS,
    )
    return (
        Purge(phase_id=f"purge{number}"),
        *(() if is_from_fob else (fill,)),
        stage(ATTEMPTS[number - 1], workload, rounds=rounds, minutes=minutes),
    )


def _notes(*, iterations: int, minutes: float) -> tuple[str, ...]:
    """Say what departs from the published procedure."""
    notes = []
    if iterations < ITERATIONS:
        words = f"{iterations} iterations; the source requires {ITERATIONS} or more."
        notes.append(words)
    if minutes != MINUTES:
        took = duration_label(minutes * 60)
        notes.append(f"Iterations of {took}; those of the source take {MINUTES:g} min.")
    return tuple(notes)
