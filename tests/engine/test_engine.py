"""The engine: resume is replay, a step counts whole or not at all, errors are named."""

import errno
import gzip
import re
import shutil
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from ssdlab.engine.engine import Engine
from ssdlab.model.errors import (
    DiskFullError,
    FioFailedError,
    FioKilledError,
    PlanMismatchError,
    PurgeFailedError,
    RunFolderError,
    StepError,
    TargetGoneError,
)
from ssdlab.model.fio_option import FioOption
from ssdlab.model.spec import Histogram, PtsTest, Purge
from ssdlab.plan.phases import plan_suite
from ssdlab.store.raw import (
    put_aside_unfinished,
    read_all_steps,
    read_raw_output,
    read_record_of,
    steps_folder,
)
from ssdlab.system.folders import Folder
from tests.engine.plans import (
    CELLS,
    CONTEXT,
    STEPS_TO_FIRST_ROUND,
    cell_name,
    drive,
    random_cell,
)
from tests.fakes import (
    FakeBackend,
    Mishap,
    PowerFailure,
    RememberingListener,
    power_failure_at,
)

PURGE = "00001-iops-purge"
FILL = "00002-iops-wipc"
FIRST_WRITES = cell_name(5, 1, 0)
IN_ROUND_3 = cell_name(10, 3, 65)
ROUND_3 = cell_name(9, 3, 100)
FIRST_SATURATION = "00019-wsat-saturation-r001-rnd-4KiB-r0"


def names(run: Path) -> list[str]:
    return [record.step.step_id for record in read_all_steps(run)]


def stop_at(step_id: str) -> FakeBackend:
    return FakeBackend(mishaps={step_id: Mishap(raises=KeyboardInterrupt())})


def interrupt(run: Path, step_id: str) -> list[str]:
    """Run until a step, stop there as Ctrl-C does; return the finished steps."""
    with pytest.raises(KeyboardInterrupt):
        drive(run, stop_at(step_id))
    put_aside_unfinished(run)
    return names(run)


def at_once_after(run: Path) -> FakeBackend:
    """Return a backend that goes on as if no time had passed since the last step."""
    return FakeBackend(now_s=max(record.ended_s for record in read_all_steps(run)))


def rounds_of(run: Path) -> int:
    """Return how many rounds the IOPS test took."""
    return max(
        r.step.round or 0 for r in read_all_steps(run) if "iops" in r.step.step_id
    )


def test_run_carries_out_every_step_once_and_in_order(tmp_path: Path) -> None:
    backend = FakeBackend()
    listener, told = drive(tmp_path, backend)
    assert names(tmp_path) == backend.steps_run == listener.began
    assert [result.step_id for result in told] == backend.steps_run
    assert listener.ended == told
    assert rounds_of(tmp_path) == 5


def test_backend_is_told_what_follows_and_held_while_that_is_not_certain(
    tmp_path: Path,
) -> None:
    backend = FakeBackend()
    drive(tmp_path, backend)
    asked = {step: (following, hold) for step, following, hold in backend.asked}
    assert asked[FILL] == (cell_name(3, 1, 100), False)
    assert asked[cell_name(3, 1, 100)] == (cell_name(4, 1, 65), False)
    assert asked[FIRST_WRITES] == (cell_name(6, 2, 100), True)


@pytest.mark.parametrize("stop", [PURGE, FIRST_WRITES, IN_ROUND_3, ROUND_3])
def test_finished_steps_are_not_carried_out_again_when_resumed(
    tmp_path: Path, stop: str
) -> None:
    finished = interrupt(tmp_path, stop)
    backend = FakeBackend()
    listener, _ = drive(tmp_path, backend)
    assert backend.steps_run[0] == stop
    assert [*finished, *backend.steps_run] == names(tmp_path)
    assert listener.began == backend.steps_run


@pytest.mark.parametrize("stop", [FILL, FIRST_SATURATION])
def test_purge_is_carried_out_again_before_a_step_that_did_not_end(
    tmp_path: Path, stop: str
) -> None:
    """What that step wrote before the break is on the device until then."""
    interrupt(tmp_path, stop)
    (first,) = (tmp_path / "attempts").glob("*-purge.1")
    named = tmp_path / "kept" / first.name.removesuffix(".1")
    kept = read_record_of(Folder(shutil.copytree(first, named)))
    backend = FakeBackend(now_s=kept.ended_s + 60)
    drive(tmp_path, backend)
    purge = kept.step.step_id
    assert backend.steps_run[:2] == [purge, stop]
    records = {r.step.step_id: r for r in read_all_steps(tmp_path)}
    assert records[purge].started_s > kept.ended_s
    assert records[stop].result.is_contiguous


