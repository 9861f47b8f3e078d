"""A test of the PTS as one value: what it is called, made of, and built by."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ssdlab.model.spec import Phase, PtsTest
from ssdlab.pts.compared import NOT_COMPARED, Compared
from ssdlab.pts.profile import Profile
from ssdlab.pts.settings import Settings
from ssdlab.pts.shared.phases import repeat_over_ranges
from ssdlab.pts.shared.settings import Ranges


@dataclass(frozen=True, kw_only=True, slots=True)
class SuiteTest:
    """A test of the suite.

    Attributes
    ----------
    test_id, title, section, words : str
        Its name in commands and tables, its title, its section of PTS 2.0.2, and what
        it measures in a sentence or two.
    titles : mapping of str to str
        Its title in other editions, by the specification of the profile.
    uses : tuple of type of Settings
        The values of a profile that it is made of, besides the flow.
    compared : Compared
        What two runs are compared by.
    tracks : callable
        Whether the PTS tracks a cell, by its block size [B] and its share of reads [%].
    unused : callable
        Which of these a profile does not use.
    build : callable
        Returns its phases by a profile.
    view : str
        Its `ssdlab.pts.shared.view.View`, as ``module:name``.
    is_basic : bool
        Whether the profiles of fewer tests have it: PTS-C 1.1 and TKperf.
    is_optional : bool
        Whether it is asked for by name alone: PTS 2.0.2, section 10, "Optional 2.0
        workloads".
    has_fixed_blocks : bool
        Whether its block sizes are set by the standard, not by a profile.
    """

    test_id: str
    title: str
    section: str
    words: str
    uses: tuple[type[Settings], ...]
    build: Callable[[Profile], tuple[Phase, ...]]
    view: str
    unused: Callable[[Profile], tuple[type[Settings], ...]] = lambda _: ()
    compared: Compared = NOT_COMPARED
    tracks: Callable[[int | None, int], bool] = lambda _size, _mix: False
    titles: Mapping[str, str] = field(default_factory=dict)
    is_basic: bool = False
    is_optional: bool = False
    has_fixed_blocks: bool = False

    @property
    def is_looped(self) -> bool:
        """Whether it is repeated over the active ranges of PTS-C 1.x."""
        return Ranges in self.uses

    def plan(self, profile: Profile) -> PtsTest:
        """Return the test by a profile."""
        used = [kind for kind in self.uses if kind not in self.unused(profile)]
        test = PtsTest(
            test_id=self.test_id,
            title=self.titles.get(profile.spec_version, self.title),
            pts_section=self.section,
            phases=self.build(profile),
            settings=tuple(kind.group for kind in used),
        )
        ranges = profile[Ranges].active_ranges
        return repeat_over_ranges(test, ranges) if self.is_looped and ranges else test
