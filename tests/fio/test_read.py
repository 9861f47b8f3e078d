import csv
import gzip
import io
import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from ssdlab.fio.frames import tables
from ssdlab.fio.frames.result import tabulate
from ssdlab.fio.from_json.parse import parse_documents
from ssdlab.fio.read import FioSource, read_fio
from ssdlab.model.errors import FioOutputError
from ssdlab.model.schema import Table
from tests.fio.samples import captured, changed
from tests.paths import FIO_SAMPLES, require_folder

FRAMES = {
    "documents": tables.DOCUMENTS,
    "jobs": tables.JOBS,
    "percentiles": tables.PERCENTILES,
    "bins": tables.BINS,
    "options": tables.OPTIONS,
    "disks": tables.DISKS,
    "steadystate": tables.STEADYSTATE,
    "issues": tables.ISSUES,
}


def kinds(source: FioSource) -> set[str]:
    return set(read_fio(source).issues["kind"])


@pytest.mark.parametrize(("name", "table"), FRAMES.items(), ids=FRAMES)
@pytest.mark.parametrize("output", ["randrw.json", "err_open.json", "trimwrite.json"])
def test_a_frame_has_the_columns_of_its_table(
    output: str, name: str, table: Table
) -> None:
    frame: pd.DataFrame = getattr(read_fio(captured(output)), name)
    assert list(frame.columns) == list(table.column_names)
    for column in table.columns:
        dtype = frame[column.name].dtype
        if isinstance(dtype, pd.CategoricalDtype):
            assert name in {"bins", "percentiles"}
            dtype = dtype.categories.dtype
        found = str(dtype).lower()
        assert found == {"string": "str"}.get(column.dtype, column.dtype) or (
            column.dtype == "string" and found in {"string", "object"}
        )


def test_jobs_have_a_row_for_each_direction() -> None:
    jobs = read_fio(captured("randrw.json")).jobs.set_index("direction")
    assert list(jobs.index) == ["read", "write", "trim"]
    assert jobs["total_ios"].tolist() == [2601, 1401, 0]
    assert jobs.loc["read", "io_bytes"] == 10653696
    assert jobs["lat_mean_ns"].isna().tolist() == [False, False, True]
    assert jobs["total_errors"].isna().all()


def test_percentiles_and_bins_say_of_which_latency_they_are() -> None:
    result = read_fio(captured("randrw.json"))
    keys = ["direction", "latency"]
    assert set(result.percentiles[keys].itertuples(index=False, name=None)) == {
        (direction, latency)
        for direction in ("read", "write")
        for latency in ("clat", "lat")
    }
    counts = result.bins.groupby(keys)["count"].sum()
    assert counts.to_dict() == {
        ("read", "clat"): 2601,
        ("read", "lat"): 2601,
        ("write", "clat"): 1401,
        ("write", "lat"): 1401,
    }
    assert (result.bins["lat_lower_ns"] <= result.bins["lat_ns"]).all()
    assert (result.bins["lat_ns"] < result.bins["lat_upper_ns"]).all()


def test_options_say_whose_they_are() -> None:
    content = json.loads(captured("one_io.json").read_bytes())
    content["global options"] = {"direct": "1"}
    options = read_fio(json.dumps(content).encode()).options
    assert options["entry"].isna().tolist() == [True, False, False, False, False, False]
    assert dict(zip(options["option"], options["value"], strict=True))["bs"] == "4k"


def test_a_source_may_be_path_bytes_file_or_compressed(tmp_path: Path) -> None:
    path = captured("randrw.json")
    data = path.read_bytes()
    packed = tmp_path / "fio.json.gz"
    packed.write_bytes(gzip.compress(data))
    with path.open("rb") as file:
        sources: list[FioSource] = [
            path,
            str(path),
            data,
            packed,
            io.BytesIO(data),
            file,
        ]
        results = [read_fio(source) for source in sources]
    for result in results:
        pd.testing.assert_frame_equal(
            result.jobs.drop(columns="file"), results[0].jobs.drop(columns="file")
        )
    assert results[0].jobs["file"][0] == str(path)
    assert results[2].jobs["file"][0] == "fio output"


