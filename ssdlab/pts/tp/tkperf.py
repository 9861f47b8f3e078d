"""Whether a run was measured as TKperf measures."""

from ssdlab.model.asked import Asked, Import, Suite
from ssdlab.model.units import MIB
from ssdlab.pts.profiles import profile_of
from ssdlab.pts.tp.spec import Tp


def is_tkperf(asked: Asked) -> bool:
    """Tell whether a run follows TKperf's profile, or is a result of TKperf's.

    A user's profile based on it has another name; it is recognised by TKperf's way of
    measuring throughput, which no other profile has.
    """
    if isinstance(asked, Import):
        return asked.tool == "tkperf"
    if not isinstance(asked, Suite):
        return False
    try:
        profile = profile_of(asked)
    except ValueError:
        return asked.name == "tkperf"
    is_alone = profile[Tp].tracked_sizes == (MIB,) and not profile[Tp].has_wipc
    return profile.name == "tkperf" or is_alone
