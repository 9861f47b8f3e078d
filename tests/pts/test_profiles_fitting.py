"""What of a profile does not fit a device, and what is said of it."""

import pytest

from ssdlab.model.errors import ProfileError
from ssdlab.model.spec import ActiveRange, OperatingPoint, Rounds, Stimulus
from ssdlab.model.units import GIB, MIB
from ssdlab.pts import build_tests, find_profile
from ssdlab.pts.fitting import FittedSuite, fit_suite
from ssdlab.pts.profile import Profile

BIG = 480_103_981_056
ON_4KN = (
    (4096, 77),  # 67 and the 10 of the seven sizes below it
    (8192, 10),
    (16384, 7),
    (32768, 3),
    (65536, 3),
)
RANGES = ("AR100-8GiB", "AR100-16GiB", "AR75-8GiB", "AR75-16GiB")


def fit(
    profile: str | Profile,
    *tests: str,
    capacity_bytes: int = BIG,
    sector_bytes: int = 512,
) -> FittedSuite:
    chosen = find_profile(profile) if isinstance(profile, str) else profile
    return fit_suite(
        chosen, tests, capacity_bytes=capacity_bytes, sector_bytes=sector_bytes
    )


@pytest.mark.parametrize("name", ["pts-2.0-enterprise", "pts-c-1.1", "tkperf"])
def test_suite_stays_as_it_is_where_all_fits(name: str) -> None:
    tests = find_profile(name).tests
    fitted = fit(name, *tests)
    assert fitted.tests == build_tests(find_profile(name), tests)
    assert fitted.left_out == ()


def test_composite_on_4kn_gives_the_share_of_small_blocks_to_4_kib() -> None:
    fitted = fit("pts-2.0-enterprise", "cbw", sector_bytes=4096)
    _, wdpc, demand, *points = fitted.tests[0].phases
    assert isinstance(wdpc, Stimulus)
    assert isinstance(demand, Rounds)
    assert demand.pre_write is not None
    workloads = [wdpc.workload, *demand.cells, demand.pre_write.workload]
    for point in points:
        assert isinstance(point, OperatingPoint)
        workloads += [point.workload, point.pre_write]
    assert len(workloads) == 1 + 49 + 1 + 6
    for workload in workloads:
        assert workload.composite is not None
        assert workload.composite.block_shares == ON_4KN
        assert sum(share for _, share in workload.composite.block_shares) == 100
    (departure,) = fitted.left_out
    assert departure.words == (
        "composite blocks of CBW below the sector of 4096 B: left out, their share "
        "goes to 4 KiB blocks"
    )


def test_cells_and_composite_below_a_sector_are_both_told() -> None:
    told = fit("pts-2.0-enterprise", "iops", "cbw", "dirth", sector_bytes=4096).left_out
    assert [one.words.split(" below")[0] for one in told] == [
        "cells",
        "composite blocks of CBW",
    ]


@pytest.mark.parametrize(
    ("capacity_gb", "left_out"),
    [
        (480, ()),
        (20, RANGES[3:]),
        (15, (RANGES[1], RANGES[3])),
        (10, RANGES[1:]),
    ],
)
def test_ranges_with_less_than_their_amount_are_left_out(
    capacity_gb: int, left_out: tuple[str, ...]
) -> None:
    fitted = fit("pts-c-1.1", "iops", capacity_bytes=capacity_gb * 10**9)
    names = [departure.subject.split()[-1] for departure in fitted.left_out]
    assert names == list(left_out)
    kept = [
        phase.phase_id.removeprefix("rounds-")
        for phase in fitted.tests[0].phases
        if isinstance(phase, Rounds)
    ]
    assert kept == [name for name in RANGES if name not in left_out]


def test_amount_may_be_the_whole_range_and_not_a_byte_more() -> None:
    ranges = (
        ActiveRange(percent=100, amount_bytes=8 * GIB),
        ActiveRange(percent=100, amount_bytes=16 * MIB),
    )
    profile = find_profile("pts-c-1.1").having(active_ranges=ranges)
    assert fit(profile, "lat", capacity_bytes=8 * GIB).left_out == ()
    told = fit(profile, "lat", capacity_bytes=8 * GIB - 512).left_out
    assert tuple(departure.words for departure in told) == (
        "active range AR100-8GiB: left out, 100 % of 8.59 GB is too small",
    )


def test_profile_is_refused_when_no_range_fits() -> None:
    with pytest.raises(
        ProfileError, match=r"pts-c-1.1: active_ranges: none of AR100-8GiB .* 134\.2 MB"
    ):
        fit("pts-c-1.1", "wsat", "lat", capacity_bytes=128 * MIB)


def test_ranges_do_not_matter_to_a_test_without_them() -> None:
    assert fit("pts-c-1.1", "wsat", capacity_bytes=128 * MIB).left_out == ()


def test_range_too_small_for_the_largest_block_is_refused() -> None:
    profile = find_profile("demo").having(active_range_percent=5)
    with pytest.raises(ProfileError, match="active_range_percent: 5 % of 134"):
        fit(profile, "iops", capacity_bytes=128 * MIB)


@pytest.mark.parametrize(
    ("change", "test_id"),
    [
        ({"dirth_block_size_bytes": 512}, "dirth"),
        ({"wipc_block_size_bytes": 512}, "lat"),
        ({"tp_block_sizes": (512,)}, "tp"),
    ],
)
def test_test_is_refused_when_none_of_its_blocks_fits_a_sector(
    change: dict[str, object], test_id: str
) -> None:
    profile = find_profile("demo").having(**change)
    with pytest.raises(
        ProfileError, match=f"the blocks of {test_id.upper()}: .* sectors of 4096 B"
    ):
        fit(profile, test_id, sector_bytes=4096)
    assert fit(profile, test_id).left_out == ()


def test_alignment_below_the_sector_is_refused() -> None:
    profile = find_profile("pts-2.0-enterprise").having(cbw_alignment_bytes=512)
    assert fit(profile, "cbw").tests
    with pytest.raises(ProfileError, match="CBW: they do not fit sectors of 4096 B"):
        fit(profile, "cbw", sector_bytes=4096)