def test_plan_is_told_recorded_results_as_they_were_the_first_time(
    tmp_path: Path,
) -> None:
    finished = interrupt(tmp_path, IN_ROUND_3)
    recorded = [record.result for record in read_all_steps(tmp_path)]
    listener, told = drive(tmp_path, FakeBackend(iops_of=lambda _step: 5.0))
    assert told[: len(finished)] == recorded
    assert listener.ended == told
    assert {result.iops for result in recorded if result.iops} != {5.0}


def test_resume_refuses_steps_that_the_plan_asks_for_otherwise(tmp_path: Path) -> None:
    interrupt(tmp_path, IN_ROUND_3)
    backend = FakeBackend()
    with pytest.raises(
        PlanMismatchError, match=r"00001-iops-purge .*\(seed="
    ) as caught:
        drive(tmp_path, backend, context=replace(CONTEXT, seed=8))
    assert caught.value.step_id == PURGE
    assert backend.steps_run == []


@pytest.mark.parametrize(
    ("stop", "window"),
    [(ROUND_3, range(3, 8)), (IN_ROUND_3, range(4, 9))],
    ids=["between rounds", "inside a round"],
)
def test_window_starts_afresh_after_a_resume_however_short_the_gap(
    tmp_path: Path, stop: str, window: range
) -> None:
    interrupt(tmp_path, stop)
    listener, told = drive(tmp_path, at_once_after(tmp_path))
    gaps = {result.step_id: result.idle_before_s for result in told}
    assert gaps[stop] == pytest.approx(0.01, abs=1e-5)
    broken = [
        r.step.step_id for r in read_all_steps(tmp_path) if not r.result.is_contiguous
    ]
    assert broken == [stop]
    assert [j.rounds for j in listener.judgements] == [tuple(window)]
    assert rounds_of(tmp_path) == window[-1]


@pytest.mark.parametrize(
    ("gap_s", "is_contiguous"),
    [(4.999, True), (5.001, False), (-0.002, True), (-60.0, False)],
    ids=["within the limit", "beyond it", "clocks apart", "taken before"],
)
def test_gap_ends_a_window_only_beyond_the_limit(
    tmp_path: Path, *, gap_s: float, is_contiguous: bool
) -> None:
    listener, told = drive(tmp_path, FakeBackend(gaps_s={ROUND_3: gap_s}))
    result = next(result for result in told if result.step_id == ROUND_3)
    assert result.idle_before_s == pytest.approx(gap_s, abs=1e-5)
    assert result.is_contiguous is is_contiguous
    assert listener.judgements[0].rounds[0] == (1 if is_contiguous else 3)


def test_window_spans_no_suspend_however_short_the_gap(tmp_path: Path) -> None:
    """Where in a step it was is not known, so it joins no window at either end."""
    slept = FakeBackend(mishaps={IN_ROUND_3: Mishap(suspended_s=0.2)})
    listener, _ = drive(tmp_path, slept)
    records = {record.step.step_id: record for record in read_all_steps(tmp_path)}
    assert records[IN_ROUND_3].suspended_s == pytest.approx(0.2)
    broken = [name for name, one in records.items() if not one.result.is_contiguous]
    assert broken == [IN_ROUND_3, cell_name(11, 3, 0)]
    assert listener.judgements[0].rounds == tuple(range(4, 9))


def test_clocks_that_are_read_in_turn_are_no_suspend(tmp_path: Path) -> None:
    read = FakeBackend(mishaps={IN_ROUND_3: Mishap(suspended_s=0.09)})
    listener, told = drive(tmp_path, read)
    assert all(result.is_contiguous for result in told)
    assert listener.judgements[0].rounds == tuple(range(1, 6))


def test_first_step_has_no_gap_before_it(tmp_path: Path) -> None:
    _, told = drive(tmp_path, FakeBackend(gap_s=100))
    assert (told[0].idle_before_s, told[0].is_contiguous) == (None, True)
    assert {result.is_contiguous for result in told[1:]} == {False}


def test_ramp_of_a_published_job_is_no_gap(tmp_path: Path) -> None:
    """A job of 2 s after a ramp of 3 s begins 5 s before its end, 0.01 s later."""
    work = replace(random_cell(4096, 0), fio_options=(FioOption("ramp_time", "3"),))
    phases = (Purge(), Histogram(phase_id="job", workload=work, seconds=2))
    test = PtsTest(test_id="peak", title="", pts_section="", phases=phases)
    (tmp_path / "steps").mkdir()
    engine = Engine(
        run=tmp_path,
        backend=FakeBackend(gap_s=0.01),
        listener=RememberingListener(),
        max_idle_s=0.05,
    )
    engine.drive(plan_suite((test,), CONTEXT, lambda _judgement: None))
    _, job = read_all_steps(tmp_path)
    assert job.ended_s - job.started_s == pytest.approx(5)
    assert job.idle_before_s == pytest.approx(0.01, abs=1e-5)
    assert job.result.is_contiguous


