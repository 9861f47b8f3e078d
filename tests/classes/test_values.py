"""What of a run stands in which column of the storage classes, and what differs."""

from typing import Any

import pandas as pd
import pytest

from ssdlab.classes.metrics import (
    CLASS_METRICS,
    METRICS_BY_NAME,
    find_run_conditions,
    run_kind,
)
from ssdlab.classes.values import summarise_class_values
from ssdlab.reference.storage_classes import read_storage_classes
from tests.stats.frames import Row, measured, measurements, steps, window, windows

KIB = 1024
WRITE: Row = {"block_size_bytes": 4 * KIB, "read_percent": 0}
NO_STEPS = steps([])
NO_WINDOWS = windows([])


def cells(test: str, phase: str, values: list[Any], **more: object) -> list[Row]:
    """Rounds of RND 4 KiB writes at T4/Q32 of a minute, unless said otherwise."""
    column = str(more.pop("column", "iops"))
    return [
        measured(
            f"{test}-{phase}-{place}",
            **{
                "test": test, "phase": phase, "round": place, **WRITE,
                "threads": 4, "queue_depth": 32, "runtime_s": 60.0,
                column: value, **more,
            },
        )
        for place, value in enumerate(values, start=1)
    ]  # fmt: skip


def judged(test: str, phase: str, first: int, last: int, **values: object) -> Row:
    verdict = {"test": test, "is_round_steady": True, **values}
    return window(phase, first, last, **verdict)


def summarise(
    rows: list[Row], verdicts: list[Row] | None = None, ran: list[Row] | None = None
) -> pd.DataFrame:
    found = summarise_class_values(
        measurements(rows), windows(verdicts or []), steps=steps(ran or [])
    )
    return found.set_index("metric")


def conditions(found: pd.DataFrame, metric: str) -> list[str]:
    return str(found.loc[metric, "conditions"]).splitlines()


def is_missing(found: pd.DataFrame, metric: str, column: str) -> bool:
    return bool(found[column].isna()[metric])


def test_each_column_has_a_row_and_what_was_not_measured_is_missing() -> None:
    found = summarise([])
    assert list(found.index) == [metric.name for metric in CLASS_METRICS]
    assert found["value"].isna().all()
    assert found.loc["fob_iops", "source"] == "WSAT was not run"
    assert found.loc["read_iops", "source"] == "IOPS was not run"
    assert found.loc["tp_read_mb_per_s", "source"] == "TP was not run"
    assert found.loc["lat_max_ms", "source"] == "LAT was not run"
    assert found.loc["write_iops", "source"] == "IOPS was not run, and WSAT was not run"
    assert (found["conditions"] == "").all()


def test_fob_is_the_first_round_of_wsat_alone() -> None:
    rows = cells("wsat", "saturation", [9000, 5000, 3000])
    purge: Row = {
        "run_id": "r1", "step_id": "p", "test": "wsat", "kind": "purge",
    }  # fmt: skip
    first: Row = {
        "run_id": "r1", "step_id": "wsat-saturation-1", "test": "wsat",
        "kind": "cell", "drive_fills": 0.05,
    }  # fmt: skip
    found = summarise(rows, ran=[purge, first])
    assert found.loc["fob_iops", "value"] == 9000
    assert found.loc["fob_iops", "n_rounds"] == 1
    assert conditions(found, "fob_iops") == []


def test_fob_says_when_no_purge_is_recorded_or_its_round_filled_much() -> None:
    rows = cells("wsat", "saturation", [9000])
    first: Row = {
        "run_id": "r1", "step_id": "wsat-saturation-1", "test": "wsat",
        "kind": "cell", "drive_fills": 0.25,
    }  # fmt: skip
    found = summarise(rows, ran=[first])
    assert conditions(found, "fob_iops") == [
        "FOB: no purge is recorded before it",
        "FOB: its round wrote 25 % of the user capacity",
    ]


def test_fob_is_missing_when_the_first_round_is() -> None:
    found = summarise(cells("wsat", "saturation", [9000, 5000])[1:])
    assert is_missing(found, "fob_iops", "value")
    assert found.loc["fob_iops", "source"] == (
        "the first round of WSAT was not recorded"
    )


def test_fob_is_missing_when_wsat_had_another_workload() -> None:
    rows = cells("wsat", "saturation", [9000], block_size_bytes=8 * KIB)
    found = summarise(rows)
    assert found.loc["fob_iops", "source"] == "no round of WSAT is RND 4 KiB 0/100"


