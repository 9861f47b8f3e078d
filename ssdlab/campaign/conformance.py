"""What departs from the standard in a run: its target, its profile, its cells."""

from ssdlab.pts.departures import find_departures
from ssdlab.pts.fitting import fit_suite
from ssdlab.pts.profiles import Profile


def find_run_departures(
    profile: Profile,
    tests: tuple[str, ...],
    *,
    target_departures: tuple[str, ...],
    capacity_bytes: int,
    sector_bytes: int,
    write_cache_fault: str,
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
    capacity_bytes : int
        The user capacity of the target [B].
    sector_bytes : int
        The logical sector of the target [B].
    write_cache_fault : str
        Why its write cache cannot be set as the profile asks; an empty text if it can.

    Returns
    -------
    tuple of str
        One departure an entry; none when the run can be conformant.
    """
    fitted = fit_suite(
        profile, tests, capacity_bytes=capacity_bytes, sector_bytes=sector_bytes
    )
    return (
        *target_departures,
        *find_departures(profile, tests),
        *_write_cache(profile, write_cache_fault),
        *fitted.left_out,
    )


def _write_cache(profile: Profile, fault: str) -> tuple[str, ...]:
    if profile.write_cache == "as found" or not fault:
        return ()
    left = f"write cache: left as it was found instead of {profile.write_cache}"
    return (f"{left}: {fault}",)
