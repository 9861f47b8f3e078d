"""A real run, killed at 20 random moments and resumed each time, loses nothing."""

import os
import random
import secrets
import signal
import time
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import ssdlab
from ssdlab.ingest.ingest import plan_inputs
from ssdlab.model.schema import OF_JOB_FILES, TABLES
from ssdlab.model.step import Step
from ssdlab.plan.phases import plan_suite
from ssdlab.store.raw import read_all_steps
from tests.integration.lab import (
    CELL_S,
    Lab,
    Started,
    end,
    read_json,
    recorded_steps,
    ssd_of,
    state_of,
    wait_for_steps,
    wait_until,
)

pytestmark = pytest.mark.fio
TESTS = "iops,lat"
SEED = 4711
VICTIMS = ("process",) * 9 + ("fio",) * 7 + ("command line",) + ("kernel",) * 2
LONGEST_DELAY_S = 1.6  # so that all 20 moments are in the first test
SETTLED_WITHIN_S = 4.0


@dataclass(kw_only=True)
class Ordeal:
    """A run that is killed again and again, and what was seen of it."""

    lab: Lab
    run: Path
    random: random.Random
    kept: dict[str, str] = field(default_factory=dict)
    sessions: int = 0
    first_steps: list[str] = field(default_factory=list)

    def kill(self, victim: str) -> None:
        """Begin or resume the run, kill the victim at some moment, look around."""
        started = self._go_on(victim)
        time.sleep(self.random.uniform(0, LONGEST_DELAY_S))
        self._kill_now(victim, started)

    def kill_in_round(self, name: str) -> None:
        """Resume the run and kill it when a cell of that name is recorded."""
        started = self._go_on("process")
        wait_until(
            lambda: any(name in step for step in recorded_steps(self.run)),
            timeout_s=60,
            what=f"{name} recorded",
        )
        self._kill_now("process", started)

    def finish(self) -> None:
        """Resume the run and let it end."""
        resumed = self.lab.resume(self.run)
        assert resumed.wait(120) == 0, resumed.said
        self._note_first_step()

    def _kill_now(self, victim: str, started: Started) -> None:
        before = recorded_steps(self.run)
        assert started.popen.poll() is None, f"too early an end: {started.said}"
        self._end(victim, started)
        self._wait_for_silence()
        self._compare(before)

    def _go_on(self, victim: str) -> Started:
        if not self.sessions:
            started = self.lab.measure(self.run, TESTS, seed=SEED)
        elif victim in {"command line", "kernel"}:
            started = self.lab.cli("resume", self.run)
        else:
            started = self.lab.resume(self.run)
        self.sessions += 1
        wait_until(self._has_begun, what=f"session {self.sessions} begins")
        return started

    def _has_begun(self) -> bool:
        state = state_of(self.run)
        return state is not None and len(state.sessions) == self.sessions

    def _end(self, victim: str, started: Started) -> None:
        if victim == "fio":
            self._end_fio(started)
            return
        pid = started.popen.pid
        if victim == "kernel":
            (pid,) = self.lab.find("ipykernel_launcher")
        assert end(pid, signal.SIGKILL)
        code = started.wait()
        if victim == "kernel":
            assert code == 75
            assert "was killed" in started.said
            assert "Traceback" not in started.said
            assert f"ssdlab resume {self.run}" in started.said

    def _end_fio(self, started: Started) -> None:
        """Kill a running or an armed fio; the run must say so and end."""
        while started.popen.poll() is None:
            living = self.lab.find_fio()
            if not living or not end(self.random.choice(living), signal.SIGKILL):
                continue
            deadline = time.monotonic() + 3  # it may have ended by itself just then
            while started.popen.poll() is None and time.monotonic() < deadline:
                time.sleep(0.01)
        assert started.wait() == 1, started.said
        assert started.said.startswith("FioKilledError: Step 0"), started.said
        assert "signal 9" in started.said
        assert f"ssdlab resume {self.run}" in started.said

    def _wait_for_silence(self) -> None:
        """No fio is left, none that waited gets loose, and the drive is alive."""
        wait_until(
            lambda: not self.lab.find_fio() and not self.lab.find("ipykernel_launcher"),
            timeout_s=SETTLED_WITHIN_S,
            what="no fio and no kernel left",
        )
        ssd = ssd_of(self.run)
        wait_until(  # what lies in a closed socket is still carried out, IO by IO
            lambda: (ssd.counters().connections, ssd.counters().in_flight) == (0, 0),
            timeout_s=2,
            what="no client and nothing in flight",
        )
        before = ssd.counters()
        time.sleep(CELL_S / 2)
        after = ssd.counters()
        assert after.host_written_bytes == before.host_written_bytes
        assert after.host_read_bytes == before.host_read_bytes

    def _compare(self, before: dict[str, str]) -> None:
        after = recorded_steps(self.run)
        assert {name: after[name] for name in before} == before
        assert {name: after[name] for name in self.kept} == self.kept
        told = read_json(self.run / "progress.json")
        if told["steps_done"] > len(self.kept):  # else it is of an earlier session
            assert len(after) >= told["steps_done"], "more than the running step lost"
        self._note_first_step()
        self.kept = without_last_purge(after)

    def _note_first_step(self) -> None:
        new = [name for name in recorded_steps(self.run) if name not in self.kept]
        if self.kept and new:
            self.first_steps.append(new[0])


