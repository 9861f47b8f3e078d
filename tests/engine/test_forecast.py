"""What a run would do: purges are told from the steps after them."""

from datetime import UTC, datetime
from typing import Any

import pytest

from ssdlab.engine.forecast import (
    forecast,
    forecast_lines,
    price_purge,
    purge_costs,
    purge_lines,
    with_purges,
)
from ssdlab.engine.request import ask_for_suite
from ssdlab.model.errors import TargetRefusedError
from ssdlab.model.units import MIB
from ssdlab.procedures.saturate.spec import saturate
from ssdlab.procedures.saturate.stimulus_text import parse_stimulus
from ssdlab.pts import build_tests, find_profile
from ssdlab.targets.purges import PurgeOutlook
from tests.targets.conftest import MakeLoop, make_loop

__all__ = ["make_loop"]


def suite_forecast(
    target: str, profile: str, tests: str, **choices: Any
) -> dict[str, Any]:
    return forecast(target, ask_for_suite(target, profile, tests), **choices)


def steps_of(test: dict[str, Any], name: str = "steps") -> tuple[int, int]:
    return test[f"{name}_min"], test[f"{name}_max"]


def test_purge_is_no_step_after_the_purge() -> None:
    """IOPS: a purge, a fill, and 5 to 25 rounds of 56 cells."""
    (test,) = forecast(
        "virtual", ask_for_suite("virtual", "pts-2.0-enterprise", "iops")
    )["tests"]
    assert steps_of(test) == (282, 1402)
    assert steps_of(test, "steps_after_purge") == (281, 1401)


def test_purge_of_a_fallback_is_no_step_after_the_purge_either() -> None:
    """Saturation: purge, fill and 12 rounds; at most purge, fill and 24 more."""
    procedure = saturate(parse_stimulus("RND 4KiB 0/100"), iterations=12)
    (test,) = forecast("virtual", procedure)["tests"]
    assert steps_of(test) == (14, 40)
    assert steps_of(test, "steps_after_purge") == (13, 38)


GB = 1e9
NOW = datetime(2026, 11, 24, 22, 0, tzinfo=UTC)


def lines_of(plan: dict[str, Any]) -> list[str]:
    return forecast_lines(plan, now=NOW)


def test_plan_says_when_a_run_begun_now_would_end_by_hand() -> None:
    """2 h at least, 26 h 30 min at most, both without purges of unknown duration."""
    plan = suite_forecast("virtual", "demo", "wsat")
    plan |= {"seconds_min": 7200.0, "seconds_max": 95_400.0}
    (line,) = [line for line in lines_of(plan) if "would end" in line]
    assert "2026-11-25 00:00 to 2026-11-26 00:30" in line
    assert line.endswith("without the purges")
    known = suite_forecast("virtual", "demo", "wsat", purge="none")
    (line,) = [line for line in lines_of(known) if "would end" in line]
    assert "purge" not in line
    plan["seconds_max"] = 1e12  # of which no date is told
    assert "would end" not in "\n".join(lines_of(plan))


def test_plan_warns_of_the_tests_that_may_fill_the_drive_very_often() -> None:
    plan = suite_forecast("virtual", "demo", "wsat,lat")
    assert "warning" not in "\n".join(lines_of(plan))
    (test,) = [one for one in plan["tests"] if one["test"] == "wsat"]
    test["drive_fills_max"] = 22_788.5
    (line,) = [one for one in lines_of(plan) if "warning" in one]
    assert "wsat (22,788.5)" in line
    assert "lat" not in line


def test_share_of_the_rated_endurance_is_what_is_written_by_what_is_rated() -> None:
    plan = forecast(
        "virtual",
        ask_for_suite("virtual", "pts-2.0-client", "tp,lat"),
        rated_bytes=60 * GB,
    )
    least = sum(test["written_bytes_min"] for test in plan["tests"])
    most = sum(test["written_bytes_max"] for test in plan["tests"])
    assert (plan["written_bytes_min"], plan["written_bytes_max"]) == (least, most)
    (share,) = plan["endurance"]
    assert share["percent_min"] == pytest.approx(100 * least / (60 * GB))
    assert share["percent_max"] == pytest.approx(100 * most / (60 * GB))
    (line,) = [line for line in lines_of(plan) if "written in all" in line]
    assert line.endswith("of the rated 60 GB")


def test_plan_says_nothing_of_an_endurance_that_is_not_known() -> None:
    plan = suite_forecast("virtual", "demo", "wsat")
    assert plan["endurance"] == []
    assert not [line for line in lines_of(plan) if "written in all" in line]


