"""What ssdlab does by itself."""

from pathlib import Path

import pytest

from tests.host.made_host import Case, require_found

CASES = (
    Case(check="async_io", verdict="good", says="ioengine=libaio"),
    Case(
        check="async_io",
        verdict="bad",
        says="ioengine=libaio or psync",
        habits={"engines": ("libaio", "psync")},
    ),
    Case(
        check="async_io",
        verdict="unknown",
        says="unknown: no tests",
        habits={"engines": ()},
    ),
    Case(check="direct_io", verdict="good", says="has direct=1"),
    Case(
        check="direct_io",
        verdict="bad",
        says="no direct=1 in SEQ 1024 KiB 0/100",
        habits={"buffered": ("SEQ 1024 KiB 0/100",)},
    ),
    Case(
        check="direct_io",
        verdict="unknown",
        says="unknown: no tests",
        habits={"buffered": None},
    ),
    Case(check="job_order", verdict="good", says="ssdlab peak runs job-01, job-02"),
    Case(
        check="job_order",
        verdict="bad",
        says="job-05, job-04",
        habits={"peak_jobs": ("job-05", "job-04")},
    ),
    Case(
        check="job_order",
        verdict="unknown",
        says="unknown: no tests",
        habits={"peak_jobs": ()},
    ),
    Case(check="format_before_write", verdict="good", says="begins with a purge"),
    Case(
        check="format_before_write",
        verdict="bad",
        says="no purge before IOPS",
        habits={"unpurged": ("IOPS",)},
    ),
    Case(
        check="format_before_write",
        verdict="warn",
        says="a file cannot be purged",
        target_kind="file",
        drive=None,
    ),
    Case(
        check="format_before_write",
        verdict="unknown",
        says="unknown: no tests",
        habits={"unpurged": None},
    ),
    Case(check="precondition_before_read", verdict="good", says="preconditioned"),
    Case(
        check="precondition_before_read",
        verdict="warn",
        says="right after the purge in Throughput",
        habits={"unwritten": ("Throughput",)},
    ),
    Case(
        check="precondition_before_read",
        verdict="unknown",
        says="unknown: no tests",
        habits={"unwritten": None},
    ),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_habits_are_judged_by_what_is_told(case: Case, host: Path) -> None:
    require_found(host, case)
