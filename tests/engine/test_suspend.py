"""A suspend of the machine as a run sees it: real fio, and clocks that are set."""

import time
from collections.abc import Generator
from pathlib import Path

import pytest

from ssdlab.engine.backend import FioBackend
from ssdlab.engine.engine import Engine
from ssdlab.engine.execution import AlarmWatch
from ssdlab.fio.runner import FioChain
from ssdlab.model.step import Step, StepResult
from ssdlab.plan.context import Batch
from ssdlab.store.raw import read_all_steps
from ssdlab.system.clocks import RunClock
from ssdlab.targets import open_target
from tests.fakes import RememberingListener
from tests.fio.jobs import CONTEXT, cell, workload

CELL_S = 1.0
SLEPT_S = 3600.0


class Laptop:
    """A machine whose lid is closed for an hour, in the second of its steps."""

    def __init__(self) -> None:
        self.slept_s = 0.0
        self.closes_s = float("inf")

    def boot(self) -> float:
        return time.monotonic() + self.slept_s

    def tick(self) -> None:
        if time.monotonic() > self.closes_s:
            self.slept_s, self.closes_s = SLEPT_S, float("inf")


class Listener(RememberingListener):
    """Closes the lid in the middle of the second step."""

    laptop: Laptop

    def step_began(self, step: Step) -> None:
        super().step_began(step)
        if len(self.began) == 2:
            self.laptop.closes_s = time.monotonic() + CELL_S / 2


def plan(steps: tuple[Step, ...]) -> Generator[Batch, tuple[StepResult, ...], None]:
    yield Batch(steps=steps)


@pytest.mark.fio
def test_suspend_in_a_step_is_seen_and_fio_is_not_taken_for_hung(
    tmp_path: Path,
) -> None:
    """It outlasts by far what fio may take; fio and its watchdog slept through it."""
    laptop, listener = Laptop(), Listener()
    listener.laptop = laptop
    clock = RunClock(boot=laptop.boot)
    spec = f"file:{tmp_path / 'drive'},size={CONTEXT.capacity_bytes}"
    target = open_target(spec, folder=tmp_path)
    watch = AlarmWatch(target, run=tmp_path, clock=clock)
    (tmp_path / "steps").mkdir()

    def tick() -> None:
        laptop.tick()
        watch.tick()

    with FioChain("fio", clock=clock, tick=tick) as chain:
        engine = Engine(
            run=tmp_path,
            backend=FioBackend(
                tmp_path,
                target,
                chain=chain,
                clock=clock,
                watch=watch.look,
            ),
            listener=listener,
            max_idle_s=2 * SLEPT_S,  # no gap is too long: it is not by that
        )
        engine.drive(
            plan(tuple(cell(workload(), number=n, seconds=CELL_S) for n in range(1, 5)))
        )
    assert not target.release()
    records = list(read_all_steps(tmp_path))
    assert [record.suspended_s > 1 for record in records] == [False, True, False, False]
    assert records[1].suspended_s == pytest.approx(SLEPT_S, abs=0.1)
    assert [r.result.is_contiguous for r in records] == [True, False, False, True]
    first, slept, after, _ = records
    assert slept.ended_s - first.ended_s > SLEPT_S
    assert slept.idle_before_s == pytest.approx(SLEPT_S, abs=1)
    assert after.idle_before_s is not None
    assert after.idle_before_s < 1
