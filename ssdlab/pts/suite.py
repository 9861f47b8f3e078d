"""Which tests there are, and how a profile turns into them."""

from collections.abc import Iterable

from ssdlab.model.editions import edition_of
from ssdlab.model.errors import RepeatedNameError, UnknownNameError
from ssdlab.model.spec import PtsTest
from ssdlab.pts import catalog
from ssdlab.pts.profile import Profile
from ssdlab.pts.settings import Settings
from ssdlab.pts.shared.settings import Flow
from ssdlab.pts.suite_test import SuiteTest

CATALOG = {
    test.test_id: test for test in vars(catalog).values() if isinstance(test, SuiteTest)
}
SUITE = tuple(name for name, test in CATALOG.items() if not test.is_optional)
OPTIONAL_SUITE = tuple(name for name, test in CATALOG.items() if test.is_optional)
COMPARED = {name: test.compared for name, test in CATALOG.items()}
LOOPED_TESTS = frozenset(name for name, test in CATALOG.items() if test.is_looped)
ALL_TESTS = "all"
_KINDS: tuple[type[Settings], ...] = (
    Flow,
    *(kind for test in CATALOG.values() for kind in test.uses),
)
GROUPS = {kind.group: kind for kind in _KINDS}


def title_of(test_id: str) -> str:
    """Return the title of a test, or its name if it is not of the suite."""
    return CATALOG[test_id].title if test_id in CATALOG else test_id.upper()


def optional_tests(profile: Profile) -> tuple[str, ...]:
    """Return the tests that a profile offers by name only, not in ``all``.

    Only the editions 2.x have them, whatever the times of the profile are.
    """
    return OPTIONAL_SUITE if edition_of(profile.spec_version) == 2 else ()


def choose_tests(profile: Profile, text: str) -> tuple[str, ...]:
    """Return the tests of a profile that a text names: ``all``, or ``iops,tp``.

    ``all`` has none of the optional tests.
    """
    if text.strip().lower() == ALL_TESTS:
        return profile.tests
    names = parse_tests(text)
    offered = (*profile.tests, *optional_tests(profile))
    for name in names:
        if name not in offered:
            kind = f"{profile.name} test"
            raise UnknownNameError(kind=kind, name=name, known=offered)
    return names


def parse_tests(text: str) -> tuple[str, ...]:
    """Return the tests that a text such as ``iops,tp`` names, in its order."""
    names = tuple(name.strip().lower() for name in text.split(",") if name.strip())
    for name in names:
        if name not in CATALOG:
            raise UnknownNameError(kind="test", name=name, known=tuple(CATALOG))
        if names.count(name) > 1:
            raise RepeatedNameError(kind="test", name=name, text=text)
    if not names:
        raise UnknownNameError(kind="test", name=text, known=tuple(CATALOG))
    return names


def build_tests(profile: Profile, test_ids: Iterable[str]) -> tuple[PtsTest, ...]:
    """Return the tests of a profile, in the order asked for."""
    return tuple(_find(test_id).plan(profile) for test_id in test_ids)


def _find(test_id: str) -> SuiteTest:
    if test_id not in CATALOG:
        raise UnknownNameError(kind="test", name=test_id, known=tuple(CATALOG))
    return CATALOG[test_id]


def tests_of(kind: type[Settings], profile: Profile) -> tuple[str, ...]:
    """Return the tests that a group of values is about: of the flow, all."""
    return tuple(
        name
        for name, test in CATALOG.items()
        if kind is Flow or (kind in test.uses and kind not in test.unused(profile))
    )
