"""What departs from the standard, in words: a run is conformant when nothing does."""

from dataclasses import fields

from ssdlab.model.spec import Tracking
from ssdlab.model.units import block_size_label, duration_label, mix_label
from ssdlab.pts.profiles import PROFILES, Profile

_WORDS = {
    "write_cache": "write cache",
    "active_range_percent": "active range",
    "threads": "thread count TC",
    "queue_depth": "queue depth QD",
    "wipc_capacity_multiple": "preconditioning amount in user capacities",
    "wipc_block_size_bytes": "preconditioning block size",
    "wipc_threads": "threads of the preconditioning",
    "uses_random_map": "fio's random map (no block twice in a cell)",
    "cell_s": "time of a cell",
    "max_rounds": "rounds at most",
    "iops_mixes": "R/W mixes of IOPS",
    "iops_block_sizes": "block sizes of IOPS",
    "iops_tracking": "tracking variables of IOPS",
    "tp_block_sizes": "block sizes of TP",
    "tp_threads": "thread count of TP",
    "tp_queue_depth": "queue depth of TP",
    "tp_has_wipc": "preconditioning of TP",
    "tp_tracked_sizes": "block sizes of TP with a steady state of their own",
    "tp_carries_on": "cells of TP go on where the last one ended",
    "lat_mixes": "R/W mixes of LAT",
    "lat_block_sizes": "block sizes of LAT",
    "wsat_round_s": "time of a WSAT round",
    "wsat_capacity_multiple": "WSAT limit in user capacities",
    "wsat_time_limit_s": "WSAT time limit",
    "wsat_sample_every_rounds": "rounds from one WSAT sample to the next",
    "histogram_s": "time of the histogram run",
    "wdpc_round_s": "time of a round of workload-dependent preconditioning",
    "wdpc_sample_every_rounds": "rounds from one preconditioning sample to the next",
    "wdpc_max_samples": "preconditioning samples at most",
    "hir_access_s": "time of an access of HIR",
    "hir_wait_states": "wait states of HIR",
    "hir_cycles": "accesses of a wait state of HIR",
    "hir_baseline_cycles": "accesses of a baseline of HIR",
    "xsr_group_s": "times of the access groups of XSR",
    "xsr_round_s": "time of an XSR round",
    "xsr_threads": "thread count of XSR",
    "xsr_queue_depth": "queue depth of XSR",
    "demand_threads": "thread counts of the demand variation",
    "demand_queue_depths": "queue depths of the demand variation",
    "demand_pre_write_s": "time of the pre-writes between rounds",
    "demand_max_lat_ms": "mean response time [ms] that a chosen point stays below",
    "point_pre_write_s": "time of the pre-writes of a point",
    "point_round_s": "time of a round of the pre-writes of a point",
    "point_histogram_s": "time of the histogram run of a point",
    "cbw_read_percent": "R/W mix of CBW",
    "cbw_alignment_bytes": "alignment of the composite blocks",
    "dirth_block_size_bytes": "block size of DIRTH",
    "dirth_read_percent": "R/W mix of DIRTH",
}
_OURS = {"name", "title", "spec_version", "nominal", "max_idle_s"}
# Operator choices of the standard: reported, and no departure (pts.md 6, 9).
_OPERATOR_CHOICE = {
    "threads",
    "queue_depth",
    "cbw_alignment_bytes",
    "dirth_block_size_bytes",
    "dirth_read_percent",
}
_TEST_NAMES = {"iops", "tp", "lat", "wsat", "hir", "xsr", "cbw", "dirth"}
_TESTS_OF = {  # of the names that begin otherwise than a test
    "wipc": ("iops", "lat"),
    "histogram": ("lat", "wsat"),
    "cell": ("iops", "tp", "lat", "cbw", "dirth"),
    "max": ("iops", "tp", "lat", "cbw", "dirth"),
    "wdpc": ("hir", "cbw", "dirth"),
    "demand": ("cbw", "dirth"),
    "point": ("cbw", "dirth"),
}


def find_departures(profile: Profile, test_ids: tuple[str, ...]) -> tuple[str, ...]:
    """Return each value of the profile that is not its nominal one, in words.

    Values of tests that were not asked for do not count.
    """
    nominal = PROFILES[profile.nominal]
    names = [
        field.name
        for field in fields(Profile)
        if field.name not in _OURS | _OPERATOR_CHOICE
        and getattr(profile, field.name) != getattr(nominal, field.name)
        and _concerns(field.name, profile, test_ids)
    ]
    return tuple(
        f"{_WORDS[name]}: {_text(name, getattr(profile, name))} "
        f"instead of {_text(name, getattr(nominal, name))}"
        for name in names
    )


def _concerns(name: str, profile: Profile, test_ids: tuple[str, ...]) -> bool:
    prefix = name.split("_", maxsplit=1)[0]
    if prefix == "wipc" and profile.tp_has_wipc and "tp" in test_ids:
        return True
    own = (prefix,) if prefix in _TEST_NAMES else test_ids
    return bool(set(_TESTS_OF.get(prefix, own)) & set(test_ids))


def _text(name: str, value: object) -> str:
    if value is None:
        return "all" if name == "tp_tracked_sizes" else "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        if name.endswith("_s"):
            return " ".join(map(duration_label, value))
        return " ".join(_item(name, item) for item in value)
    if name.endswith("_s") and isinstance(value, int | float):
        return duration_label(value)
    return _item(name, value)


def _item(name: str, value: object) -> str:
    if isinstance(value, Tracking):
        return f"({value.label})"
    if isinstance(value, int):
        if "size" in name:
            return block_size_label(value).replace(" ", "")
        if "mixes" in name or "read_percent" in name:
            return mix_label(value)
    if name == "active_range_percent":
        return f"{value:g} %"
    return f"{value:g}" if isinstance(value, float) else str(value)
