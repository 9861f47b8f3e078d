"""Real fio on a target."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from ssdlab.engine.ports import StepListener, StepOutcome
from ssdlab.fio.jobs.jobfile import count_threads, render_job
from ssdlab.fio.jobs.published import has_processes
from ssdlab.fio.process import FIO_ARGUMENTS, FioProcess, FioRequest
from ssdlab.fio.runner import FioChain, FioOutcome
from ssdlab.host.inventory import read_cpus, read_load
from ssdlab.model.errors import FioHungError
from ssdlab.model.io_counts import IoCounts
from ssdlab.model.io_engine import AUTO_ENGINE, parse_io_engine
from ssdlab.model.step import Step
from ssdlab.model.telemetry import WRITTEN
from ssdlab.store.raw import HostCpu, working_folder
from ssdlab.system.clocks import RunClock
from ssdlab.system.folders import PRIVATE, Folder
from ssdlab.targets.target import Target

_SLOWEST_BYTES_PER_S = 2e6  # a fill slower than this counts as hung
_GRACE_S = 120.0
_TELL_EVERY_S = 1.0


class FioBackend:
    """Runs steps with fio on a target, one always armed.

    Parameters
    ----------
    run : Path
        The run folder.
    target : Target
        What fio is pointed at.
    io_engine : str, default "auto"
        The engine by which fio reaches it: see `ssdlab.model.io_engine`.
    chain : FioChain
        The fio processes.
    clock : RunClock
        Unix time [s], and how long the machine was suspended.
    watch : callable, optional
        Called before each step; raises if the run must stop.
    listener : StepListener, optional
        Receives the progress of the step that runs.
    """

    def __init__(  # noqa: PLR0913 - by name
        self,
        run: Path,
        target: Target,
        *,
        io_engine: str = AUTO_ENGINE,
        chain: FioChain,
        clock: RunClock,
        watch: Callable[[], None] = lambda: None,
        listener: StepListener | None = None,
    ) -> None:
        self._run = run
        self._watch = watch
        self._listener = listener
        self._told_s = clock.suspended_s()
        self._target = target
        self._io_engine = io_engine
        engine = parse_io_engine(io_engine)
        self._is_counted = engine is None or not engine.is_passthrough
        self._chain = chain
        self._clock = clock
        self._counters = target.read_counters()

    def run(
        self, step: Step, folder: Folder, following: Step | None, *, hold: bool
    ) -> StepOutcome:
        """Run one step; see `Backend`."""
        self._watch()
        if step.kind == "purge":
            outcome = self._purge(folder)
        else:
            outcome = self._measure(step, folder, following, hold=hold)
        return replace(outcome, suspended_s=self._suspended())

    def _suspended(self) -> float:
        """Return how long the machine was suspended since this was asked last."""
        before, self._told_s = self._told_s, self._clock.suspended_s()
        return max(self._told_s - before, 0.0)

    def _measure(
        self, step: Step, folder: Folder, following: Step | None, *, hold: bool
    ) -> StepOutcome:
        ahead = None
        if following is not None and following.kind != "purge":
            ahead = self._request(
                following, working_folder(self._run, following.step_id)
            )
        request = self._request(step, folder)
        before = read_load()
        try:
            outcome = self._chain.run(
                request, ahead, hold_following=hold, look=self._reporter()
            )
        except FioHungError as error:
            raise self._hung(error) from None
        cpu = _host_cpu(before, read_load())
        folder.write("command.txt", _command().encode())
        said = "\n".join(filter(None, (outcome.said, self._doubt())))
        return replace(_as_step_outcome(outcome), host_cpu=cpu, said=said)

    def _reporter(self) -> Callable[[FioProcess], None]:
        """Return what reports how far a step has come, every second.

        It reads counters of the kernel, or of the virtual SSD; fio is not involved.
        """
        counted = self._target.read_counters().get(WRITTEN)
        told_s, before = self._clock(), self._read_io()

        def report(process: FioProcess) -> None:
            nonlocal told_s, before
            now_s = self._clock()
            if self._listener is None or now_s - told_s < _TELL_EVERY_S:
                return
            took_s, told_s = now_s - told_s, now_s
            now = self._read_io()
            live = now.rates_since(before, took_s) if now and before else None
            before = now
            io_bytes: float | None = process.read_io_bytes()
            if counted is not None:
                io_bytes = self._target.read_counters()[WRITTEN] - counted
            self._listener.advanced(now_s - process.released_s, io_bytes, live)

        return report

    def _read_io(self) -> IoCounts | None:
        """Return the IO that is counted on the way to the target, if any is."""
        return self._target.read_io() if self._is_counted else None

    def find_trouble(self) -> str:
        """Return why the target no longer answers, or an empty text."""
        return self._target.find_trouble()

    def _doubt(self) -> str:
        before, self._counters = self._counters, self._target.read_counters()
        return self._target.find_doubt(before, self._counters)

    def _request(self, step: Step, folder: Folder) -> FioRequest:
        job = render_job(
            step,
            self._target.fio_options,
            cpus=read_cpus(),
            io_engine=self._io_engine,
        )
        work = step.workload
        io_s = (step.runtime_s or 0) + (work.ramp_s if work is not None else 0)
        by_amount = step.io_bytes is not None or (work and work.replayed_bytes)
        return FioRequest(
            step_id=step.step_id,
            folder=folder,
            job=job,
            gated_threads=count_threads(step),
            wait_s=step.wait_s,
            least_s=0.0 if by_amount else 0.95 * io_s,
            overdue_s=_GRACE_S + 2 * io_s + _most_bytes(step) / _SLOWEST_BYTES_PER_S,
            has_processes=work is not None and has_processes(work),
            descriptor=self._target.descriptor,
        )

    def _hung(self, error: FioHungError) -> FioHungError:
        """Return the error with a remedy: the chain does not know the run folder."""
        return FioHungError(
            step_id=error.step_id,
            reason=error.reason,
            remedy="Check whether the target still answers (its cable, the host's "
            f"log). What was measured is kept. Then: ssdlab resume {self._run}",
        )

    def _purge(self, folder: Folder) -> StepOutcome:
        """Purge the target; one that fails, or cannot have worked, has an exit code."""
        self._chain.discard_ahead()
        folder.make_new(PRIVATE)
        started_s = self._clock()
        listener = self._listener
        outcome = self._target.purge(
            (lambda _words: None) if listener is None else listener.said
        )
        folder.write("purge.txt", f"{outcome.said}\n".encode())
        return StepOutcome(
            folder=folder,
            started_s=started_s,
            ended_s=self._clock(),
            exit_code=1 if outcome.fault else 0,
            signal_number=0,
            was_armed=False,
            said=outcome.fault or outcome.said,
            purge_doubt=outcome.doubt,
        )


def _most_bytes(step: Step) -> int:
    """Return what may be left to do after a step's time: its amount, and its queues."""
    work = step.workload
    if work is None:
        return 0
    queued = work.outstanding * work.block_range_bytes[1]
    return (step.whole_amount_bytes or 0) + queued


def _host_cpu(
    before: Mapping[str, float], after: Mapping[str, float]
) -> HostCpu | None:
    """Return how busy the host was between two readings; None if it is unknown."""
    names = ("cpu_all_s", "cpu_user_s", "cpu_system_s")
    spent = [after.get(name, 0.0) - before.get(name, 0.0) for name in names]
    if spent[0] <= 0:
        return None
    user, system = (100 * part / spent[0] for part in spent[1:])
    return HostCpu(user_percent=user, system_percent=system)


def _command() -> str:
    return " ".join(("fio", *FIO_ARGUMENTS, "job.fio")) + "\n"


def _as_step_outcome(outcome: FioOutcome) -> StepOutcome:
    return StepOutcome(
        folder=outcome.request.folder,
        ended_s=outcome.done_s,
        started_s=outcome.released_s,
        exit_code=outcome.exit_code,
        signal_number=outcome.signal_number,
        was_armed=outcome.was_armed,
        said=outcome.said,
        handover=outcome.handover,
    )
