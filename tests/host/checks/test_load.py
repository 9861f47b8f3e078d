"""What else runs on the host."""

from pathlib import Path

import pytest

from tests.host.made_host import Case, require_found

CPU_WAITS, IO_WAITS = "proc/pressure/cpu", "proc/pressure/io"


def process(ticks: int) -> str:
    return f"17 (an (odd) name) R 1 1 1 0 -1 0 0 0 0 0 {ticks} 0 0 0 20 0 1 0 1"


# 100 ticks pass on two processors, so 50 on each.
CASES = (
    Case(
        check="other_load",
        verdict="good",
        says="4 % of the processors are busy (/proc/stat); load average 0.02",
        later={"proc/stat": "cpu  1004 0 1000 8096 0 0 0 0"},
    ),
    Case(
        check="other_load",
        verdict="warn",
        says="10 % of the processors are busy",
        later={"proc/stat": "cpu  1010 0 1000 8090 0 0 0 0"},
    ),
    Case(
        check="other_load",
        verdict="bad",
        says="50 % of the processors are busy",
        later={"proc/stat": "cpu  1050 0 1000 8030 20 0 0 0"},
    ),
    Case(
        check="other_load",
        verdict="warn",
        says="IO pressure: 1.5 % of the last 10 s (/proc/pressure/io)",
        files={IO_WAITS: "some avg10=1.50 avg60=0.00 avg300=0.00 total=1"},
    ),
    Case(
        check="other_load",
        verdict="bad",
        says="CPU pressure: 12 % of the last 10 s",
        files={CPU_WAITS: "some avg10=12.00 avg60=0.00 avg300=0.00 total=1"},
    ),
    Case(
        check="other_load",
        verdict="warn",
        says="an (odd) name (process 17) uses 20 % of a processor",
        files={"proc/17/stat": process(1000)},
        later={
            "proc/stat": "cpu  1005 0 1000 8095 0 0 0 0",
            "proc/17/stat": process(1010),
        },
    ),
    Case(
        check="other_load",
        verdict="good",
        says="load average unknown",
        files={CPU_WAITS: None, IO_WAITS: None, "proc/loadavg": None},
    ),
    Case(
        check="other_load",
        verdict="unknown",
        says="/proc/stat does not show",
        files={"proc/stat": "cpu"},
        later={"proc/stat": "cpu"},
    ),
    Case(check="swap", verdict="good", says="none is in use (0 set up"),
    Case(
        check="swap",
        verdict="warn",
        says="2048 KiB on /swap.img",
        files={"proc/swaps": "Filename\n/swap.img file 4000000 2048 -2"},
    ),
    Case(
        check="swap",
        verdict="bad",
        says="swapped in or out now",
        later={"proc/vmstat": "pgpgin 1\npswpin 5\npswpout 8"},
    ),
    Case(
        check="swap",
        verdict="unknown",
        says="this kernel has no swap",
        files={"proc/swaps": None},
    ),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_load_is_judged_by_what_is_read(case: Case, host: Path) -> None:
    require_found(host, case)


def test_own_process_is_no_other_load(tmp_path: Path) -> None:
    case = Case(
        check="other_load",
        verdict="good",
        says="4 % of the processors",
        files={"proc/1/stat": "1 (ssdlab) R 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 1"},
        later={
            "proc/stat": "cpu  1004 0 1000 8096 0 0 0 0",
            "proc/1/stat": "1 (ssdlab) R 1 1 1 0 -1 0 0 0 0 0 50 0 0 0 20 0 1 0 1",
        },
    )
    assert "ssdlab (process" not in require_found(tmp_path, case).read
