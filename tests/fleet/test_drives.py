"""Levels of drives, how groups scatter, and outliers, by hand and by simulation."""

import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import ssdlab
from ssdlab.fleet import rounds
from ssdlab.fleet.contrast import METRICS
from ssdlab.fleet.drives import (
    FALSE_ALARMS,
    find_odd_ones,
    robust_distances,
    summarise_drives,
    summarise_groups,
)
from ssdlab.fleet.population import Choice
from ssdlab.fleet.rounds import rounds_of_run
from ssdlab.model.errors import RunFolderError
from ssdlab.stats.outliers import outlier_limit
from tests.fleet.conftest import SAMPLES
from tests.fleet.made_fleet import kept_frame
from tests.fleet.made_rows import rows_of_sample


def fleet_of(levels: dict[str, list[float]], group: str = "M") -> pd.DataFrame:
    return kept_frame(
        *(
            {"drive": drive, "value": value, "group": group}
            for drive, values in levels.items()
            for value in values
        )
    )


def test_level_of_a_drive_is_the_geometric_mean_with_the_pooled_scatter() -> None:
    """Logs 0 and 2 about 1, and 4: s^2 = 2 with 1 degree of freedom; t = 12.706."""
    kept = fleet_of({"a": [1.0, math.e**2], "b": [math.e**4]})
    found = summarise_drives(kept)
    assert found["value"].tolist() == pytest.approx([math.e, math.e**4])
    reach = 12.7062 * math.sqrt(2)
    assert math.log(found["high"].iloc[1]) == pytest.approx(4 + reach, rel=1e-5)
    assert math.log(found["low"].iloc[0]) == pytest.approx(
        1 - reach / math.sqrt(2), rel=1e-5
    )
    assert found["basis"].tolist() == ["runs"] * 2


def test_drive_that_nothing_repeats_has_the_interval_of_its_rounds() -> None:
    kept = kept_frame({"drive": "a", "low": 99.0, "high": 102.0}, {"drive": "b"})
    found = summarise_drives(kept).set_index("drive")
    assert (found.loc["a", "low"], found.loc["a", "high"]) == (99.0, 102.0)
    assert found["basis"].tolist() == ["rounds", ""]


def test_scatter_of_a_group_is_split_by_hand() -> None:
    """Logs 1, 3 and 5, 7: within 2, between 7 (Searle et al.); levels 2 and 6."""
    kept = fleet_of({"a": [math.e, math.e**3], "b": [math.e**5, math.e**7]})
    (row,) = summarise_groups(kept, summarise_drives(kept)).to_dict("records")
    assert (row["drives"], row["runs"]) == (2, 4)
    assert row["within_percent"] == pytest.approx(100 * math.sqrt(2))
    assert row["between_percent"] == pytest.approx(100 * math.sqrt(7))
    assert row["spread_percent"] == pytest.approx(100 * math.sqrt(8))
    assert math.isnan(row["median_low"])


def test_median_of_six_drives_is_between_the_least_and_the_most() -> None:
    kept = fleet_of({name: [10.0 + n] for n, name in enumerate("abcdef")})
    (row,) = summarise_groups(kept, summarise_drives(kept)).to_dict("records")
    ends = (row["median_low"], row["median"], row["median_high"])
    assert ends == pytest.approx((10.0, 12.5, 15.0))
    assert math.isnan(row["within_percent"])


def test_drive_far_from_the_median_is_the_outlier_by_hand() -> None:
    """Logs -2 -1 0 1 2 and 40: median 0.5, deviations 0.5 0.5 1.5 1.5 2.5 39.5."""
    values = {f"{n}": [math.exp(n / 100)] for n in (-2, -1, 0, 1, 2, 40)}
    kept = fleet_of(values)
    found = find_odd_ones(kept, summarise_drives(kept)).set_index("drive")
    assert found["is_outlier"].to_dict() == {one: one == "40" for one in values}
    assert found.loc["40", "z"] == pytest.approx(39.5 / 1.5 / 1.4826, rel=1e-4)
    assert found.loc["40", "ratio"] == pytest.approx(
        math.exp(0.4) / (1 / 2 + math.exp(0.01) / 2)
    )
    assert found["z"].to_dict()["-2"] < 0