def without_last_purge(steps: dict[str, str]) -> dict[str, str]:
    """Leave out a purge at the end: it is carried out again."""
    return {
        name: content
        for place, (name, content) in enumerate(steps.items(), start=1)
        if place < len(steps) or not name.endswith("-purge")
    }


def test_run_killed_at_20_random_moments_ends_as_if_never_killed(lab: Lab) -> None:
    seed = int(os.environ.get("SSDLAB_KILL_SEED") or secrets.randbelow(10**6))
    print(f"to see this again: SSDLAB_KILL_SEED={seed}")
    chance = random.Random(seed)
    victims = ["process", *chance.sample(VICTIMS, len(VICTIMS))]
    ordeal = Ordeal(lab=lab, run=lab.runs / "killed", random=chance)
    for victim in victims:
        print(f"kill {ordeal.sessions + 1}: {victim}")
        ordeal.kill(victim)
    ordeal.kill_in_round("lat-rounds-r001")
    ordeal.finish()

    run = ssdlab.open_run(ordeal.run)
    hows = ["failed" if victim == "fio" else "killed" for victim in victims]
    assert [how for _, _, how in run.state.sessions] == [*hows, "killed", "finished"]
    assert run.state.status == "finished"
    assert_steps_are_those_of_the_plan(ordeal.run)
    assert_windows_span_no_gap(run, ordeal.first_steps)
    assert_built_anew_with_equal_content(lab, ordeal.run)

    unbroken = lab.runs / "unbroken"
    started = lab.measure(unbroken, TESTS, seed=SEED)
    assert started.wait(90) == 0, started.said
    assert_same_structure(run, ssdlab.open_run(unbroken))


def assert_steps_are_those_of_the_plan(folder: Path) -> None:
    """The plan, told the recorded results, asks for every recorded step, once."""
    records = list(read_all_steps(folder))
    tests, context = plan_inputs(ssdlab.open_run(folder).record)
    results = {record.step.step_id: record.result for record in records}
    asked: list[Step] = []
    plan = plan_suite(tests, context, lambda _judgement: None)
    try:
        batch = next(plan)
        while True:
            asked += batch.steps
            batch = plan.send(tuple(results[step.step_id] for step in batch.steps))
    except StopIteration:
        pass
    assert asked == [record.step for record in records]
    table = ssdlab.open_run(folder).steps
    assert list(table["step_id"]) == [step.step_id for step in asked]
    assert not [path.name for path in (folder / "steps").glob(".*")]


