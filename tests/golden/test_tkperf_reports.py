"""The two published TKperf reports: their data, windows and pages as printed."""

import csv
from pathlib import Path

import pytest

from ssdlab.importers import import_run
from ssdlab.reference.tkperf_reports import read_tkperf_report
from ssdlab.reference.tkperf_tables import printed_tests, size_label
from ssdlab.store.run import Run
from tests.importers.tables import find_table
from tests.paths import REFERENCE, require_folder

DEVICES = {
    "crucial_mx200": "tkperf-crucial-mx200",
    "intel_s3510": "tkperf-intel-s3510",
}
TESTS = {"iops": "iops", "throughput": "tp", "latency": "lat"}
UNITS = {"iops": 1.0, "throughput": 1024.0, "latency": 1000.0}
STATES = {
    "iops": "TKperf: steady state of RND 4KiB R/W 0/100 [IOPS]",
    "throughput": "TKperf: steady state of SEQ 1024KiB write [KiB/s]",
    "latency": "TKperf: steady state of RND 4KiB R/W 0/100 mean [us]",
}
# PTS 2.1.24: average, range and slope excursion as percent of the average; and the
# average as TKperf 2.0 prints it (3.4).
WORKED = {
    ("crucial_mx200", "iops"): (6000.8, 6.7491, 7.3657, 110.5, "6000"),
    ("crucial_mx200", "throughput"): (310882.4, 3.2038, 2.3570, -1831.9, "310882"),
    ("crucial_mx200", "latency"): (
        198.2499828,
        9.0454,
        9.8095,
        -4.8618568,
        "198.2499828",
    ),
    ("intel_s3510", "iops"): (13043.8, 16.3143, 9.7518, -318.0, "13043"),
    ("intel_s3510", "throughput"): (106238.6, 0.3323, 0.1476, -39.2, "106238"),
    ("intel_s3510", "latency"): (55.504588, 10.7033, 5.5509, -0.7702519, "55.504588"),
}

Rows = list[dict[str, str]]


def read_csv(name: str) -> Rows:
    path: Path = require_folder(REFERENCE) / name
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def table(device: str, test: str) -> Rows:
    return read_csv(f"tkperf_{device}_{test}.csv")


def window(device: str, test: str) -> Rows:
    rows = read_csv("tkperf_steady_state_windows.csv")
    return [row for row in rows if (row["device"], row["test"]) == (device, test)]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    return {
        device: import_run(f"reference:{name}", runs=tmp_path_factory.mktemp("runs"))
        for device, name in DEVICES.items()
    }


