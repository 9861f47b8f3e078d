"""The state of a job follows from its files; the engine adds what they cannot know."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from ssdlab.campaign.folder import Attempt, CampaignFolder, Wish
from ssdlab.campaign.openmetrics import openmetrics_text
from ssdlab.campaign.status import JobState, Queued, judge, read_statuses
from tests.campaign.bench import JOB, Bench


def note(what: str, state: str = "", code: int | None = None) -> Attempt:
    return Attempt(at_s=1.0, what=what, host="h", state=state, code=code)  # type: ignore[arg-type]


RUN = note("run")
KILLED = note("ended", "running", -9)
FAILED = note("ended", "failed", 1)
STOPPED = note("ended", "interrupted", 130)
REFUSED = note("ended", "", 2)


def wish(what: str, starts: int = 0) -> Wish:
    return Wish(at_s=1.0, what=what, starts=starts)  # type: ignore[arg-type]


@pytest.mark.parametrize(("attempts", "wishes", "state"), [
    ((), (), "planned"),
    ((RUN,), (), "running"),
    ((RUN, KILLED), (), "killed"),
    ((RUN, note("ended", "", -9)), (), "killed"),
    ((RUN, KILLED, note("resume")), (), "running"),
    ((RUN, FAILED), (), "failed"),
    ((RUN, note("ended", "damaged", 2)), (), "failed"),
    ((RUN, STOPPED), (), "interrupted"),
    ((RUN, REFUSED), (), "refused"),
    ((RUN, note("given up")), (), "given up"),
    ((RUN, note("ended", "finished", 0)), (), "finished"),
    ((RUN, note("not published")), (), "finished"),
    ((note("refused"),), (), "waiting"),
    ((RUN, note("refused")), (), "running"),
    ((RUN, FAILED, note("refused")), (), "failed"),
    ((), (wish("cancel"),), "cancelled"),
    ((RUN,), (wish("cancel", 1),), "running"),
    ((RUN, STOPPED), (wish("cancel", 1),), "cancelled"),
    ((RUN, STOPPED), (wish("hold", 1),), "held"),
    ((RUN, STOPPED), (wish("hold", 1), wish("release", 1)), "planned"),
    ((RUN, FAILED), (wish("retry", 1),), "planned"),
    ((RUN, FAILED, note("resume"), FAILED), (wish("retry", 1),), "failed"),
    ((RUN, note("given up")), (wish("retry", 1),), "planned"),
])  # fmt: skip
def test_state_follows_from_what_happened_and_what_was_asked(
    attempts: Sequence[Attempt], wishes: Sequence[Wish], state: JobState
) -> None:
    assert judge(attempts, wishes, is_published=False)[0] == state
    assert judge(attempts, wishes, is_published=True)[0] == "published"


def write_attempts(campaign: CampaignFolder, *attempts: Attempt) -> None:
    from ssdlab.campaign.folder import append_line  # noqa: PLC0415

    for one in attempts:
        append_line((campaign.top / "attempts").make(), f"{JOB.job}.jsonl", one)


def test_engine_tells_whether_a_job_that_should_run_does(tmp_path: Path) -> None:
    campaign = Bench(tmp_path).set_up().campaign
    write_attempts(campaign, RUN)
    has = {JOB.job: Queued(id="7", is_running=True)}
    for queue, state in ((has, "running"), ({}, "killed"), (None, "running")):
        (one,) = read_statuses(campaign, queue, now_s=0.0)
        assert one.state == state
    write_attempts(campaign, KILLED)
    (one,) = read_statuses(campaign, has, now_s=0.0)
    assert (one.state, one.engine) == ("queued", "7")


def test_run_whose_progress_is_old_is_stale(tmp_path: Path) -> None:
    campaign = Bench(tmp_path).set_up().campaign
    write_attempts(campaign, RUN)
    place = (campaign.top / "progress").make()
    place.write(
        f"{JOB.job}.json",
        b'{"test": "lat", "phase": "rounds", "round": 2, "rounds_max": 25,'
        b' "left_min_s": 30, "left_max_s": 60, "tests": [{"longest_s": 240}]}',
    )
    changed_s = place.changed_ns(f"{JOB.job}.json") / 1e9
    (one,) = read_statuses(campaign, None, now_s=changed_s + 59)
    assert (one.state, one.phase, one.left_s) == (
        "running", "lat rounds round 2/25", (30.0, 60.0),
    )  # fmt: skip
    assert one.done_ratio == pytest.approx(0.75)
    (one,) = read_statuses(campaign, None, now_s=changed_s + 601)
    assert one.state == "stale"


def test_strange_lines_and_files_are_left_out(tmp_path: Path) -> None:
    campaign = Bench(tmp_path).set_up().campaign
    write_attempts(campaign, RUN)
    place = (campaign.top / "attempts").path / f"{JOB.job}.jsonl"
    with place.open("a") as file:
        file.write('{"what": "published"}\n[[[\n{"at_s": 1, "wh')
    write_attempts(campaign, KILLED)  # after a line that a crash cut
    (campaign.top / "progress").make().write(f"{JOB.job}.json", b'{"test": []}')
    assert campaign.attempts(JOB.job) == (RUN, KILLED)
    (one,) = read_statuses(campaign, None, now_s=0.0)
    assert (one.state, one.phase) == ("killed", "")


def test_metrics_have_a_line_for_what_is_known_alone(tmp_path: Path) -> None:
    campaign = Bench(tmp_path).set_up().campaign
    write_attempts(campaign, RUN)
    text = openmetrics_text('a"b', read_statuses(campaign, None, now_s=0.0))
    lines = text.splitlines()
    assert 'ssdlab_campaign_jobs{campaign="a\\"b",state="running"} 1' in lines
    assert 'ssdlab_campaign_jobs{campaign="a\\"b",state="failed"} 0' in lines
    assert any(line.startswith("ssdlab_job_starts{") for line in lines)
    assert not any(line.startswith("ssdlab_job_done_ratio{") for line in lines)
    assert lines[-1] == "# EOF"