def test_share_of_a_procedure_is_told_too() -> None:
    procedure = saturate(parse_stimulus("RND 4KiB 0/100"), iterations=12)
    plan = forecast("virtual", procedure, rated_bytes=600e12)
    (line,) = [line for line in lines_of(plan) if "written in all" in line]
    assert ": under 0.01 % " in line


FILLS = [f"drive_fills_{end}" for end in ("min", "max")]


def test_overwriting_costs_a_drive_fill_a_purge_by_hand() -> None:
    """100 MB at 50 MB/s: 2 s and 100 MB for one purge, for two with the fallback."""
    test = saturate(parse_stimulus("RND 4KiB 0/100"), iterations=12).tests[0]
    outlook = PurgeOutlook(method="overwrite")
    price = price_purge(outlook, 100_000_000, write_bytes_per_s=50e6)
    assert (price.seconds, price.written_bytes) == (2.0, 100_000_000)
    cost = {
        "steps_min": 14,
        "steps_max": 40,
        "seconds_min": 10.0,
        "seconds_max": 20.0,
        "written_bytes_min": 5e8,
        "written_bytes_max": 9e8,
        "drive_fills_min": 5.0,
        "drive_fills_max": 9.0,
    }
    found = with_purges(cost, test, price)
    assert (found["purges_min"], found["purges_max"]) == (1, 2)
    assert (found["seconds_min"], found["seconds_max"]) == (12.0, 24.0)
    assert found["written_bytes_max"] == 11e8
    assert [found[name] for name in FILLS] == [6.0, 11.0]
    assert found["steps_after_purge_max"] == 38
    (line,) = purge_lines(purge_costs([found, found], price))
    assert line == "including 2 to 4 purges (overwrite), 2 s and 100 MB each"


@pytest.mark.parametrize(
    ("outlook", "seconds", "line"),
    [
        (
            PurgeOutlook(method="ata-security-erase", expected_s=480.0),
            480.0,
            "including 1 purge (ata-security-erase), 8 min each",
        ),
        (
            PurgeOutlook(method="nvme-format-crypto"),
            0.0,
            "plus 1 purge (nvme-format-crypto), duration unknown",
        ),
        (PurgeOutlook(method="none"), 0.0, None),
    ],
)
def test_other_purges_take_what_the_drive_says_or_it_is_not_known(
    outlook: PurgeOutlook, seconds: float, line: str | None
) -> None:
    price = price_purge(outlook, 10**9, write_bytes_per_s=1e6)
    names = ("steps", "seconds", "written_bytes", "drive_fills")
    cost = {f"{name}_{end}": 0.0 for name in names for end in ("min", "max")}
    tests = build_tests(find_profile("demo"), ("wsat",))
    found = with_purges(cost, tests[0], price)
    assert found["seconds_max"] == seconds
    assert found["written_bytes_max"] == 0
    assert purge_lines(purge_costs([found], price)) == ([line] if line else [])


def test_plan_has_the_purges_and_what_departs_without_them() -> None:
    plan = forecast(
        "virtual", ask_for_suite("virtual", "demo", "all")
    )  # 8 tests, TP purges for each size
    assert plan["purges"] == {
        "method": "discard",
        "count_min": 9,
        "count_max": 9,
        "seconds_each": None,
        "written_bytes_each": 0,
    }
    assert "plus 9 purges (discard), duration unknown" in lines_of(plan)
    bare = suite_forecast("virtual", "demo", "all", purge="none")
    assert "no purge: none was requested" in bare["departures"]
    assert not [line for line in lines_of(bare) if "purges (" in line]


def test_plan_of_a_drive_prices_each_overwrite(make_loop: MakeLoop) -> None:
    device = make_loop(512)
    more, less = (
        forecast(
            device,
            ask_for_suite(device, "demo", "iops,wsat"),
            rated_bytes=1e12,
            purge=purge,
        )
        for purge in ("overwrite", "discard")
    )
    count = more["purges"]["count_max"]
    assert count == less["purges"]["count_max"] == 2
    assert more["purges"]["seconds_each"] == pytest.approx(64 * MIB / 500e6)
    for end in ("min", "max"):
        gained = more[f"seconds_{end}"] - less[f"seconds_{end}"]
        assert gained == pytest.approx(count * 64 * MIB / 500e6)
        gained = more[f"written_bytes_{end}"] - less[f"written_bytes_{end}"]
        assert gained == count * 64 * MIB
    with pytest.raises(TargetRefusedError, match="not one of the methods of its bus"):
        forecast(
            device, ask_for_suite(device, "demo", "wsat"), purge="nvme-format-crypto"
        )