def test_named_break_ends_a_window_however_short_the_gap(tmp_path: Path) -> None:
    listener, _ = drive(tmp_path, FakeBackend(), breaks=frozenset({ROUND_3}))
    assert [j.rounds for j in listener.judgements] == [(3, 4, 5, 6, 7)]


def nothing(_whole: bytes) -> None:
    return None


def cut(whole: bytes) -> bytes:
    return whole[: len(whole) // 2]


def failing(whole: bytes) -> bytes:
    return whole.replace(b'"error": 0', b'"error": 5')


def idle(whole: bytes) -> bytes:
    return re.sub(rb'"(total_ios|io_bytes)": \d+', rb'"\1": 0', whole)


def vanished(whole: bytes) -> bytes:
    return re.sub(rb'"io_bytes": \d+', rb'"io_bytes": 512', whole)


def hurried(whole: bytes) -> bytes:
    return whole.replace(b'"runtime": 1000', b'"runtime": 700')


NO_SPACE = OSError(errno.ENOSPC, "No space left on device")
MISHAPS: dict[str, tuple[Mishap, type[StepError], str]] = {
    "exit code": (
        Mishap(exit_code=1, said="bad job"),
        FioFailedError,
        "code 1.*bad job",
    ),
    "no output": (Mishap(exit_code=1, output=nothing), FioFailedError, "exit code 1"),
    "half of it": (Mishap(output=cut), FioFailedError, "exit code 0"),
    "EIO": (Mishap(output=failing), FioFailedError, "error 5 .Input/output error"),
    "no IO": (Mishap(output=idle), FioFailedError, "fio did no IO at all"),
    "no bytes": (Mishap(output=vanished), FioFailedError, "the target may be gone"),
    "too short": (Mishap(output=hurried), FioFailedError, "0.7 s of the requested 1 s"),
    "signal": (Mishap(exit_code=137, signal_number=9), FioKilledError, "signal 9"),
    "gone": (
        Mishap(exit_code=1, trouble="no answer", output=failing),
        TargetGoneError,
        "no answer.*error 5",
    ),
    "gone, killed": (
        Mishap(exit_code=137, signal_number=9, trouble="no answer", output=nothing),
        TargetGoneError,
        "no answer",
    ),
    "gone, unsaid": (Mishap(trouble="no answer"), TargetGoneError, "no answer"),
    "disk full": (Mishap(raises=NO_SPACE), DiskFullError, "the disk .* is full"),
}


@pytest.mark.parametrize(("mishap", "kind", "says"), MISHAPS.values(), ids=MISHAPS)
def test_failed_step_is_a_named_error_with_a_remedy_and_the_run_goes_on(
    tmp_path: Path, mishap: Mishap, kind: type[StepError], says: str
) -> None:
    with pytest.raises(kind, match=says) as caught:
        drive(tmp_path, FakeBackend(mishaps={IN_ROUND_3: mishap}))
    assert type(caught.value) is kind
    assert caught.value.step_id == IN_ROUND_3
    assert f"ssdlab resume {tmp_path}" in caught.value.remedy
    assert len(names(tmp_path)) == STEPS_TO_FIRST_ROUND + 2 * CELLS + 1
    assert put_aside_unfinished(tmp_path) == (IN_ROUND_3,)
    drive(tmp_path, FakeBackend())
    assert rounds_of(tmp_path) == 8


def test_failed_purge_is_a_named_error(tmp_path: Path) -> None:
    mishap = Mishap(exit_code=1, said="the purge does not show")
    with pytest.raises(PurgeFailedError, match=f"{PURGE}: the purge failed: the purge"):
        drive(tmp_path, FakeBackend(mishaps={PURGE: mishap}))
    assert names(tmp_path) == []


def test_purge_of_a_target_that_is_gone_is_told_as_that(tmp_path: Path) -> None:
    mishap = Mishap(exit_code=1, said="no such device", trouble="it was unplugged")
    with pytest.raises(TargetGoneError, match=r"it was unplugged \(no such device\)"):
        drive(tmp_path, FakeBackend(mishaps={PURGE: mishap}))


def test_doubt_of_a_purge_is_kept_and_the_test_goes_on(tmp_path: Path) -> None:
    drive(tmp_path, FakeBackend(mishaps={PURGE: Mishap(purge_doubt="unread")}))
    kept = {record.step.step_id: record for record in read_all_steps(tmp_path)}
    assert kept[PURGE].purge_doubt == "unread"
    assert {r.purge_doubt for name, r in kept.items() if name != PURGE} == {""}


def test_fill_that_wrote_too_little_is_a_named_error(tmp_path: Path) -> None:
    def short(whole: bytes) -> bytes:
        return re.sub(rb"134217728", rb"134086656", whole)

    mishap = Mishap(output=short)
    with pytest.raises(
        FioFailedError, match="134086656 B were done of the requested 134217728 B"
    ):
        drive(tmp_path, FakeBackend(mishaps={FILL: mishap}))


def test_other_trouble_of_the_system_is_not_taken_for_a_full_disk(
    tmp_path: Path,
) -> None:
    denied = Mishap(raises=PermissionError(errno.EACCES, "Permission denied"))
    with pytest.raises(PermissionError, match="Permission denied"):
        drive(tmp_path, FakeBackend(mishaps={FILL: denied}))


def test_warning_is_kept_and_kills_no_run(tmp_path: Path) -> None:
    mishap = Mishap(said="fio: something is odd")
    drive(tmp_path, FakeBackend(mishaps={FIRST_WRITES: mishap}))
    said = {record.step.step_id: record.said for record in read_all_steps(tmp_path)}
    assert said.pop(FIRST_WRITES) == "fio: something is odd"
    assert set(said.values()) == {""}


def test_unfinished_steps_are_put_aside_and_never_lost(tmp_path: Path) -> None:
    for attempt in (1, 2, 3):
        with pytest.raises(KeyboardInterrupt):
            drive(tmp_path, stop_at(IN_ROUND_3))
        assert put_aside_unfinished(tmp_path) == (IN_ROUND_3,)
        kept = tmp_path / "attempts" / f"{IN_ROUND_3}.{attempt}" / "fio.json"
        assert b'"fio version"' in kept.read_bytes()
    assert put_aside_unfinished(tmp_path) == ()


def test_step_folder_without_its_record_is_a_clear_error(tmp_path: Path) -> None:
    drive(tmp_path, FakeBackend())
    (tmp_path / "steps" / FILL / "step.json").unlink()
    with pytest.raises(RunFolderError, match=r"wipc: step.json is missing .* Restore"):
        drive(tmp_path, FakeBackend())


def spoil_parts(run: Path) -> None:
    """Leave half of each file that was not yet renamed, as a dead machine would."""
    for part in run.rglob("*.part"):
        content = part.read_bytes()
        part.write_bytes(content[: len(content) // 2])


def whole_outputs(run: Path) -> list[bool]:
    """Tell of each output of the fill, wherever it lies, whether it is whole."""
    contents = [
        gzip.decompress(path.read_bytes())
        if path.suffix == ".gz"
        else path.read_bytes()
        for path in sorted(run.rglob("fio.json*"))
        if FILL in str(path)
    ]
    return [content.endswith(b"}") for content in contents]


def lose_power(run: Path, operation: int) -> bool:
    """Run two steps up to a file operation; tell whether there was one so late."""
    (run / "steps").mkdir(parents=True)
    try:
        with power_failure_at(operation, run):
            drive(run, stop_at(cell_name(3, 1, 100)))
    except PowerFailure:
        spoil_parts(run)
    except KeyboardInterrupt:
        return False
    return True


def test_power_failure_at_any_file_operation_leaves_no_half_step(
    tmp_path: Path,
) -> None:
    interrupt(tmp_path / "whole", cell_name(3, 1, 100))
    expected = [record.result for record in read_all_steps(tmp_path / "whole")]
    counted = []
    for operation in count():
        run = tmp_path / f"at-{operation}"
        was_lost = lose_power(run, operation)
        outputs = whole_outputs(run)
        assert any(outputs) or not outputs
        put_aside_unfinished(run)
        assert whole_outputs(run) == outputs
        records = list(read_all_steps(run))
        assert [record.result for record in records] == expected[: len(records)]
        counted.append(len(records))
        assert interrupt(run, cell_name(4, 1, 65))[:2] == [PURGE, FILL]
        assert read_raw_output(steps_folder(run) / FILL).endswith(b"}")
        if not was_lost:
            break
    assert counted == sorted(counted)
    assert set(counted) == {0, 2}  # a purge counts when the fill after it has ended
