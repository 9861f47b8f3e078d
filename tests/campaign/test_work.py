"""Whoever starts a job, however often, and whatever is killed: one whole run."""

import os
import random
import signal
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import pytest

from ssdlab.campaign.folder import Wish, append_line
from ssdlab.campaign.work import AGAIN, DONE, FAILED, MOST_STARTS, WRONG
from ssdlab.store.records import read_state
from ssdlab.system.folders import Folder
from tests.campaign.bench import JOB, Bench
from tests.campaign.modelled_ssdlab import FAILING

QUICK_KILLS, ALL_KILLS = 6, 200
LONGEST_S = 3.0  # a run of the modelled drive on a quiet machine
PATIENCE_S = 120


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path).set_up()


def ended(process: "subprocess.Popen[bytes]") -> int:
    return process.wait(timeout=PATIENCE_S)


def test_job_is_run_and_published_and_then_left_alone(bench: Bench) -> None:
    assert ended(bench.start()) == DONE
    bench.require_published(kills=0)
    assert bench.noted == ["run", "ended", "published"]
    assert ended(bench.start()) == DONE
    assert bench.noted == ["run", "ended", "published"]


@pytest.mark.parametrize("count", [2, 8])
def test_of_several_started_at_once_one_works(bench: Bench, count: int) -> None:
    processes = [bench.start() for _ in range(count)]
    codes = sorted(map(ended, processes))
    assert codes.count(DONE) >= 1
    assert set(codes) <= {DONE, AGAIN}
    bench.require_published(kills=0)
    assert bench.noted.count("run") == 1
    assert "resume" not in bench.noted


def wait_for(bench: Bench, steps: int) -> None:
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        if bench.measured.exists() and sum(bench.counts.values()) >= steps:
            return
        time.sleep(0.02)
    pytest.fail("it measured nothing")


def test_killed_program_is_told_from_a_failed_one(bench: Bench) -> None:
    process = bench.start()
    wait_for(bench, 5)
    os.kill(bench.campaign.attempts(JOB.job)[-1].pid, signal.SIGKILL)
    assert ended(process) == AGAIN
    assert bench.noted == ["run", "ended"]
    assert ended(bench.start()) == DONE
    bench.require_published(kills=1)


def test_run_that_failed_is_for_a_person_and_is_retried_when_asked(
    bench: Bench,
) -> None:
    assert ended(bench.start({FAILING: "00005"})) == FAILED
    (state,) = {one.state for one in bench.campaign.attempts(JOB.job)[-1:]}
    assert state == "failed"
    assert ended(bench.start()) == DONE
    bench.require_published(kills=1)


def test_notes_are_kept_where_a_new_host_was_refused_before_it_worked(
    bench: Bench,
) -> None:
    assert ended(bench.start({FAILING: "00005"})) == FAILED
    noted = bench.campaign.attempts(JOB.job)
    place = Folder(Path(bench.job.scratch)) / "c"
    place.remove_tree()
    refused = replace(noted[0], what="refused")
    append_line(place.make(), f"{JOB.run_id}.attempts.jsonl", refused)
    assert ended(bench.start()) == DONE
    assert bench.noted == ["refused", "run", "ended", "run", "ended", "published"]


def test_refused_start_notes_nothing_that_the_one_at_work_has_noted(
    bench: Bench,
) -> None:
    process = bench.start()
    wait_for(bench, 2)
    own = Folder(Path(bench.job.scratch)) / "c"
    own.remove(f"{JOB.run_id}.attempts.jsonl")  # as if it had not been read yet
    assert ended(bench.start()) == AGAIN
    assert ended(process) == DONE
    assert bench.noted == ["refused", "ended", "published"]


def test_refused_request_is_not_tried_again(tmp_path: Path) -> None:
    bench = Bench(tmp_path, target="refused").set_up()
    assert ended(bench.start()) == WRONG


def test_program_whose_parent_was_killed_is_waited_for(bench: Bench) -> None:
    process = bench.start()
    wait_for(bench, 5)
    process.kill()
    process.wait()
    assert ended(bench.start()) == DONE
    bench.require_published(kills=0)
    assert bench.noted == ["run", "adopted", "published"]


def test_stop_reaches_the_program_and_the_next_start_resumes(bench: Bench) -> None:
    process = bench.start()
    wait_for(bench, 5)
    process.send_signal(signal.SIGTERM)
    assert ended(process) == FAILED
    assert bench.campaign.attempts(JOB.job)[-1].state == "interrupted"
    assert ended(bench.start()) == DONE
    bench.require_published(kills=1)