def test_run_far_from_the_level_of_its_drive_is_named() -> None:
    rng = np.random.default_rng(1)
    values = {f"d{n}": list(np.exp(rng.normal(0, 0.01, 3))) for n in range(8)}
    values["d3"][1] = 1.5
    kept = fleet_of(values)
    found = find_odd_ones(kept, summarise_drives(kept))
    runs = found[(found["of"] == "run") & found["is_outlier"]]
    assert "r10" in runs["run_id"].tolist()
    assert set(runs["drive"]) == {"d3"}
    assert set(runs["folder"]) <= {"/runs/9", "/runs/10", "/runs/11"}


@pytest.mark.parametrize("values", [[1.0, 1.1, 1.2, 90.0], [5.0] * 5 + [9.0]])
def test_few_or_equal_drives_are_not_judged(values: list[float]) -> None:
    kept = fleet_of({f"d{n}": [value] for n, value in enumerate(values)})
    assert not find_odd_ones(kept, summarise_drives(kept))["is_outlier"].any()


def test_more_groups_have_a_higher_limit() -> None:
    group = {f"d{n}": [math.exp(n / 100)] for n in range(10)}
    one = fleet_of(group, "A")
    several = pd.concat([fleet_of(group, name) for name in "ABCDEFGH"])
    limits = [
        find_odd_ones(kept, summarise_drives(kept))["limit"].min()
        for kept in (one, several)
    ]
    assert limits[0] < limits[1]


@pytest.mark.simulation
@pytest.mark.parametrize("between", [0.0, 0.5, 3.0])
@pytest.mark.parametrize(("groups", "drives"), [(1, 8), (3, 12), (10, 25)])
def test_one_fleet_in_twenty_without_outliers_has_one(
    groups: int, drives: int, between: float
) -> None:
    """Drives have one to four runs, so that their levels do not scatter alike."""
    rng = np.random.default_rng(7)
    trials, alarms = 1500 // groups, 0
    counts = np.resize([1, 1, 2, 3, 4], drives)
    limit = outlier_limit(drives, alarm_ratio=FALSE_ALARMS / groups)
    for _ in range(trials):
        levels = between * rng.standard_normal((groups, drives))
        levels += rng.standard_normal((groups, drives)) / np.sqrt(counts)
        far = [robust_distances(one, np.sqrt(counts)) for one in levels]
        alarms += bool((np.abs(far) > limit).any())
    error = 3 * math.sqrt(FALSE_ALARMS * (1 - FALSE_ALARMS) / trials)
    assert alarms / trials <= FALSE_ALARMS + error


def test_round_far_from_the_others_is_told_and_a_folder_that_is_gone_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = ssdlab.open_run(SAMPLES / "virtual-b")
    choice = Choice(
        cell="", test="iops", phase="rounds", kind="cell", direction="total",
        workload="RND 4 KiB 100/0 T2/Q16", metric=METRICS["iops"], others=(),
    )  # fmt: skip
    plain = rounds_of_run(run, choice)
    (row,) = (
        row
        for row in rows_of_sample().rows["cells"]
        if row["cell"] == f"iops rounds cell {choice.workload} total"
    )
    assert len(plain) == row["rounds"] == row["sampled_rounds"]
    assert plain.mean() == pytest.approx(row["iops"])

    own = run.measurements.copy()
    own.loc[own["round"] == plain.index[2], "iops"] *= 100
    changed = SimpleNamespace(
        measurements=own, windows=run.windows, record=SimpleNamespace(run_id="changed")
    )
    folders = {"/changed": changed, "/other": changed}

    def opened(folder: str) -> object:
        if folder in folders:
            return folders[folder]
        raise RunFolderError(folder=folder, reason="it is gone", remedy="None.")

    monkeypatch.setattr(rounds, "open_run", opened)
    runs = pd.DataFrame({
        "run_id": ["changed", "another", "gone"],
        "folder": ["/changed", "/other", "/gone"],
    })
    found = rounds.find_odd_rounds(runs, choice)
    assert found["odd"].iloc[0] == (plain.index[2],)
    assert found["rounds"].isna().tolist() == [False, True, True]
