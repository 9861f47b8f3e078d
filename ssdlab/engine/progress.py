"""The progress of a run, as data: written to a file and passed to a listener."""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from ssdlab.model.errors import RunFolderError
from ssdlab.model.io_counts import LiveIo
from ssdlab.model.spec import (
    Metric,
    OperatingPoint,
    Phase,
    PtsTest,
    Rounds,
    SteadyStateCriteria,
    Stimulus,
    Tracking,
    Workload,
)
from ssdlab.model.step import Step, StepResult
from ssdlab.model.telemetry import POWER, TEMPERATURE
from ssdlab.model.units import capacity_label, duration_label
from ssdlab.plan.context import Judgement, PlanContext
from ssdlab.plan.estimate import estimate_phases
from ssdlab.plan.judge import is_tracked, tracked_value
from ssdlab.store.records import to_json
from ssdlab.store.telemetry import read_last
from ssdlab.system.folders import Folder

_FIRST_GUESS_BYTES_PER_S = 100e6
_SHOWN_VALUES = 5
_MOST_VALUES = 40  # that a picture of them can show


@dataclass(frozen=True, kw_only=True, slots=True)
class ProgressOfTest:
    """How far a test is: its longest time, and what is left of it at least and most.

    ``is_steady`` is ``None`` until a window was judged. ``rounds`` counts those of the
    loop that it is in, or was in last.
    """

    test: str
    longest_s: float
    left_min_s: float
    left_max_s: float
    rounds: int = 0
    is_steady: bool | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Tracked:
    """The tracking variable: its value in each round, and what the window allows.

    ``average`` is that of the last window that was judged, before that of the rounds so
    far. ``range_ratio`` is the greatest range within a window, as a ratio of it.
    """

    metric: Metric
    values: tuple[float, ...]
    average: float
    window_rounds: int
    range_ratio: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class CellProgress:
    """A cell of the loop and the last value that it got, in ``round``."""

    block_size_bytes: int
    read_percent: int
    threads: int
    queue_depth: int
    round: int = 0
    value: float | None = None


_LONG_STEP_S = 60.0  # the progress within a shorter step is not worth a word


@dataclass(frozen=True, kw_only=True, slots=True)
class Progress:
    """Where a run is.

    ``verdict`` says in words whether the last window was steady and, if not, why;
    ``values`` are the tracking variable's last values as text. The time left lies
    between two bounds: steady as soon as possible, or never. Neither includes the rest
    of a purge, which only the drive knows. ``purge`` is the status that it reports.
    ``matrix`` has the cells of the loop in their order, in the unit of the tracking
    variable.
    ``step_percent`` is how much of the running step is done, None until it is known;
    ``step_extent`` says how much the whole step is, and a fill's write speed. ``live``
    is what the device did in the last second or so. Temperature and power are what the
    drive and a meter read last; ``None`` if they tell none.
    """

    test: str
    phase: str
    step: str
    round: int
    rounds_max: int
    cell: int
    cells: int
    workload: str
    tracking: str
    values: tuple[str, ...]
    verdict: str
    steps_done: int
    left_min_s: float
    left_max_s: float
    purge: str = ""
    written_bytes: int = 0
    tests: tuple[ProgressOfTest, ...] = ()
    tracked: Tracked | None = None
    matrix: tuple[CellProgress, ...] = ()
    step_percent: float | None = None
    step_extent: str = ""
    live: LiveIo | None = None
    temperature_celsius: float | None = None
    power_watts: float | None = None

    @property
    def drive_state(self) -> tuple[str, ...]:
        """What drive and meter read last, in words."""
        celsius, watts = self.temperature_celsius, self.power_watts
        warmth = "" if celsius is None else f"{celsius:.0f} °C"
        power = "" if watts is None else f"{watts:.2f} W"
        return tuple(filter(None, (warmth, power)))

    @property
    def line(self) -> str:
        """The progress as one readable line."""
        parts = [f"{self.test} {self.phase}"]
        if self.round:
            parts.append(f"round {self.round} of at most {self.rounds_max}")
        if self.cells > 1:
            parts.append(f"cell {self.cell}/{self.cells}")
        if self.workload:
            parts.append(self.workload)
        if self.step_percent is not None and self.step_extent:
            parts.append(f"{self.step_percent:.0f} % of {self.step_extent}")
        if self.live is not None:
            parts.append(self.live.words)
        parts += self.drive_state
        if self.values:
            parts.append(f"{self.tracking}: {' '.join(self.values)}")
        if self.verdict:
            parts.append(self.verdict)
        left = _left(self.left_min_s, self.left_max_s)
        parts += [self.purge, f"then {left}"] if self.purge else [left]
        return " | ".join(parts)


