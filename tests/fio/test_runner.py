"""fio after fio: armed, let go, given up, and never loose."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from ssdlab.fio.installed import require_fio
from ssdlab.fio.process import FioRequest
from ssdlab.fio.runner import FioChain
from ssdlab.model.errors import FioHungError
from ssdlab.virtual.options import VirtualSsdOptions
from ssdlab.virtual.server import VirtualSsd
from tests.fio.jobs import (
    CONTEXT,
    cell,
    job_of,
    new_chain,
    options_of,
    reach,
    request_of,
    workload,
)
from tests.fio.processes import open_files, processes_in, wait_until
from tests.paths import ROOT
from tests.virtual.conftest import Serve

pytestmark = pytest.mark.fio

BROKEN = "[global]\nno_such_option=1\n[cell]\n"
OPTIONS = VirtualSsdOptions(
    size_bytes=CONTEXT.capacity_bytes, linger_s=60, program_us=100
)


@pytest.fixture(autouse=True)
def _nothing_is_left_behind(tmp_path: Path) -> Iterator[None]:
    files = open_files()
    yield
    assert wait_until(lambda: not processes_in(tmp_path), patience_s=2)
    assert open_files() <= files


@pytest.fixture
def ssd(serve: Serve) -> VirtualSsd:
    return serve(OPTIONS)


def reads(ssd: VirtualSsd, folder: Path, *, seconds: float = 0.4) -> FioRequest:
    step = cell(workload(read_percent=100), number=1, seconds=seconds)
    return request_of(step, reach(ssd), folder)


def writes(ssd: VirtualSsd, folder: Path, *, number: int = 2) -> FioRequest:
    step = cell(workload(threads=2, queue_depth=4), number=number, seconds=0.4)
    return request_of(step, reach(ssd), folder)


def written(ssd: VirtualSsd) -> int:
    return ssd.counters().write_requests


def test_armed_fio_does_no_io_until_it_is_let_go(
    ssd: VirtualSsd, tmp_path: Path
) -> None:
    with new_chain() as chain:
        first = chain.run(
            reads(ssd, tmp_path), writes(ssd, tmp_path), hold_following=True
        )
        time.sleep(0.5)
        assert len(processes_in(tmp_path, "fio")) == 1
        assert written(ssd) == 0
        second = chain.run(writes(ssd, tmp_path))
    assert (first.was_armed, second.was_armed) == (False, True)
    assert (first.exit_code, second.exit_code) == (0, 0)
    assert written(ssd) == job_of(second)["write"]["total_ios"] > 0


@pytest.mark.timed
def test_gap_is_small_when_the_next_fio_is_armed(
    ssd: VirtualSsd, tmp_path: Path
) -> None:
    requests = [writes(ssd, tmp_path, number=number) for number in range(1, 5)]
    with new_chain() as chain:
        outcomes = [
            chain.run(request, following)
            for request, following in zip(requests, [*requests[1:], None], strict=True)
        ]
    assert [outcome.was_armed for outcome in outcomes] == [False, True, True, True]
    first, last = outcomes[0].released_s + 0.2, outcomes[-1].done_s - 0.2
    gaps = [
        (gap.end_ns - gap.start_ns) / 1e9
        for gap in ssd.idle_gaps()
        if first < gap.start_ns / 1e9 < last
    ]
    assert sum(gaps) < 3 * 0.1  # 0.3 s and more for each without arming
    for before, after in pairwise(outcomes):
        assert before.done_s <= after.released_s <= before.done_s + 0.1


def test_outcome_says_how_long_its_release_came_before_fio_was_ready(
    ssd: VirtualSsd, tmp_path: Path
) -> None:
    requests = [writes(ssd, tmp_path, number=number) for number in (1, 2)]
    slow = tmp_path / "fio"
    slow.write_text(
        f'#!/bin/sh\n[ "${{PWD##*/}}" = {requests[1].step_id} ] && sleep 6\n'
        f'exec {require_fio()[0]} "$@"\n'
    )
    slow.chmod(0o755)
    with FioChain(str(slow), clock=time.time, tick=lambda: None) as chain:
        first = chain.run(requests[0], requests[1])
        late = chain.run(requests[1])
    assert late.was_armed
    assert late.handover.unready_s is not None
    assert late.handover.unready_s > 0
    waited_s = late.handover.armed_for_s + late.handover.unready_s
    assert 6 < waited_s < late.done_s - first.released_s
    assert late.done_s - late.released_s > late.handover.unready_s + 0.2


def test_fio_that_waits_at_its_gate_is_ready_at_its_release(
    ssd: VirtualSsd, tmp_path: Path
) -> None:
    with new_chain() as chain:
        chain.run(reads(ssd, tmp_path), writes(ssd, tmp_path), hold_following=True)
        assert wait_until(lambda: len(processes_in(tmp_path, "sh")) == 2)
        second = chain.run(writes(ssd, tmp_path))
    assert second.handover.unready_s == 0
    assert second.handover.armed_for_s > 0
    assert 0 <= second.handover.reports_s < second.done_s - second.released_s


def test_outcome_says_when_io_was_done_and_keeps_the_job_as_asked(
    ssd: VirtualSsd, tmp_path: Path
) -> None:
    request = writes(ssd, tmp_path)
    before = time.time()
    with new_chain() as chain:
        outcome = chain.run(request)
    assert before <= outcome.released_s < outcome.done_s <= time.time()
    assert outcome.done_s - outcome.released_s >= 0.4
    assert outcome.said == ""
    assert list(request.folder.names()) == [
        "fio.json",
        "fio.stderr",
        "job.fio",
    ]
    kept = request.folder.text("job.fio")
    assert kept == request.job
    assert not {"exec_prerun", "exec_postrun"} & set(options_of(kept)["global"])


def test_following_is_not_let_go_when_fio_fails_at_its_start(
    ssd: VirtualSsd, tmp_path: Path
) -> None:
    broken = replace(reads(ssd, tmp_path), job=BROKEN)
    with new_chain() as chain:
        outcome = chain.run(broken, writes(ssd, tmp_path))
        time.sleep(0.4)
        assert written(ssd) == 0
    assert outcome.exit_code != 0
    assert "no_such_option" in outcome.said
    assert written(ssd) == 0


@pytest.fixture
def failing(tmp_path: Path) -> Iterator[tuple[dict[str, str], Path]]:
    """A server that fails every write from the moment that a file is there."""
    folder = tmp_path / "failing"
    folder.mkdir()
    socket, trigger = folder / "s", folder / "trigger"
    command = [
        *("nbdkit", "--foreground", "--unix", str(socket), "--filter=error"),
        *("memory", "64M", "error-pwrite=EIO", "error-pwrite-rate=100%"),
        f"error-file={trigger}",
    ]
    with subprocess.Popen(
        command, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as server:
        assert wait_until(socket.exists)
        yield {"ioengine": "nbd", "uri": f"nbd+unix:///?socket={socket}"}, trigger
        server.terminate()


def test_following_is_not_let_go_when_io_fails_in_the_middle(
    failing: tuple[dict[str, str], Path], ssd: VirtualSsd, tmp_path: Path
) -> None:
    """fio runs ``exec_postrun`` of a failed job too."""
    target, trigger = failing
    request = request_of(cell(number=1, seconds=30), target, tmp_path / "steps")
    ticks: list[int] = []

    def fail_soon() -> None:
        ticks.append(1)
        if len(ticks) == 4:
            trigger.touch()

    chain = FioChain(require_fio()[0], clock=time.time, tick=fail_soon)
    with chain:
        outcome = chain.run(request, writes(ssd, tmp_path))
        time.sleep(0.4)
        assert written(ssd) == 0
    assert outcome.exit_code != 0
    assert "Input/output error" in outcome.said
    assert outcome.signal_number == 0


def _send_in_the_middle(
    sent: signal.Signals, folder: Path, *, stop_s: float = 20
) -> FioChain:
    """Return a chain whose running fio gets a signal after about half a second."""
    ticks: list[float] = []

    def tick() -> None:
        ticks.append(time.monotonic())
        if len(ticks) > 1 and ticks[-1] - ticks[0] > 0.5:
            for pid in processes_in(folder, "fio"):
                os.kill(pid, sent)
            ticks.clear()

    return FioChain(require_fio()[0], clock=time.time, tick=tick, stop_s=stop_s)


def test_following_is_not_let_go_when_fio_was_asked_to_end_early(
    ssd: VirtualSsd, tmp_path: Path
) -> None:
    first = replace(reads(ssd, tmp_path / "a", seconds=30), least_s=28)
    with _send_in_the_middle(signal.SIGTERM, tmp_path / "a") as chain:
        chain.run(first, writes(ssd, tmp_path))
        time.sleep(0.4)
        assert written(ssd) == 0


def test_killed_fio_is_told_by_its_signal(ssd: VirtualSsd, tmp_path: Path) -> None:
    with _send_in_the_middle(signal.SIGKILL, tmp_path / "a") as chain:
        outcome = chain.run(
            reads(ssd, tmp_path / "a", seconds=30), writes(ssd, tmp_path)
        )
        assert written(ssd) == 0
    assert (outcome.exit_code, outcome.signal_number) == (137, 9)


def test_fio_is_stopped_when_it_outlives_its_bound(
    ssd: VirtualSsd, tmp_path: Path
) -> None:
    request = replace(reads(ssd, tmp_path, seconds=30), overdue_s=1.5)
    with (
        _send_in_the_middle(signal.SIGSTOP, tmp_path, stop_s=0.5) as chain,
        pytest.raises(FioHungError, match=r"did not end within 1\.5 s and was stopped"),
    ):
        chain.run(request)
    assert processes_in(tmp_path) == []


def test_fio_is_stopped_when_the_target_does_not_answer(
    ssd: VirtualSsd, tmp_path: Path
) -> None:
    request = replace(reads(ssd, tmp_path, seconds=0.5), overdue_s=1.5)
    os.kill(ssd.process.pid, signal.SIGSTOP)
    try:
        with (
            new_chain(stop_s=0.5) as chain,
            pytest.raises(FioHungError, match="Check whether the target still answers"),
        ):
            chain.run(request, writes(ssd, tmp_path))
        assert processes_in(tmp_path) == []
    finally:
        os.kill(ssd.process.pid, signal.SIGCONT)
    assert written(ssd) == 0


def test_fio_is_stopped_when_it_does_not_end_after_its_io(tmp_path: Path) -> None:
    fake = tmp_path / "fio"
    fake.write_text(
        "#!/bin/sh\n"
        "report=$(sed -n 's/^exec_postrun=//p' armed.fio)\n"
        'sh -c "$report"\n'
        "exec sleep 60\n"
    )
    fake.chmod(0o755)
    request = request_of(cell(), {"ioengine": "null"}, tmp_path / "steps")
    chain = FioChain(str(fake), clock=time.time, tick=lambda: None, stop_s=0.5)
    with chain, pytest.raises(FioHungError, match=r"within 0\.5 s after its IO"):
        chain.run(request)


def test_every_fio_ends_when_the_run_is_stopped(
    ssd: VirtualSsd, tmp_path: Path
) -> None:
    began = time.monotonic()

    def stop() -> None:
        if time.monotonic() - began > 1:
            raise KeyboardInterrupt

    with (
        pytest.raises(KeyboardInterrupt),
        FioChain(require_fio()[0], clock=time.time, tick=stop) as chain,
    ):
        chain.run(reads(ssd, tmp_path, seconds=30), writes(ssd, tmp_path))
    assert processes_in(tmp_path) == []
    assert written(ssd) == 0


def test_no_fio_survives_when_ssdlab_is_killed(ssd: VirtualSsd, tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.fio.kill_me", ssd.uri, str(tmp_path)], cwd=ROOT
    ) as ours:
        assert wait_until(lambda: len(processes_in(tmp_path, "fio")) == 2)
        assert wait_until(lambda: ssd.counters().read_requests > 100)
        assert wait_until(lambda: len(processes_in(tmp_path, "sh")) == 2)
        ours.kill()
    assert wait_until(lambda: not processes_in(tmp_path), patience_s=3)
    assert wait_until(lambda: ssd.counters().in_flight == 0)
    before = ssd.counters()
    time.sleep(0.5)
    assert ssd.counters().read_requests == before.read_requests
    assert written(ssd) == 0


def test_no_fio_survives_when_ssdlab_is_killed_while_it_starts(
    ssd: VirtualSsd, tmp_path: Path
) -> None:
    for delay_s in (0.0, 0.002, 0.02, 0.1):
        folder = tmp_path / str(delay_s)
        with subprocess.Popen(
            [sys.executable, "-m", "tests.fio.kill_me", ssd.uri, str(folder)], cwd=ROOT
        ) as ours:
            assert wait_until(folder.exists)
            time.sleep(delay_s)
            ours.kill()
        assert wait_until(lambda: not processes_in(tmp_path), patience_s=3)
    assert written(ssd) == 0


def test_discarded_fio_does_no_io_and_its_folder_goes(
    ssd: VirtualSsd, tmp_path: Path
) -> None:
    ahead = writes(ssd, tmp_path)
    with new_chain() as chain:
        chain.run(reads(ssd, tmp_path), ahead, hold_following=True)
        assert ahead.folder.is_there()
        chain.discard_ahead()
        assert not ahead.folder.is_there()
        chain.discard_ahead()
    assert written(ssd) == 0


def test_armed_fio_is_discarded_when_another_one_is_asked_for(
    ssd: VirtualSsd, tmp_path: Path
) -> None:
    ahead, other = writes(ssd, tmp_path), writes(ssd, tmp_path, number=7)
    with new_chain() as chain:
        chain.run(reads(ssd, tmp_path), ahead, hold_following=True)
        outcome = chain.run(other)
    assert not outcome.was_armed
    assert not ahead.folder.is_there()
    assert written(ssd) == job_of(outcome)["write"]["total_ios"]


def test_folder_of_a_step_must_be_new(tmp_path: Path) -> None:
    request = request_of(cell(), {"ioengine": "null"}, tmp_path)
    request.folder.make_new()
    with new_chain() as chain, pytest.raises(FileExistsError):
        chain.run(request)


def test_executable_that_is_gone_is_told_in_words(tmp_path: Path) -> None:
    request = request_of(cell(), {"ioengine": "null"}, tmp_path)
    chain = FioChain("/no/such/fio", clock=time.time, tick=lambda: None)
    with chain:
        outcome = chain.run(request)
    assert outcome.exit_code != 0
    assert "/no/such/fio" in outcome.said
