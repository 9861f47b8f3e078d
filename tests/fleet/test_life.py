"""Firmware, ageing, history and merged latencies of a fleet, by hand."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from ssdlab.fio.bins import bin_value
from ssdlab.fleet.ageing import repeated_runs, summarise_ageing
from ssdlab.fleet.contrast import METRICS
from ssdlab.fleet.coverage import summarise_coverage
from ssdlab.fleet.curves import merge_groups, merged_percentiles
from ssdlab.fleet.firmwares import contrast_firmwares, contrast_runs
from ssdlab.fleet.history import find_changes
from tests.fleet.made_fleet import kept_frame, made_fleet

IOPS = METRICS["iops"]


def runs_of(firmware: str, **values: float) -> list[dict[str, Any]]:
    return [
        {"drive": drive, "value": value, "firmware": firmware}
        for drive, value in values.items()
    ]


def test_drives_with_both_firmwares_are_compared_with_themselves() -> None:
    """Ratios 0.5 of three drives that differ by far more."""
    old = runs_of("A", a=100.0, b=200.0, c=400.0, d=9.0)
    new = runs_of("B", a=50.0, b=101.0, c=199.0)
    (row,) = contrast_firmwares(kept_frame(*old, *new), IOPS).to_dict("records")
    assert row["is_paired"]
    assert (row["baseline_drives"], row["baseline_runs"]) == (3, 3)
    assert row["ratio"] == pytest.approx((0.5 * 0.505 * 0.4975) ** (1 / 3))
    assert row["low"] < row["ratio"] < row["high"] < 0.6
    assert row["is_shown"]
    assert (row["baseline_firmware"], row["candidate_firmware"]) == ("A", "B")


def test_drive_with_both_firmwares_counts_in_neither_of_two_populations() -> None:
    old = runs_of("A", a=100.0, b=101.0, c=99.0, d=100.0, x=1.0)
    new = runs_of("B", e=90.0, f=91.0, g=89.0, h=90.0, x=1.0)
    contrast = contrast_runs(kept_frame(*old), kept_frame(*new), IOPS)
    assert contrast.pairs is None
    assert (contrast.baseline.drives, contrast.candidate.drives) == (4, 4)
    assert contrast.difference().ratio.estimate == pytest.approx(0.9, rel=1e-3)


def test_few_drives_show_nothing_however_many_runs_they_have() -> None:
    old, new = runs_of("A", a=100.0, b=101.0), runs_of("B", c=50.0, d=51.0)
    kept = kept_frame(*(old * 20), *(new * 20))
    (row,) = contrast_firmwares(kept, IOPS).to_dict("records")
    assert row["reason"] == "too few drives"
    assert not row["is_shown"]
    assert math.isnan(row["low"])
    assert row["drives_needed"] >= 2


def test_p_values_hold_for_all_firmwares_of_the_page() -> None:
    old = runs_of("A", a=100.0, b=101.0, c=99.0)
    later = [
        run
        for name, level in (("B", 97.0), ("C", 100.5))
        for run in runs_of(name, **{f"{name}{n}": level + n for n in range(3)})
    ]
    found = contrast_firmwares(kept_frame(*old, *later), IOPS)
    assert found["candidate_firmware"].tolist() == ["B", "C"]
    assert not found["is_shown"].any()  # of two pairs three drives a side show nothing
    least = int(found["p_value"].argmin())
    assert found["adjusted_p"][least] == pytest.approx(2 * found["p_value"][least])


def aged(drive: str, *points: tuple[float, float], **more: Any) -> list[dict[str, Any]]:
    return [
        {"drive": drive, "power_on_hours": x, "value": math.exp(log)} | more
        for x, log in points
    ]


def test_slope_within_drives_is_weighted_by_their_spread_by_hand() -> None:
    """Slopes 0.1 and 0.2 with Sxx 0.5 and 2 give 0.18; levels 0 and 5 do not matter."""
    kept = kept_frame(
        *aged("a", (0, 0.0), (1, 0.1)),
        *aged("b", (4, 5.0), (6, 5.4)),
        *aged("once", (9, 3.0)),
        *aged("still", (3, 1.0), (3, 2.0)),
        *aged("new", (1, 0.0), firmware="A"),
        *aged("new", (2, 9.0), firmware="B"),
    )
    (row,) = summarise_ageing(kept).to_dict("records")
    assert (row["reading"], row["drives"], row["runs"]) == ("power_on_hours", 2, 4)
    per_unit = math.log1p(row["change_percent"] / 100) / row["unit"]
    assert per_unit == pytest.approx(0.18)
    assert row["low_percent"] < row["change_percent"] < row["high_percent"]


def test_one_drive_ages_without_an_interval() -> None:
    kept = kept_frame(*aged("a", (0, 0.0), (100, -0.1)))
    (row,) = summarise_ageing(kept).to_dict("records")
    assert row["change_percent"] == pytest.approx(100 * math.expm1(-0.1))
    assert math.isnan(row["low_percent"])
    relative = repeated_runs(kept, "power_on_hours")["relative"]
    assert relative.tolist() == pytest.approx([math.exp(0.05), math.exp(-0.05)])


def test_nothing_ages_where_no_reading_is_known() -> None:
    kept = kept_frame({"drive": "a"}, {"drive": "a"})
    assert summarise_ageing(kept).empty
    assert summarise_ageing(kept.iloc[:0]).empty


def series(*levels: tuple[str, float, int], drive: str = "") -> pd.DataFrame:
    """Return runs over time, of many drives or of one: firmware, level, how many."""
    rng = np.random.default_rng(5)
    rows = [(firmware, level) for firmware, level, n in levels for _ in range(n)]
    return kept_frame(
        *(
            {
                "drive": drive or f"d{place}",
                "firmware": firmware,
                "value": level * math.exp(rng.normal(0, 0.002)),
            }
            for place, (firmware, level) in enumerate(rows)
        )
    )


def test_change_of_a_model_tells_of_another_firmware() -> None:
    found = find_changes(series(("A", 100.0, 12), ("B", 96.0, 10)), IOPS)
    (row,) = found.to_dict("records")
    assert (row["of"], row["runs_before"], row["runs_after"]) == ("model", 12, 10)
    assert row["is_new_firmware"]
    assert (row["firmware_before"], row["firmware_after"]) == ("A", "B")
    assert row["low"] < 0.96 < row["high"]
    assert row["first_after"] == pd.Timestamp("2026-01-13", tz="UTC")


def test_change_of_a_drive_is_found_over_its_runs() -> None:
    found = find_changes(series(("A", 100.0, 9), ("A", 110.0, 9), drive="x"), IOPS)
    of_model, of_drive = found.to_dict("records")
    assert not found["is_new_firmware"].any()
    assert of_drive["ratio"] == pytest.approx(1.1, rel=0.01)
    assert of_drive["low"] > 1.05
    assert of_model["reason"] == "too few drives"
    assert math.isnan(of_model["low"])


def test_mixed_firmware_is_not_told_of() -> None:
    kept = series(("A", 100.0, 12), ("B", 96.0, 10))
    kept["firmware"] = ["A", "B"] * 11
    (row,) = find_changes(kept, IOPS).to_dict("records")
    assert not row["is_new_firmware"]


def test_steady_or_short_series_has_no_change() -> None:
    assert find_changes(series(("A", 100.0, 30)), IOPS).empty
    assert find_changes(series(("A", 100.0, 3), ("B", 50.0, 4)), IOPS).empty


def test_latencies_of_a_group_are_those_of_the_added_bins() -> None:
    """3 IOs in bin 10 and 1 in bin 20, and 4 in bin 30: half are above bin 20."""
    kept = kept_frame({"drive": "a"}, {"drive": "b"}, {"drive": "c", "group": "N"})
    bins = pd.DataFrame({
        "ingest_id": ["i0", "i1", "i2", "left out"],
        "bin": [[10, 20], [30], [10], [99]],
        "count": [[3, 1], [4], [1], [1000]],
        "lat_min_ns": [10.0] * 4,
        "lat_max_ns": [30.0] * 4,
    })
    curve = merge_groups(kept, bins)
    own = curve[curve["load"] == "M"]
    assert own["count"].tolist() == [3, 1, 4]
    assert own["exceedance_ratio"].tolist() == [5 / 8, 0.5, 0.0]
    assert own["lat_lower_ns"].tolist() == bin_value([10, 20, 30]).tolist()
    row = merged_percentiles(kept, bins).set_index("group").loc["M"]
    assert (row["drives"], row["total_ios"]) == (2, 8)
    assert (row["lat_p50_ns"], row["lat_p90_ns"]) == (20.0, 30.0)
    assert not row["is_p99_supported"]


def test_merged_percentile_is_that_of_the_store(tmp_path: Path) -> None:
    store = made_fleet(tmp_path / "store", 4, cells=1)
    rows = store.histograms()
    runs = store.runs()
    kept = runs.assign(drive=runs["device_serial"], group=runs["device_serial"])
    found = merged_percentiles(kept, rows).set_index("group")
    wanted = store.quantile(store.cells()["workload"].iloc[0], 0.9999)
    wanted = wanted.set_index("device_serial")
    assert found["lat_p9999_ns"].to_dict() == wanted["lat_ns"].to_dict()


def test_coverage_has_the_last_time_of_each_test_and_no_row_without_one() -> None:
    runs = kept_frame({"drive": "a"}, {"drive": "a"}, {"drive": "b"}, {"drive": ""})
    measured = pd.DataFrame({
        "ingest_id": ["i0", "i1", "i2", "i3", "i0"],
        "test": ["iops", "iops", "lat", "lat", "iops"],
    })
    found = summarise_coverage(runs, measured).set_index(["drive", "test"])
    assert list(found.index) == [("a", "iops"), ("b", "lat")]
    assert found["runs"].tolist() == [2, 1]
    assert found["days_before"].tolist() == [1.0, 0.0]
