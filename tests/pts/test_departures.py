"""Which values of a profile count as departures from the standard."""

from dataclasses import replace

import pytest

from ssdlab.model.spec import ActiveRange
from ssdlab.model.units import MIB
from ssdlab.pts import PROFILES, SUITE, find_profile
from ssdlab.pts.departures import find_departures
from ssdlab.pts.shared.settings import Ranges
from tests.departed import words_of

ALL = tuple(SUITE)
ALL_MIXES = "100/0, 95/5, 65/35, 50/50, 35/65, 5/95, 0/100"
ALL_DEMAND = "32, 16, 8, 6, 4, 2, 1"
TP_SIZES = ("1024 KiB", "64 KiB", "8 KiB", "4 KiB", "0.5 KiB")
ALL_SIZES = "1024 KiB, 128 KiB, 64 KiB, 32 KiB, 16 KiB, 8 KiB, 4 KiB, 0.5 KiB"


@pytest.mark.parametrize("name", ["pts-2.0-enterprise", "pts-2.0-client", "pts-e-1.1"])
def test_editions_of_the_standard_depart_in_nothing(name: str) -> None:
    assert find_departures(find_profile(name), ALL) == ()


def test_demo_names_every_scaled_value() -> None:
    departures = find_departures(find_profile("demo"), ALL)
    assert words_of(departures) == (
        "time of a cell: 1 s instead of 1 min",
        "maximum rounds: 10 instead of 25",
        f"R/W mixes of IOPS: 100/0, 65/35, 0/100 instead of {ALL_MIXES}",
        f"block sizes of IOPS: 1024 KiB, 64 KiB, 4 KiB, 0.5 KiB instead of {ALL_SIZES}",
        "time of the histogram run: 8 s instead of 20 min",
        "time of a WSAT round: 1 s instead of 1 min",
        "WSAT limit in user capacities: 40 instead of 4",
        "WSAT time limit: 1 min 15 s instead of 6 h",
        "rounds from one WSAT sample to the next: 10 instead of 31",
        "time of a round of workload-dependent preconditioning: 1 s instead of 1 min",
        "rounds from one preconditioning sample to the next: 5 instead of 30",
        "preconditioning samples at most: 12 instead of 25",
        "time of an access of HIR: 0.5 s instead of 5 s",
        "accesses of a wait state of HIR: 12 instead of 360",
        "accesses of a baseline of HIR: 12 instead of 360",
        "times of the access groups of XSR: 40 s, 30 s, 40 s instead of 8 h, 6 h, 8 h",
        "time of an XSR round: 1 s instead of 1 min",
        f"thread counts of the demand variation: 32, 8, 2, 1 instead of {ALL_DEMAND}",
        f"queue depths of the demand variation: 32, 8, 2, 1 instead of {ALL_DEMAND}",
        "time of the pre-writes between rounds: 3 s instead of 5 min",
        "time of the pre-writes of a point: 8 s instead of 1 h",
        "time of a round of the pre-writes of a point: 1 s instead of 1 min",
        "time of the histogram run of a point: 8 s instead of 10 min",
    )


def test_tkperf_names_what_it_reads_otherwise() -> None:
    text = "\n".join(words_of(find_departures(find_profile("tkperf"), ALL)))
    for part in (
        "write cache: as found instead of disabled",
        "own part of the range for each preconditioning thread: no instead of yes",
        "fio's random map (no block twice in a cell): yes instead of no",
        f"block sizes of TP: {', '.join(TP_SIZES)} instead of 1024 KiB, 128 KiB",
        "thread count of TP: 2 instead of 1",
        "queue depth of TP: 16 instead of 32",
        "preconditioning of TP: no instead of yes",
        "block sizes of TP with a steady state of their own: 1024 KiB instead of all",
        "cells of TP continue where the last one ended: no instead of yes",
        "rounds from one WSAT sample to the next: none instead of 31",
    ):
        assert part in text


