"""Where idle time went, each on a case computed by hand."""

import pytest

from ssdlab.findings.gaps import split_gaps
from ssdlab.report.gaps import LONG_GAP_S, idle_table, long_gaps_table
from tests.stats.frames import steps


def a_cell(number: int, **facts: object) -> dict[str, object]:
    """Return a cell of 60 s, handed over at once, that begins at number x 100 s."""
    began_s = 100.0 * number
    return {
        "step_id": f"{number:05d}", "test": "iops", "phase": "rounds", "kind": "cell",
        "round": 1, "cell": number, "started_s": began_s, "ended_s": began_s + 60,
        "duration_s": 60.0, "idle_before_s": 40.0, "was_armed": True,
        "released_s": began_s - 40, "armed_for_s": 59.0, "unready_s": 0.0,
        "reports_s": 0.0,
    } | facts  # fmt: skip


# A gap of 40 s, from 160 to 200. Clocks and reports differ, so parts may exceed it.
@pytest.mark.parametrize(
    ("facts", "parts"),
    [
        ({"released_s": 185.0, "unready_s": 10.0}, (25, 10, 0, 5, "released_late")),
        ({"unready_s": 30.0, "reports_s": 4.0}, (0, 30, 4, 6, "unready")),
        ({"reports_s": 45.0}, (0, 0, 45, 0, "reports")),
        ({}, (0, 0, 0, 40, "begin")),
        ({"released_s": 185.0, "wait_s": 20.0}, (5, 0, 0, 15, "begin")),
        ({"released_s": 159.5}, (0, 0, 0, 40, "begin")),
    ],
)
def test_gap_is_split_into_its_parts(
    facts: dict[str, object], parts: tuple[float | str, ...]
) -> None:
    split = split_gaps(steps([a_cell(1), a_cell(2, **facts)]))
    assert tuple(split.iloc[1]) == parts


@pytest.mark.parametrize("name", ["released_s", "unready_s", "reports_s"])
def test_gap_of_which_a_part_is_not_recorded_has_no_greatest_part(name: str) -> None:
    split = split_gaps(steps([a_cell(1), a_cell(2, **{name: None})]))
    assert split["greatest"].isna().all()
    assert split["begin"].isna().tolist() == [True, True]


def test_table_counts_long_gaps_by_cause_and_lists_the_longest_first() -> None:
    late = {"idle_before_s": 0.2, "unready_s": 0.19, "released_s": 160.0}
    rows = [a_cell(1), a_cell(2, **late), a_cell(3), a_cell(4, idle_before_s=0.03)]
    table = long_gaps_table(steps(rows))
    assert table is not None
    assert table.column("Step") == ("00003", "00002")
    assert table.column("Mostly") == ("IO began late", "fio not ready")
    assert table.column("Not ready") == ("0 ms", "190.0 ms")
    assert table.caption.startswith("2 of 3 gaps within a round lasted more than 30 ms")


def test_run_without_long_gaps_or_without_their_parts_has_no_table_of_them() -> None:
    short = [a_cell(1), a_cell(2, idle_before_s=LONG_GAP_S)]
    unknown = [a_cell(1), a_cell(2, released_s=None, unready_s=None, reports_s=None)]
    assert long_gaps_table(steps(short)) is None
    assert long_gaps_table(steps(unknown)) is None


def test_fio_that_came_late_to_its_gate_was_not_waiting() -> None:
    rows = [a_cell(1), a_cell(2, unready_s=0.2), a_cell(3), a_cell(4, unready_s=None)]
    table = idle_table(steps(rows))
    assert table.column("fio was waiting")[0] == "2 of 3"
