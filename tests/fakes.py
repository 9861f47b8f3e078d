"""Fakes that behave like the real thing, without drive, fio or power failure."""

import os
import sys
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ssdlab.engine.ports import StepOutcome
from ssdlab.fio.bins import bin_index, bin_value
from ssdlab.model.step import Step, StepResult
from ssdlab.plan.context import Batch, Judgement
from ssdlab.plan.protocol import Plan
from ssdlab.system.folders import Folder
from ssdlab.testing import Answer, Latency
from ssdlab.testing.backend import STARTED_S
from ssdlab.testing.fio_output import io_seconds, mean_block_bytes, render_fio_output

FILL_BYTES_PER_S = 200e6
LAT_NS = {"read": 100_000, "write": 400_000}


def fake_answer(step: Step, iops: float) -> Answer:
    """Return what a drive of so many IOPS does; it fills at a rate of its own."""
    assert step.workload is not None
    if step.whole_amount_bytes is not None:
        iops = FILL_BYTES_PER_S / mean_block_bytes(step.workload)
    read, write = (
        Latency(mean_ns=_middle_of_bin(LAT_NS[n])) for n in ("read", "write")
    )
    return Answer(iops=iops, latency=read, write_latency=write)


def _middle_of_bin(lat_ns: int) -> float:
    return float(bin_value(bin_index(lat_ns)))


def fio_output(step: Step, *, iops: float, ended_s: float, error: int = 0) -> bytes:
    """Return what fio 3.33 would say of a step on a drive of so many IOPS."""
    answer = fake_answer(step, iops)
    return render_fio_output(step, answer, ended_s=ended_s, error=error)


@dataclass(frozen=True, kw_only=True)
class Mishap:
    """What goes wrong in a step: how fio ends, what it leaves, what is raised."""

    exit_code: int = 0
    signal_number: int = 0
    said: str = ""
    trouble: str = ""
    output: Callable[[bytes], bytes | None] = lambda whole: whole
    raises: BaseException | None = None
    purge_doubt: str = ""
    suspended_s: float = 0.0


@dataclass(kw_only=True)
class FakeBackend:
    """A made-up drive: so many IOPS a step, so long a gap before it.

    ``mishaps`` and ``gaps_s`` go by step id.
    """

    iops_of: Callable[[Step], float] = lambda _step: 1000.0
    gap_s: float = 0.01
    gaps_s: Mapping[str, float] = field(default_factory=dict)
    mishaps: Mapping[str, Mishap] = field(default_factory=dict)
    now_s: float = STARTED_S
    steps_run: list[str] = field(default_factory=list)
    asked: list[tuple[str, str | None, bool]] = field(default_factory=list)
    trouble: str = ""

    def run(
        self, step: Step, folder: Folder, following: Step | None, *, hold: bool
    ) -> StepOutcome:
        self.steps_run.append(step.step_id)
        after = following.step_id if following else None
        self.asked.append((step.step_id, after, hold))
        mishap = self.mishaps.get(step.step_id, Mishap())
        self.trouble = mishap.trouble
        folder.make_new()
        started_s = self.now_s + self.gaps_s.get(step.step_id, self.gap_s)
        self.now_s = started_s + 1.0
        if step.workload is not None:
            answer = fake_answer(step, self.iops_of(step))
            ramp_s = step.workload.ramp_s
            self.now_s = started_s + ramp_s + io_seconds(step, answer)
            output = render_fio_output(step, answer, ended_s=self.now_s)
            left = mishap.output(output)
            if left is not None:
                folder.write("fio.json", left)
            folder.write("job.fio", b"[global]\n")
        if mishap.raises is not None:
            raise mishap.raises
        return StepOutcome(
            folder=folder,
            ended_s=self.now_s,
            started_s=started_s if step.workload is None else None,
            exit_code=mishap.exit_code,
            signal_number=mishap.signal_number,
            was_armed=False,
            said=mishap.said,
            purge_doubt=mishap.purge_doubt,
            suspended_s=mishap.suspended_s,
        )

    def find_trouble(self) -> str:
        return self.trouble


@dataclass
class RememberingListener:
    """Remembers what it was told."""

    began: list[str] = field(default_factory=list)
    ended: list[StepResult] = field(default_factory=list)
    judgements: list[Judgement] = field(default_factory=list)

    def step_began(self, step: Step) -> None:
        self.began.append(step.step_id)

    def step_ended(self, step: Step, result: StepResult) -> None:
        assert step.step_id == result.step_id
        self.ended.append(result)

    def judged(self, judgement: Judgement) -> None:
        self.judgements.append(judgement)


def overheard(plan: Plan, heard: list[StepResult]) -> Plan:
    """Pass a plan on and write down every result that it is told."""

    def listen() -> Generator[Batch, tuple[StepResult, ...], None]:
        try:
            batch = next(plan)
            while True:
                results = yield batch
                heard.extend(results)
                batch = plan.send(results)
        except StopIteration:
            return

    return listen()


class PowerFailure(BaseException):
    """The machine stopped: nothing may catch this and go on."""


@dataclass
class _Watch:
    folder: str
    left: int


_WATCHES: list[_Watch] = []
_OPERATIONS = {"open", "os.rename", "os.remove", "os.mkdir"}


def _fail_when_due(event: str, arguments: tuple[object, ...]) -> None:
    if not _WATCHES or event not in _OPERATIONS:
        return
    path, watch = arguments[0], _WATCHES[-1]
    if not isinstance(path, str | os.PathLike) or _only_reads(event, arguments):
        return
    text = os.fspath(path)
    if Path(text).is_absolute() and not text.startswith(watch.folder):
        return  # any other is looked up in a folder of the run that is open
    watch.left -= 1
    if watch.left < 0:
        raise PowerFailure(event)


def _only_reads(event: str, arguments: tuple[object, ...]) -> bool:
    """Tell whether an operation changes nothing, so that it is like the next one."""
    flags = arguments[-1]
    writes = os.O_WRONLY | os.O_RDWR | os.O_CREAT
    return event == "open" and isinstance(flags, int) and not flags & writes


@contextmanager
def power_failure_at(operation: int, folder: Path) -> Iterator[None]:
    """Stop before the file operation of that number, from 0, below a folder.

    Python tells of each operation before it is done (``sys.addaudithook``), so no code
    is replaced; a hook cannot be taken away and is added once.
    """
    if not hasattr(sys, "_ssdlab_tests_hook"):
        sys.addaudithook(_fail_when_due)
        sys._ssdlab_tests_hook = True  # type: ignore[attr-defined]
    _WATCHES.append(_Watch(str(folder), operation))
    try:
        yield
    finally:
        _WATCHES.pop()
