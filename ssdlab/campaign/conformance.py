"""What departs from the standard in a run: its target, its profile, its cells."""

from ssdlab.pts.departures import find_departures
from ssdlab.pts.fitting import fit_suite
from ssdlab.pts.profiles import Profile
from ssdlab.targets.shape import Shape


def find_run_departures(
    profile: Profile, tests: tuple[str, ...], shape: Shape
) -> tuple[str, ...]:
    """Return each departure of a run in words, known before it begins.

    Parameters
    ----------
    profile : Profile
        The profile asked for.
    tests : tuple of str
        The tests asked for.
    shape : Shape
        What the target is, and what departs with any run on it.

    Returns
    -------
    tuple of str
        One departure an entry; none when the run can be conformant.
    """
    fitted = fit_suite(
        profile,
        tests,
        capacity_bytes=shape.capacity_bytes,
        sector_bytes=shape.sector_bytes,
    )
    return (
        *shape.departures,
        *find_departures(profile, tests),
        *_write_cache(profile, shape.write_cache_fault),
        *fitted.left_out,
    )


def _write_cache(profile: Profile, fault: str) -> tuple[str, ...]:
    if profile.write_cache == "as found" or not fault:
        return ()
    left = f"write cache: left as it was found instead of {profile.write_cache}"
    return (f"{left}: {fault}",)
