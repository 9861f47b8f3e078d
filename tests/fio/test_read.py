import gzip
import io
import json
from pathlib import Path

import pandas as pd
import pytest

from ssdlab.fio import tables
from ssdlab.fio.frames import tabulate
from ssdlab.fio.parse import parse_documents
from ssdlab.fio.read import FioSource, read_fio
from ssdlab.model.errors import FioOutputError
from ssdlab.model.schema import Table
from tests.fio.samples import captured, changed

FRAMES = {
    "documents": tables.DOCUMENTS,
    "jobs": tables.JOBS,
    "percentiles": tables.PERCENTILES,
    "bins": tables.BINS,
    "options": tables.OPTIONS,
    "issues": tables.ISSUES,
}


def kinds(source: FioSource) -> set[str]:
    return set(read_fio(source).issues["kind"])


@pytest.mark.parametrize(("name", "table"), FRAMES.items(), ids=FRAMES)
@pytest.mark.parametrize("output", ["randrw.json", "err_open.json"])
def test_a_frame_has_the_columns_of_its_table(
    output: str, name: str, table: Table
) -> None:
    frame: pd.DataFrame = getattr(read_fio(captured(output)), name)
    assert list(frame.columns) == list(table.column_names)
    for column in table.columns:
        found = str(frame[column.name].dtype).lower()
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


def test_a_file_that_is_not_there_is_an_error_of_the_user(tmp_path: Path) -> None:
    with pytest.raises(FioOutputError, match="No such file") as raised:
        read_fio(tmp_path / "none.json")
    assert raised.value.exit_code == 2


def test_a_folder_is_an_error_of_the_user(tmp_path: Path) -> None:
    with pytest.raises(FioOutputError, match="Is a directory"):
        read_fio(tmp_path)


def test_a_damaged_archive_is_an_error_of_the_user() -> None:
    data = gzip.compress(captured("randrw.json").read_bytes())
    with pytest.raises(FioOutputError, match="cannot be read"):
        read_fio(data[: len(data) // 2])


def test_a_file_without_fio_json_is_an_error_of_the_user() -> None:
    with pytest.raises(FioOutputError, match="it holds no JSON of fio"):
        read_fio(b"3;fio-3.33;cell;0;0")