def test_job_that_dies_at_once_is_given_up_until_it_is_retried(bench: Bench) -> None:
    for _ in range(MOST_STARTS):
        process = bench.start()
        wait_for(bench, 1)
        time.sleep(0.1)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        bench.measured.unlink()
    assert ended(bench.start()) == FAILED
    assert bench.noted[-1] == "given up"
    wish = Wish(at_s=0.0, what="retry", starts=MOST_STARTS)
    bench.campaign.note_wish(JOB.job, wish)
    assert ended(bench.start()) == DONE


def test_publishing_waits_for_a_folder_that_is_away(bench: Bench) -> None:
    bench.campaign.runs.write_text("in the way")
    assert ended(bench.start()) == AGAIN
    assert bench.noted[-1] == "not published"
    bench.campaign.runs.unlink()
    assert ended(bench.start()) == DONE
    bench.require_published(kills=0)
    assert bench.noted.count("run") == 1


def test_what_a_killed_publisher_left_is_swept(bench: Bench) -> None:
    part = bench.campaign.runs / f".{JOB.run_id}.99.part"
    part.mkdir(parents=True)
    (part / "run.json").write_text("half")
    assert ended(bench.start()) == DONE
    bench.require_published(kills=0)


def test_notes_outlast_the_shared_folder_of_attempts(bench: Bench) -> None:
    shared = bench.campaign.path / "attempts"
    shared.write_text("in the way")
    assert ended(bench.start()) == DONE
    scratch = Path(bench.job.scratch) / "c" / f"{JOB.run_id}.attempts.jsonl"
    assert len(scratch.read_text().splitlines()) == 3


def test_links_in_a_run_are_not_published(bench: Bench, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("mine")
    process = bench.start()
    wait_for(bench, 5)
    run = Path(bench.job.scratch) / "c" / JOB.run_id
    (run / "aside").symlink_to(secret)
    assert ended(process) == AGAIN
    assert "aside" in bench.campaign.attempts(JOB.job)[-1].why
    assert not bench.campaign.is_published(bench.job)
    assert not (bench.campaign.runs / JOB.run_id).exists()


def kill_at_random(bench: Bench, chance: random.Random, kills: int) -> int:
    """Work on a job, kill at random places, and go on; return how often it hit."""
    hits = 0
    for _ in range(MOST_STARTS - 1):
        if hits == kills:
            break
        process = bench.start()
        time.sleep(chance.uniform(0, LONGEST_S))
        victim = chance.choice(["worker", "program", "all"])
        attempts = bench.campaign.attempts(JOB.job)
        program = next((one.pid for one in reversed(attempts) if one.pid), 0)
        if process.poll() is not None:
            process.wait()
            return hits
        if victim == "program" and program:
            with_program = Path(f"/proc/{program}/cmdline")
            if with_program.exists() and b"modelled" in with_program.read_bytes():
                os.kill(program, signal.SIGKILL)
        elif victim == "worker":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        hits += 1
    return hits


def one_job_survives(tmp_path: Path, chance: random.Random, kills: int) -> int:
    bench = Bench(tmp_path).set_up()
    hits = kill_at_random(bench, chance, kills)
    for _ in range(3):
        if ended(bench.start()) == DONE:
            break
    bench.require_published(kills=hits)
    return hits


@pytest.mark.parametrize("seed", range(QUICK_KILLS // 2))
def test_kills_at_random_places_lose_the_running_step_alone(
    tmp_path: Path, seed: int
) -> None:
    one_job_survives(tmp_path, random.Random(seed), 2)


@pytest.mark.lab
def test_200_kills_at_random_places_lose_the_running_step_alone(
    tmp_path: Path,
) -> None:
    chance, hits, number = random.Random(1), 0, 0
    while hits < ALL_KILLS:
        hits += one_job_survives(tmp_path / f"{number}", chance, 2)
        number += 1


def test_published_run_is_not_measured_again_without_its_scratch(bench: Bench) -> None:
    assert ended(bench.start()) == DONE
    (Folder(Path(bench.job.scratch)) / "c").remove_tree()
    assert ended(bench.start()) == DONE
    assert read_state(bench.campaign.runs / JOB.run_id).status == "finished"
    assert max(bench.counts.values()) == 1
