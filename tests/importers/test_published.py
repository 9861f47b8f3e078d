"""Published reports of TKperf's become runs, and nothing in them is made up."""

import re
from pathlib import Path

import pytest

from ssdlab.importers import import_run
from ssdlab.ingest.ingest import ingest_run
from ssdlab.model.errors import FioOutputError, UnknownNameError
from ssdlab.reference.tkperf_reports import find_tkperf_file
from ssdlab.stats.matrix import (
    summarise_iops_matrix,
    summarise_latency_table,
    summarise_throughput,
)
from ssdlab.store.run import Run
from tests.departed import words_of
from tests.importers.tables import find_table

MX200 = "reference:tkperf-crucial-mx200"
S3510 = "reference:tkperf-intel-s3510"
SHORT = """
title = "mine"
[setup]
device_model = "drive"
[iops]
read_percent = [0]
[iops.average]
"4k" = [100.2]
[windows.iops]
rounds = [0, 1, 2, 3, 4]
values = [100, 101, 99, 101, 100]
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return import_run(MX200, runs=tmp_path_factory.mktemp("runs"))


def test_rounds_are_those_of_the_tracking_variables_and_no_others(run: Run) -> None:
    steps = run.steps.groupby(["test", "kind"]).size().to_dict()
    assert steps == {
        ("iops", "cell"): 5,
        ("iops", "mean"): 55,
        ("tp", "cell"): 5,
        ("tp", "mean"): 9,
        ("lat", "cell"): 5,
        ("lat", "mean"): 9,  # that of 4 KiB 0/100 has its greatest latency alone
    }
    means = run.steps[run.steps["kind"] == "mean"]
    assert means["round"].isna().all()
    cells = run.steps[run.steps["kind"] == "cell"]
    rounds = {
        test: sorted(map(int, rows["round"])) for test, rows in cells.groupby("test")
    }
    assert rounds == {
        "iops": [2, 3, 4, 5, 6],
        "tp": [5, 6, 7, 8, 9],
        "lat": [1, 2, 3, 4, 5],
    }


def test_what_is_not_printed_is_missing(run: Run) -> None:
    names = ["total_ios", "io_bytes", "runtime_s", "clat_mean_ns", "lat_min_ns"]
    assert run.measurements[names].isna().all().all()
    names = ["started_s", "written_bytes", "drive_fills", "exit_code", "seed"]
    assert run.steps[names].isna().all().all()
    assert run.percentiles.empty
    assert run.bins.empty
    tracked = run.measurements[
        (run.measurements["test"] == "lat")
        & (run.measurements["block_size_bytes"] == 4096)
        & (run.measurements["read_percent"] == 0)
    ]
    by_round = tracked[tracked["kind"] == "cell"]
    (over_window,) = tracked[tracked["kind"] == "mean"].to_dict("records")
    assert by_round["lat_max_ns"].isna().all()
    assert over_window["lat_max_ns"] == 29_712_000
    assert over_window["lat_mean_ns"] != over_window["lat_mean_ns"]


def test_tables_have_every_cell(run: Run) -> None:
    iops = summarise_iops_matrix(run.measurements, run.windows)
    assert (len(iops), int(iops["n_rounds"].notna().sum())) == (56, 1)
    assert len(summarise_throughput(run.measurements, run.windows)) == 10
    latency = summarise_latency_table(
        run.measurements, run.windows, percentiles=run.percentiles, bins=run.bins
    )
    assert len(latency) == 9
    assert latency["lat_five_nines_ns"].isna().all()


def test_setup_is_the_identity_of_the_run(run: Run) -> None:
    target, host = run.record.target, run.record.host
    assert (target.kind, target.model) == ("imported", "Crucial_CT250MX200SSD1")
    assert (target.serial, target.firmware) == ("14510E6C40C0", "MU01")
    assert target.capacity_bytes == 250_059_000_000
    assert (host.kernel, host.operating_system) == (
        "3.2.0-68-generic",
        "Ubuntu 12.04.5 LTS",
    )
    assert (host.fio_version, host.platform) == ("fio-2.1.9", "")
    assert run.record.started_at == "2015-04-01"
    assert run.record.asked.write_cache == "enabled"
    assert run.steps.loc[run.steps["test"] != "lat", "threads"].unique().tolist() == [2]
    assert run.steps.loc[run.steps["test"] == "lat", "threads"].unique().tolist() == [1]


def test_departures_say_what_is_unknown_and_what_is_doubtful(tmp_path: Path) -> None:
    lines = words_of(import_run(S3510, runs=tmp_path).record.departures)
    for begin in (
        "imported: ",
        "rounds: ",
        "cells of TP: 2 of the 4 of the PTS, plus 8 others",
        "threads and queue depth of TP: T2/Q16 instead of T1/Q32",
        "write cache: enabled instead of disabled",
        "mixed latencies: ",
        "serial number: ",
    ):
        assert sum(line.startswith(begin) for line in lines) == 1, begin


def test_tables_are_built_again_equal(run: Run) -> None:
    before = {path.name: path.read_bytes() for path in run.path.glob("tables/*")}
    ingest_run(run.path)
    after = {path.name: path.read_bytes() for path in run.path.glob("tables/*")}
    assert after == before


def test_file_of_the_form_is_imported_by_its_path(tmp_path: Path, run: Run) -> None:
    kept = run.path / "source" / "tkperf-crucial-mx200.toml"
    assert kept.read_bytes() == find_tkperf_file("tkperf-crucial-mx200")
    own = tmp_path / "own.toml"
    own.write_bytes(kept.read_bytes().replace(b"14510E6C40C0", b"MINE"))
    again = import_run(own, runs=tmp_path / "runs", device_label="my drive")
    assert (again.record.target.serial, again.record.target.model) == (
        "MINE",
        "my drive",
    )
    numbers = ["iops", "bw_bytes_per_s", "lat_mean_ns", "lat_max_ns"]
    assert again.measurements[numbers].equals(run.measurements[numbers])


def test_report_of_one_test_and_a_short_setup_is_enough(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(SHORT)
    run = import_run(path, runs=tmp_path / "runs")
    assert run.record.tests == ("iops",)
    assert run.record.target.capacity_bytes == 0
    assert run.runs["capacity_bytes"].isna().all()
    assert run.steps["threads"].isna().all()
    assert "write cache: unknown" in words_of(run.record.departures)
    assert run.record.started_at == ""


@pytest.mark.parametrize(
    ("old", "new", "match"),
    [
        ("13043.8", "13143.8", "4k R/W 0/100 is printed as 13143.8, but the mean of"),
        ("13043.8", "13043.9", "4k R/W 0/100 is printed as 13043.9, but the mean of"),
        ("13043.8", "13043.0", "4k R/W 0/100 is printed as 13043, but the mean of"),
        ("13043.8", "13044", "4k R/W 0/100 is printed as 13044, but the mean of"),
        ("13043.8", "13042", "4k R/W 0/100 is printed as 13042, but the mean of"),
        (
            "103.749",
            "103.748",
            "1024k R/W 0/100 is printed as 103.748, but the mean of",
        ),
        ("103.749", "103", "1024k R/W 0/100 is printed as 103, but the mean of"),
        ("max_rounds = 25", "max_rounds = 3", "3 do not reach round 5 of windows.iops"),
        ("max_rounds = 25", "max_rounds = 7", "it is at least 8"),
        (
            "2015-06-01\nnum",
            "2015-06-01 12:30:00\nnum",
            "12:30:00 has a time; give a date",
        ),
        ("[iops.average]", "[iops.avrage]", r"iops: unknown field 'avrage'\. Type"),
        ("[1, 2, 3, 4, 5]", '"1"', "windows.iops.rounds: '1' is not a list"),
        ('"INTEL SSDSC2BB080G6"', "[]", r"device_model: \[\] is not text in quotes"),
        ("103.749", "103.8", "1024k R/W 0/100 is printed as 103.8, but the mean of"),
        ("0.056", "0.058", "4k R/W 0/100 is printed as 0.058, but the mean of"),
        ("0.961", "0.051", "the maximum of 4k R/W 0/100 is less than its average"),
        ("77247.8", "-1", "row '512' does not have 7 numbers above 0"),
        ("77247.8", "nan", "row '512' does not have 7 numbers above 0"),
        ("77247.8, ", "", "row '512' does not have 7 numbers above 0"),
        ('"16k" =', '"16q" =', "'16q' is not a block size such as 512 or 4k"),
        ('"16k" =', '"4096" =', "row '4096' repeats a block size"),
        ("[100, 95,", "[100, 100,", "iops.read_percent are not distinct percentages"),
        ("[1, 2, 3, 4, 5]", "[1, 2, 3, 4, 6]", "are not 5 consecutive rounds"),
        ("[1, 2, 3, 4, 5]", "[900000, 2]", "are not 5 consecutive rounds"),
        ("14230, ", "", "windows.iops.values are not 5 numbers above 0"),
        ("[windows.iops]", "[windows.other]", "unknown field 'other'"),
        ("numjobs = 2", 'numjobs = "2"', "setup.numjobs: '2' is not a whole number"),
        ("numjobs = 2", "numjobs = -2", "setup.numjobs: -2 is not a valid count"),
        ("test_date = 2015-06-01", "test_date = 1", "1 is not a date"),
        ("title =", "titel =", "unknown field 'titel'"),
        ("[setup]", "[setup", "Expected"),
    ],
)
def test_report_that_cannot_be_right_is_refused(
    tmp_path: Path, old: str, new: str, match: str
) -> None:
    text = find_tkperf_file("tkperf-intel-s3510").decode()
    assert old in text
    path = tmp_path / "own.toml"
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(FioOutputError, match=match) as refused:
        import_run(path, runs=tmp_path / "runs")
    assert "\n" not in str(refused.value)
    assert not re.search("Tkperf|Setup|Table|Printed", str(refused.value))
    assert not list((tmp_path / "runs").glob("*"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "title: 'title' is missing"),
        ("setup = 1", "title: 'title' is missing"),
        ('title = "t"\nsetup = 1\nwindows = 2', "setup: 1 is not a table."),
    ],
)
def test_file_without_its_tables_is_refused_in_words_of_a_file(
    tmp_path: Path, text: str, said: str
) -> None:
    path = tmp_path / "own.toml"
    path.write_text(text)
    with pytest.raises(FioOutputError) as refused:
        import_run(path, runs=tmp_path / "runs")
    assert said in str(refused.value)
    assert "Tkperf" not in str(refused.value)
    assert "Setup" not in str(refused.value)


def test_whole_number_that_lost_its_fraction_stays_as_printed(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(SHORT.replace("[100.2]", "[100]"))
    run = import_run(path, runs=tmp_path / "runs")
    report = run.path / "report.html"
    assert find_table(report, "TKperf: IOPS, average")["4k"] == ["100"]
    differing = find_table(report, "Where TKperf's table and ours differ")
    assert differing["4k 0/100"][:2] == ["100", "100.2"]
    iops = summarise_iops_matrix(run.measurements, run.windows)
    assert iops["iops"].tolist() == [pytest.approx(100.2)]
    (window,) = run.windows.to_dict("records")
    assert (window["average"], window["is_final"]) == (pytest.approx(100.2), True)


def test_window_that_is_missing_is_named(tmp_path: Path) -> None:
    text = find_tkperf_file("tkperf-intel-s3510").decode()
    path = tmp_path / "own.toml"
    path.write_text(text[: text.index("[windows.latency]")])
    with pytest.raises(FioOutputError, match=r"windows\.latency is missing"):
        import_run(path, runs=tmp_path / "runs")


def test_report_among_other_files_or_unknown_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FioOutputError, match="with other files"):
        import_run([MX200, S3510], runs=tmp_path)
    with pytest.raises(UnknownNameError, match="reference 'tkperf-none'"):
        import_run("reference:tkperf-none", runs=tmp_path)
    with pytest.raises(FioOutputError, match="cannot be read"):
        import_run(tmp_path / "none.toml", runs=tmp_path)
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe\0")
    with pytest.raises(FioOutputError, match="can't decode"):
        import_run(binary, runs=tmp_path)