@pytest.fixture(params=DEVICES)
def device(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("test", TESTS)
def test_shipped_file_is_the_reference_row_by_row(device: str, test: str) -> None:
    rows = table(device, test)
    found = {t.test_id: t for t in printed_tests(read_tkperf_report(DEVICES[device]))}
    printed = found[TESTS[test]]
    assert len(rows) == len(printed.averages)
    for row in rows:
        size = int(row["block_size_bytes"])
        mixes = {"read": 100, "write": 0}
        mix = int(row.get("read_percent") or mixes[row["direction"]])
        names = ("avg_iops", "throughput_mib_per_s", "avg_latency_ms")
        (average,) = (row[name] for name in names if name in row)
        assert size_label(size) == row["block_size_label"]
        assert printed.averages[size, mix] == float(average)
        if "max_latency_ms" in row:
            assert printed.maxima[size, mix] == float(row["max_latency_ms"])
    rows = window(device, test)
    assert list(printed.window.rounds) == [
        int(row["round_index_zero_based"]) for row in rows
    ]
    assert list(printed.window.values) == [float(row["value"]) for row in rows]


def test_shipped_setup_is_the_reference(device: str) -> None:
    setup = read_tkperf_report(DEVICES[device]).setup
    said = {row["key"]: row["value"] for row in table(device, "setup")}
    names = {"capacity": "capacity_mb", "os": "operating_system"}
    names |= {"device_node_name": "device_node"}
    names |= {"printed_measurement_window": "measurement_window"}
    title = said.pop("report_title")
    assert title == "TKperf Test Report"
    assert bool(int(said.pop("write_cache"))) == setup.write_cache
    assert len(said) == 15
    for key, value in said.items():
        assert str(getattr(setup, names.get(key, key))) == value, key
    notes = [row["note"] for row in table(device, "setup") if "OCR" in row["note"]]
    assert len(notes) == sum("serial" in doubt for doubt in setup.doubts)


def test_iops_page_is_as_printed(device: str, runs: dict[str, Run]) -> None:
    shown = find_table(runs[device].path / "report.html", "TKperf: IOPS, average")
    rows = table(device, "iops")
    mixes = list(
        dict.fromkeys(f"{r['read_percent']}/{r['write_percent']}" for r in rows)
    )
    assert mixes[0] == "100/0"
    assert shown.pop("Block size \\ R/W") == mixes
    assert next(iter(shown)) == "512"
    assert [text for texts in shown.values() for text in texts] == [
        row["avg_iops"] for row in rows
    ]
    assert list(shown) == list(dict.fromkeys(row["block_size_label"] for row in rows))


def test_throughput_page_is_as_printed(device: str, runs: dict[str, Run]) -> None:
    report = runs[device].path / "report.html"
    shown = find_table(report, "TKperf: throughput [MB/s, which is MiB/s here]")
    own = find_table(report, "Ours: throughput [MB/s, decimal]")
    rows = table(device, "throughput")
    assert shown.pop("Block size") == own.pop("Block size") == ["read", "write"]
    assert next(iter(shown)) == "1024k"
    assert list(shown) == list(dict.fromkeys(row["block_size_label"] for row in rows))
    assert [text for texts in shown.values() for text in texts] == [
        row["throughput_mib_per_s"] for row in rows
    ]
    for row in rows:
        decimal = own[row["block_size_label"]][row["direction"] == "write"]
        derived = float(row["throughput_mb_per_s_decimal_derived"])
        assert float(decimal) == pytest.approx(derived, abs=0.0011)


def test_latency_page_is_as_printed(device: str, runs: dict[str, Run]) -> None:
    report = runs[device].path / "report.html"
    rows = table(device, "latency")
    for kind, column in (("average", "avg_latency_ms"), ("maximum", "max_latency_ms")):
        shown = find_table(report, f"TKperf: {kind} latency [ms]")
        assert shown.pop("Block size \\ R/W") == ["0/100", "65/35", "100/0"]
        assert list(shown) == ["8k", "4k", "512"]
        assert [text for texts in shown.values() for text in texts] == [
            row[column] for row in rows
        ]


@pytest.mark.parametrize("test", TESTS)
def test_window_page_is_as_printed(
    device: str, test: str, runs: dict[str, Run]
) -> None:
    rows = window(device, test)
    shown = find_table(runs[device].path / "report.html", STATES[test])
    assert rows[0]["tracking_variable"] in STATES[test]
    assert shown["Measurement Window"][0] == "4"
    zero_based = ", ".join(row["round_index_zero_based"] for row in rows)
    one_based = ", ".join(row["round_number_one_based"] for row in rows)
    assert shown["Rounds"][:2] == [zero_based, one_based]
    assert shown["Values"][0] == ", ".join(row["value"] for row in rows)
    average, _, _, slope, printed = WORKED[device, test]
    assert shown["Average"][:2] == [printed, repr(average)]
    assert float(shown["Slope of the fit"][0]) == pytest.approx(slope, abs=1e-7)
    middle = int(rows[2]["round_index_zero_based"])
    intercept = float(shown["Intercept of the fit"][0])
    assert intercept == pytest.approx(average - slope * middle, abs=1e-6)
    assert shown["Steady state reached"][0] == "True"


@pytest.mark.parametrize("test", TESTS)
def test_window_is_judged_by_us_as_published(
    device: str, test: str, runs: dict[str, Run]
) -> None:
    windows = runs[device].windows
    (ours,) = windows[windows["test"] == TESTS[test]].to_dict("records")
    rows, unit = window(device, test), UNITS[test]
    values = [float(row["value"]) for row in rows]
    average, range_percent, slope_percent, slope, _ = WORKED[device, test]
    assert ours["window_first_round"] == int(rows[0]["round_number_one_based"])
    assert ours["window_last_round"] == int(rows[-1]["round_number_one_based"])
    assert ours["average"] / unit == pytest.approx(average, rel=1e-9)
    assert ours["minimum"] / unit == pytest.approx(min(values), rel=1e-12)
    assert ours["maximum"] / unit == pytest.approx(max(values), rel=1e-12)
    assert 100 * ours["range_ratio"] == pytest.approx(range_percent, abs=5e-5)
    assert 100 * ours["slope_ratio"] == pytest.approx(slope_percent, abs=5e-5)
    assert ours["slope_per_round"] / unit == pytest.approx(slope, abs=1e-7)
    assert ours["is_steady"]
    assert ours["is_final"]
