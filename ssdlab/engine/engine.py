"""Execute a plan: get steps from it, run them, pass the results back.

Resuming is replaying: a step that is already recorded is not run again; its
result is passed to the plan as it was the first time.
"""

import errno
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from ssdlab.engine.ports import Backend, Listener, StepOutcome
from ssdlab.fio.document import FioDocument
from ssdlab.fio.faults import find_faults
from ssdlab.fio.from_json.parse import parse_document
from ssdlab.fio.words import condense_words
from ssdlab.ingest.results import summarise_step
from ssdlab.model.errors import (
    DiskFullError,
    FioFailedError,
    FioKilledError,
    PurgeFailedError,
    StepError,
    TargetGoneError,
    UserError,
)
from ssdlab.model.step import SUSPEND_S, Step, StepResult
from ssdlab.plan.context import Batch
from ssdlab.plan.protocol import Plan
from ssdlab.store.raw import (
    StepRecord,
    commit_step,
    read_step,
    working_folder,
)
from ssdlab.system.folders import LOG_BYTES

_RESUME = "What was measured is kept. When the problem is fixed: ssdlab resume"
_LEAST_FREE_BYTES = 4 * 1024 * 1024


@dataclass(kw_only=True, slots=True)
class Engine:
    """Executes one plan in one run folder.

    ``max_idle_s`` is the longest gap that a measurement window may span. ``breaks``
    names steps before which no window may span any gap: a replayed run was
    interrupted there. ``take_neighbours`` returns the other runs that were on this host
    since it was called last, ``None`` if unknown.
    """

    run: Path
    backend: Backend
    listener: Listener
    max_idle_s: float
    breaks: frozenset[str] = frozenset()
    take_neighbours: Callable[[], tuple[str, ...] | None] = lambda: None
    last_ended_s: float | None = field(default=None, init=False)
    last_suspended_s: float = field(default=0.0, init=False)
    is_first_live_step: bool = field(default=True, init=False)

    def drive(
        self, plan: Plan, renew: Callable[[], Plan | None] = lambda: None
    ) -> None:
        """Execute the plan to its end.

        After each batch ``renew`` may return a plan that replaces this one: it receives
        all results so far, and must request the same steps up to there.
        """
        told: list[tuple[StepResult, ...]] = []
        try:
            batch = next(plan)
            while True:
                told.append(tuple(self._carry_out(batch)))
                newer = renew()
                if newer is None:
                    batch = plan.send(told[-1])
                    continue
                plan, batch = newer, next(newer)
                for results in told:
                    batch = plan.send(results)
        except StopIteration:
            return

    def _carry_out(self, batch: Batch) -> Iterator[StepResult]:
        for place, step in enumerate(batch.steps):
            is_last = place == len(batch.steps) - 1
            following = batch.next_step if is_last else batch.steps[place + 1]
            hold = is_last and not batch.is_next_certain
            record = read_step(self.run, step)
            if record is None:
                self.listener.step_began(step)
                record = self._run(step, following, hold=hold)
            self.last_ended_s = record.ended_s
            self.last_suspended_s = record.suspended_s
            self.listener.step_ended(step, record.result)
            yield record.result

    def _run(self, step: Step, following: Step | None, *, hold: bool) -> StepRecord:
        folder = working_folder(self.run, step.step_id)
        try:
            outcome = self.backend.run(step, folder, following, hold=hold)
            record = self._judge(step, outcome)
            commit_step(self.run, outcome.folder, record)
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            raise _disk_full(step, self.run) from error
        self.is_first_live_step = False
        return record

    def _judge(self, step: Step, outcome: StepOutcome) -> StepRecord:
        """Turn an outcome into a record, or into a named error."""
        if step.workload is None:
            if outcome.exit_code:
                raise self._purge_failure(step, outcome)
            started_s = outcome.started_s or outcome.ended_s
            result = StepResult(step_id=step.step_id)
            return self._record(step, outcome, result=result, started_s=started_s)
        document = self._read(step, outcome)
        faults = find_faults(
            document,
            exit_code=outcome.exit_code,
            block_sizes_bytes=step.workload.block_range_bytes,
            outstanding=step.workload.outstanding,
            runtime_s=step.runtime_s,
            io_bytes=step.whole_amount_bytes or step.workload.replayed_bytes,
        )
        trouble = self.backend.find_trouble()  # fio may count IO that it did not do
        if faults or trouble:
            raise self._failure(step, outcome, faults)
        result, runtime_s = summarise_step(step, document)
        started_s = outcome.ended_s - runtime_s - step.workload.ramp_s
        return self._record(step, outcome, result=result, started_s=started_s)

    def _read(self, step: Step, outcome: StepOutcome) -> FioDocument:
        try:
            content = outcome.folder.read("fio.json", limit=LOG_BYTES)
            return parse_document(content, source=step.step_id)
        except (OSError, UserError) as error:
            why = (f"fio ended with exit code {outcome.exit_code}", str(error))
            raise self._failure(step, outcome, why) from error

    def _record(
        self, step: Step, outcome: StepOutcome, *, result: StepResult, started_s: float
    ) -> StepRecord:
        idle = None if self.last_ended_s is None else started_s - self.last_ended_s
        is_suspended = max(outcome.suspended_s, self.last_suspended_s) > SUSPEND_S
        result = replace(
            result,
            idle_before_s=idle,
            is_contiguous=self._is_contiguous(step, idle) and not is_suspended,
        )
        return StepRecord(
            step=step,
            started_s=started_s,
            ended_s=outcome.ended_s,
            idle_before_s=idle,
            was_armed=outcome.was_armed,
            exit_code=outcome.exit_code,
            said=outcome.said,
            result=result,
            host_cpu=outcome.host_cpu,
            purge_doubt=outcome.purge_doubt,
            suspended_s=outcome.suspended_s,
            handover=outcome.handover,
            neighbours=self.take_neighbours(),
        )

    def _is_contiguous(self, step: Step, idle_s: float | None) -> bool:
        """Return whether a window may span the gap before a step.

        A recording may hold steps in an order other than that of the measurement: a
        step from long before the last one does not follow it either.
        """
        if idle_s is None:
            return True
        is_after_break = self.is_first_live_step or step.step_id in self.breaks
        return not is_after_break and abs(idle_s - step.wait_s) <= self.max_idle_s

    def _purge_failure(self, step: Step, outcome: StepOutcome) -> StepError:
        return self._find_other_cause(step, outcome.said) or PurgeFailedError(
            step_id=step.step_id,
            reason=f"the purge failed: {outcome.said}",
            remedy=f"Fix that; a new run may purge by another method (--purge). "
            f"{self._again}",
        )

    def _find_other_cause(self, step: Step, reason: str) -> StepError | None:
        """Return the error of a full disk or of a target that is gone."""
        trouble = self.backend.find_trouble()
        if shutil.disk_usage(self.run).free < _LEAST_FREE_BYTES:
            return _disk_full(step, self.run)
        if trouble:
            besides = f" ({reason})" if reason else ""
            return TargetGoneError(
                step_id=step.step_id,
                reason=f"the target no longer answers: {trouble}{besides}",
                remedy=f"Check the device and its cable. {self._again}",
            )
        return None

    @property
    def _again(self) -> str:
        return f"{_RESUME} {self.run}"

    def _failure(
        self, step: Step, outcome: StepOutcome, faults: tuple[str, ...]
    ) -> StepError:
        reason = "; ".join(fault for fault in faults if fault)
        lines = condense_words(outcome.said).splitlines()
        heard = [line for line in lines if line.partition(" (and ")[0] not in reason]
        if heard:
            reason = f"{reason}; fio said: {' '.join(heard)[-500:]}"
        other = self._find_other_cause(step, reason)
        if other is not None:
            return other
        if outcome.signal_number:
            return FioKilledError(
                step_id=step.step_id,
                reason=f"fio was killed by signal {outcome.signal_number} from outside",
                remedy=f"Did memory run out, or did someone kill it? {self._again}",
            )
        return FioFailedError(
            step_id=step.step_id,
            reason=reason,
            remedy=f"See the messages of fio. {self._again}",
        )


def _disk_full(step: Step, run: Path) -> DiskFullError:
    return DiskFullError(
        step_id=step.step_id,
        reason=f"the disk that holds {run} is full",
        remedy=f"Free disk space. {_RESUME} {run}",
    )