def _last(folder: Folder, name: str, *, of: str) -> float | None:
    try:
        return read_last(folder, name, of=of)
    except (OSError, RunFolderError):
        return None


def _left(least: float, most: float) -> str:
    low, high = duration_label(least), duration_label(most)
    return f"{low} left" if low == high else f"{low} to {high} left"


@dataclass(kw_only=True, slots=True)
class Tracker:
    """A listener that tracks where the run is and reports it.

    ``tell`` receives each `Progress`; the latest is also in ``progress.json``.
    """

    run: Path
    tests: Sequence[PtsTest]
    context: PlanContext
    tell: Callable[[Progress], None]
    speed_bytes_per_s: float = _FIRST_GUESS_BYTES_PER_S
    steps_done: int = 0
    phase_steps_done: int = 0
    phase: tuple[str, str] = ("", "")
    tracked: list[float | None] = field(default_factory=list)
    average: float | None = None
    rounds: dict[str, int] = field(default_factory=dict)
    steady: dict[tuple[str, str], bool] = field(default_factory=dict)
    cells: dict[int, tuple[int, float | None]] = field(default_factory=dict)
    written_bytes: int = 0
    verdict: str = ""
    last: Progress | None = None
    step: Step | None = None

    def step_began(self, step: Step) -> None:
        """Report where the run is when a step begins."""
        self.step = step
        self._enter(step)
        self._publish(self._progress(step))

    def said(self, words: str) -> None:
        """Pass on the status that a long purge reports."""
        if self.last is not None:
            self._publish(replace(self.last, purge=words))

    def advanced(
        self, elapsed_s: float, io_bytes: float | None, live: LiveIo | None = None
    ) -> None:
        """Report how far the running step has come, after a time under IO [s].

        The speed of a fill replaces the one assumed so far.
        """
        step = self.step
        if step is None or elapsed_s <= 0:
            return
        if step.kind == "precondition" and io_bytes:
            self.speed_bytes_per_s = io_bytes / elapsed_s
        now = self._progress(step)
        self._publish(
            replace(
                now,
                left_min_s=max(0.0, now.left_min_s - elapsed_s),
                left_max_s=max(0.0, now.left_max_s - elapsed_s),
                step_percent=_percent_done(step, elapsed_s, io_bytes),
                step_extent=_extent_text(step, elapsed_s, io_bytes),
                live=live,
                tests=tuple(
                    replace(
                        one,
                        left_min_s=max(0.0, one.left_min_s - elapsed_s),
                        left_max_s=max(0.0, one.left_max_s - elapsed_s),
                    )
                    if one.test == step.test_id
                    else one
                    for one in now.tests
                ),
            )
        )

    def finished(self) -> None:
        """Report that every test has ended."""
        self._publish(
            Progress(
                test="all tests",
                phase="finished",
                step="",
                round=0,
                rounds_max=0,
                cell=0,
                cells=1,
                workload="",
                tracking="",
                values=(),
                verdict=f"{self.steps_done} steps",
                steps_done=self.steps_done,
                left_min_s=0.0,
                left_max_s=0.0,
                written_bytes=self.written_bytes,
                tests=tuple(
                    replace(one, left_min_s=0.0, left_max_s=0.0)
                    for one in self._of_tests()
                ),
            )
        )

    def step_ended(self, step: Step, result: StepResult) -> None:
        """Take note that a step has ended, now or in an earlier session."""
        self._enter(step)
        self.steps_done += 1
        self.phase_steps_done += 1
        self.written_bytes += result.written_bytes
        if step.kind == "precondition" and result.bw_bytes_per_s:
            self.speed_bytes_per_s = result.bw_bytes_per_s
        if not result.is_contiguous:
            self._forget_window()
        tracking = self._tracking() if step.kind == "cell" else None
        if tracking is None:
            return
        value = tracked_value(result, tracking)
        if step.cell:
            self.cells[step.cell] = (step.round or 0, value)
        if is_tracked(step.workload, tracking):
            self.tracked.append(value)

    def judged(self, judgement: Judgement) -> None:
        """Receive a steady-state judgement."""
        tracking, verdict = judgement.tracking, judgement.verdict
        place = (judgement.test_id, judgement.phase_id)
        self.steady[place] = judgement.is_round_steady
        if place == self.phase and tracking == self._tracking():
            self.average = verdict.average if math.isfinite(verdict.average) else None
        if verdict.is_steady:
            self.verdict = "steady" if judgement.is_round_steady else self.verdict
        else:
            self.verdict = f"not steady: {tracking.label}: {verdict.reason}"

    def _publish(self, progress: Progress) -> None:
        readings = Folder(self.run) / "telemetry"
        progress = replace(
            progress,
            temperature_celsius=_last(readings, TEMPERATURE, of="session-"),
            power_watts=_last(readings, POWER, of="meter-"),
        )
        self.last = progress
        content = to_json({**asdict(progress), "line": progress.line})
        Folder(self.run).write("progress.json", content, is_durable=False)
        self.tell(progress)

    def _enter(self, step: Step) -> None:
        phase = (step.test_id, step.phase_id)
        if phase != self.phase:
            self.phase, self.phase_steps_done = phase, 0
            self.cells.clear()
            self._forget_window()
        if step.round:
            self.rounds[step.test_id] = step.round

    def _forget_window(self) -> None:
        self.tracked.clear()
        self.average, self.verdict = None, ""

    def _tracking(self) -> Tracking | None:
        match self._spec():
            case Rounds(tracking=(first, *_)):
                return first
            case Stimulus(tracking=tracking):
                return tracking
            case _:
                return None

    def _spec(self) -> Phase:
        return next(
            phase
            for test in self.tests
            for phase in test.possible_phases
            if (test.test_id, phase.phase_id) == self.phase
        )

    def _progress(self, step: Step) -> Progress:
        spec, tracking = self._spec(), self._tracking()
        tests = self._of_tests()
        return Progress(
            test=step.test_id,
            phase=step.phase_id,
            step=step.step_id,
            round=step.round or 0,
            rounds_max=_rounds_max(spec),
            cell=step.cell or 0,
            cells=len(spec.cells) if isinstance(spec, Rounds) else 1,
            workload=step.workload.label if step.workload else "",
            tracking=tracking.label if tracking else "",
            values=tuple(
                value_text(value, tracking.metric)
                for value in (self.tracked[-_SHOWN_VALUES:] if tracking else ())
                if tracking
            ),
            verdict=self.verdict or self._window_text(spec),
            steps_done=self.steps_done,
            left_min_s=sum(one.left_min_s for one in tests),
            left_max_s=sum(one.left_max_s for one in tests),
            written_bytes=self.written_bytes,
            tests=tests,
            tracked=self._tracked(spec, tracking),
            matrix=self._matrix(spec),
        )

    def _tracked(self, spec: Phase, tracking: Tracking | None) -> Tracked | None:
        """Return the values of the tracking variable, if there is one already."""
        known = [value for value in self.tracked if value is not None]
        if not isinstance(spec, Rounds | Stimulus) or tracking is None or not known:
            return None
        window = spec.criteria.window_rounds
        recent = known[-window:]
        return Tracked(
            metric=tracking.metric,
            values=tuple(known[-_MOST_VALUES:]),
            average=self.average or sum(recent) / len(recent),
            window_rounds=window,
            range_ratio=_range_of(spec.criteria) if spec.is_judged else None,
        )

    def _matrix(self, spec: Phase) -> tuple[CellProgress, ...]:
        if not isinstance(spec, Rounds) or not spec.tracking:
            return ()
        return tuple(
            _cell(workload, *self.cells.get(place, (0, None)))
            for place, workload in enumerate(spec.cells, start=1)
        )

    def _window_text(self, spec: Phase) -> str:
        """Return how full the window is while nothing can be judged yet."""
        if not isinstance(spec, Rounds) or not spec.tracking:
            return ""
        window = spec.criteria.window_rounds
        return f"window {len(self.tracked)}/{window}"

    def _least_rounds_s(self) -> float:
        """Return the least time [s] that a window needs to fill."""
        spec = self._spec()
        if not isinstance(spec, Rounds) or self.verdict:
            return 0.0
        missing = spec.criteria.window_rounds - len(self.tracked)
        before_s = 0.0
        if spec.pre_write:
            before_s = spec.pre_write.expected_seconds(
                self.context.capacity_bytes, self.speed_bytes_per_s
            )
        return max(0, missing) * (before_s + len(spec.cells) * spec.cell_seconds)

    def _as_running(self, test: PtsTest) -> PtsTest:
        """Return a test whose fallback is certain if it is under way."""
        fallback = {(test.test_id, phase.phase_id) for phase in test.fallback}
        if self.phase not in fallback:
            return test
        return replace(test, phases=test.possible_phases, fallback=())

    def _of_tests(self) -> tuple[ProgressOfTest, ...]:
        """Return the time left of each test if steady as soon as possible, or never."""
        tests, is_ahead = [], False
        for test in self.tests:
            least = most = longest = 0.0
            running = self._as_running(test)
            costs = estimate_phases(running, self.context, self.speed_bytes_per_s)
            for phase_id, cost in costs.items():
                longest += cost.seconds_max
                if is_ahead:
                    least += cost.seconds_min
                    most += cost.seconds_max
                elif (test.test_id, phase_id) == self.phase:
                    is_ahead = True
                    done = self.phase_steps_done * cost.seconds_max / cost.steps_max
                    rest = max(cost.seconds_min - done, self._least_rounds_s())
                    least += max(0.0, min(rest, cost.seconds_max - done))
                    most += max(0.0, cost.seconds_max - done)
            tests.append(
                ProgressOfTest(
                    test=test.test_id,
                    longest_s=longest,
                    left_min_s=least,
                    left_max_s=most,
                    rounds=self.rounds.get(test.test_id, 0),
                    is_steady=self._is_steady(test),
                )
            )
        return tuple(tests)

    def _is_steady(self, test: PtsTest) -> bool | None:
        """Return whether all loops judged are steady; a fallback replaces them."""
        found = {
            phase: steady
            for (test_id, phase), steady in self.steady.items()
            if test_id == test.test_id
        }
        again = [found[one.phase_id] for one in test.fallback if one.phase_id in found]
        return (again[-1] if again else all(found.values())) if found else None