def test_documents_of_a_status_interval_are_kept_and_the_last_is_the_result() -> None:
    result = read_fio(captured("status-interval.json.gz"))
    assert result.documents["document"].tolist() == [0, 1, 2, 3]
    assert result.documents["is_result"].tolist() == [False, False, False, True]
    assert set(result.jobs["document"]) == {0, 1, 2, 3}
    assert result.issues["kind"].tolist() == ["several-documents"]


def test_a_good_output_has_no_issue() -> None:
    assert kinds(captured("randrw.json")) == set()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("err_open.json", {"text-before", "no-io"}),
        ("unified_both.json", {"mixed"}),
        ("unified_mixed.json", {"mixed"}),
        ("errors-passed-over.json", {"job-error"}),
        ("signal.json", {"text-before"}),
    ],
)
def test_every_doubt_is_an_issue(name: str, expected: set[str]) -> None:
    assert kinds(captured(name)) == expected


def test_bins_that_are_not_fios_are_an_issue() -> None:
    def spoil(job: dict[str, dict[str, dict[str, object]]]) -> None:
        job["read"]["lat_ns"]["bins"] = {"1001": 2600}

    issues = read_fio(changed("randrw.json", spoil)).issues
    assert issues["kind"].tolist() == ["foreign-bins", "bins-differ"]
    assert issues["place"].tolist() == ["jobs[0].read.lat.bins"] * 2
    assert issues["meaning"][1] == "the bins hold 2600 IOs of 2601"


def test_a_version_of_unknown_form_is_an_issue() -> None:
    content = json.loads(captured("randrw.json").read_bytes())
    content["fio version"] = "fio-nonrelease"
    assert kinds(json.dumps(content).encode()) == {"unknown-version"}


def test_microseconds_and_missing_counts_of_old_fio_are_issues() -> None:
    content = json.loads(captured("one_io.json").read_bytes())
    content["fio version"] = "fio-2.1.4"
    side = content["jobs"][0]["read"]
    for name in ("total_ios", "short_ios", "drop_ios"):
        del side[name]
    result = read_fio(json.dumps(content).encode())
    assert set(result.issues["kind"]) == {"microseconds", "no-io-count"}
    assert result.jobs["total_ios"].isna().tolist() == [True, False, False]


def test_many_files_are_one_set_of_frames() -> None:
    names = ["randrw.json", "one_io.json", "err_open.json"]
    files = [parse_documents(captured(n).read_bytes(), source=n) for n in names]
    result = tabulate(files)
    assert result.documents["file"].tolist() == names
    assert result.jobs["file"].value_counts().to_dict() == dict.fromkeys(names, 3)
    assert set(result.bins["file"]) == {"randrw.json"}


def test_frames_of_nothing_are_empty_and_have_their_columns() -> None:
    result = tabulate([])
    for name, table in FRAMES.items():
        frame: pd.DataFrame = getattr(result, name)
        assert list(frame.columns) == list(table.column_names)
        assert frame.empty


def test_bins_of_both_units_have_their_own_edges() -> None:
    content = json.loads(captured("one_io.json").read_bytes())
    content["fio version"] = "fio-2.17"
    side = content["jobs"][0]["read"]
    summary = {"min": 700, "max": 700, "mean": 700.0, "stddev": 0.0}
    for kind in ("slat", "clat", "lat"):
        side[kind] = summary | {"percentile": {"50.000000": 700}}
        del side[f"{kind}_ns"]
    old = json.dumps(content).encode()
    percentiles = read_fio([captured("randrw.json"), old]).percentiles
    of_old = percentiles[percentiles["file"] == "fio output 2"].iloc[0]
    assert (of_old["lat_lower_ns"], of_old["lat_upper_ns"]) == (696_000, 704_000)
    of_new = percentiles[percentiles["file"] != "fio output 2"]
    assert (of_new["lat_lower_ns"] <= of_new["lat_ns"]).all()
    width = of_new["lat_upper_ns"] - of_new["lat_lower_ns"]
    assert (width / of_new["lat_ns"]).max() < 1 / 64


