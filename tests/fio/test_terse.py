"""fio's terse output: real lines of 3.8 and 3.33, old forms, and damage."""

import math
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdlab.fio.document import FioDocument, FioJob
from ssdlab.fio.from_text.terse import parse_terse
from ssdlab.fio.runs import doubts_of_runs, place_in_runs
from tests.paths import FIO_SAMPLES, ROOT, require_folder

DATA = ROOT / "tests" / "data"
US = 1000


def parse(text: str) -> tuple[FioDocument, ...]:
    return parse_terse(text, source="text")


def only(text: str) -> FioDocument:
    (document,) = parse(text)
    return document


def data(name: str) -> str:
    return (DATA / name).read_text("utf-8")


def grave(document: FioDocument) -> list[str]:
    return [doubt.kind for doubt in document.doubts if doubt.is_grave]


def bytes_of(job: FioJob) -> list[int | None]:
    return [side.io_bytes for side in job.sides.values()]


def test_terse_sample_of_fio_3_8_is_read() -> None:
    folder = require_folder(FIO_SAMPLES / "terse")
    document = only((folder / "fiovisualizer_fio-3.8_terse_v3.txt").read_text("utf-8"))
    (job,) = document.jobs
    read, write = job.sides.values()
    assert (document.form, document.fio_version) == ("terse", "fio-3.8-41-g7302")
    assert document.is_whole
    assert grave(document) == []
    assert (job.name, job.group_id, job.error, job.total_errors) == ("job1", 0, 0, None)
    assert (read.did_io, read.io_bytes, dict(read.latencies)) == (False, 0, {})
    assert write.io_bytes == 1886832 * 1024
    assert (write.total_ios, write.runtime_ms, write.iops) == (None, 10002, 23580)
    assert write.bw_bytes_per_s == 1886832 * 1024 * 1000 // 10002
    clat = write.latencies["clat"]
    assert (clat.summary.min_ns, clat.summary.max_ns) == (6000, 6575000)
    assert clat.summary.mean_ns == pytest.approx(165280.554)
    assert len(clat.percentiles) == 17
    assert clat.percentiles[99.9] == 2736000
    assert write.latencies["lat"].summary.stddev_ns == pytest.approx(282729.144)
    assert write.sampled_bw is not None
    assert write.sampled_bw.maximum == 314224 * 1024
    assert write.sampled_iops is None
    (disk,) = document.disks
    assert (disk.name, disk.read_ios, disk.write_ios) == ("nvme0n1", 44, 934217)
    assert (disk.in_queue_ms, disk.util_percent) == (152997, 99.24)


@pytest.mark.parametrize(
    ("name", "directions"),
    [("terse3.txt", ["read", "write"]), ("terse5.txt", ["read", "write", "trim"])],
)
def test_terse_samples_of_fio_3_33_are_read(name: str, directions: list[str]) -> None:
    folder = require_folder(FIO_SAMPLES / "local_fio333")
    document = only((folder / name).read_text("utf-8"))
    (job,) = document.jobs
    assert list(job.sides) == directions
    assert len(job.parts) == 2
    assert [disk.name for disk in document.disks] == ["vda"]
    assert grave(document) == []


def test_version_2_without_trim_has_read_and_write() -> None:
    document = only(data("terse-v2-old.txt"))
    (job,) = document.jobs
    assert list(job.sides) == ["read", "write"]
    assert document.fio_version == "fio-2.1.3"
    assert job.sides["write"].io_bytes == 40960 * 1024
    assert job.sides["write"].iops == 2048
    assert job.sides["write"].latencies["clat"].percentiles == {
        50.0: 400_000,
        99.0: 900_000,
    }
    assert grave(document) == []


def test_disks_errors_and_description_end_a_line() -> None:
    document = only(data("terse-disks.txt"))
    (job,) = document.jobs
    found = [(disk.name, disk.is_of_members, disk.read_ios) for disk in document.disks]
    assert found == [
        ("md0", False, 10),
        ("md0", True, 5),
        ("sda", False, 4),
        ("sdb", False, 6),
    ]
    assert job.total_errors == 3
    assert document.is_whole


def test_text_around_is_passed_over_and_kept_where_it_is_not_of_fio() -> None:
    line = data("terse-disks.txt").strip()
    text = f"$ fio --minimal job\r\nJobs: 1 (f=1): [r(1)]\r{line}\r\nfio: done\r\n$ "
    document = only(text)
    assert document.is_whole
    assert document.prefix == "$ fio --minimal job"
    assert document.suffix == "fio: done\n$"


def test_colours_of_a_terminal_do_not_matter() -> None:
    text = data("terse-disks.txt")
    coloured = text.replace("fio", "\x1b[01;31m\x1b[Kfio\x1b[m\x1b[K")
    document = only(f"\x1b[0K{coloured}")
    assert document.is_whole
    assert document.fio_version == "fio-2.2.10"
    assert bytes_of(document.jobs[0]) == bytes_of(only(text).jobs[0])


