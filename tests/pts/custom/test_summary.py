"""Every cell of an import in one row: means, extremes, and levels where they exist."""

import math

import pandas as pd
import pytest

from ssdlab.pts.custom.summary import summarise_workloads
from ssdlab.stats.phases import group_name, is_cell_by_cell

NO_BINS = pd.DataFrame({"run_id": [], "step_id": [], "direction": [], "lat_ns": []})
NO_BINS = NO_BINS.assign(count=pd.Series(dtype="int64"))
NO_WINDOWS = pd.DataFrame({"test": [], "phase": [], "is_final": []})


def cells(phase: str, iops: list[float], *, depth: int = 8) -> pd.DataFrame:
    frame = pd.DataFrame({"iops": iops})
    rounds = list(range(1, len(iops) + 1))
    return frame.assign(
        run_id="r",
        step_id=[f"{phase}-{number}" for number in rounds],
        test="custom",
        kind="cell",
        direction="total",
        phase=phase,
        round=rounds,
        access="rnd",
        block_size_bytes=4096,
        read_percent=100,
        threads=2,
        queue_depth=depth,
        bw_bytes_per_s=frame["iops"] * 4096,
        lat_mean_ns=[1e5] * len(iops),
        lat_max_ns=[1e6 * number for number in rounds],
    )


def levels(step_id: str, lat_ns: float) -> pd.DataFrame:
    return pd.DataFrame({
        "run_id": ["r"],
        "step_id": [step_id],
        "direction": ["total"],
        "percentile": [99.0],
        "lat_ns": [lat_ns],
        "is_supported": [True],
    })


def test_cell_without_a_window_is_the_mean_of_all_rounds() -> None:
    frame = summarise_workloads(
        cells("rounds", [100.0, 300.0]),
        NO_WINDOWS,
        percentiles=levels("rounds-1", 5e5),
        bins=NO_BINS,
    )
    (row,) = frame.to_dict("records")
    assert (row["iops"], row["n_rounds"], row["lat_max_ns"]) == (200.0, 2, 2e6)
    assert math.isnan(row["lat_two_nines_ns"])  # of two rounds no percentile is known
    assert frame["is_steady"].isna().all()


def test_printed_level_of_one_round_is_kept() -> None:
    frame = summarise_workloads(
        cells("rounds", [100.0]),
        NO_WINDOWS,
        percentiles=levels("rounds-1", 5e5),
        bins=NO_BINS,
    )
    assert frame["lat_two_nines_ns"].tolist() == [5e5]
    assert frame["lat_four_nines_ns"].isna().all()


def test_levels_of_several_rounds_are_of_their_merged_bins() -> None:
    bins = pd.DataFrame({
        "run_id": ["r"] * 3,
        "step_id": ["rounds-1", "rounds-2", "rounds-2"],
        "direction": ["total"] * 3,
        "lat_ns": [1000, 1000, 9000],
        "lat_lower_ns": [990, 990, 8990],
        "lat_upper_ns": [1010, 1010, 9010],
        "count": [50, 48, 2],
    })
    frame = summarise_workloads(
        cells("rounds", [100.0, 100.0]).assign(lat_max_ns=[1005.0, 8995.0]),
        NO_WINDOWS,
        percentiles=levels("rounds-1", 5e5),
        bins=bins,
    )
    # the middle of the 99th IO's bin is at 9000, and no IO took longer than 8995
    assert frame["lat_two_nines_ns"].tolist() == [8995.0]
    assert frame["is_two_nines_supported"].tolist() == [False]


def test_cell_with_a_window_is_the_mean_over_it() -> None:
    windows = pd.DataFrame({
        "test": ["custom"],
        "phase": ["rounds-a"],
        "is_final": [True],
        "is_steady": [False],
        "window_first_round": [2],
        "window_last_round": [6],
    })
    frame = summarise_workloads(
        pd.concat([
            cells("rounds-a", [900.0, 100.0, 110.0, 120.0, 130.0, 140.0]),
            cells("rounds-b", [7.0], depth=16),
        ]),
        windows,
        percentiles=levels("none", 1.0),
        bins=NO_BINS,
    )
    assert frame["iops"].tolist() == [120.0, 7.0]
    assert frame["first_round"].tolist() == [2, 1]
    assert frame["is_steady"].tolist() == [False, pd.NA]


def test_rounds_between_samples_do_not_count() -> None:
    """Every third round was a sample, 3 to 15; all others did 900 IOPS."""
    iops = [100.0 + at if at % 3 == 0 else 900.0 for at in range(1, 17)]
    windows = pd.DataFrame({
        "test": ["custom"],
        "phase": ["saturation"],
        "is_final": [True],
        "is_steady": [True],
        "window_first_round": [3],
        "window_last_round": [15],
    })
    frame = summarise_workloads(
        cells("saturation", iops),
        windows,
        percentiles=levels("none", 1.0),
        bins=NO_BINS,
    )
    (row,) = frame.to_dict("records")
    assert row["iops"] == pytest.approx(109.0)  # of 103, 106, 109, 112 and 115
    assert (row["first_round"], row["last_round"], row["n_rounds"]) == (3, 15, 5)
    assert row["lat_max_ns"] == 15e6


def test_value_that_one_round_lacks_is_missing() -> None:
    measured = cells("rounds", [100.0, 100.0])
    measured.loc[0, ["lat_mean_ns", "lat_max_ns"]] = math.nan
    frame = summarise_workloads(
        measured, NO_WINDOWS, percentiles=levels("none", 1.0), bins=NO_BINS
    )
    assert frame[["lat_mean_ns", "lat_max_ns"]].isna().all().all()


@pytest.mark.parametrize(
    ("test", "phases", "expected"),
    [
        ("iops", ["rounds"], False),
        ("iops", ["rounds-4KiB-r0", "rounds-8KiB-r0"], True),
        ("tp", ["rounds-128KiB", "rounds-1024KiB"], False),
        ("tp", ["rounds-128KiB-r0", "rounds-128KiB-r100"], True),
        ("wsat", ["saturation"], False),
        ("lat", [], False),
    ],
)
def test_phases_of_single_cells_are_told_from_those_of_the_pts(
    test: str, phases: list[str], *, expected: bool
) -> None:
    assert is_cell_by_cell(test, pd.Series(phases, dtype="str")) is expected
    assert {group_name(test, phase) for phase in phases} <= {
        "rounds",
        "rounds-128KiB",
        "rounds-1024KiB",
        "saturation",
    }