def _percent_done(step: Step, elapsed_s: float, io_bytes: float | None) -> float | None:
    """Return how much of a step is done [%]; it ends by time or amount, the first."""
    shares = []
    if step.runtime_s is not None:
        ramp_s = step.workload.ramp_s if step.workload else 0.0
        shares.append(elapsed_s / (step.runtime_s + ramp_s))
    if step.whole_amount_bytes and io_bytes is not None:
        shares.append(io_bytes / step.whole_amount_bytes)
    return min(100.0, 100 * max(shares)) if shares else None


def _extent_text(step: Step, elapsed_s: float, io_bytes: float | None) -> str:
    """Return how much a long step is in all, and how fast it goes if it is a fill."""
    if step.whole_amount_bytes:
        speed = f" at {io_bytes / elapsed_s / 1e6:.4g} MB/s" if io_bytes else ""
        return f"{capacity_label(step.whole_amount_bytes)}{speed}"
    runtime_s = step.runtime_s or 0.0
    return duration_label(runtime_s) if runtime_s > _LONG_STEP_S else ""


def _rounds_max(spec: Phase) -> int:
    match spec:
        case Rounds():
            return spec.max_rounds
        case Stimulus():
            return spec.max_rounds
        case OperatingPoint():
            return spec.pre_write_rounds
        case _:
            return 0