@pytest.mark.parametrize(
    ("change", "tests", "count"),
    [
        ({"lat_mixes": (100, 0)}, ("iops", "tp", "wsat"), 0),
        ({"lat_mixes": (100, 0)}, ("lat",), 1),
        ({"cell_s": 59}, ("wsat",), 0),
        ({"cell_s": 59}, ("tp",), 1),
        ({"histogram_s": 600}, ("iops", "tp"), 0),
        ({"histogram_s": 600}, ("wsat",), 1),
        ({"wsat_time_limit_s": 24 * 3600}, ("wsat",), 0),
        ({"wsat_time_limit_s": 24 * 3600 + 1}, ("wsat",), 1),
        ({"wsat_time_limit_s": 5 * 3600}, ("wsat",), 1),
        ({"demand_pre_write_s": 30 * 60}, ("cbw",), 0),
        ({"demand_pre_write_s": 30 * 60 + 1}, ("cbw",), 1),
        ({"demand_pre_write_s": 299}, ("dirth",), 1),
        ({"demand_pre_write_capacity_multiple": None}, ("cbw",), 1),
        ({"demand_pre_write_capacity_multiple": 0.2}, ("dirth",), 1),
        ({"max_rounds": 40}, ("iops", "tp", "lat"), 0),
        ({"max_rounds": 24}, ("iops",), 1),
        ({"wipc_threads": 4}, ("iops", "lat", "wsat"), 0),
        ({"wipc_threads": 4}, ("iops", "tp"), 1),
        ({"wipc_threads": 1}, ("tp", "wsat"), 0),
        ({"wipc_threads": 1}, ("iops",), 1),
        ({"wipc_threads": 1, "threads": 1}, ("iops", "tp", "lat"), 0),
        ({"wipc_is_divided": False}, ("iops",), 1),
        ({"active_range_percent": 75.5}, ("iops",), 1),
    ],
)
def test_only_values_of_tests_that_run_count(
    change: dict[str, object], tests: tuple[str, ...], count: int
) -> None:
    profile = find_profile("pts-2.0-enterprise").having(**change)
    assert len(find_departures(profile, tests)) == count


def test_operator_choices_are_no_departure() -> None:
    profile = find_profile("pts-2.0-enterprise").having(threads=8, queue_depth=64)
    assert find_departures(profile, ALL) == ()


def test_client_edition_1_departs_in_its_segments_alone() -> None:
    client = find_profile("pts-c-1.1")
    random, sequential = find_departures(client, client.tests)
    subject, asked = "segments of the active range", "2048 at random positions"
    assert random.words == f"{subject}: 100 at random positions instead of {asked}"
    assert random.tests == ("iops", "lat")
    assert sequential.words == f"{subject}: one of the whole amount instead of {asked}"
    assert sequential.tests == ("tp",)
    assert find_departures(client, ("wsat",)) == ()


def test_ranges_in_one_piece_depart_once() -> None:
    client = find_profile("pts-c-1.1")
    whole = tuple(
        replace(active, segments=1) for active in client[Ranges].active_ranges
    )
    (found,) = find_departures(client.having(active_ranges=whole), client.tests)
    assert (found.code, found.tests) == ("segments", ("iops", "tp", "lat"))
    assert found.done == "one of the whole amount"


def test_active_ranges_of_other_editions_are_a_departure() -> None:
    looped = find_profile("pts-2.0-client").having(
        active_ranges=(
            ActiveRange(percent=100),
            ActiveRange(percent=75, amount_bytes=100 * MIB),
        ),
    )
    what = "active ranges and amounts of IOPS, TP and LAT"
    assert f"{what}: AR100-all, AR75-100MiB instead of none" in words_of(
        find_departures(looped, ("lat",))
    )
    assert find_departures(looped, ("wsat", "hir")) == ()


def test_further_active_ranges_are_the_operators_choice_in_edition_1() -> None:
    edition = find_profile("pts-e-1.1")
    whole, half = ActiveRange(percent=100), ActiveRange(percent=50)
    amount = ActiveRange(percent=100, amount_bytes=100 * MIB)
    for ranges, count in (((whole, half), 0), ((half,), 1), ((whole, amount), 2)):
        looped = edition.having(active_ranges=ranges)
        assert len(find_departures(looped, ("iops",))) == count


def test_test_that_an_edition_does_not_have_is_a_departure() -> None:
    client = find_profile("pts-c-1.1")
    assert words_of(find_departures(client, ("hir",))) == (
        "test hir: not known to be one of PTS-C 1.1",
    )


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.5, "0.5 s instead of 1 min"),
        (1.5, "1.5 s instead of 1 min"),
        (59.6, "59.6 s instead of 1 min"),
        (60.2, "60.2 instead of 60"),
        (90, "1 min 30 s instead of 1 min"),
    ],
)
def test_times_near_to_the_nominal_one_are_told_apart(
    seconds: float, words: str
) -> None:
    profile = find_profile("pts-2.0-enterprise").having(cell_s=seconds)
    assert words_of(find_departures(profile, ("tp",))) == (f"time of a cell: {words}",)


@pytest.mark.parametrize("name", PROFILES)
def test_nominal_profile_is_nominal_to_itself(name: str) -> None:
    nominal = find_profile(find_profile(name).nominal)
    assert nominal.nominal == nominal.name


def test_preconditioning_departs_only_in_tests_that_have_one() -> None:
    for test in ("tp", "wsat"):
        text = "\n".join(words_of(find_departures(find_profile("tkperf"), (test,))))
        assert "threads of the preconditioning" not in text
