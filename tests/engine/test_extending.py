"""More rounds than a run was begun with: from where, and what agrees with them."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from ssdlab.cli.outcome import outcome_lines
from ssdlab.engine.engine import Engine
from ssdlab.engine.execution import renew_plan
from ssdlab.engine.extending import find_extension
from ssdlab.engine.more_rounds import ask_more_rounds, take_request
from ssdlab.engine.progress import Tracker
from ssdlab.engine.sessions import begin_session, end_session, note_extension
from ssdlab.engine.suite import resume_run
from ssdlab.ingest.ingest import ingest_run, plan_inputs
from ssdlab.ingest.live import RunWatcher
from ssdlab.ingest.wholeness import hash_plan
from ssdlab.model.asked import Import
from ssdlab.model.errors import RunFolderError
from ssdlab.model.records import Extension, RunStatus
from ssdlab.model.step import Step
from ssdlab.paper.context import read_context
from ssdlab.plan.extension import loops_of
from ssdlab.plan.phases import plan_suite
from ssdlab.pts.fitting import ask_suite
from ssdlab.pts.profile import Profile
from ssdlab.pts.profiles import PROFILES
from ssdlab.pts.shared.settings import RND_4K_WRITE
from ssdlab.report import header
from ssdlab.store.lock import locked
from ssdlab.store.raw import put_aside_unfinished, read_all_steps
from ssdlab.store.records import (
    read_record,
    read_state,
    write_record,
    write_state,
)
from ssdlab.store.run import Run, open_tables
from ssdlab.testing.replay import replay_run
from tests.cli.called import call
from tests.engine.plans import write_papers
from tests.fakes import FakeBackend, Mishap, RememberingListener

Iops = Callable[[Step], float]
PROFILE = PROFILES["pts-2.0-enterprise"].having(
    name="made by a test",
    iops_mixes=(65, 0),
    iops_block_sizes=(4096,),
    iops_tracking=(RND_4K_WRITE,),
    tp_block_sizes=(1024 * 1024, 128 * 1024),
)
SHORT = PROFILE.having(max_rounds=6)
CELLS = 2


def never(step: Step) -> float:
    return 1000 * 2.0 ** ((step.round or 0) % 7)


def steady_from(round_number: int) -> Iops:
    """Return a drive that is steady from a round on."""
    return lambda step: 1000.0 if (step.round or 0) >= round_number else never(step)


def make_run(
    run: Path, tests: tuple[str, ...] = ("iops",), profile: Profile = SHORT
) -> Path:
    """Make the papers of a run that has no steps yet."""
    write_papers(run)
    record = read_record(run)
    asked = ask_suite(
        profile,
        tests,
        capacity_bytes=record.target.capacity_bytes,
        sector_bytes=record.target.sector_bytes,
    )
    record = replace(record, asked=asked, departures=())
    record = replace(record, plan_hash=hash_plan(*plan_inputs(record)))
    write_record(run, record)
    write_state(run, replace(read_state(run), status="running"))
    (run / "steps").mkdir()
    return run


def work_on(
    run: Path,
    iops: Iops = never,
    *,
    mishaps: Mapping[str, Mishap] | None = None,
    pause_s: float = 0.0,
) -> FakeBackend:
    """Carry out what the plan of a run asks for; note how that ended."""
    record, state = read_record(run), read_state(run)
    before = list(read_all_steps(run))
    backend = FakeBackend(iops_of=iops, mishaps=mishaps or {})
    if before:
        backend.now_s = before[-1].ended_s + pause_s
    engine = Engine(
        run=run, backend=backend, listener=RememberingListener(), max_idle_s=5
    )
    tests, context = plan_inputs(record, state.extensions)
    status: RunStatus = "finished"
    try:
        engine.drive(plan_suite(tests, context, lambda _judgement: None))
    except KeyboardInterrupt:
        put_aside_unfinished(run)
        status = "interrupted"
    write_state(run, replace(read_state(run), status=status))
    return backend


def extend(run: Path, more_rounds: int) -> Extension:
    found = find_extension(
        run, read_record(run), read_state(run), more_rounds=more_rounds
    )
    note_extension(run, found)
    return found


def rounds_of(run: Path, phase: str = "rounds") -> int:
    rounds = [
        kept.step.round or 0
        for kept in read_all_steps(run)
        if kept.step.phase_id == phase
    ]
    return max(rounds, default=0)


def ingested(run: Path) -> Run:
    ingest_run(run)
    return open_tables(run)


def test_finished_run_goes_on_right_behind_its_last_round(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", profile=PROFILE)
    work_on(run)
    assert rounds_of(run) == 25
    found = extend(run, 10)
    assert (found.test, found.phase, found.more_rounds) == ("iops", "rounds", 10)
    assert read_state(run).status == "interrupted"
    went_on = work_on(run, steady_from(28), pause_s=60)
    assert went_on.steps_run[0].startswith("00053-iops-rounds-r026-")  # 2 + 25 * 2 + 1
    assert rounds_of(run) == 32  # the first five from 28 on
    assert not any("purge" in step for step in went_on.steps_run)


def test_window_holds_rounds_behind_the_pause_alone(tmp_path: Path) -> None:
    """Steady from round 4 on, the window is 7 to 11 and not 4 to 8."""
    run = make_run(tmp_path / "run")
    work_on(run, steady_from(4))
    extend(run, 25)
    work_on(run, steady_from(4), pause_s=3600)
    windows = ingested(run).windows
    (final,) = windows[windows["is_final"]].to_dict("records")
    assert (final["window_first_round"], final["window_last_round"]) == (7, 11)
    assert final["is_steady"]


def test_more_rounds_are_no_departure_and_the_pause_is_one(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", profile=PROFILE)
    work_on(run)
    before = set(ingested(run).findings["code"])
    extend(run, 8)
    work_on(run, steady_from(0), pause_s=600)
    after = set(ingested(run).findings["code"])
    assert before - after == {"not-steady"}
    assert after - before == {"idle-gap"}  # of sessions that are noted: resumed
    assert "rounds-allowed" not in after


def test_end_of_an_unsteady_run_says_how_it_goes_on(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    work_on(run)
    hint = f"ssdlab resume {run} --more-rounds 10"
    assert outcome_lines(ingested(run))[-1] == hint
    extend(run, 10)
    assert hint not in outcome_lines(ingested(run))  # it waits to be taken up again
    work_on(run, steady_from(0))
    assert hint not in outcome_lines(ingested(run))


def test_rounds_that_were_added_are_in_the_head_of_their_test(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", ("tp", "iops"))
    work_on(run, lambda step: 1000.0 if step.test_id == "tp" else never(step))
    added = extend(run, 10)
    work_on(run, steady_from(0))
    context = read_context(ingested(run))
    heads = {
        test: [
            fact
            for column in header.test_columns(context, test)
            for fact in column.facts
        ]
        for test in ("tp", "iops")
    }
    words = f"up to 10 more, requested at {added.asked_at}, from rounds of IOPS on"
    assert ("Rounds", words) in heads["iops"]
    assert "Rounds" not in dict(heads["tp"])


def test_rounds_that_stay_unsteady_go_on_again(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    work_on(run)
    for more in (5, 7):
        extend(run, more)
        work_on(run)
    assert rounds_of(run) == 6 + 5 + 7
    assert [one.more_rounds for one in read_state(run).extensions] == [5, 7]
    assert "not-steady" in set(ingested(run).findings["code"])


def test_interrupted_run_takes_more_rounds_in_all_that_is_left(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", ("iops", "tp"))
    stop = {"00010-iops-rounds-r004-rnd-4KiB-r0": Mishap(raises=KeyboardInterrupt())}
    work_on(run, mishaps=stop)
    extend(run, 6)
    work_on(run)
    assert rounds_of(run) == 12
    assert rounds_of(run, "rounds-128KiB") == 12


def test_loops_that_ended_stay_as_they_were(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", ("iops", "tp"))
    work_on(run)
    found = extend(run, 6)
    assert (found.test, found.phase) == ("tp", "rounds-128KiB")
    work_on(run)
    assert rounds_of(run) == 6
    assert rounds_of(run, "rounds-1024KiB") == 6
    assert rounds_of(run, "rounds-128KiB") == 12
    assert ingested(run).state.status == "finished"


def test_replay_and_watcher_and_ingest_agree_on_the_rounds(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    work_on(run)
    extend(run, 9)
    work_on(run, steady_from(8), pause_s=60)
    windows = ingested(run).windows
    again = replay_run(run, tmp_path / "again").windows
    assert again["round"].tolist() == windows["round"].tolist()
    watcher = RunWatcher(run)
    look = watcher.look()
    while look.is_behind:
        look = watcher.look()
    assert look.tables is not None
    assert look.tables["windows"]["round"].tolist() == windows["round"].tolist()
    record, state = read_record(run), read_state(run)
    assert hash_plan(*plan_inputs(record)) == record.plan_hash
    tests, _ = plan_inputs(record, state.extensions)
    assert [loop.max_rounds for _, loop in loops_of(tests)] == [15]


def test_extension_outlives_the_sessions_behind_it(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    work_on(run)
    found = extend(run, 5)
    begin_session(run)
    end_session(run, "interrupted", "stopped")
    assert read_state(run).extensions == (found,)


def test_finished_run_with_rounds_that_were_promised_is_not_whole(
    tmp_path: Path,
) -> None:
    """Whoever adds an extension to the state makes no run conform."""
    run = make_run(tmp_path / "run")
    work_on(run)
    extend(run, 5)
    write_state(run, replace(read_state(run), status="finished"))
    with pytest.raises(RunFolderError, match="the end of the run"):
        ingest_run(run)


def test_number_of_a_damaged_state_is_refused(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    work_on(run)
    extend(run, 5)
    state = (run / "state.json").read_text()
    (run / "state.json").write_text(
        state.replace('"more_rounds": 5', '"more_rounds": -20')
    )
    with pytest.raises(RunFolderError, match="-20 more rounds is not from 1"):
        read_state(run)


def work_on_and_ask(run: Path, iops: Iops, at: str, more_rounds: int) -> FakeBackend:
    """Carry a run out, and ask for more rounds during a step of it."""
    record = read_record(run)
    tests, context = plan_inputs(record)
    tracker = Tracker(run=run, tests=tests, context=context, tell=lambda _now: None)

    def ask(step: Step) -> float:
        if step.step_id == at:
            ask_more_rounds(run, more_rounds)
        return iops(step)

    backend = FakeBackend(iops_of=ask)
    engine = Engine(run=run, backend=backend, listener=tracker, max_idle_s=5)
    with locked(run, sleep=lambda _s: None):
        engine.drive(
            plan_suite(tests, context, tracker.judged),
            lambda: renew_plan(run, record, tracker),
        )
    write_state(run, replace(read_state(run), status="finished"))
    return backend


def test_run_that_is_asked_while_it_goes_on_has_no_pause_and_no_departure(
    tmp_path: Path,
) -> None:
    run = make_run(tmp_path / "run", profile=PROFILE)
    last = "00052-iops-rounds-r025-rnd-4KiB-r0"
    backend = work_on_and_ask(run, steady_from(24), last, 10)
    assert rounds_of(run) == 28
    assert len(backend.steps_run) == len(set(backend.steps_run))
    (asked,) = read_state(run).extensions
    assert (asked.test, asked.phase, asked.more_rounds) == ("iops", "rounds", 10)
    done = ingested(run)
    codes = set(done.findings["code"])
    assert not codes & {"idle-gap", "resumed", "not-steady", "rounds-allowed"}
    (final,) = done.windows[done.windows["is_final"]].to_dict("records")
    assert (final["window_first_round"], final["window_last_round"]) == (24, 28)
    assert not (run / "more-rounds.json").exists()


def test_rounds_asked_for_later_hold_for_what_is_still_to_come(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", ("iops", "tp"))
    second = "00016-tp-wipc-1024KiB"
    work_on_and_ask(run, never, second, 3)
    assert rounds_of(run) == 6
    assert rounds_of(run, "rounds-1024KiB") == rounds_of(run, "rounds-128KiB") == 9


def test_nobody_can_be_asked_where_nobody_works(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    with pytest.raises(RunFolderError, match="no process is working on it"):
        ask_more_rounds(run, 10)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"more_rounds": 5}',
        '{"more_rounds": -5, "asked_at": ""}',
        '{"more_rounds": 1e400, "asked_at": ""}',
        '{"more_rounds": true, "asked_at": ""}',
        "[" * 100_000,
    ],
)
def test_request_that_says_nothing_is_none_and_goes(tmp_path: Path, text: str) -> None:
    (tmp_path / "more-rounds.json").write_text(text)
    assert take_request(tmp_path) is None
    assert not (tmp_path / "more-rounds.json").exists()


def test_request_through_a_link_is_none(tmp_path: Path) -> None:
    run, outside = tmp_path / "run", tmp_path / "outside"
    run.mkdir()
    outside.write_text('{"more_rounds": 5, "asked_at": ""}')
    (run / "more-rounds.json").symlink_to(outside)
    assert take_request(run) is None
    assert outside.exists()


def refused(run: Path, more_rounds: int = 10) -> str:
    with pytest.raises(RunFolderError) as error:
        extend(run, more_rounds)
    return str(error.value)


def test_steady_run_has_nothing_to_go_on_with(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    work_on(run, steady_from(0))
    assert "none of its rounds ended without a steady state" in refused(run)


def test_test_that_others_followed_cannot_go_on_and_it_is_said_what_to_do(
    tmp_path: Path,
) -> None:
    run = make_run(tmp_path / "run", ("iops", "wsat"))
    work_on(run)
    words = refused(run)
    assert "rounds of iops did not become steady, but other steps followed" in words
    assert "max_rounds" in words


def test_fewer_rounds_than_a_window_are_refused(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    work_on(run)
    for wrong in (-1, 1, 4, 1001):
        assert "Request 5 to 1000 more rounds" in refused(run, wrong)
    assert read_state(run).extensions == ()


def test_virtual_ssd_of_a_finished_run_is_gone_and_that_is_said(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    work_on(run)
    record = read_record(run)
    write_record(run, replace(record, target=replace(record.target, kind="virtual")))
    assert "its virtual SSD is gone with all its data" in refused(run)


def test_import_has_no_more_rounds(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    record = read_record(run)
    target = replace(record.target, kind="imported")
    asked = Import(
        title="results of fio",
        tool="fio",
        spec_version="PTS 2.0.2",
        write_cache="not known",
        tests=record.asked.tests,
    )
    write_record(run, replace(record, target=target, asked=asked))
    assert "it was imported" in refused(run)


def test_run_without_loops_left_says_so(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", ("wsat",))
    stop = {"00003-wsat-histogram": Mishap(raises=KeyboardInterrupt())}
    work_on(run, mishaps=stop)
    assert "it has no rounds left that run until steady" in refused(run)


def test_command_refuses_before_anything_is_started(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    work_on(run, steady_from(0))
    done = call("resume", run, "--more-rounds", "10")
    assert done.returncode == 2
    assert "none of its rounds ended without a steady state" in done.stderr
    assert call("resume", run, "--more-rounds", "0").returncode == 2
    with pytest.raises(RunFolderError, match="none of its rounds ended"):
        resume_run(run, more_rounds=10)