def test_other_lines_between_begin_a_new_document() -> None:
    line = data("terse-disks.txt").strip()
    documents = parse(f"{line}\n--- second run\n{line}\n")
    assert [len(document.jobs) for document in documents] == [1, 1]
    assert documents[1].prefix == "--- second run"


def test_lines_of_one_name_that_ran_together_are_one_document() -> None:
    line = data("terse-disks.txt").strip()
    faster = line.replace(";40960;8192;2048;5000;", ";41000;8200;2050;5000;")
    assert faster != line
    document = only(f"{line}\n{faster}\n")
    assert len(document.jobs) == 2


def test_a_job_printed_again_as_it_was_is_a_later_document() -> None:
    line = data("terse-disks.txt")
    assert [len(document.jobs) for document in parse(line * 3)] == [1, 1, 1]


def test_a_printing_without_disk_io_is_as_long_as_the_others() -> None:
    line = data("terse-disks.txt").strip()
    other = line.replace(";40960;8192;2048;5000;", ";41000;8200;2050;5000;")
    later = [text.replace("md0;10;", "md0;11;") for text in (line, other)]
    documents = parse("\n".join([line, other, line, other, *later]))
    assert [len(document.jobs) for document in documents] == [2, 2, 2]


def test_jobs_without_io_are_one_document() -> None:
    line = data("terse-v2-old.txt").splitlines()[-1].split(";")
    idle = ";".join(["2", "none", "0", "0", *line[4:45], *line[4:45], *line[86:]])
    document = only(f"{idle}\n{idle}\n")
    assert len(document.jobs) == 2
    doubts = doubts_of_runs((document,), place_in_runs((document,)))
    assert [doubt.kind for _, doubt in doubts] == ["repeated-names"]


def test_lines_without_disks_are_later_documents_when_nothing_went_back() -> None:
    first, second = data("terse-nodisk.txt").splitlines()
    assert [len(d.jobs) for d in parse(f"{first}\n{second}\n")] == [1, 1]
    assert [len(d.jobs) for d in parse(f"{second}\n{first}\n")] == [2]


def test_lines_with_other_disks_are_later_documents() -> None:
    line = data("terse-disks.txt").strip()
    other = line.replace(";40960;8192;2048;5000;", ";41000;8200;2050;5000;")
    later = [text.replace("md0;10;", "md0;11;") for text in (line, other)]
    documents = parse("\n".join([line, other, *later]))
    assert [len(document.jobs) for document in documents] == [2, 2]


def test_less_than_a_kib_is_not_called_nothing() -> None:
    line = data("terse-disks.txt").strip()
    fields = line.split(";")
    fields[7:10] = ["0", "0", "3"]
    document = only(";".join(fields) + "\n")
    read = document.jobs[0].sides["read"]
    assert read.io_bytes is None
    assert math.isnan(read.bw_bytes_per_s)
    assert grave(document) == ["no-bytes"]


def test_a_rate_that_is_not_bytes_by_runtime_is_a_grave_doubt() -> None:
    fields = data("terse-disks.txt").strip().split(";")
    fields[8] = str(int(fields[8]) + 10)
    assert grave(only(";".join(fields) + "\n")) == ["rates-differ"]


def test_a_level_above_100_percent_is_no_percentile() -> None:
    text = data("terse-disks.txt")
    changed = text.replace(";99.000000%=900;", ";800.0%=900;")
    assert changed != text
    document = only(changed)
    assert (document.jobs, document.is_whole) == ((), False)
    (doubt,) = [doubt for doubt in document.doubts if doubt.is_grave]
    assert doubt.kind == "unreadable-line"
    assert "'800.0%=900' is not a percentile" in doubt.meaning


@pytest.mark.parametrize("text", ["", "2;a;b;c", "1;2;3\n3;4;5\n", "2;x;0;0;1;2;3\n"])
def test_what_is_not_terse_is_no_document(text: str) -> None:
    assert parse(text) == ()


def test_every_cut_of_a_line_is_whole_or_said_to_be_cut() -> None:
    text = data("terse-disks.txt")
    whole = only(text)
    end_of_shares = text.index(";md0;")
    for length in range(len(text)):
        for document in parse(text[:length]):
            if document.jobs:
                assert length >= end_of_shares
                assert bytes_of(document.jobs[0]) == bytes_of(whole.jobs[0])
                assert document.disks == whole.disks[: len(document.disks)]
            else:
                assert "truncated" in grave(document)
                assert not document.is_whole


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_any_change_of_a_byte_raises_nothing(drawn: st.DataObject) -> None:
    text = data("terse-disks.txt") * 2
    at = drawn.draw(st.integers(0, len(text) - 1))
    change = drawn.draw(st.text(max_size=3))
    parse(text[:at] + change + text[at + 1 :])


def test_time_is_linear_in_the_lines() -> None:
    line = data("terse-disks.txt")
    started = time.process_time()
    documents = parse(line * 4000)
    assert sum(len(document.jobs) for document in documents) == 4000
    assert time.process_time() - started < 20
