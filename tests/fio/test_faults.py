import json
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from ssdlab.fio.document import FioDocument
from ssdlab.fio.faults import find_faults
from ssdlab.fio.from_json.parse import parse_document
from tests.fio.samples import captured, changed_document, document_of
from tests.quick_fio import CLOCK

OUTSTANDING = 8


def faults(
    document: FioDocument,
    *,
    exit_code: int = 0,
    runtime_s: float | None = 1.0,
    io_bytes: int | None = None,
) -> tuple[str, ...]:
    return find_faults(
        document,
        exit_code=exit_code,
        block_sizes_bytes=(4096, 4096),
        outstanding=OUTSTANDING,
        runtime_s=runtime_s,
        io_bytes=io_bytes,
    )


def test_a_good_run_has_no_fault() -> None:
    assert faults(document_of("randrw.json")) == ()


def test_a_run_that_says_success_and_did_nothing_is_a_fault() -> None:
    (fault,) = faults(document_of("err_open.json"))
    assert fault.startswith(
        "fio did no IO at all; its message: fio: file creation disallowed"
    )


def test_an_exit_code_is_a_fault_whatever_the_json_says() -> None:
    assert faults(document_of("randrw.json"), exit_code=1) == (
        "fio ended with exit code 1",
    )


def test_a_medium_error_of_nvme_is_named_as_one() -> None:
    document = changed_document("randrw.json", lambda job: job.update(error=61))
    (fault,) = faults(document)
    assert fault.endswith("a media error of an NVMe drive")


def test_a_signal_is_a_fault_though_its_json_has_no_error() -> None:
    found = faults(document_of("signal.json"), exit_code=128, runtime_s=5)
    assert (
        found[0]
        == "fio ended with exit code 128; its message: fio: terminating on signal 2"
    )
    assert found[1].endswith("of the requested 5 s")


def test_an_error_that_was_passed_over_is_a_fault_though_fio_succeeded() -> None:
    found = faults(document_of("errors-passed-over.json"))
    assert "job 'eio' ended with error 5 (Input/output error)" in found
    assert "job 'eio' ignored 1464 IO errors" in found


def test_a_target_that_vanished_is_a_fault() -> None:
    found = faults(document_of("target-lost.json"), exit_code=1, runtime_s=4)
    assert any("ended with error 108" in fault for fault in found)
    assert any("of the requested 4 s" in fault for fault in found)


@pytest.mark.parametrize(
    ("error", "meaning"),
    [
        (2**32 - 1, "error -1: its target was lost"),
        (61, r"error 61 \(No data available\)"),
        (2**40, r"error 1099511627776 \(unknown\)"),
    ],
)
def test_an_error_in_the_json_is_a_fault(error: int, meaning: str) -> None:
    document = changed_document("randrw.json", lambda job: job.update(error=error))
    with pytest.raises(AssertionError, match=meaning):
        assert faults(document) == ()


def with_read(**values: int) -> FioDocument:
    def change(job: dict[str, Any]) -> None:
        job["read"].update(values)

    return changed_document("randrw.json", change)


def test_reads_of_a_vanished_drive_are_a_fault_though_fio_succeeded() -> None:
    """Such reads count as IOs and move no byte (seen on NVMe: 12 to 30 times)."""
    (fault,) = faults(with_read(total_ios=2601 * 12))
    assert fault.startswith("read: 31212 IOs of 4096 B")
    assert fault.endswith("the target may be gone")


@pytest.mark.parametrize(
    ("missing_ios", "fault_count"), [(OUTSTANDING, 0), (OUTSTANDING + 1, 1)]
)
def test_ios_in_flight_may_lack_their_bytes(missing_ios: int, fault_count: int) -> None:
    document = with_read(io_bytes=(2601 - missing_ios) * 4096)
    assert len(faults(document)) == fault_count


def test_short_and_dropped_ios_are_faults() -> None:
    assert faults(with_read(short_ios=3, drop_ios=2)) == (
        "read: 3 IOs were short",
        "read: 2 IOs were dropped",
    )


@pytest.mark.parametrize(
    ("runtime_s", "fault_count"), [(1.0, 0), (1.1, 0), (1.2, 1), (60.0, 1)]
)
def test_a_run_that_ended_early_is_a_fault(runtime_s: float, fault_count: int) -> None:
    assert len(faults(document_of("randrw.json"), runtime_s=runtime_s)) == fault_count


@pytest.mark.parametrize(
    ("more_bytes", "fault_count"), [(0, 0), (4095, 0), (4096, 1), (2**30, 1)]
)
def test_an_amount_that_was_not_done_is_a_fault(
    more_bytes: int, fault_count: int
) -> None:
    """fio rounds an amount down to whole blocks; a block too few is a hole."""
    document = document_of("randrw.json")
    done = sum(side.io_bytes or 0 for side in document.jobs[0].parts)
    found = faults(document, runtime_s=None, io_bytes=done + more_bytes)
    assert len(found) == fault_count


@pytest.mark.parametrize(
    ("runtime_s", "more_bytes", "fault_count"),
    [(1.0, 2**30, 0), (60.0, 0, 0), (60.0, 4096 * OUTSTANDING, 1), (1.0, 0, 0)],
)
def test_of_time_and_amount_one_is_enough(
    runtime_s: float, more_bytes: int, fault_count: int
) -> None:
    document = document_of("randrw.json")
    done = sum(side.io_bytes or 0 for side in document.jobs[0].parts)
    found = faults(document, runtime_s=runtime_s, io_bytes=done + more_bytes)
    assert len(found) == fault_count
    if found:
        assert "s of the requested 60 s; " in found[0]
        assert found[0].endswith(f"B were done of the requested {done + more_bytes} B")


def test_the_sum_of_all_clients_is_no_fault_of_its_own() -> None:
    content = json.loads(captured("randrw.json").read_bytes())
    entry = {**content.pop("jobs")[0], "hostname": "a", "error": 5}
    content["client_stats"] = [entry, {**entry, "jobname": "All clients"}]
    found = faults(parse_document(json.dumps(content)))
    assert found == ("job 'cell' ended with error 5 (Input/output error)",)


FIO = ("fio", "--output-format=json+", CLOCK, "--name=cell")


@pytest.mark.fio
def test_real_fio_that_did_what_was_asked_has_no_fault(tmp_path: Path) -> None:
    output = tmp_path / "fio.json"
    amount = ("--ioengine=null", "--size=4m", "--bs=4k", "--rw=randrw", "--iodepth=8")
    done = subprocess.run([*FIO, *amount, f"--output={output}"], check=False)
    document = parse_document(output.read_bytes(), source=output.name)
    found = faults(
        document, exit_code=done.returncode, runtime_s=None, io_bytes=4 * 2**20
    )
    assert found == ()


@pytest.mark.fio
def test_real_fio_that_was_interrupted_has_a_fault(tmp_path: Path) -> None:
    output = tmp_path / "fio.json"
    endless = ("--ioengine=null", "--size=1g", "--time_based", "--runtime=30")
    slow = ("--rw=randread", "--bs=4k", "--rate_iops=100", "--thread=1")
    with subprocess.Popen([*FIO, *endless, *slow, f"--output={output}"]) as process:
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        exit_code = process.wait(timeout=20)
    document = parse_document(output.read_bytes(), source=output.name)
    found = faults(document, exit_code=exit_code, runtime_s=30)
    assert any("exit code" in fault for fault in found)
    assert any("of the requested 30 s" in fault for fault in found)
