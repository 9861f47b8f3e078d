"""TKperf's XML: its windows and tables come out as its report prints them."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from ssdlab.importers import import_run
from ssdlab.ingest.ingest import ingest_run
from ssdlab.model.errors import FioOutputError
from ssdlab.stats.matrix import (
    summarise_iops_matrix,
    summarise_latency_table,
    summarise_throughput,
)
from ssdlab.store.run import Run
from tests.importers.tables import find_table, read_tables
from tests.importers.tkperf_files import (
    DEVICE,
    make_tkperf_xml,
    read_csv,
    table,
    window,
)
from tests.paths import REFERENCE, ROOT, require_folder

FILE = ROOT / "tests" / "data" / "tkperf-made.xml"
MIB = 1 << 20


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return import_run(FILE, runs=tmp_path_factory.mktemp("runs"))


def test_file_is_made_of_the_numbers_of_the_report() -> None:
    reference = require_folder(REFERENCE)
    assert make_tkperf_xml(reference) == FILE.read_bytes()


def test_iops_are_those_of_the_report(run: Run) -> None:
    rows = table(require_folder(REFERENCE), "iops")
    frame = summarise_iops_matrix(run.measurements, run.windows)
    ours = frame.set_index(["block_size_bytes", "read_percent"])["iops"]
    assert len(rows) == len(ours) == 56
    for row in rows:
        cell = int(row["block_size_bytes"]), int(row["read_percent"])
        assert ours[cell] == pytest.approx(float(row["avg_iops"]), rel=1e-12)


def test_latencies_are_those_of_the_report(run: Run) -> None:
    rows = table(require_folder(REFERENCE), "lat")
    frame = summarise_latency_table(
        run.measurements, run.windows, percentiles=run.percentiles, bins=run.bins
    )
    cells = frame.set_index(["block_size_bytes", "read_percent"])
    means, greatest = cells["lat_mean_ns"] / 1e6, cells["lat_max_ns"] / 1e6
    assert len(rows) == len(cells) == 9
    for row in rows:
        cell = int(row["block_size_bytes"]), int(row["read_percent"])
        assert round(means[cell], 3) == float(row["avg_latency_ms"])
        assert greatest[cell] == pytest.approx(float(row["max_latency_ms"]))


def test_throughput_is_that_of_the_report(run: Run) -> None:
    rows = table(require_folder(REFERENCE), "tp")
    frame = summarise_throughput(run.measurements, run.windows)
    ours = frame.set_index(["block_size_bytes", "read_percent"])["bw_bytes_per_s"]
    assert len(rows) == len(ours) == 10
    for row in rows:
        mix = {"read": 100, "write": 0}[row["direction"]]
        mine = ours[int(row["block_size_bytes"]), mix] / MIB
        assert mine == pytest.approx(float(row["throughput_mib_per_s"]), abs=0.0006)


@pytest.mark.parametrize(
    ("test", "unit"), [("iops", 1.0), ("lat", 1e3), ("tp", 1024.0)], ids=str
)
def test_window_and_verdict_are_those_of_the_report(
    run: Run, test: str, unit: float
) -> None:
    reference = require_folder(REFERENCE)
    finals = run.windows[run.windows["is_final"] & (run.windows["test"] == test)]
    size = {"tp": MIB}.get(test, 4096)
    (final,) = finals[finals["block_size_bytes"] == size].to_dict("records")
    values = window(reference, test)
    rounds = [
        int(row["round_number_one_based"])
        for row in read_csv(reference / "tkperf_steady_state_windows.csv")
        if (row["device"], row["test"][:3])
        == (DEVICE, {"tp": "thr", "lat": "lat"}.get(test, "iop"))
    ]
    assert (final["window_first_round"], final["window_last_round"]) == (
        rounds[0],
        rounds[-1],
    )
    assert final["average"] == pytest.approx(sum(values) / 5 * unit)
    assert final["is_steady"]


def test_iops_track_one_variable_as_tkperf_does(run: Run) -> None:
    finals = run.windows[run.windows["is_final"] & (run.windows["test"] == "iops")]
    assert finals["tracking"].tolist() == ["RND 4 KiB 0/100"]


def test_what_the_file_does_not_hold_is_missing(run: Run) -> None:
    iops = run.measurements[run.measurements["test"] == "iops"]
    names = ["total_ios", "io_bytes", "runtime_s", "bw_bytes_per_s", "lat_mean_ns"]
    assert iops[[*names, "threads", "queue_depth"]].isna().all().all()
    names = ["read_bytes", "written_bytes", "total_written_bytes", "started_s"]
    assert run.steps[names].isna().all().all()
    assert run.percentiles.empty
    assert run.record.target.model == "Crucial_CT250MX200SSD1"


def test_report_shows_the_tables_and_says_what_is_missing(run: Run) -> None:
    report = run.path / "report.html"
    shown = find_table(report, "IOPS, mean over the measurement window")
    assert shown["4 KiB"][0] == "6,001"
    assert "TKperf keeps no fio output" in report.read_text("utf-8")


def test_numbers_and_file_are_kept_and_ingested_again(run: Run) -> None:
    assert (run.path / "source" / FILE.name).read_bytes() == FILE.read_bytes()
    before = {path.name: path.read_bytes() for path in run.path.glob("tables/*")}
    ingest_run(run.path)
    after = {path.name: path.read_bytes() for path in run.path.glob("tables/*")}
    assert after == before


def made(tmp_path: Path, test: str, rounds: object) -> Path:
    root = ET.Element("report")
    ET.SubElement(ET.SubElement(root, test), "roundmat").text = json.dumps(rounds)
    path = tmp_path / "result.xml"
    path.write_bytes(ET.tostring(root))
    return path


def test_write_saturation_is_two_lists(tmp_path: Path) -> None:
    rounds = [[9000.0] + [5000.0] * 4, [[10, 900, 100]] * 5]
    run = import_run(made(tmp_path, "writesat", rounds), runs=tmp_path / "runs")
    assert run.record.tests == ("wsat",)
    assert run.measurements["iops"].tolist() == rounds[0]
    assert run.measurements["lat_max_ns"].tolist() == [900_000.0] * 5
    captions = read_tables(run.path / "report.html")
    assert "First and last of 5 rounds" in captions
    assert "Average latency [μs] of each round" in captions


@pytest.mark.parametrize(
    ("test", "rounds", "match"),
    [
        ("iops", [[[1] * 8] * 6], "IOPS: a round of 7 R/W mixes was expected"),
        ("iops", [[[1] * 9] * 7], "a round of 8 block sizes was expected"),
        ("iops", [[[-1] * 8] * 7], "negative or not a number"),
        ("iops", [[[True] * 8] * 7], "not a number"),
        ("iops", [[[float("nan")] * 8] * 7], "not a number"),
        ("iops", {}, "its rounds are not a list"),
        ("lat", [[[[5, 1, 2]] * 3] * 3], "is not between minimum and maximum"),
        ("tp", [[[1, 2], [1]]] * 5, "a list of 2 numbers was expected"),
        ("tp", [[[1], [1]]], "5 block sizes were expected"),
        ("wsat", [[1, 2], [[1, 3, 2]]], "latencies and IOPS"),
        ("other", [[[1] * 8] * 7], "no TKperf rounds"),
    ],
)
def test_shape_that_is_not_known_is_refused(
    tmp_path: Path, test: str, rounds: object, match: str
) -> None:
    with pytest.raises(FioOutputError, match=match):
        import_run(made(tmp_path, test, rounds), runs=tmp_path / "runs")


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (b"<report><iops>", "not valid XML"),
        (b"no xml", "not valid XML"),
        (
            b'<!DOCTYPE r [<!ENTITY a "b">]><report>&a;</report>',
            "it declares a document type",
        ),
        (
            '<?xml version="1.0" encoding="UTF-16"?><!DOCTYPE r><r/>'.encode("utf-16"),
            "it declares a document type",
        ),
        (b"<r><iops><roundmat>[[</roundmat></iops></r>", "not valid JSON"),
        (
            b"<r><iops><roundmat>[]</roundmat><roundmat>[]</roundmat></iops></r>",
            "occur twice",
        ),
    ],
    ids=["cut", "text", "entity", "utf-16", "json", "twice"],
)
def test_file_that_is_none_is_refused(
    tmp_path: Path, content: bytes, match: str
) -> None:
    path = tmp_path / "result.xml"
    path.write_bytes(content)
    with pytest.raises(FioOutputError, match=match):
        import_run(path, runs=tmp_path / "runs")


def test_file_among_others_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "a.json"
    other.write_text("{}")
    with pytest.raises(FioOutputError, match="with other files"):
        import_run([FILE, other], runs=tmp_path / "runs")
