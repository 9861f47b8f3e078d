"""Which runs of a store are pooled, and why the others are left out."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from ssdlab.fleet.conditions import parse_accepted
from ssdlab.fleet.contrast import METRICS
from ssdlab.fleet.population import (
    CONDITIONS,
    choose_cell,
    describe_runs,
    find_metric,
    kept_runs,
    read_runs,
    usual_grouping,
)
from ssdlab.fleet.store import Store
from ssdlab.model.errors import StoreError, UnknownNameError
from tests.fleet.made_fleet import made_fleet


def described(*rows: dict[str, Any], metric: str = "iops", accepted: Any = ()) -> Any:
    """Return runs as they are described, each of another drive unless it is told."""
    runs, cells, steady = [], [], {}
    for number, row in enumerate(rows):
        ingest = f"i{number}"
        own = dict.fromkeys(CONDITIONS, "the same") | {
            "run_id": f"r{number}", "ingest_id": ingest, "folder": "/runs",
            "started_at": f"2026-01-{number + 1:02}T00:00:00+00:00",
            "device_model": "M", "device_serial": f"S{number}", "device_firmware": "A",
            "platform": "host", "cpu": "cpu", "is_virtual": False,
            "active_range_percent": 100.0, "is_conformant": True, "doubts": "",
            "ssdlab_version": "1",
            "settings": "{}", "written_before_bytes": None, "power_on_hours": None,
        }  # fmt: skip
        runs.append(own | {name: row[name] for name in own.keys() & row.keys()})
        cell = {
            "ingest_id": ingest, "iops": 100.0, "iops_low": 99.0, "iops_high": 101.0,
            "lat_p9999_ns": 1e6, "lat_p9999_low_ns": 9e5, "lat_p9999_high_ns": None,
            "is_p9999_supported": True, "basis": "window", "neighbours": "",
        }  # fmt: skip
        if row.get("is_measured", True):
            cells.append(cell | {name: row[name] for name in cell.keys() & row.keys()})
        steady[ingest] = row.get("is_steady", True)
    found = describe_runs(
        pd.DataFrame(runs),
        pd.DataFrame(cells),
        test="iops",
        metric=METRICS[metric],
        is_steady=steady,
        accepted=accepted,
    )
    return found.set_index("run_id")


USUAL: dict[str, Any] = {}


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (USUAL, ""),
        ({"is_measured": False}, "not-measured"),
        ({"device_serial": "  "}, "no-serial"),
        ({"device_serial": None}, "no-serial"),
        ({"iops": None}, "no-value"),
        ({"iops": 0.0}, "no-value"),
        ({"is_steady": False}, "not-steady"),
        ({"is_steady": None}, "not-judged"),
        ({"is_steady": None, "basis": "run"}, ""),
        ({"is_steady": None, "basis": "printed"}, ""),
        ({"neighbours": "r9: iops"}, "neighbours"),
        ({"neighbours": None}, ""),
        ({"kernel": "other"}, "conditions"),
        ({"profile": None}, "conditions"),
        ({"active_range_percent": 50.0}, "conditions"),
        ({"is_virtual": True}, "conditions"),
        ({"settings": '{"iops": {"rounds": 9}}'}, "conditions"),
        ({"settings": '{"tp": {"rounds": 9}}'}, ""),
    ],
)
def test_run_is_left_out_for_its_reason(row: dict[str, Any], reason: str) -> None:
    assert described(row, USUAL, USUAL)["left_out"].tolist() == [reason, "", ""]


def test_percentile_that_nothing_bounds_is_left_out() -> None:
    found = described(USUAL, {"is_p9999_supported": False}, metric="p99.99")
    assert found["left_out"].tolist() == ["", "unsupported"]
    assert found["value"].tolist() == [1e6, 1e6]
    assert found["low"].iloc[0] == 9e5
    assert pd.isna(found["high"].iloc[0])


def test_accepted_condition_leaves_no_run_out() -> None:
    rows = ({"kernel": "other"}, {"is_steady": False}, {"neighbours": "r9"}, USUAL)
    names = parse_accepted("kernel, steady state, neighbours")
    assert described(*rows, accepted=names)["left_out"].tolist() == [""] * 4


def test_conditions_of_most_drives_count_and_not_of_most_runs() -> None:
    again = {"device_serial": "S0", "kernel": "old"}
    found = described(again, again, again, USUAL, USUAL)
    assert found["left_out"].tolist() == ["conditions"] * 3 + [""] * 2
    assert found["detail"].iloc[0] == "kernel: old, not the same"


def test_settings_that_differ_are_named_unless_the_profile_does() -> None:
    changed = {"settings": '{"iops": {"rounds": 9}, "": {"seed": 1}}'}
    usual = {"settings": '{"iops": {"rounds": 5}, "": {"seed": 1}}'}
    found = described(changed, changed | {"profile": "other"}, *[usual] * 3)
    assert found["detail"].tolist()[:2] == [
        "settings: rounds", "profile: other, not the same"
    ]  # fmt: skip


def test_drives_of_two_models_with_one_serial_are_two() -> None:
    found = described(
        {"device_serial": "S"}, {"device_serial": "S", "device_model": "N"}
    )
    assert found["drive"].tolist() == ["M S", "N S"]


def test_metric_is_that_of_the_test_unless_it_is_named() -> None:
    assert find_metric("", "").name == "iops"
    assert find_metric("", "tp").name == "bw"
    assert find_metric("p99.9", "tp").column == "lat_p999_ns"
    with pytest.raises(UnknownNameError):
        find_metric("speed", "")


def test_firmware_groups_where_a_model_has_several() -> None:
    one = described(USUAL, USUAL)
    two = described(USUAL, {"device_firmware": "B"})
    assert (usual_grouping(one), usual_grouping(two)) == ("model", "firmware")
    assert kept_runs(two, "firmware")["group"].tolist() == ["M, A", "M, B"]
    assert kept_runs(two, "host")["group"].tolist() == ["M, host, cpu"] * 2


def test_cell_of_most_drives_is_chosen_and_the_others_are_named(
    samples_store: Store,
) -> None:
    usual = choose_cell(samples_store, direction="total")
    assert (usual.test, usual.phase, usual.others) == ("iops", "rounds", ())
    assert usual.workload.startswith("RND 4 KiB 0/100")
    asked = choose_cell(samples_store, "rnd 4KiB 0/100", test="lat", direction="total")
    assert (asked.metric.name, asked.kind) == ("mean", "cell")
    assert len(asked.others) == 2
    with pytest.raises(UnknownNameError):
        choose_cell(samples_store, "RND 3KiB", direction="total")
    with pytest.raises(UnknownNameError):
        choose_cell(samples_store, test="nothing", direction="total")


def test_store_of_samples_pools_no_drive_with_a_model(samples_store: Store) -> None:
    choice = choose_cell(samples_store, direction="total")
    found = read_runs(samples_store, choice).set_index("serial")
    assert found["left_out"].to_dict() == {
        "BTWA5175088TO80BGN": "conditions", "VIRTUAL-A": "", "VIRTUAL-B": ""
    }  # fmt: skip
    cells = samples_store.cells(choice.workload, test="iops", direction="total")
    for row in cells.to_dict("records"):
        own = found.loc[row["device_serial"]]
        assert (own["value"], own["low"]) == (row["iops"], row["iops_low"]) or (
            row["device_serial"] == "BTWA5175088TO80BGN"
        )


def test_empty_store_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        choose_cell(made_fleet(tmp_path / "store", 0), direction="total")