def assert_windows_span_no_gap(run: ssdlab.Run, first_steps: list[str]) -> None:
    steps, windows = run.steps.set_index("step_id"), run.windows
    resumed = steps.loc[first_steps]
    assert len(resumed) >= 3
    assert not resumed["is_contiguous"].any()
    assert windows["window_first_round"][windows["test"] == "lat"].min() == 2
    for window in windows.to_dict("records"):
        first, last = window["window_first_round"], window["window_last_round"]
        inside = steps[
            (steps["test"] == window["test"])
            & (steps["phase"] == window["phase"])
            & steps["round"].between(first, last)
        ]
        opens = (inside["round"] == first) & (inside["cell"] == 1)
        assert opens.sum() == 1
        assert inside.loc[~opens, "is_contiguous"].all()


def assert_built_anew_with_equal_content(lab: Lab, folder: Path) -> None:
    before = frames(ssdlab.open_run(folder))
    for table in (folder / "tables").iterdir():
        table.unlink()
    ingested = lab.cli("ingest", folder)
    assert ingested.wait() == 0, ingested.said
    after = frames(ssdlab.open_run(folder))
    for name, frame in before.items():
        assert_frame_equal(after[name], frame, check_exact=True)


def frames(run: ssdlab.Run) -> dict[str, pd.DataFrame]:
    return {name: getattr(run, name) for name in TABLES}


def assert_same_structure(killed: ssdlab.Run, unbroken: ssdlab.Run) -> None:
    """Same columns and types; same phases, each round with the same cells."""
    others = frames(unbroken)
    for name, frame in frames(killed).items():
        assert list(frame.dtypes.items()) == list(others[name].dtypes.items())
        assert frame.empty == (name in OF_JOB_FILES), name
    assert cells_of(killed) == cells_of(unbroken)
    first = ["step_id", "seed", "range_bytes", "offset_bytes", "queue_depth"]
    early = slice(0, 2 + 4 * 5)  # purge, preconditioning, the rounds that both have
    assert_frame_equal(killed.steps[first][early], unbroken.steps[first][early])
    assert set(killed.measurements["direction"]) == {"read", "write", "total"}


def cells_of(run: ssdlab.Run) -> set[tuple[object, ...]]:
    columns = [
        *("test", "phase", "kind", "cell", "access", "block_size_bytes"),
        *("read_percent", "threads", "exit_code"),
    ]
    steps = run.steps[columns].astype(object)
    cells = set(steps.where(steps.notna(), None).itertuples(index=False, name=None))
    rounds = run.steps.dropna(subset="round").groupby(["test", "phase", "round"])
    assert set(rounds.size()) == {4}
    return cells


def test_armed_fio_never_starts_when_only_its_gate_holds_it(lab: Lab) -> None:
    """Without the kernel's help, the running cell ends and the next does no IO."""
    run = lab.runs / "gate"
    started = lab.measure(run, "iops", SSDLAB_TEST_NO_DEATH_SIGNAL="1")
    wait_for_steps(run, 4, started)
    wait_until(lambda: len(lab.find_fio()) == 2, what="one fio runs, one is armed")
    end(started.popen.pid, signal.SIGKILL)
    wait_until(
        lambda: not lab.find_fio(), timeout_s=SETTLED_WITHIN_S, what="no fio left"
    )
    waiting = sorted((run / "steps").glob(".*"))
    did_io = [folder.name for folder in waiting if did_any_io(folder)]
    assert len(waiting) == 2
    assert len(did_io) <= 1
    resumed = lab.resume(run)
    wait_for_steps(run, len(recorded_steps(run)) + 1, resumed)
    assert (run / "attempts").is_dir()


def did_any_io(folder: Path) -> bool:
    """Tell whether fio's output in an unfinished step counts any IO."""
    output = folder / "fio.json"  # missing when fio ended before it was let go
    said = output.read_text("utf-8") if output.exists() else ""
    return '"total_ios"' in said and any(
        f'"total_ios" : {digit}' in said for digit in range(1, 10)
    )
