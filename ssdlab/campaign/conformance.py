"""What departs from the standard in a run: its target, its profile, its cells."""

from ssdlab.pts.departures import find_departures
from ssdlab.pts.profiles import Profile, fit_to_sectors
from ssdlab.pts.suite import build_tests


def find_run_departures(
    profile: Profile,
    tests: tuple[str, ...],
    *,
    target_departures: tuple[str, ...],
    sector_bytes: int,
) -> tuple[str, ...]:
    """Return each departure of a run in words, known before it begins.

    Parameters
    ----------
    profile : Profile
        The profile asked for.
    tests : tuple of str
        The tests asked for.
    target_departures : tuple of str
        What departs with any run on this kind of target.
    sector_bytes : int
        The logical sector of the target [B].

    Returns
    -------
    tuple of str
        One departure an entry; none when the run can be conformant.
    """
    return (
        *target_departures,
        *find_departures(profile, tests),
        *_write_cache(profile),
        *_dropped_cells(profile, tests, sector_bytes),
    )


def _write_cache(profile: Profile) -> tuple[str, ...]:
    if profile.write_cache == "as found":
        return ()
    return (f"write cache: left as it was found instead of {profile.write_cache}",)


def _dropped_cells(
    profile: Profile, tests: tuple[str, ...], sector_bytes: int
) -> tuple[str, ...]:
    fitting = fit_to_sectors(profile, sector_bytes)
    if build_tests(fitting, tests) == build_tests(profile, tests):
        return ()
    return (f"cells below the sector of {sector_bytes} B: left out",)
