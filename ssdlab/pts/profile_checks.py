"""What the values of a profile must be to each other, so that its tests can be run."""

from collections.abc import Iterator

from ssdlab.model.errors import ProfileError
from ssdlab.model.spec import PTS_CRITERIA
from ssdlab.model.units import KIB, block_size_label
from ssdlab.pts.profiles import Profile

_MOST_ROUNDS = 100_000
_Fault = tuple[str, str, str]  # key, reason, remedy


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


def _find_faults(profile: Profile) -> Iterator[_Fault]:
    yield from _tracking_faults(profile)
    yield from _latency_faults(profile)
    yield from _throughput_faults(profile)
    yield from _round_faults(profile)
    yield from _range_faults(profile)
    yield from _demand_faults(profile)


def _demand_faults(profile: Profile) -> Iterator[_Fault]:
    for key in ("demand_threads", "demand_queue_depths"):
        values = getattr(profile, key)
        if list(values) != sorted(values, reverse=True):
            yield (
                key,
                "it does not go from high to low, and the first pair is tracked",
                "Put the greatest first.",
            )
    window = PTS_CRITERIA.window_rounds
    if profile.wdpc_max_samples < window:
        yield (
            "wdpc_max_samples",
            f"a steady state is judged on {window} samples",
            f"Choose {window} or more.",
        )


def _range_faults(profile: Profile) -> Iterator[_Fault]:
    names = [active.name for active in profile.active_ranges]
    if len(set(names)) < len(names):
        yield "active_ranges", "two are alike", "Leave one out."
    if len(names) > 1 and profile.histogram_s is not None:
        yield (
            "histogram_s",
            "a histogram run cannot be of several active ranges",
            'Write histogram_s = "none", or name one active range.',
        )


def _tracking_faults(profile: Profile) -> Iterator[_Fault]:
    for tracking in profile.iops_tracking:
        if (
            tracking.block_size_bytes not in profile.iops_block_sizes
            or tracking.read_percent not in profile.iops_mixes
        ):
            yield (
                "iops_tracking",
                f"{tracking.label} is no cell of iops_mixes and iops_block_sizes",
                "Add its mix and block size there, or track another cell.",
            )


def _latency_faults(profile: Profile) -> Iterator[_Fault]:
    if 4 * KIB not in profile.lat_block_sizes:
        yield (
            "lat_block_sizes",
            "4 KiB is not among them, and its writes are the tracking variable",
            "Add it.",
        )
    if 0 not in profile.lat_mixes:
        yield (
            "lat_mixes",
            "0 is not among them, and writes are the tracking variable",
            "Add it.",
        )


def _throughput_faults(profile: Profile) -> Iterator[_Fault]:
    tracked = profile.tp_tracked_sizes
    if tracked is None:
        return
    for size in tracked:
        if size not in profile.tp_block_sizes:
            yield (
                "tp_tracked_sizes",
                f"{block_size_label(size)} is none of tp_block_sizes",
                "Add it there, or leave it out here.",
            )
    if tracked[0] != profile.tp_block_sizes[0]:
        yield (
            "tp_tracked_sizes",
            "its first is not the first of tp_block_sizes",
            "Put the same block size first in both: the others follow its rounds.",
        )


def _round_faults(profile: Profile) -> Iterator[_Fault]:
    spans = (
        ("wsat_round_s", profile.wsat_time_limit_s, profile.wsat_round_s),
        ("xsr_round_s", max(profile.xsr_group_s), profile.xsr_round_s),
        ("point_round_s", profile.point_pre_write_s, profile.point_round_s),
        (
            "wdpc_sample_every_rounds",
            profile.wdpc_sample_every_rounds * profile.wdpc_max_samples,
            1,
        ),
    )
    for key, whole, part in spans:
        if whole / part > _MOST_ROUNDS:
            yield (
                key,
                f"that makes {whole / part:.0f} rounds in a phase",
                f"Choose values of at most {_MOST_ROUNDS} rounds.",
            )
