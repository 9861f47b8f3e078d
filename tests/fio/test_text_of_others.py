"""Text and terse files in the forms that others keep them in, each read right.

They were made with fio 3.33, or in the form of the version that their name tells.
"""

import json

import pytest

from ssdlab.fio.read import read_fio
from tests.fio.test_appended import grave
from tests.paths import ROOT

FOLDER = ROOT / "tests" / "data" / "text-of-others"
BLOCK = 4096

# The IOs of each result, the whole documents among all, and what is gravely in doubt.
FILES: dict[str, tuple[list[int], tuple[int, int], set[str]]] = {
    "ansible-normal.txt": ([300], (1, 1), set()),
    "ansible-terse-lines.txt": ([300], (1, 1), set()),
    "appended-normal.txt": ([300, 310, 320], (3, 3), set()),
    "appended-terse.txt": ([300, 310, 320], (1, 1), {"repeated-names"}),
    "appended-three-forms.txt": ([300, 310], (6, 6), set()),
    "client-normal.txt": ([400] * 4, (1, 1), set()),
    "client-terse.txt": ([400] * 4, (1, 1), set()),
    "client-two-forms.txt": ([400] * 4, (2, 2), set()),
    "compose-two-services.txt": ([300, 310], (2, 2), set()),
    "cut-then-whole-normal.txt": ([310], (1, 2), {"missing", "truncated"}),
    "cut-then-whole-terse.txt": ([310], (1, 2), {"truncated"}),
    "docker-normal.txt": ([300], (1, 1), set()),
    "fio-2.0.7-normal.txt": ([20_000], (1, 1), set()),
    "fio-2.0.8-terse.txt": ([300], (1, 1), set()),
    "fractions-2.2.10.txt": ([4460], (1, 1), set()),
    "fractions-3.8.txt": ([17_980], (1, 1), set()),
    "kubectl-normal.txt": ([300], (1, 1), set()),
    "kubectl-terse.txt": ([300], (1, 1), set()),
    "mail-normal.txt": ([300], (1, 1), set()),
    "semicolon-terse-v2.txt": ([300], (1, 1), set()),
    "semicolon-terse-v3.txt": ([300], (1, 1), set()),
    "status-interval-normal.txt": ([999], (4, 4), set()),
    "steadystate-latency-3.41.txt": ([300], (1, 1), set()),
    "stray-line-in-percentiles.txt": ([300], (1, 1), set()),
}


def test_every_file_is_told_of() -> None:
    assert {path.name for path in FOLDER.iterdir()} == FILES.keys()


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_others_is_read_right(name: str) -> None:
    ios, (whole, documents), doubts = FILES[name]
    result = read_fio(FOLDER / name)
    rows = result.jobs[result.jobs["is_result"] & ~result.jobs["is_aggregate"]]
    done = rows.loc[rows["io_bytes"] > 0, "io_bytes"]
    assert done.tolist() == [BLOCK * count for count in ios]
    assert len(result.documents) == documents
    assert result.documents["is_whole"].sum() == whole
    assert grave(result) == doubts
    if "terse" not in name and "client" not in name:
        counts = rows.loc[rows["io_bytes"] > 0, "total_ios"]
        assert counts.tolist() == ios


@pytest.mark.parametrize("version", [2, 3])
def test_a_job_is_called_what_it_was_called(version: int) -> None:
    result = read_fio(FOLDER / f"semicolon-terse-v{version}.txt")
    assert set(result.jobs["job_name"]) == {"a;b 1;2"}


def test_a_stray_line_costs_no_percentile() -> None:
    plain = (FOLDER / "stray-line-in-percentiles.txt").read_text()
    lines = [line for line in plain.splitlines(keepends=True) if "WARNING" not in line]
    bare = read_fio("".join(lines).encode())
    assert len(bare.percentiles) == 17
    found = read_fio(FOLDER / "stray-line-in-percentiles.txt").percentiles
    assert found["lat_ns"].tolist() == bare.percentiles["lat_ns"].tolist()


def test_a_damaged_line_of_percentiles_costs_that_line() -> None:
    plain = (FOLDER / "stray-line-in-percentiles.txt").read_text()
    damaged = plain.replace("| 30.00th=[", "| 30.00th=WARNING[", 1)
    assert damaged != plain
    result = read_fio(damaged.encode())
    assert 10 <= len(result.percentiles) < 17
    assert grave(result) == {"unreadable-line"}


def test_json_of_fio_2_0_is_read() -> None:
    """As fio 2.0.8 prints it: no counts, whole us, and KiB."""
    four: dict[str, object] = {"min": 5, "max": 90, "mean": 12.5, "stddev": 3.25}
    percentiles = {"1.000000": 6, "99.000000": 40}
    nothing = {"min": 0, "max": 0, "mean": 0.0, "stddev": 0.0}
    idle: dict[str, object] = {"io_bytes": 0, "bw": 0, "iops": 0, "runtime": 0}
    idle |= {"slat": nothing, "clat": nothing, "lat": nothing}
    read: dict[str, object] = {
        "io_bytes": 40960,
        "bw": 8192,
        "iops": 2048,
        "runtime": 5000,
    }
    read |= {"slat": nothing, "clat": four | {"percentile": percentiles}, "lat": four}
    job: dict[str, object] = {
        "jobname": "a",
        "groupid": 0,
        "error": 0,
        "read": read,
        "write": idle,
    }
    job |= {"usr_cpu": 1.0, "sys_cpu": 2.0, "ctx": 9, "majf": 0, "minf": 1}
    content = {"fio version": "fio-2.0.8", "jobs": [job], "disk_util": []}
    result = read_fio(json.dumps(content).encode())
    row = result.jobs.iloc[0]
    assert (row["io_bytes"], row["iops"]) == (40960 * 1024, 2048)
    assert (row["clat_max_ns"], row["lat_mean_ns"]) == (90_000, 12_500)
    assert result.percentiles["lat_ns"].tolist() == [6000, 40_000]
    assert grave(result) == set()


def test_a_version_before_2_0_is_refused_by_its_name() -> None:
    text = (
        (FOLDER / "fio-2.0.7-normal.txt").read_text().replace("fio 2.0.7", "fio 1.59")
    )
    result = read_fio(text.encode())
    assert result.documents["fio_version"].tolist() == ["fio 1.59"]
    assert grave(result) == {"old-version"}