def _range_of(criteria: SteadyStateCriteria) -> float | None:
    """Return the greatest range of the values that any of the limits allows."""
    spread = criteria.max_value_deviation_ratio
    limits = (criteria.max_range_ratio, None if spread is None else 2 * spread)
    return min((limit for limit in limits if limit is not None), default=None)


def _cell(workload: Workload, round_number: int, value: float | None) -> CellProgress:
    return CellProgress(
        block_size_bytes=workload.block_size_bytes,
        read_percent=workload.read_percent,
        threads=workload.threads,
        queue_depth=workload.queue_depth,
        round=round_number,
        value=value,
    )


def value_text(value: float | None, metric: Metric) -> str:
    """Return a tracked value with its unit, scaled to be readable.

    >>> value_text(8_271.4, "iops"), value_text(59_640_000.0, "bw_bytes_per_s")
    ('8,271', '59.64 MB/s')
    """
    if value is None:
        return "-"
    scale, unit = {
        "iops": (1.0, ""),
        "bw_bytes_per_s": (1e6, " MB/s"),
        "lat_mean_ns": (1e3, " µs"),  # noqa: RUF001 - the SI prefix
    }[metric]
    shown = value / scale
    return f"{shown:.4g}{unit}" if shown < 999.95 else f"{shown:,.0f}{unit}"
