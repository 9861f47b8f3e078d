"""Which tests there are, and how a profile turns into them."""

from collections.abc import Callable, Iterable

from ssdlab.model.errors import RepeatedNameError, UnknownNameError
from ssdlab.model.spec import PtsTest
from ssdlab.pts.demand import cbw, dirth
from ssdlab.pts.hir import hir
from ssdlab.pts.iops import iops
from ssdlab.pts.latency import latency
from ssdlab.pts.profiles import Profile
from ssdlab.pts.ranges import repeat_over_ranges
from ssdlab.pts.throughput import throughput
from ssdlab.pts.wsat import (
    wsat,
    wsat_composite,
    wsat_metadata,
    wsat_oltp,
    wsat_vod,
)
from ssdlab.pts.xsr import xsr

SUITE: dict[str, Callable[[Profile], PtsTest]] = {
    "iops": iops,
    "tp": throughput,
    "lat": latency,
    "wsat": wsat,
    "hir": hir,
    "xsr": xsr,
    "cbw": cbw,
    "dirth": dirth,
}
# Asked for by name alone: pts.md section 9, "Optional 2.0 workloads".
OPTIONAL_SUITE: dict[str, Callable[[Profile], PtsTest]] = {
    "wsat-oltp": wsat_oltp,
    "wsat-vod": wsat_vod,
    "wsat-metadata": wsat_metadata,
    "wsat-composite": wsat_composite,
}
SATURATIONS = ("wsat", *OPTIONAL_SUITE)
_BUILDERS = SUITE | OPTIONAL_SUITE
ALL_TESTS = "all"
# PTS-C 1.x: pts.md sections 2 and 6.
LOOPED_TESTS = frozenset({"iops", "tp", "lat"})


def optional_tests(profile: Profile) -> tuple[str, ...]:
    """Return the tests that a profile offers by name and that are none of ``all``.

    Only the editions 2.x have them, whatever the times of the profile are.
    """
    is_edition_2 = profile.spec_version.startswith("PTS 2")
    return tuple(OPTIONAL_SUITE) if is_edition_2 else ()


def choose_tests(profile: Profile, text: str) -> tuple[str, ...]:
    """Return the tests of a profile that a text names: ``all``, or ``iops,tp``.

    ``all`` has none of the optional tests.

    Raises
    ------
    RepeatedNameError
        If a test is named twice.
    UnknownNameError
        If a test is none of the profile's, or none is named.
    """
    if text.strip().lower() == ALL_TESTS:
        return profile.tests
    names = parse_tests(text)
    offered = (*profile.tests, *optional_tests(profile))
    for name in names:
        if name not in offered:
            kind = f"test in the profile {profile.name} that is called"
            raise UnknownNameError(kind=kind, name=name, known=offered)
    return names


def parse_tests(text: str) -> tuple[str, ...]:
    """Return the tests that a text such as ``iops,tp`` names, in its order.

    Raises
    ------
    RepeatedNameError
        If a test is named twice.
    UnknownNameError
        If a test is not of the suite or named twice, or none is named.
    """
    names = tuple(name.strip().lower() for name in text.split(",") if name.strip())
    for name in names:
        if name not in _BUILDERS:
            raise UnknownNameError(kind="test", name=name, known=tuple(_BUILDERS))
        if names.count(name) > 1:
            raise RepeatedNameError(kind="test", name=name, text=text)
    if not names:
        raise UnknownNameError(kind="test", name=text, known=tuple(_BUILDERS))
    return names


def build_tests(profile: Profile, test_ids: Iterable[str]) -> tuple[PtsTest, ...]:
    """Return the tests of a profile, in the order asked for."""
    return tuple(_build_test(profile, test_id) for test_id in test_ids)


def _build_test(profile: Profile, test_id: str) -> PtsTest:
    test = _BUILDERS[test_id](profile)
    if test_id in LOOPED_TESTS and profile.active_ranges:
        return repeat_over_ranges(test, profile.active_ranges)
    return test
