"""What departs from the standard is known before a run begins."""

from dataclasses import replace

from ssdlab.campaign.conformance import find_run_departures
from ssdlab.pts.departures import find_departures
from ssdlab.pts.profiles import find_profile

DEMO = find_profile("demo")
AS_FOUND = replace(DEMO, write_cache="as found")
CACHE = "write cache: left as it was found instead of disabled"
LEFT_OUT = "cells below the sector of 4096 B: left out"


def test_departures_are_those_of_target_profile_cache_and_cells() -> None:
    tests = ("iops", "wsat")
    found = find_run_departures(
        DEMO, tests, target_departures=("a model",), sector_bytes=4096
    )
    own = find_departures(DEMO, tests)
    assert len(own) > 3
    assert found == ("a model", *own, CACHE, LEFT_OUT)


def test_cache_and_cells_do_not_depart_when_they_are_as_asked() -> None:
    tests = ("wsat",)  # which has no cells below a sector
    found = find_run_departures(
        AS_FOUND, tests, target_departures=(), sector_bytes=4096
    )
    assert found == find_departures(AS_FOUND, tests)
