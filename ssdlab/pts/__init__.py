"""The tests of the PTS as data, and the profiles that fill in their numbers."""

from ssdlab.pts.profile import Profile
from ssdlab.pts.profiles import PROFILES, find_profile
from ssdlab.pts.suite import SUITE, build_tests, parse_tests

__all__ = [
    "PROFILES",
    "SUITE",
    "Profile",
    "build_tests",
    "find_profile",
    "parse_tests",
]
