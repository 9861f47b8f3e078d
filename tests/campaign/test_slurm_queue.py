"""What squeue prints of jobs, as Slurm 22.05 printed it."""

import pytest

from ssdlab.campaign.backends.slurm import read_queue

HELD = (
    "7|PENDING|JobHeldUser|0|a-run",
    "7|REQUEUE_HOLD|job requeued in held state|4294901759|a-run",
    "7|PENDING|job requeued in held state|0|a-run",  # two minutes later
    "7|PENDING|JobHoldMaxRequeue|0|a-run",
)
NOT_HELD = (
    "7|PENDING|Licenses|1010000|a-run",
    "7|PENDING|BeginTime|1010000|a-run",
    "7|RUNNING|None|1010000|a-run",
    "7|COMPLETING|None|1010000|a-run",
)


@pytest.mark.parametrize("line", HELD)
def test_job_that_waits_to_be_released_is_held(line: str) -> None:
    assert read_queue(line)["a-run"].is_held


@pytest.mark.parametrize("line", NOT_HELD)
def test_job_that_waits_for_its_turn_or_runs_is_not_held(line: str) -> None:
    assert not read_queue(line)["a-run"].is_held


def test_what_has_ended_or_is_no_line_of_a_job_is_not_there() -> None:
    text = "7|COMPLETED|None|1|a-run\n\nslurm: error\n8|RUNNING|None|1|b|run"
    assert list(read_queue(text)) == ["b|run"]
