"""Idle recovery from frames small enough to compute by hand."""

from collections.abc import Sequence

import pandas as pd

from ssdlab.pts.hir.summary import summarise_idle_recovery, summarise_wait_states
from tests.stats.frames import Row, measured, measurements, steps

# phase, round, IOPS, idle wanted, idle measured
Access = tuple[str, int, float, float, float | None]
ACCESSES: tuple[Access, ...] = (
    ("wdpc", 1, 9000.0, 0.0, None),
    ("wdpc", 2, 1000.0, 0.0, 0.01),
    ("wait-1", 1, 1500.0, 5.0, 5.25),
    ("wait-1", 2, 1300.0, 5.0, 4.5),
    ("baseline-1", 1, 1200.0, 0.0, 0.25),
    ("baseline-1", 2, 800.0, 0.0, 0.0),
    ("wait-10", 1, 2000.0, 50.0, 50.0),
    ("baseline-10", 1, 1000.0, 0.0, 0.125),
)


def hir_frames(
    accesses: Sequence[Access] = ACCESSES, *, broken: int | None = None
) -> pd.DataFrame:
    """Return the accesses of a run; ``broken`` is the place of one after a break."""
    rows, gaps = [], []
    for place, (phase, number, iops, wait_s, idle_s) in enumerate(accesses):
        step = f"{place:05d}-hir-{phase}"
        rows.append(
            measured(
                step,
                test="hir",
                phase=phase,
                round=number,
                runtime_s=5.0,
                iops=iops,
                lat_mean_ns=1e9 / iops,
                lat_max_ns=1e10 / iops,
            )
        )
        gap: Row = {"wait_s": wait_s, "idle_before_s": idle_s}
        gap |= {"run_id": "r1", "step_id": step, "is_contiguous": place != broken}
        gaps.append(gap)
    return summarise_idle_recovery(measurements([*reversed(rows)]), steps(gaps))


def test_accesses_come_in_order_with_their_waits() -> None:
    table = hir_frames()

    assert table["phase"].tolist() == [
        "wait-1", "wait-1", "baseline-1", "baseline-1", "wait-10", "baseline-10"
    ]  # fmt: skip
    assert table["wait_state"].tolist() == [1, 1, 1, 1, 10, 10]
    assert table["is_baseline"].tolist() == [False, False, True, True, False, True]
    assert table["iops"].tolist() == [1500.0, 1300.0, 1200.0, 800.0, 2000.0, 1000.0]
    assert table["lat_mean_ns"].iloc[-1] == 1e6
    assert table["lat_max_ns"].iloc[-1] == 1e7
    assert table["wait_s"].tolist() == [5.0, 5.0, 0.0, 0.0, 50.0, 0.0]
    assert table["idle_before_s"].tolist() == [5.25, 4.5, 0.25, 0.0, 50.0, 0.125]


def test_time_counts_accesses_and_measured_idle_time_from_the_first_access() -> None:
    # begins: 0; 5 + 4.5; + 5 + 0.25; + 5 + 0; + 5 + 50; + 5 + 0.125
    expected = [0.0, 9.5, 14.75, 19.75, 74.75, 79.875]
    table = hir_frames()

    assert table["time_s"].tolist() == expected
    assert table["minutes"].tolist() == [time / 60 for time in expected]


def test_break_of_the_run_counts_as_the_wait_that_was_wanted() -> None:
    accesses = list(ACCESSES)
    accesses[3] = ("wait-1", 2, 1300.0, 5.0, 7200.0)
    table = hir_frames(accesses, broken=3)

    assert table["time_s"].tolist()[:3] == [0.0, 10.0, 15.25]
    assert table["is_contiguous"].tolist() == [True, False, True, True, True, True]
    assert table["idle_before_s"].iloc[1] == 7200.0
    assert summarise_wait_states(table)["wait_error_max_s"].iloc[0] == 7195.0


def test_each_run_has_a_time_of_its_own() -> None:
    first = measured("00009", test="hir", phase="wait-1", round=1, runtime_s=5.0)
    second = {**first, "run_id": "r2", "step_id": "00001"}
    table = summarise_idle_recovery(measurements([first, second]), steps([]))

    assert table["time_s"].tolist() == [0.0, 0.0]
    assert table["wait_s"].isna().all()


def test_wait_states_compare_accesses_with_the_baseline_after_them() -> None:
    short, long = (row for _, row in summarise_wait_states(hir_frames()).iterrows())

    assert (short["wait_state"], long["wait_state"]) == (1, 10)
    assert (short["n_accesses"], short["n_baseline"]) == (2, 2)
    assert (short["iops"], short["iops_baseline"]) == (1400.0, 1000.0)
    assert (short["iops_ratio"], long["iops_ratio"]) == (1.4, 2.0)
    assert (short["wait_s"], long["wait_s"]) == (5.0, 50.0)
    assert (short["wait_median_s"], long["wait_median_s"]) == (4.875, 50.0)
    assert (short["wait_error_max_s"], long["wait_error_max_s"]) == (0.5, 0.0)
    assert (short["gap_max_s"], long["gap_max_s"]) == (0.25, 0.125)


def test_wait_belongs_to_its_state_when_it_comes_after_the_access() -> None:
    """A then B: no wait before the first access, and one before the baseline."""
    table = hir_frames((
        ("wait-2", 1, 1000.0, 0.0, 0.0),
        ("wait-2", 2, 1400.0, 10.0, 10.5),
        ("baseline-2", 1, 1400.0, 10.0, 11.0),
        ("baseline-2", 2, 1000.0, 0.0, 0.0),
    ))
    (row,) = (row for _, row in summarise_wait_states(table).iterrows())

    assert (row["wait_s"], row["wait_median_s"]) == (10.0, 10.75)
    assert (row["wait_error_max_s"], row["gap_max_s"]) == (1.0, 0.0)


def test_wait_state_without_its_baseline_has_no_ratio() -> None:
    (row,) = (r for _, r in summarise_wait_states(hir_frames(ACCESSES[:4])).iterrows())

    assert row["iops"] == 1400.0
    assert row["n_baseline"] == 0
    assert pd.isna(row["iops_baseline"])
    assert pd.isna(row["iops_ratio"])


def test_idle_recovery_is_empty_when_none_was_run() -> None:
    table = summarise_idle_recovery(measurements([]), steps([]))

    assert table.empty
    assert summarise_wait_states(table).empty


def test_accesses_that_rested_wrongly_are_left_out() -> None:
    accesses = (
        ("wait-1", 1, 1000.0, 0.0, 0.0),
        ("wait-1", 2, 1400.0, 5.0, 5.0),
        ("wait-1", 3, 9000.0, 5.0, 5.6),  # more than a tenth of 5 s too long
        ("wait-1", 4, 9000.0, 5.0, 5.0),  # after a break
        ("baseline-1", 1, 1600.0, 5.0, 5.5),
        ("baseline-1", 2, 1000.0, 0.0, 0.0),
        ("baseline-1", 3, 5000.0, 0.0, 0.6),
    )
    table = hir_frames(accesses, broken=3)
    (row,) = (found for _, found in summarise_wait_states(table).iterrows())
    assert (row["n_accesses"], row["n_baseline"], row["n_left_out"]) == (2, 1, 3)
    assert (row["iops"], row["iops_baseline"], row["iops_ratio"]) == (1500, 1000, 1.5)