def test_iops_are_means_of_the_window_of_their_cell() -> None:
    rows = [
        *cells("iops", "rounds", [90, 10, 20, 30, 40, 50]),
        *cells("iops", "rounds", [1, 2, 3, 4, 5, 6], read_percent=65),
        *cells("iops", "rounds", [7] * 6, read_percent=100, block_size_bytes=8 * KIB),
    ]
    found = summarise(rows, [judged("iops", "rounds", 2, 6)])
    assert found.loc["write_iops", "value"] == 30
    assert found.loc["mixed_iops", "value"] == 4
    assert found.loc["write_iops", "n_rounds"] == 5
    assert found.loc["write_iops", "is_steady"]
    assert found.loc["read_iops", "source"] == "this IOPS has no cell RND 4 KiB 100/0"
    assert conditions(found, "write_iops") == [
        "TC/QD: T4/Q32; rows 1 to 5 have T2/Q16, rows 6 to 9 T4/Q32"
    ]


def test_iops_without_a_full_window_are_missing_even_if_wsat_was_run() -> None:
    rows = [*cells("iops", "rounds", [1, 2]), *cells("wsat", "saturation", [9, 8])]
    found = summarise(rows)
    assert is_missing(found, "write_iops", "value")
    assert found.loc["write_iops", "source"] == "no measurement window of IOPS was full"


def test_window_that_was_not_steady_says_so() -> None:
    rows = cells("iops", "rounds", [1, 2, 3, 4, 5])
    verdict = judged("iops", "rounds", 1, 5, is_round_steady=False)
    found = summarise(rows, [verdict])
    assert found.loc["write_iops", "value"] == 3
    assert "steady state NOT achieved" in conditions(found, "write_iops")


def test_end_of_wsat_stands_in_when_iops_was_not_run() -> None:
    rows = cells("wsat", "saturation", [90, 80, 70, 60, 50])
    found = summarise(rows)
    assert found.loc["write_iops", "value"] == 50
    assert found.loc["write_iops", "source"] == "end of WSAT, its last round"
    assert conditions(found, "write_iops")[:2] == [
        "from WSAT, as the test IOPS was not run",
        "steady state: not judged",
    ]
    assert is_missing(found, "mixed_iops", "value")


def test_end_of_wsat_is_the_mean_of_its_judged_samples() -> None:
    rows = cells("wsat", "saturation", [90, 80, 70, 60, 50])
    verdict = judged("wsat", "saturation", 1, 5, metric="iops", average=65.0)
    found = summarise(rows, [verdict])
    assert found.loc["write_iops", "value"] == 65
    assert is_missing(found, "write_iops", "n_rounds")
    assert found.loc["write_iops", "is_steady"]


def test_throughput_is_decimal_and_latency_in_ms() -> None:
    large: Row = {"access": "seq", "block_size_bytes": 1024 * KIB, "threads": 1}
    small: Row = {**large, "block_size_bytes": 128 * KIB}
    rate: Row = {"column": "bw_bytes_per_s"}
    lat: Row = {"column": "lat_mean_ns", "threads": 1, "queue_depth": 1}
    rows = [
        *cells("tp", "rounds-1024KiB", [500e6] * 5, **large, **rate),
        *cells("tp", "rounds-128KiB", [9e9] * 5, **small, **rate),
        *cells("lat", "rounds", [2e6, 4e6], lat_max_ns=7e6, **lat),
    ]
    verdicts = [judged("tp", "rounds-1024KiB", 1, 5), judged("lat", "rounds", 1, 2)]
    found = summarise(rows, verdicts)
    assert found.loc["tp_write_mb_per_s", "value"] == pytest.approx(500)
    assert found.loc["lat_mean_ms", "value"] == pytest.approx(3)
    assert found.loc["lat_max_ms", "value"] == pytest.approx(7)
    assert conditions(found, "tp_write_mb_per_s") == []
    assert conditions(found, "lat_max_ms") == []


def test_maximum_latency_is_the_maximum_over_the_window() -> None:
    rows = cells("lat", "rounds", [9e6, 2e6, 4e6, 3e6], column="lat_max_ns")
    found = summarise(rows, [judged("lat", "rounds", 2, 4)])
    assert found.loc["lat_max_ms", "value"] == pytest.approx(4)
    assert found.loc["lat_mean_ms", "source"] == "LAT did not record it"
    assert is_missing(found, "lat_mean_ms", "value")


def test_widest_of_several_active_ranges_is_taken_and_named() -> None:
    names = ("rounds-AR100-8GiB", "rounds-AR75-16GiB")
    rows = [row for place, name in enumerate(names) for row in cells(
        "iops", name, [10.0 + place] * 5)]  # fmt: skip
    ran: list[Row] = [
        {"run_id": "r1", "step_id": name, "phase": name, "range_bytes": size << 30}
        for name, size in zip(names, (8, 16), strict=True)
    ]
    found = summarise(rows, [judged("iops", name, 1, 5) for name in names], ran)
    assert found.loc["write_iops", "value"] == 11
    assert "active range: AR75-16GiB" in conditions(found, "write_iops")[0]


