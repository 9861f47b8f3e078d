"""What departs from the standard is known before a run begins."""

from dataclasses import replace

from ssdlab.campaign.conformance import find_run_departures
from ssdlab.pts.departures import find_departures
from ssdlab.pts.profiles import find_profile
from ssdlab.targets.shape import Shape

DEMO = find_profile("demo")
AS_FOUND = replace(DEMO, write_cache="as found")
CACHE = "write cache: left as it was found instead of disabled: it has none"
CAPACITY = 64 * 1024 * 1024
LEFT_OUT = "cells below the sector of 4096 B: left out"


def test_departures_are_those_of_target_profile_cache_and_cells() -> None:
    tests = ("iops", "wsat")
    found = find_run_departures(
        DEMO,
        tests,
        Shape(
            departures=("a model",),
            capacity_bytes=CAPACITY,
            sector_bytes=4096,
            write_cache_fault="it has none",
        ),
    )
    own = find_departures(DEMO, tests)
    assert len(own) > 3
    assert found == ("a model", *own, CACHE, LEFT_OUT)


def test_cache_and_cells_do_not_depart_when_they_are_as_asked() -> None:
    tests = ("wsat",)  # which has no cells below a sector
    for profile, fault in ((AS_FOUND, "it has none"), (DEMO, "")):
        found = find_run_departures(
            profile,
            tests,
            Shape(
                departures=(),
                capacity_bytes=CAPACITY,
                sector_bytes=4096,
                write_cache_fault=fault,
            ),
        )
        assert found == find_departures(profile, tests)


def test_departures_name_the_active_ranges_that_do_not_fit() -> None:
    client = replace(find_profile("pts-c-1.x"), write_cache="as found")
    found = find_run_departures(
        client,
        ("iops",),
        Shape(
            departures=(),
            capacity_bytes=20_000_000_000,
            sector_bytes=512,
            write_cache_fault="it has none",
        ),
    )
    left_out = "active range AR75-16GiB: left out, its 75 % of 20 GB are too small"
    assert found == (*find_departures(client, ("iops",)), left_out)
