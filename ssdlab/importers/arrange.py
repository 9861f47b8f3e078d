"""Arranges cells in the phases of a PTS test, and their files as its steps."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from statistics import median

from ssdlab.importers.detect import CUSTOM
from ssdlab.importers.readings import Reading
from ssdlab.importers.rounds import Series, is_round_by_round
from ssdlab.model.spec import (
    PTS_CRITERIA,
    Metric,
    Phase,
    PtsTest,
    Rounds,
    Stimulus,
    Tracking,
    Workload,
)
from ssdlab.model.step import Step
from ssdlab.model.units import KIB, block_size_label, mix_label
from ssdlab.pts.iops.spec import THREE_TRACKING

TITLES = {
    "iops": ("IOPS", "7"),
    "tp": ("Throughput", "8"),
    "lat": ("Latency", "9"),
    "wsat": ("Write saturation", "10"),
    CUSTOM: ("Imported workloads", ""),
}
_METRICS: dict[str, Metric] = {"tp": "bw_bytes_per_s", "lat": "lat_mean_ns"}
_WSAT_SAMPLE_S = 31 * 60  # PTS 2.0.2, section 10: a sample is the 31st minute
_WSAT_CAPACITY_MULTIPLE = 4
_WSAT_TIME_LIMIT_S = 24 * 3600
_KINDS = ("precondition", "cell", "mean")  # in the order of their steps


@dataclass(frozen=True, kw_only=True, slots=True)
class ArrangedTest:
    """One test: its phases, and its files as steps without numbers."""

    test: PtsTest
    steps: tuple[tuple[Step, Reading], ...]
    is_cell_by_cell: bool = False
    series: Series = field(default_factory=lambda: Series(cells={}))


def arrange(
    test_id: str,
    series: Series,
    fills: Sequence[Reading] = (),
    *,
    iops_tracking: Sequence[Tracking] = THREE_TRACKING,
) -> ArrangedTest:
    """Return the test of some files, with its phases and steps.

    If all cells were measured round by round they are judged in one window, as in the
    PTS; otherwise each cell has its own phase and window.
    """
    phases = tuple(_phases(test_id, series, iops_tracking))
    title, section = TITLES[test_id]
    steps = [_fill_step(test_id, reading) for reading in fills]
    for phase in phases:
        steps += _cell_steps(test_id, phase, series.cells)
    return ArrangedTest(
        test=PtsTest(test_id=test_id, title=title, pts_section=section, phases=phases),
        steps=tuple(steps),
        is_cell_by_cell=len(phases) > len(tuple(_groups(test_id, series.cells))),
        series=series,
    )


def _phases(
    test_id: str, series: Series, iops_tracking: Sequence[Tracking]
) -> Iterator[Phase]:
    cells = series.cells
    if test_id == "wsat":
        ((workload, rounds),) = cells.items()
        yield _saturation(workload, rounds.values())
        return
    for name, group in _groups(test_id, cells):
        together = replace(series, cells={w: cells[w] for w in group})
        wanted = [(t.block_size_bytes, t.read_percent) for t in iops_tracking]
        tracking = _tracking(test_id, group, wanted if test_id == "iops" else None)
        last = max(map(series.last_round, group))
        is_short = last < PTS_CRITERIA.window_rounds
        if is_short or (tracking and is_round_by_round(together)):
            yield _rounds(name, together, tracking)
            continue
        for workload in group:
            own = (_tracked(workload, _METRICS.get(test_id, "iops")),)
            phase_id = f"{name}-{_cell_name(test_id, workload)}"
            yield _rounds(
                phase_id, replace(series, cells={workload: cells[workload]}), own
            )


def _groups(
    test_id: str, cells: Iterable[Workload]
) -> Iterator[tuple[str, tuple[Workload, ...]]]:
    """Yield the cells that the PTS judges together: in TP, those of a block size."""
    if test_id != "tp":
        yield "rounds", tuple(cells)
        return
    for size in sorted({workload.block_size_bytes for workload in cells}, reverse=True):
        group = tuple(w for w in cells if w.block_size_bytes == size)
        yield f"rounds-{size / KIB:g}KiB", group


def _cell_name(test_id: str, workload: Workload) -> str:
    if test_id == "tp":
        return f"r{workload.read_percent}"
    name = f"{workload.block_size_bytes / KIB:g}KiB-r{workload.read_percent}"
    if test_id != CUSTOM:
        return name
    return f"{workload.access}-{name}-t{workload.threads}-q{workload.queue_depth}"


def _tracking(
    test_id: str,
    group: Sequence[Workload],
    wanted: Sequence[tuple[int, int]] | None,
) -> tuple[Tracking, ...]:
    """Return the tracking variables among the cells, by requested size and mix.

    By default those of the PTS: writes of TP's block size, or of 4 KiB.
    """
    if test_id == CUSTOM:
        return ()
    size = group[0].block_size_bytes if test_id == "tp" else 4 * KIB
    places = [(size, 0)] if wanted is None else wanted
    metric = _METRICS.get(test_id, "iops")
    found = [w for w in group if (w.block_size_bytes, w.read_percent) in places]
    smallest_first = sorted(found, key=lambda w: (w.block_size_bytes, w.read_percent))
    return tuple(_tracked(workload, metric) for workload in smallest_first)


def _tracked(workload: Workload, metric: Metric) -> Tracking:
    return Tracking(
        access=workload.access,
        block_size_bytes=workload.block_size_bytes,
        read_percent=workload.read_percent,
        metric=metric,
    )


def _rounds(phase_id: str, series: Series, tracking: tuple[Tracking, ...]) -> Rounds:
    return Rounds(
        phase_id=phase_id,
        cells=tuple(series.cells),
        cell_seconds=_seconds(
            chain.from_iterable(of_cell.values() for of_cell in series.cells.values())
        ),
        tracking=tracking,
        max_rounds=max(map(series.last_round, series.cells)),
    )


def _saturation(workload: Workload, rounds: Iterable[Reading]) -> Stimulus:
    seconds = _seconds(rounds)
    every = max(1, round(_WSAT_SAMPLE_S / seconds)) if seconds else None
    return Stimulus(
        phase_id="saturation",
        workload=workload,
        round_seconds=seconds,
        capacity_multiple=_WSAT_CAPACITY_MULTIPLE,
        time_limit_s=_WSAT_TIME_LIMIT_S,
        sample_every_rounds=every,
        tracking=_tracked(workload, "iops"),
    )


def _seconds(readings: Iterable[Reading]) -> float:
    """Return the median time of the cells [s]; 0 if unknown."""
    known = [r.runtime_s for r in readings if r.runtime_s is not None]
    return median(known) if known else 0.0


def _cell_steps(
    test_id: str, phase: Phase, cells: Mapping[Workload, Mapping[int, Reading]]
) -> Iterator[tuple[Step, Reading]]:
    group: tuple[Workload, ...] = ()
    if isinstance(phase, Rounds):
        group = phase.cells
    elif isinstance(phase, Stimulus):
        group = (phase.workload,)
    for place, workload in enumerate(group, start=1):
        for number, reading in cells[workload].items():
            step = Step(
                step_id="",
                test_id=test_id,
                phase_id=phase.phase_id,
                kind="cell",
                round=number,
                cell=place,
                workload=workload,
                runtime_s=reading.runtime_s,
            )
            yield step, reading


def _fill_step(test_id: str, reading: Reading) -> tuple[Step, Reading]:
    step = Step(
        step_id="",
        test_id=test_id,
        phase_id="preconditioning",
        kind="precondition",
        workload=reading.workload,
        runtime_s=reading.runtime_s,
    )
    return step, reading


def number_steps(tests: Sequence[ArrangedTest]) -> tuple[tuple[Step, Reading], ...]:
    """Return the steps of all tests in order of time, each with its name.

    If any time is unknown the order is that of tests, rounds and cells.
    """
    numbered = []
    for arranged in tests:
        numbered += sorted(arranged.steps, key=_step_order)
    times = [reading.when_s for _, reading in numbered]
    if None not in times:
        numbered.sort(key=lambda pair: pair[1].when_s or 0.0)
    return tuple(
        (replace(step, step_id=_step_id(number, step)), reading)
        for number, (step, reading) in enumerate(numbered, start=1)
    )


def _step_order(pair: tuple[Step, Reading]) -> tuple[int, int, str, int]:
    step, _ = pair
    if step.kind == "mean":  # in the order of the phases
        return _KINDS.index(step.kind), 0, "", 0
    return _KINDS.index(step.kind), step.round or 0, step.phase_id, step.cell or 0


def _step_id(number: int, step: Step) -> str:
    parts = [f"{number:05d}", step.test_id, step.phase_id]
    if step.round is not None:
        parts.append(f"r{step.round:03d}")
    if step.kind == "mean":
        parts.append("mean")
    if step.workload is not None:
        size = block_size_label(step.workload.block_size_bytes).replace(" ", "")
        mix = mix_label(step.workload.read_percent).split("/")[0]
        parts.append(f"{step.workload.access}-{size}-r{mix}")
    return "-".join(parts)
