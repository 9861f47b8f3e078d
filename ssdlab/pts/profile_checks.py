"""What the values of a profile must be to each other, so that its tests can be run."""

from collections.abc import Iterator

from ssdlab.model.errors import ProfileError
from ssdlab.pts.profile import Profile
from ssdlab.pts.settings import Fault
from ssdlab.pts.shared import HistogramRun, Ranges


def check_whole(profile: Profile, *, source: str) -> Profile:
    """Return the profile if its values go with each other.

    Raises
    ------
    ProfileError
        If they do not; it names the first that does not.
    """
    for key, reason, remedy in _find_faults(profile):
        raise ProfileError(source=source, key=key, reason=reason, remedy=remedy)
    return profile


def _find_faults(profile: Profile) -> Iterator[Fault]:
    """Yield the faults of each group by its keys, then those between groups."""
    for kind, values in profile.settings.items():
        for field, reason, remedy in values.faults():
            yield f"{kind.prefix}{field}", reason, remedy
    has_histogram = profile[HistogramRun].histogram_s is not None
    if len(profile[Ranges].active_ranges) > 1 and has_histogram:
        yield (
            "histogram_s",
            "a histogram run cannot be of several active ranges",
            'Write histogram_s = "none", or name one active range.',
        )
