"""The share of a drive's life in a plan: what is known, and how it is said."""

import pytest

from ssdlab.engine.forecast import (
    endurance_costs,
    endurance_lines,
    find_endurance,
)
from ssdlab.model.drive import DriveHealth
from ssdlab.plan.endurance import estimate_endurance, rate_endurance

TB = 1e12
COSTS = [
    {"written_bytes_min": 2 * TB, "written_bytes_max": 4 * TB},
    {"written_bytes_min": 4 * TB, "written_bytes_max": 9 * TB},
]


def test_both_what_is_rated_and_what_the_drive_counts_are_said() -> None:
    """6 to 13 TB; of 600 TB 1 to 2.2 %, of 1000/1.3 to 1000 TB 0.6 to 1.4 %."""
    own = estimate_endurance(DriveHealth(wear_percent=12, host_written_bytes=120 * TB))
    assert own is not None
    plan = endurance_costs(COSTS, [rate_endurance(600 * TB), own])
    assert endurance_lines(plan) == [
        "written in all 6 TB to 13 TB: 1 % to 2.2 % of the rated 600 TB",
        (
            "written in all 6 TB to 13 TB: 0.6 % to 1.4 % of its life, by its own "
            "count: 120 TB written so far are 12 %"
        ),
    ]


@pytest.mark.parametrize(
    ("rated", "said"),
    [
        (60e15, "6 TB to 13 TB: 0.01 % to 0.022 %"),
        (600e15, "6 TB to 13 TB: under 0.01 % of"),
        (5e12, "6 TB to 13 TB: 120 % to 260 %"),
        (1e9, "6 TB to 13 TB: 600,000 % to 1,300,000 %"),
    ],
)
def test_share_has_two_digits_that_count(rated: float, said: str) -> None:
    (line,) = endurance_lines(endurance_costs(COSTS, [rate_endurance(rated)]))
    assert line.startswith(f"written in all {said}")


@pytest.mark.parametrize("target", ["virtual", "file:x,size=1GiB", "/dev/no-such-disk"])
def test_nothing_is_known_of_what_counts_no_life(target: str) -> None:
    assert find_endurance(target, None) == ()
    (given,) = find_endurance(target, 600 * TB)
    assert given.least_bytes == 600 * TB
