"""What the drive itself, or its host, reports against the numbers: findings."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ssdlab.findings.doubts import fio_options_of
from ssdlab.model.finding import Finding, make_finding
from ssdlab.model.host_checks import HostCheck
from ssdlab.model.spec import PtsTest
from ssdlab.model.telemetry import (
    CRITICAL_TEMPERATURE,
    CRITICAL_TIME,
    HEALTH_READINGS,
    IS_FAILING,
    MEDIA_ERRORS,
    TEMPERATURE,
    WARNING_TEMPERATURE,
    WARNING_TIME,
    WARNINGS,
)
from ssdlab.model.units import capacity_label, duration_label
from ssdlab.telemetry.summary import compare_written, select_drive, summarise_health

if TYPE_CHECKING:
    import pandas as pd

MISCOUNT_RATIO = 0.05
COUNTER_UNIT_BYTES = 512_000  # NVMe counts thousands of 512 bytes, rounded up
_LIMITS = (  # the reading, and the limit it is held against
    (WARNING_TEMPERATURE, WARNING_TIME, "warning"),
    (CRITICAL_TEMPERATURE, CRITICAL_TIME, "critical"),
)


def find_health_faults(
    telemetry: "pd.DataFrame", steps: "pd.DataFrame"
) -> tuple[Finding, ...]:
    """Say in which tests the drive complained of errors, warnings or heat.

    ``media-errors``, ``critical-warning`` and ``temperature`` of tests.
    """
    health = summarise_health(telemetry, steps)
    found: list[Finding] = []
    for test, rows in health.groupby("test", sort=False):
        readings = rows.set_index("name")
        for code, words in _faults(readings):
            found.append(make_finding(code, words, test=str(test)))
    return tuple(found)


def _faults(readings: "pd.DataFrame") -> Iterator[tuple[str, str]]:
    """Yield code and words of what the readings of one test show."""
    errors = _value(readings, MEDIA_ERRORS, "rise")
    if errors > 0:
        yield "media-errors", f"media errors: the drive counted {errors:g}"
    warnings = _value(readings, WARNINGS, "maximum")
    if warnings > 0:
        yield (
            "critical-warning",
            f"warning: {warnings:g} critical warnings of the drive at once",
        )
    if _value(readings, IS_FAILING, "maximum") > 0:
        yield "critical-warning", "warning: the drive reported that it is failing"
    for words in _heat(readings):
        yield "temperature", words


def _heat(readings: "pd.DataFrame") -> Iterator[str]:
    most = _value(readings, TEMPERATURE, "maximum")
    for limit_name, counter, name in _LIMITS:
        limit = _value(readings, limit_name, "last")
        above_s = _value(readings, counter, "rise")
        if limit > 0 and most >= limit:
            yield (
                f"temperature: {most:g} °C at most; the {name} temperature of the "
                f"drive is {limit:g} °C"
            )
        elif above_s > 0:
            yield (
                f"temperature: the drive counted {duration_label(above_s)} above its "
                f"{name} temperature"
            )


def _value(readings: "pd.DataFrame", name: str, column: str) -> float:
    """Return a number of a reading; NaN, which is above nothing, without it."""
    return float(readings[column].get(name, float("nan")))


def find_miscounts(
    telemetry: "pd.DataFrame", steps: "pd.DataFrame", *, tests: Sequence[PtsTest] = ()
) -> tuple[Finding, ...]:
    """Say in which tests the drive counted other bytes written than fio.

    ``written-miscount`` of tests whose counter differs from fio by more than
    `MISCOUNT_RATIO`, however the readings and the writes fell.
    """
    ramped = {test.test_id for test in tests if _has_ramp(test)}
    found = []
    for row in compare_written(telemetry, steps).to_dict("records"):
        counted = float(row["counted_bytes"])
        least = row["fio_min_bytes"] * (1 - MISCOUNT_RATIO) - 2 * COUNTER_UNIT_BYTES
        most = row["fio_max_bytes"] * (1 + MISCOUNT_RATIO) + 2 * COUNTER_UNIT_BYTES
        if least <= counted <= most or row["test"] in ramped:
            continue
        words = (
            f"written: the drive counted {capacity_label(counted)} while fio wrote "
            f"{capacity_label(row['fio_bytes'])}; something else wrote to it, or its "
            "counter has another meaning"
        )
        found.append(make_finding("written-miscount", words, test=str(row["test"])))
    return tuple(found)


def _has_ramp(test: PtsTest) -> bool:
    return any(
        options.get("ramp_time", "0") != "0"
        for phase in test.possible_phases
        for options in fio_options_of(phase)
    )


def find_unread_health(telemetry: "pd.DataFrame") -> tuple[Finding, ...]:
    """Say that the health of a drive was never read."""
    reported = set(select_drive(telemetry)["name"])
    if reported & {one.name for one in HEALTH_READINGS}:
        return ()
    words = (
        "health: never read, or not reported: temperature, throttling and errors are "
        "unknown"
    )
    return (make_finding("no-health", words),)


def find_bad_settings(checks: Sequence[HostCheck]) -> tuple[Finding, ...]:
    """Say which settings of the host are bad for a measurement, in one finding."""
    bad = [check.title for check in checks if check.verdict == "bad"]
    if not bad:
        return ()
    noun = "setting is" if len(bad) == 1 else "settings are"
    words = f"host: {len(bad)} {noun} bad for a measurement: {'; '.join(bad)}"
    return (make_finding("host-settings", words),)
