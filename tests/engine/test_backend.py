"""What the backend asks of fio: how long a step must take, and how long it may."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from ssdlab.engine.backend import FioBackend
from ssdlab.fio.process import FioProcess, FioRequest
from ssdlab.fio.runner import FioChain, FioOutcome
from ssdlab.model.fio_option import FioOption
from ssdlab.model.spec import Precondition
from ssdlab.model.step import Handover, Step
from ssdlab.model.units import KIB, MIB
from ssdlab.system.clocks import RunClock
from ssdlab.system.folders import Folder
from ssdlab.targets.opening import open_target
from tests.fio.jobs import CONTEXT, cell, fill, workload

GRACE_S = 120
SLOWEST_BYTES_PER_S = 2e6


@dataclass
class Asked(FioChain):
    """A chain that writes down what it is asked for, and is done at once."""

    requests: list[FioRequest] = field(default_factory=list)

    def run(
        self,
        request: FioRequest,
        following: FioRequest | None = None,
        *,
        hold_following: bool = False,
        look: Callable[[FioProcess], None] = lambda _process: None,
    ) -> FioOutcome:
        del look
        assert following is None
        assert not hold_following
        self.requests.append(request)
        return FioOutcome(
            request=request,
            exit_code=0,
            signal_number=0,
            released_s=0.0,
            done_s=1.0,
            was_armed=False,
            said="",
            handover=Handover(
                released_s=0.0, armed_for_s=0.0, unready_s=0.0, reports_s=0.0
            ),
        )


def request_for(step: Step, folder: Path) -> FioRequest:
    """Return what a step on a file is asked of fio as."""
    spec = f"file:{folder / 'drive'},size=1MiB"
    drive = open_target(spec, folder=folder)
    chain = Asked()
    own = (Folder(folder) / step.step_id).make_new()
    backend = FioBackend(folder, drive, chain=chain, clock=RunClock())
    backend.run(step, own, None, hold=False)
    (request,) = chain.requests
    return request


def test_step_may_take_its_time_twice_and_then_its_queues(tmp_path: Path) -> None:
    work = workload(block_size_bytes=MIB, threads=2, queue_depth=16)
    request = request_for(cell(work, seconds=10), tmp_path)
    assert request.least_s == pytest.approx(9.5)
    queued_s = 2 * 16 * MIB / SLOWEST_BYTES_PER_S  # 16.8 s
    assert request.overdue_s == pytest.approx(GRACE_S + 20 + queued_s)


def test_time_of_a_published_job_has_its_ramp_in_it(tmp_path: Path) -> None:
    work = replace(workload(), fio_options=(FioOption("ramp_time", "5"),))
    request = request_for(cell(work, seconds=10), tmp_path)
    assert request.least_s == pytest.approx(0.95 * 15)
    queued_s = 4 * KIB / SLOWEST_BYTES_PER_S
    assert request.overdue_s == pytest.approx(GRACE_S + 30 + queued_s)


def test_fill_may_take_as_long_as_its_amount_and_its_queues(tmp_path: Path) -> None:
    phase = Precondition(
        phase_id="wipc",
        block_size_bytes=128 * KIB,
        queue_depth=32,
        capacity_multiple=2,
        threads=2,
    )
    request = request_for(fill(phase, CONTEXT), tmp_path)
    assert request.least_s == 0
    amount = 2 * (128 * MIB + 32 * 128 * KIB)  # of two threads
    assert request.overdue_s == pytest.approx(GRACE_S + amount / SLOWEST_BYTES_PER_S)
