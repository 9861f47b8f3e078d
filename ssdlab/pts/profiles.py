"""Profiles: every number of the suite, by edition of the standard.

Sources: pts.md 0.3, 6 to 9, 15 and 16 (sections of the facts that the decision
records cite); PTS 2.0.2, sections 7 to 10.
"""

from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal

from ssdlab.model.errors import UnknownNameError
from ssdlab.model.plain import from_plain
from ssdlab.model.spec import ActiveRange, Tracking
from ssdlab.model.units import GIB, KIB, MIB

WriteCache = Literal["disabled", "enabled", "as found"]

BASIC_TESTS = ("iops", "tp", "lat", "wsat")
IOPS_MIXES = (100, 95, 65, 50, 35, 5, 0)  # PTS 2.0.2, section 7, outer loop
IOPS_BLOCK_SIZES = tuple(  # inner loop
    round(kib * KIB) for kib in (1024, 128, 64, 32, 16, 8, 4, 0.5)
)
LAT_MIXES = (100, 65, 0)  # section 9, outer loop
LAT_BLOCK_SIZES = tuple(round(kib * KIB) for kib in (8, 4, 0.5))  # inner loop
DEMAND_VALUES = (32, 16, 8, 6, 4, 2, 1)  # TC outer, QD inner: pts.md 12.2, 3b
RND_4K_WRITE = Tracking(
    access="rnd", block_size_bytes=4 * KIB, read_percent=0, metric="iops"
)
THREE_TRACKING = (  # PTS 2.0.x tracks three cells in the same window
    RND_4K_WRITE,
    Tracking(access="rnd", block_size_bytes=64 * KIB, read_percent=65, metric="iops"),
    Tracking(access="rnd", block_size_bytes=MIB, read_percent=100, metric="iops"),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Profile:
    """Every value that a run of the suite is made from: `ssdlab.pts.profile_values`.

    ``nominal`` names the profile whose values count as conformant; each value that
    differs from it is a departure. ``active_ranges`` are the loops of PTS-C 1.x in
    IOPS, TP and LAT; where there are none, ``active_range_percent`` holds.
    ``wipc_threads`` is ``None`` when preconditioning has the threads of the loop.
    ``tp_tracked_sizes`` is ``None`` when every block size has its own steady state.
    ``wsat_sample_every_rounds`` is ``None`` when WSAT has no steady-state stop.
    ``histogram_s`` is ``None`` without the histogram runs. ``max_idle_s`` is ours: a
    longer gap starts the window afresh.
    """

    name: str
    title: str
    spec_version: str
    nominal: str
    tests: tuple[str, ...]
    write_cache: WriteCache
    active_range_percent: float
    active_ranges: tuple[ActiveRange, ...]
    threads: int
    queue_depth: int
    wipc_capacity_multiple: float
    wipc_block_size_bytes: int
    wipc_threads: int | None
    wipc_is_divided: bool
    uses_random_map: bool
    cell_s: float
    max_rounds: int
    iops_mixes: tuple[int, ...]
    iops_block_sizes: tuple[int, ...]
    iops_tracking: tuple[Tracking, ...]
    tp_block_sizes: tuple[int, ...]
    tp_threads: int
    tp_queue_depth: int
    tp_has_wipc: bool
    tp_tracked_sizes: tuple[int, ...] | None
    tp_carries_on: bool
    lat_mixes: tuple[int, ...]
    lat_block_sizes: tuple[int, ...]
    wsat_round_s: float
    wsat_capacity_multiple: float
    wsat_time_limit_s: float
    wsat_sample_every_rounds: int | None
    histogram_s: float | None
    wdpc_round_s: float
    wdpc_sample_every_rounds: int
    wdpc_max_samples: int
    hir_access_s: float
    hir_wait_states: tuple[int, ...]
    hir_cycles: int
    hir_baseline_cycles: int
    xsr_group_s: tuple[float, float, float]
    xsr_round_s: float
    xsr_threads: tuple[int, int, int]
    xsr_queue_depth: int
    demand_threads: tuple[int, ...]
    demand_queue_depths: tuple[int, ...]
    demand_pre_write_s: float
    demand_pre_write_capacity_multiple: float | None
    demand_max_lat_ms: float
    point_pre_write_s: float
    point_round_s: float
    point_histogram_s: float
    cbw_read_percent: int
    cbw_alignment_bytes: int
    dirth_block_size_bytes: int
    dirth_read_percent: int
    max_idle_s: float


_ENTERPRISE = Profile(
    name="pts-2.0-enterprise",
    title="SNIA SSS PTS 2.0, enterprise",
    spec_version="PTS 2.0.2",
    nominal="pts-2.0-enterprise",
    tests=("iops", "tp", "lat", "wsat", "hir", "xsr", "cbw", "dirth"),
    write_cache="disabled",
    active_range_percent=100,
    active_ranges=(),
    threads=4,
    queue_depth=32,
    wipc_capacity_multiple=2,
    wipc_block_size_bytes=128 * KIB,
    wipc_threads=None,
    wipc_is_divided=True,
    uses_random_map=False,
    cell_s=60,
    max_rounds=25,
    iops_mixes=IOPS_MIXES,
    iops_block_sizes=IOPS_BLOCK_SIZES,
    iops_tracking=THREE_TRACKING,
    tp_block_sizes=(MIB, 128 * KIB),
    tp_threads=1,
    tp_queue_depth=32,
    tp_has_wipc=True,
    tp_tracked_sizes=None,
    tp_carries_on=True,
    lat_mixes=LAT_MIXES,
    lat_block_sizes=LAT_BLOCK_SIZES,
    wsat_round_s=60,
    wsat_capacity_multiple=4,
    wsat_time_limit_s=6 * 3600,
    wsat_sample_every_rounds=31,
    histogram_s=1200,
    wdpc_round_s=60,
    wdpc_sample_every_rounds=30,
    wdpc_max_samples=25,
    hir_access_s=5,
    hir_wait_states=(1, 2, 3, 5, 10),
    hir_cycles=360,
    hir_baseline_cycles=360,
    xsr_group_s=(8 * 3600, 6 * 3600, 8 * 3600),
    xsr_round_s=60,
    xsr_threads=(1, 1, 1),
    xsr_queue_depth=32,
    demand_threads=DEMAND_VALUES,
    demand_queue_depths=DEMAND_VALUES,
    demand_pre_write_s=300,
    demand_pre_write_capacity_multiple=0.1,
    demand_max_lat_ms=5,
    point_pre_write_s=3600,
    point_round_s=60,
    point_histogram_s=600,
    cbw_read_percent=40,
    cbw_alignment_bytes=0,
    dirth_block_size_bytes=8 * KIB,
    dirth_read_percent=65,
    max_idle_s=5,
)
_CLIENT = replace(
    _ENTERPRISE,
    name="pts-2.0-client",
    title="SNIA SSS PTS 2.0, client",
    nominal="pts-2.0-client",
    write_cache="enabled",
    active_range_percent=75,
    threads=2,
    queue_depth=16,
)
_E_1_1 = replace(
    _ENTERPRISE,
    name="pts-e-1.1",
    title="SNIA SSS PTS-E 1.1",
    spec_version="PTS-E 1.1",
    nominal="pts-e-1.1",
    iops_tracking=(RND_4K_WRITE,),
    wsat_time_limit_s=24 * 3600,
    histogram_s=None,
)
_C_1_1 = replace(
    _CLIENT,
    name="pts-c-1.1",
    title="SNIA SSS PTS-C 1.1, client",
    spec_version="PTS-C 1.1",
    nominal="pts-c-1.1",
    tests=BASIC_TESTS,
    active_range_percent=100,
    active_ranges=tuple(  # outer loops of PTS-C 1.x: pts.md section 6
        ActiveRange(percent=percent, amount_bytes=amount, segments=100)
        for percent in (100, 75)
        for amount in (8 * GIB, 16 * GIB)
    ),
    iops_tracking=(RND_4K_WRITE,),
    tp_block_sizes=(MIB,),
    wsat_time_limit_s=24 * 3600,
    histogram_s=None,
)
_TKPERF = replace(
    _E_1_1,
    name="tkperf",
    title="TKperf's reading of PTS-E 1.0 and 1.1",
    tests=BASIC_TESTS,
    write_cache="as found",
    threads=2,
    queue_depth=16,
    wipc_is_divided=False,
    uses_random_map=True,
    tp_block_sizes=(MIB, 64 * KIB, 8 * KIB, 4 * KIB, 512),
    tp_threads=2,
    tp_queue_depth=16,
    tp_has_wipc=False,
    tp_tracked_sizes=(MIB,),
    tp_carries_on=False,  # its fio jobs have no offset
    wsat_sample_every_rounds=None,
)
_DEMO = replace(
    _ENTERPRISE,
    name="demo",
    title="the enterprise suite with scaled times, for trying out",
    threads=2,  # an operator's choice: less than the virtual SSD's size in flight
    queue_depth=16,
    cell_s=1,
    max_rounds=10,
    iops_mixes=(100, 65, 0),
    iops_block_sizes=(MIB, 64 * KIB, 4 * KIB, 512),
    lat_block_sizes=(8 * KIB, 4 * KIB, 512),
    wsat_round_s=1,
    wsat_capacity_multiple=40,
    wsat_time_limit_s=75,
    wsat_sample_every_rounds=10,
    histogram_s=8,
    wdpc_round_s=1,
    wdpc_sample_every_rounds=5,
    wdpc_max_samples=12,
    hir_access_s=0.5,
    hir_cycles=12,
    hir_baseline_cycles=12,
    xsr_group_s=(40, 30, 40),
    xsr_round_s=1,
    demand_threads=(32, 8, 2, 1),
    demand_queue_depths=(32, 8, 2, 1),
    demand_pre_write_s=3,
    point_pre_write_s=8,
    point_round_s=1,
    point_histogram_s=8,
)
PROFILES = {
    profile.name: profile
    for profile in (_ENTERPRISE, _CLIENT, _E_1_1, _C_1_1, _TKPERF, _DEMO)
}
_FORMER = {"pts-c-1.x": "pts-c-1.1"}  # of ssdlab 0.1.0, as runs and files name it
# What a value of a profile is named for that runs of ssdlab 0.1.0 do not have: their
# tests did not need it.
_LATER = {"tests", "active_ranges", "wdpc", "hir", "xsr", "demand", "point"}
_LATER |= {"cbw", "dirth"}


def find_profile(name: str) -> Profile:
    """Return the profile of that name.

    Raises
    ------
    UnknownNameError
        If there is none; it lists the known ones.
    """
    now = _FORMER.get(name.lower(), name.lower())
    if now not in PROFILES:
        raise UnknownNameError(kind="profile", name=name, known=tuple(PROFILES))
    return PROFILES[now]


def profile_as_dict(profile: Profile) -> dict[str, object]:
    """Return plain values, as ``run.json`` keeps them."""
    return asdict(profile)


def profile_from_dict(values: dict[str, Any]) -> Profile:
    """Return the profile that ``run.json`` keeps.

    What an older version did not know has the value of the profile that it was held
    against.

    Raises
    ------
    ValueError
        If its values are not those of a profile.
    """
    named = str(values.get("nominal"))
    values = {**values, "nominal": _FORMER.get(named, named)}
    held = PROFILES.get(values["nominal"], _ENTERPRISE)
    later = {name: value for name, value in asdict(held).items() if _is_later(name)}
    later |= {"wipc_is_divided": False, "demand_pre_write_capacity_multiple": None}
    names = {field.name for field in fields(Profile)}
    known = {name: value for name, value in values.items() if name in names}
    return from_plain(Profile, later | known)


def _is_later(name: str) -> bool:
    return bool(_LATER & {name, name.split("_", maxsplit=1)[0]})
