"""What the drive or its host says against the numbers, each on a case by hand."""

import pandas as pd
import pytest

from ssdlab.findings.health import (
    find_bad_settings,
    find_health_faults,
    find_miscounts,
    find_unread_health,
)
from ssdlab.model.fio_option import FioOption
from ssdlab.model.host_checks import CheckVerdict, HostCheck
from ssdlab.model.spec import Histogram, PtsTest, Workload
from tests.stats.frames import steps
from tests.telemetry.test_summary import WRITTEN, readings, step

TWO_TESTS = steps([step("iops", 10, 20), step("tp", 30, 40)])


def over_time(name: str, *values: float) -> list[tuple[float, str, float]]:
    """A reading before both tests, in the first, in the second."""
    return [(at, name, value) for at, value in zip((5, 15, 35), values, strict=True)]


def found(*rows: tuple[float, str, float]) -> list[tuple[str, str, str]]:
    faults = find_health_faults(readings(*rows), TWO_TESTS)
    return [(f.code, f.test, f.words) for f in faults]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (
            over_time("media_errors", 4, 4, 7),
            ("media-errors", "tp", "media errors: the drive counted 3"),
        ),
        (
            over_time("critical_warnings", 0, 2, 0),
            (
                "critical-warning",
                "iops",
                "warning: 2 critical warnings of the drive at once",
            ),
        ),
        (
            over_time("is_failing", 0, 0, 1),
            (
                "critical-warning",
                "tp",
                "warning: the drive reported that it is failing",
            ),
        ),
        (
            over_time("warning_temperature_s", 60, 60, 240),
            (
                "temperature",
                "tp",
                ("temperature: the drive counted 3 min above its warning temperature"),
            ),
        ),
        (
            over_time("temperature_celsius", 30, 71, 69)
            + over_time("warning_temperature_celsius", 70, 70, 70),
            (
                "temperature",
                "iops",
                (
                    "temperature: 71 °C at most; the warning temperature of the drive "
                    "is 70 °C"
                ),
            ),
        ),
    ],
    ids=lambda value: value[0] if isinstance(value[0], str) else "",
)
def test_fault_of_the_drive_is_found_in_the_test_that_it_fell_into(
    rows: list[tuple[float, str, float]], expected: tuple[str, str, str]
) -> None:
    assert found(*rows) == [expected]


def test_heat_is_told_once_for_each_limit() -> None:
    rows = [
        *over_time("temperature_celsius", 30, 85, 40),
        *over_time("warning_temperature_celsius", 70, 70, 70),
        *over_time("critical_temperature_celsius", 80, 80, 80),
        *over_time("warning_temperature_s", 0, 60, 60),
    ]
    assert [(code, test) for code, test, _ in found(*rows)] == [
        ("temperature", "iops"),
        ("temperature", "iops"),
    ]


def test_drive_that_is_well_has_no_finding() -> None:
    rows = [
        *over_time("media_errors", 9, 9, 9),
        *over_time("critical_warnings", 0, 0, 0),
        *over_time("is_failing", 0, 0, 0),
        *over_time("temperature_celsius", 40, 60, 69),
        *over_time("warning_temperature_celsius", 70, 70, 70),
        *over_time("critical_temperature_s", 60, 60, 60),
    ]
    assert found(*rows) == []


def test_virtual_ssd_has_no_health_to_complain_of() -> None:
    told = readings(*over_time("media_errors", 0, 1, 2), source="virtual")
    assert find_health_faults(told, TWO_TESTS) == ()


def test_test_with_a_ramp_is_not_compared_as_fio_counts_no_byte_of_it() -> None:
    rows = steps([step("peak", 0, 100, written_bytes=50 * 10**9)])
    told = readings(*((at, WRITTEN, 1e9 * at) for at in range(1, 100, 5)))
    job = Workload(
        access="rnd",
        block_size_bytes=4096,
        read_percent=0,
        threads=1,
        queue_depth=1,
        fio_options=(FioOption("direct", "1"), FioOption("ramp_time", "5")),
    )
    ramped = PtsTest(
        test_id="peak",
        title="Peak",
        pts_section="",
        phases=(Histogram(phase_id="job", workload=job, seconds=30),),
    )
    assert len(find_miscounts(told, rows)) == 1
    assert find_miscounts(told, rows, tests=[ramped]) == ()


@pytest.mark.parametrize(
    ("told", "is_unread"),
    [
        (readings(), True),
        (readings((1, "health_read_s", 0.1), (1, "pcie_link_width", 4)), True),
        (readings((1, WRITTEN, 7), source="virtual"), True),
        (readings((1, "temperature_celsius", 30)), False),
    ],
    ids=["nothing", "link alone", "of a model", "temperature"],
)
def test_health_that_was_never_read_is_found(
    told: pd.DataFrame, *, is_unread: bool
) -> None:
    assert [f.code for f in find_unread_health(told)] == ["no-health"] * is_unread


def check(title: str, verdict: CheckVerdict) -> HostCheck:
    return HostCheck(
        check_id=title, title=title, verdict=verdict, read="", why="", remedy="",
        source="",
    )  # fmt: skip


def test_bad_settings_of_the_host_are_one_finding_that_names_them() -> None:
    checks = [check("ASPM", "bad"), check("load", "warn"), check("governor", "bad")]
    (one,) = find_bad_settings(checks)
    assert (one.code, one.severity, one.test) == ("host-settings", "minor", "")
    words = "host: 2 settings are bad for a measurement: ASPM; governor"
    assert one.words == words
    (alone,) = find_bad_settings(checks[:1])
    assert alone.words == "host: 1 setting is bad for a measurement: ASPM"


def test_host_without_a_bad_setting_has_no_finding() -> None:
    assert find_bad_settings([check("load", "warn"), check("fio", "good")]) == ()