def test_a_percentile_that_names_no_bin_has_no_edges() -> None:
    def round_it(job: dict[str, dict[str, dict[str, object]]]) -> None:
        job["read"]["clat_ns"]["percentile"] = {"50.000000": 1_700_001, "90.000000": 57}

    percentiles = read_fio(changed("randrw.json", round_it)).percentiles
    found = percentiles.query("direction == 'read' and latency == 'clat'")
    assert found["lat_lower_ns"].isna().tolist() == [True, False]
    assert found["lat_upper_ns"].tolist()[1] == 58


def test_syncs_have_a_row_with_count_and_latency_alone() -> None:
    path = require_folder(FIO_SAMPLES) / "local_fio333"
    result = read_fio(path / "fdatasync_lat_percentiles_group.json")
    (sync,) = result.jobs.query("direction == 'sync'").to_dict("records")
    assert sync["total_ios"] > 0
    assert sync["lat_mean_ns"] > 0
    unknown = ["io_bytes", "iops", "bw_bytes_per_s", "runtime_ms", "clat_mean_ns"]
    assert pd.Series(sync)[unknown].isna().all()
    assert "sync" in set(result.percentiles["direction"])


def test_a_sum_of_other_rows_is_marked() -> None:
    both = read_fio(captured("unified_both.json")).jobs.set_index("direction")
    assert both["is_aggregate"].to_dict() == {
        "read": False,
        "write": False,
        "trim": False,
        "mixed": True,
    }
    merged = read_fio(captured("unified_mixed.json")).jobs
    assert merged["is_aggregate"].tolist() == [False]


def test_disks_and_steady_state_are_tables() -> None:
    path = require_folder(FIO_SAMPLES) / "local_fio333" / "steadystate_jsonplus.json"
    content = json.loads(path.read_bytes())
    result = read_fio(path)
    said = content["jobs"][0]["steadystate"]
    assert result.steadystate["iops"].tolist() == said["data"]["iops"]
    assert set(result.steadystate["criterion"]) == {said["ss"]}
    assert result.disks["disk"].tolist() == [d["name"] for d in content["disk_util"]]


def test_a_file_that_is_not_there_is_an_error_of_the_user(tmp_path: Path) -> None:
    with pytest.raises(FioOutputError, match="No such file") as raised:
        read_fio(tmp_path / "none.json")
    assert raised.value.exit_code == 2


def test_a_folder_without_files_is_an_error_of_the_user(tmp_path: Path) -> None:
    with pytest.raises(FioOutputError, match="there is no file to read"):
        read_fio(tmp_path)


def test_a_folder_is_walked_and_what_is_not_fios_is_named(tmp_path: Path) -> None:
    below = tmp_path / "b" / "c"
    below.mkdir(parents=True)
    (below / "one.json").write_bytes(captured("one_io.json").read_bytes())
    (tmp_path / "a.json").write_bytes(captured("randrw.json").read_bytes())
    (tmp_path / "notes.txt").write_text("fio is a good tool\n")
    (tmp_path / "x_lat.1.log").write_bytes(captured("randrw_lat.1.log").read_bytes())
    (tmp_path / "job.fio").write_text("[global]\nrw=read\n[a]\nsize=1m\n")
    (tmp_path / "disk.img").write_bytes(bytes(1 << 20))
    (tmp_path / ".hidden").write_text("never read")
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "pipe")  # whoever opened it would wait for ever
    result = read_fio(tmp_path)
    read = [str(tmp_path / "a.json"), str(below / "one.json")]
    assert result.documents["file"].tolist() == read
    named = result.issues[result.issues["document"].isna()]
    assert dict(zip(named["file"], named["kind"], strict=True)) == {
        str(tmp_path / "disk.img"): "not-fio",
        str(tmp_path / "gone"): "unreadable",
        str(tmp_path / "job.fio"): "job-file",
        str(tmp_path / "notes.txt"): "not-fio",
        str(tmp_path / "x_lat.1.log"): "log",
    }


