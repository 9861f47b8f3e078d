"""A profile on a device: what does not fit is left out and reported."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ssdlab.model.asked import Suite
from ssdlab.model.departure import Departure
from ssdlab.model.errors import ProfileError
from ssdlab.model.spec import (
    Composite,
    PtsTest,
    Workload,
)
from ssdlab.model.units import KIB, MIB, capacity_label
from ssdlab.pts.block_checks import (
    map_workloads,
    require_blocks_in_range,
    require_whole_sectors,
)
from ssdlab.pts.departures import clause_of
from ssdlab.pts.iops.spec import Iops
from ssdlab.pts.lat.spec import Lat
from ssdlab.pts.profile import Profile
from ssdlab.pts.profiles import suite_of
from ssdlab.pts.shared.settings import Flow, Ranges
from ssdlab.pts.suite import CATALOG, LOOPED_TESTS, build_tests
from ssdlab.pts.tp.spec import Tp

_FAVOURED_BYTES = 4 * KIB  # has the largest share, and gets what is left out
_LEAST_RANGE_BYTES = 8 * MIB  # a few of the largest blocks


@dataclass(frozen=True, kw_only=True, slots=True)
class FittedSuite:
    """Tests that fit a device, and what of the profile was left out."""

    tests: tuple[PtsTest, ...]
    left_out: tuple[Departure, ...]


def fit_suite(
    profile: Profile,
    test_ids: tuple[str, ...],
    *,
    capacity_bytes: int,
    sector_bytes: int,
) -> FittedSuite:
    """Return the tests of a profile as far as they fit a device."""
    _require_span(profile, capacity_bytes)
    looped = tuple(test for test in test_ids if test in LOOPED_TESTS)
    spanned, ranges_left_out = _fit_to_capacity(profile, capacity_bytes, looped)
    if looped and profile[Ranges].active_ranges:
        _require_ranges(profile, spanned, capacity_bytes)
    fitting = fit_to_sectors(spanned, sector_bytes)
    asked = build_tests(spanned, test_ids)
    tests = build_tests(fitting, test_ids)
    fitted = tuple(_with_composite(test, sector_bytes) for test in tests)
    left_out = (
        *ranges_left_out,
        *_cells_left_out(asked, tests, sector_bytes),
        *(
            _composite_changed(test.test_id, sector_bytes)
            for test, before in zip(fitted, tests, strict=True)
            if test != before
        ),
    )
    for test in fitted:
        remedy = _remedy(test)
        require_whole_sectors(profile.name, test, sector_bytes, remedy=remedy)
        require_blocks_in_range(
            profile.name,
            test,
            capacity_bytes,
            active_range_percent=profile[Flow].active_range_percent,
            remedy=remedy,
        )
    return FittedSuite(tests=fitted, left_out=left_out)


def ask_suite(
    profile: Profile,
    test_ids: tuple[str, ...],
    *,
    capacity_bytes: int,
    sector_bytes: int,
) -> Suite:
    """Return what a run is asked for by tests of a profile; see `fit_suite`."""
    fitted = fit_suite(
        profile, test_ids, capacity_bytes=capacity_bytes, sector_bytes=sector_bytes
    )
    return suite_of(profile, fitted.tests)


def fit_to_sectors(profile: Profile, sector_bytes: int) -> Profile:
    """Leave out blocks that are not whole sectors: as on 4Kn devices.

    The block sizes of CBW are not values of the profile: see `fit_suite`.
    """

    def whole(sizes: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(size for size in sizes if size % sector_bytes == 0)

    return profile.having(
        iops_block_sizes=whole(profile[Iops].block_sizes),
        tp_block_sizes=whole(profile[Tp].block_sizes),
        lat_block_sizes=whole(profile[Lat].block_sizes),
    )


def fit_composite(composite: Composite, sector_bytes: int) -> Composite:
    """Leave out sizes that are not whole sectors; 4 KiB blocks get their share.

    So the shares still add up to 100 %, and the mix stays one of mostly 4 KiB blocks.
    Where a sector is larger than that, the least size that fits gets the share.
    """
    shares = composite.block_shares
    kept = {size: share for size, share in shares if size % sector_bytes == 0}
    if not kept or len(kept) == len(shares):
        return composite
    heir = _FAVOURED_BYTES if _FAVOURED_BYTES in kept else min(kept)
    kept[heir] += sum(share for size, share in shares if size not in kept)
    return replace(composite, block_shares=tuple(kept.items()))


def _fit_to_capacity(
    profile: Profile, capacity_bytes: int, looped: tuple[str, ...]
) -> tuple[Profile, tuple[Departure, ...]]:
    """Leave out the active ranges that have less than the amount to be accessed.

    It is a departure where tests loop over them.
    """
    fitting, left_out = [], []
    for active in profile[Ranges].active_ranges:
        span = capacity_bytes * active.percent / 100
        if span >= max(active.amount_bytes or 0, _LEAST_RANGE_BYTES):
            fitting.append(active)
        elif looped:
            small = f"{active.percent:g} % of {capacity_label(capacity_bytes)}"
            left_out.append(
                Departure(
                    code="ranges-left-out",
                    subject=f"active range {active.name}",
                    done=f"left out, {small} is too small",
                    clause=clause_of(looped),
                    tests=looped,
                )
            )
    return profile.having(active_ranges=tuple(fitting)), tuple(left_out)


def _cells_left_out(
    asked: Sequence[PtsTest], tests: Sequence[PtsTest], sector_bytes: int
) -> tuple[Departure, ...]:
    smaller = tuple(
        before.test_id
        for before, test in zip(asked, tests, strict=True)
        if before != test
    )
    if not smaller:
        return ()
    return (
        Departure(
            code="cells-left-out",
            subject=f"cells below the sector of {sector_bytes} B",
            done="left out",
            clause=clause_of(smaller),
            tests=smaller,
        ),
    )


def _require_span(profile: Profile, capacity_bytes: int) -> None:
    """Require an active range of a few of the largest blocks."""
    if capacity_bytes * profile[Flow].active_range_percent / 100 < _LEAST_RANGE_BYTES:
        raise ProfileError(
            source=profile.name,
            key="active_range_percent",
            reason=f"{profile[Flow].active_range_percent:g} % of "
            f"{capacity_label(capacity_bytes)} is too small for blocks of 1 MiB",
            remedy="Use a larger device or a larger part of it.",
        )


def _require_ranges(profile: Profile, fitting: Profile, capacity_bytes: int) -> None:
    """Require that an active range is left."""
    if not fitting[Ranges].active_ranges:
        names = " ".join(active.name for active in profile[Ranges].active_ranges)
        raise ProfileError(
            source=profile.name,
            key="active_ranges",
            reason=f"none of {names} fits in {capacity_label(capacity_bytes)}",
            remedy="Use a larger device, or your own profile with smaller amounts: "
            f"ssdlab profiles show {profile.name}.",
        )


def _composite_changed(test_id: str, sector_bytes: int) -> Departure:
    name = test_id.upper()
    return Departure(
        code="composite-changed",
        subject=f"composite blocks of {name} below the sector of {sector_bytes} B",
        done="left out, their share goes to 4 KiB blocks",
        clause=clause_of([test_id]),
        tests=(test_id,),
    )


def _with_composite(test: PtsTest, sector_bytes: int) -> PtsTest:
    def fit(workload: Workload) -> Workload:
        if workload.composite is None:
            return workload
        composite = fit_composite(workload.composite, sector_bytes)
        return replace(workload, composite=composite)

    return replace(
        test, phases=tuple(map_workloads(phase, fit) for phase in test.phases)
    )


def _remedy(test: PtsTest) -> str:
    if CATALOG[test.test_id].has_fixed_blocks:
        return (
            "Leave the test out on this device: the standard sets the block size, not "
            "the profile."
        )
    return "Leave the test out, or use your own profile with other block sizes."