def test_mean_that_others_printed_needs_no_window() -> None:
    (row,) = cells("iops", "rounds", [6000.8], runtime_s=None)
    found = summarise([{**row, "kind": "mean", "round": None}])
    assert found.loc["write_iops", "value"] == 6000.8
    assert found.loc["write_iops", "source"] == ("IOPS, a window of an imported report")
    assert is_missing(found, "write_iops", "n_rounds")
    assert "time of a round: unknown" in conditions(found, "write_iops")


def test_rounds_go_before_the_mean_that_others_printed() -> None:
    rows = cells("iops", "rounds", [10, 20, 30])
    printed: Row = {**rows[0], "step_id": "m", "kind": "mean", "round": None, "iops": 9}
    found = summarise([*rows, printed], [judged("iops", "rounds", 1, 3)])
    assert found.loc["write_iops", "value"] == 20
    assert found.loc["write_iops", "n_rounds"] == 3


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"threads": 1}, "TC/QD: T1/Q32 instead of T2/Q16 or T4/Q32"),
        ({"threads": None}, "TC/QD: unknown; T2/Q16 or T4/Q32 in the source"),
        ({"runtime_s": 1.0}, "time of a round: 1 s instead of 1 min"),
        ({"runtime_s": 1200.0}, "time of a round: 20 min instead of 1 min"),
    ],
    ids=["workers", "no-workers", "short", "long"],
)
def test_rounds_that_differ_from_the_source_say_so(more: Row, words: str) -> None:
    rows = cells("iops", "rounds", [1] * 5, **more)
    found = summarise(rows, [judged("iops", "rounds", 1, 5)])
    assert words in conditions(found, "write_iops")


def run_facts(**more: object) -> dict[Any, Any]:
    return {
        "is_virtual": False, "target": "/dev/nvme9n1", "profile": "pts-e-1.1",
        "spec_version": "PTS-E 1.1", "capacity_bytes": 480_000_000_000,
        "active_range_percent": 100.0, "write_cache": "disabled", "departures": "",
        "status": "finished", "interruptions": 0, "device_model": "SSD 480",
        "purge_method": "sanitize", **more,
    }  # fmt: skip


def of_run(facts: dict[Any, Any], *, is_cache_left: bool = False) -> tuple[str, ...]:
    return find_run_conditions(
        facts, read_storage_classes(), is_cache_left=is_cache_left
    )


def test_cache_that_was_left_is_not_what_the_profile_asks_for() -> None:
    (only,) = of_run(run_facts(), is_cache_left=True)
    assert "left as found (profile: disabled)" in only


def test_run_like_the_source_differs_in_what_the_source_does_not_tell() -> None:
    (only,) = of_run(run_facts())
    assert only == "write cache: disabled; unknown in the source"


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"is_virtual": True, "target": "virtual"}, "virtual SSD: a model"),
        ({"is_virtual": True, "target": "file:x"}, "a file, not a drive"),
        ({"profile": "imported"}, "imported: not measured by ssdlab"),
        ({"capacity_bytes": 64_000_000_000}, "64 GB, and the nine have 80 to 1,400 GB"),
        ({"capacity_bytes": None}, "user capacity: not known"),
        ({"spec_version": "PTS 2.0.2"}, "method: PTS 2.0.2, profile pts-e-1.1"),
        ({"active_range_percent": 75.0}, "active range: 75 % of user capacity"),
        ({"status": "interrupted"}, "the run is interrupted, not finished"),
        ({"interruptions": 2}, "resumed 2 times"),
    ],
)  # fmt: skip
def test_run_that_differs_from_the_source_says_so(
    more: dict[str, object], words: str
) -> None:
    found = of_run(run_facts(**more))
    assert any(words in line for line in found), found


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({}, "imported: not measured by ssdlab"),
        (
            {"purge_method": "not known", "active_range_percent": None},
            "imported: not measured by ssdlab; not known: purge, active range",
        ),
        (
            {"purge_method": "not known", "device_model": ""},
            "imported: not measured by ssdlab; not known: purge, device",
        ),
    ],
)
def test_import_says_what_its_record_lacks_and_no_more(
    more: dict[str, object], words: str
) -> None:
    facts = run_facts(profile="imported", write_cache="enabled", **more)
    first, *others = of_run(facts)
    assert first == words
    assert others == ["write cache: enabled; unknown in the source"]


@pytest.mark.parametrize(
    ("more", "kind"),
    [
        ({}, "drive"),
        ({"profile": "imported"}, "imported"),
        ({"is_virtual": True, "target": "virtual:size=1GiB"}, "virtual"),
        ({"is_virtual": True, "target": "file:a,size=1GiB"}, "file"),
    ],
)
def test_kind_of_a_run_is_told_from_its_row(more: dict[str, object], kind: str) -> None:
    assert run_kind(run_facts(**more)) == kind


def test_names_of_the_metrics_are_columns_of_the_published_table() -> None:
    assert set(METRICS_BY_NAME) <= set(read_storage_classes().columns)