def test_a_file_that_is_given_twice_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(captured("one_io.json").read_bytes())
    (tmp_path / "b.json").symlink_to(path)
    assert len(read_fio([path, str(path), tmp_path]).documents) == 1


def test_standard_input_is_a_source(monkeypatch: pytest.MonkeyPatch) -> None:
    class Input:
        buffer = io.BytesIO(captured("one_io.json").read_bytes())

    monkeypatch.setattr("sys.stdin", Input)
    assert read_fio("-").documents["file"].tolist() == ["standard input"]


@pytest.mark.parametrize("form", ["gzip", "two members", "zstd"])
def test_an_archive_is_read_as_its_content(form: str) -> None:
    data = captured("randrw.json").read_bytes()
    packed = {
        "gzip": gzip.compress(data),
        "two members": gzip.compress(data[:500]) + gzip.compress(data[500:]),
        "zstd": zstd(data),
    }[form]
    result = read_fio(packed)
    pd.testing.assert_frame_equal(result.jobs, read_fio(data).jobs)
    assert result.issues.empty


@pytest.mark.parametrize("form", ["gzip", "zstd"])
def test_of_a_damaged_archive_what_is_whole_is_read_and_marked(form: str) -> None:
    data = captured("randrw.json").read_bytes()
    noise = np.random.default_rng(1).bytes(600_000).hex().encode()
    content = data + b"\n" + data + noise
    packed = gzip.compress(content) if form == "gzip" else zstd(content)
    result = read_fio(packed[:-1000])
    assert len(result.documents) == 2
    grave = result.issues[result.issues["is_grave"]]
    assert grave["kind"].tolist() == ["truncated-archive"]


