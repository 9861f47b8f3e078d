"""Steps get their number, name and seed in one place."""

import re
from dataclasses import dataclass, replace

from ssdlab.model.spec import Precondition, PreWrite, Workload
from ssdlab.model.step import Step, StepKind
from ssdlab.model.units import block_size_label
from ssdlab.plan.context import PlanContext

_PLAIN = re.compile("[0-9A-Za-z]+")
_LONGEST_NAME = 60


@dataclass(frozen=True, kw_only=True, slots=True)
class StepMaker:
    """Makes the steps of one phase; a step's ``number`` counts from 1 in the run."""

    context: PlanContext
    test_id: str
    phase_id: str

    def purge(self, number: int) -> Step:
        """Return the purge of the phase."""
        return self._finish(number, self._blank("purge"))

    def precondition(self, number: int, phase: Precondition) -> Step:
        """Return the sequential fill of the phase."""
        amount = phase.capacity_multiple * self.context.capacity_bytes
        has_tail = self.context.range_bytes % phase.block_size_bytes
        unit = self.context.sector_bytes if has_tail else phase.block_size_bytes
        left_out = 0 if phase.over_provisioning is None else phase.rounded_bytes
        step = replace(
            self._blank("precondition"),
            workload=Workload(
                access="seq" if phase.over_provisioning is None else "rnd",
                block_size_bytes=phase.block_size_bytes,
                read_percent=0,
                threads=phase.threads,
                queue_depth=phase.queue_depth,
                fio_options=phase.fio_options,
            ),
            io_bytes=int(-(-amount // unit)) * unit - left_out,
            is_divided=phase.is_divided,
            over_provisioning=phase.over_provisioning,
        )
        return self._finish(number, step)

    def histogram(self, number: int, workload: Workload, seconds: float) -> Step:
        """Return a long run in which every response time is counted."""
        return self._finish(number, self._long("histogram", workload, seconds))

    def pre_write(self, number: int, round_number: int, asked: PreWrite) -> Step:
        """Return the writes before a round, or a round of those before a point."""
        step = replace(
            self._long("pre_write", asked.workload, asked.seconds),
            round=round_number,
            io_bytes=asked.thread_bytes(self.context.capacity_bytes),
        )
        return self._finish(number, step)

    def cell(self, number: int, place: tuple[int, int], blank: Step) -> Step:
        """Return the cell at ``place``, round and cell from 1, of a prepared step."""
        step = replace(blank, round=place[0], cell=place[1])
        return self._finish(number, step)

    def blank_round(self, workload: Workload, seconds: float) -> Step:
        """Return a round of WSAT that has no number yet; it keeps a series."""
        return self._long("cell", workload, seconds)

    def blank_cell(self, workload: Workload, seconds: float) -> Step:
        """Return a cell that has no place yet."""
        return replace(self._blank("cell"), workload=workload, runtime_s=seconds)

    def _long(self, kind: StepKind, workload: Workload, seconds: float) -> Step:
        """Return a step by time that keeps a series, without number and place."""
        return replace(
            self._blank(kind),
            workload=workload,
            runtime_s=seconds,
            series_interval_ms=_interval_ms(seconds),
        )

    def _blank(self, kind: StepKind) -> Step:
        return Step(
            step_id="",
            test_id=self.test_id,
            phase_id=self.phase_id,
            kind=kind,
            range_bytes=self.context.range_bytes,
            uses_random_map=self.context.uses_random_map,
        )

    def _finish(self, number: int, step: Step) -> Step:
        work = step.workload
        is_plain = work is not None and not (work.streams or work.jobs)
        is_random = work is not None and is_plain and work.access == "rnd"
        return replace(
            step,
            step_id=_step_id(number, step),
            seed=self.context.step_seed(number),
            segments=self.context.segments if is_random else None,
        )


def _interval_ms(seconds: float) -> int:
    """Return the interval of a series: one second, or less for trial runs."""
    return 1000 if seconds >= 10 else 100


def _step_id(number: int, step: Step) -> str:
    parts = [f"{number:05d}", step.test_id, step.phase_id]
    if step.round is not None:
        parts.append(f"r{step.round:03d}")
    if step.kind == "pre_write":
        parts.append("pre-write")
    if step.workload is not None and step.kind == "cell":
        parts.append(_stimulus_name(step.workload))
    return "-".join(parts)


def _stimulus_name(workload: Workload) -> str:
    if workload.jobs:
        return "-".join(_PLAIN.findall(workload.name))[:_LONGEST_NAME]
    if workload.streams:
        return f"{len(workload.streams)}streams-r{workload.read_percent}"
    size = "composite"
    if workload.composite is None:
        size = block_size_label(workload.block_size_bytes).replace(" ", "")
    return f"{workload.access}-{size}-r{workload.read_percent}"