def test_an_archive_that_ends_within_the_json_gives_no_whole_document() -> None:
    packed = gzip.compress(captured("randrw.json").read_bytes())
    result = read_fio(packed[: len(packed) * 9 // 10])
    assert result.documents["is_whole"].tolist() == [False]
    grave = result.issues[result.issues["is_grave"]]
    assert {"truncated", "truncated-archive"} <= set(grave["kind"])


def test_an_archive_made_to_do_harm_is_refused() -> None:
    with pytest.raises(FioOutputError, match="no output of fio"):
        read_fio(zstd(bytes(1 << 29)))


@pytest.mark.parametrize("name", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_another_encoding_is_read_as_such(name: str) -> None:
    data = captured("signal.json").read_bytes()
    result = read_fio(data.decode().encode(name))
    pd.testing.assert_frame_equal(result.jobs, read_fio(data).jobs)
    said = "encoding" in set(result.issues["kind"])
    assert said == (name != "utf-8-sig")


def test_letters_of_an_old_encoding_do_not_stop_the_reading() -> None:
    data = "Gerät ist fort\n".encode("latin-1") + captured("one_io.json").read_bytes()
    result = read_fio(data)
    assert result.documents["prefix"].tolist() == ["Gerät ist fort"]
    assert "encoding" in set(result.issues["kind"])


def test_a_cut_letter_at_the_end_is_no_other_encoding() -> None:
    data = captured("one_io.json").read_bytes() + "ä".encode()[:1]
    assert kinds(data) == set()


def test_output_far_behind_other_text_is_found() -> None:
    text = b"nothing of fio in this line\n" * 20_000
    result = read_fio(text + captured("one_io.json").read_bytes() + text)
    assert len(result.documents) == 1
    assert "text-cut" in set(result.issues["kind"])
    assert result.documents["prefix"].str.len().max() <= 1 << 16


def test_forms_are_read_in_the_order_of_their_places() -> None:
    folder = require_folder(FIO_SAMPLES)
    text = b"$ fio a\n".join(
        (folder / name).read_bytes()
        for name in (
            "local_fio333/terse5.txt",
            "text/vps_fio-2.2.10_randwrite.log",
            "local_fio333/one_io.json",
            "local_fio333/terse3.txt",
        )
    )
    documents = read_fio(b"$ fio a\n" + text + b"logout\n").documents
    forms = ["terse", *["normal"] * 5, "json", "terse"]
    assert documents["form"].tolist() == forms
    assert documents["run"].tolist() == list(range(8))
    assert documents["is_result"].all()
    assert documents["prefix"].iloc[0] == "$ fio a"
    assert documents["suffix"].iloc[-1] == "logout"


def test_what_is_read_can_be_merged_and_differenced() -> None:
    result = read_fio(captured("status-interval.json.gz"))
    merged = result.merge(timing="together").jobs
    last = result.jobs[result.jobs["is_result"]]
    assert merged["total_ios"].tolist() == [last["total_ios"].sum()]
    intervals = result.intervals().jobs
    assert intervals["total_ios"].sum() == last["total_ios"].sum()


def test_every_sample_is_read_as_the_manifest_names_it() -> None:
    folder = require_folder(FIO_SAMPLES)
    result = read_fio(folder)
    documents = result.documents.groupby("file")["form"].agg(set)
    said = result.issues[result.issues["document"].isna()].set_index("file")["kind"]
    with (folder / "MANIFEST.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["fio_version"]]
    for row in rows:
        name, form = str(folder / row["file"]), row["format"]
        assert expected_forms(form) == documents.get(name, set()), row["file"]
        if not expected_forms(form):
            assert said[name] == expected_kind(form), row["file"]
    assert not result.issues["is_grave"].any()


def expected_forms(form: str) -> set[str]:
    if "normal+json+terse" in form:
        return {"normal", "json", "terse"}
    if "terse" in form or "normal text" in form:
        return {"terse" if "terse" in form else "normal"}
    return {"json"} if "json" in form and form != "result db json" else set()


def expected_kind(form: str) -> str:
    if "hist log" in form:
        return "histogram-log"
    if "log" in form:
        return "log"
    return "job-file" if form == "job file" else "not-fio"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"3;nothing;of;fio", "it has no output of fio"),
        (b"", "it has no output of fio"),
        (b"0, 5, 0, 4096\n", "it is a log of fio.*--table log"),
        (b"1, 0, 4096" + b", 0" * 29, "histogram log of fio.*--table histogram"),
        (b"[a]\nrw=read\n", "job file"),
    ],
)
def test_what_is_no_output_is_an_error_of_the_user(data: bytes, words: str) -> None:
    with pytest.raises(FioOutputError, match=words):
        read_fio(data)


def zstd(data: bytes) -> bytes:
    return bytes(pa.Codec("zstd").compress(data))


OF_A_SERVER = (
    b"<vm> a: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, "
    b"(T) 4096B-4096B, ioengine=psync, iodepth=1\n"
    b"<vm> Starting 1 process\n"
)


def test_the_start_of_a_run_in_text_is_no_document_beside_its_json() -> None:
    result = read_fio(OF_A_SERVER + captured("randrw.json").read_bytes())
    assert result.documents["form"].tolist() == ["json"]
    assert not result.issues["is_grave"].any()


def test_a_run_that_only_began_after_the_json_is_cut_short() -> None:
    result = read_fio(captured("randrw.json").read_bytes() + b"\n" + OF_A_SERVER)
    assert result.documents["form"].tolist() == ["json", "normal"]
    assert result.documents["is_whole"].tolist() == [True, False]
    assert result.issues["is_grave"].any()


def test_signs_before_each_line_that_are_not_known_are_named() -> None:
    lines = captured("randrw.json").read_bytes().splitlines(keepends=True)
    numbered = b"".join(b"%d: " % n + line for n, line in enumerate(lines))
    with pytest.raises(FioOutputError, match="text was inserted before its lines"):
        read_fio(numbered)


def test_a_file_that_is_not_there_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(FioOutputError, match="Name a file or folder that exists"):
        read_fio(tmp_path / "missing.json")


def test_percentiles_have_edges_in_ns_before_fio_says_2_99() -> None:
    text = captured("randrw.json").read_text().replace("fio-3.33", "fio-2.21-89-g1")
    now, then = read_fio(captured("randrw.json")), read_fio(text.encode())
    for name in ("lat_ns", "lat_lower_ns", "lat_upper_ns"):
        assert then.percentiles[name].equals(now.percentiles[name])
