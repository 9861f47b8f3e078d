"""Targets of a FioSynth suite as limits of the tests that ssdlab makes of it.

The format names no unit of throughput; it is taken as MiB/s, that of the rates in the
same suites. Latencies are in microseconds. A maximum bounds nothing beyond the run, so
targets of it are left out, and the title says so. Its runs are of a fixed time, so that
a target does not ask for a steady state.
"""

from ssdlab.fleet.conditions import STEADY_STATE
from ssdlab.limits.bounds import Bound, BoundLimit, BoundsFile
from ssdlab.model.errors import UserFileError
from ssdlab.procedures.jobs.fiosynth import Target, read_targets, scale_of

_MAXIMUM = "MAX"


def fiosynth_limits(text: str, *, source: str, capacity_bytes: int) -> BoundsFile:
    """Return the targets of a suite as limits, for a drive of a capacity.

    A MIN of 0 asks for nothing and is no limit.

    Raises
    ------
    UserFileError
        If it is no suite, has no targets, or one of them is not valid.
    """
    found = tuple(read_targets(text, source=source))
    asked = [one for one in found if one.value and one.level != _MAXIMUM]
    if not asked:
        raise UserFileError(source=source, reason="it has no targets that are limits")
    maxima = sum(one.level == _MAXIMUM for one in found)
    left_out = f"; {maxima} of maxima are left out" if maxima else ""
    scale = scale_of(capacity_bytes)
    return BoundsFile(
        limit=tuple(_limit(one, scale=scale, source=source) for one in asked),
        title=f"targets of {source}{left_out}",
    )


def _limit(target: Target, *, scale: float, source: str) -> BoundLimit:
    value = target.value * (scale if target.is_per_tb else 1.0)
    is_latency = target.metric == "latency"
    if not is_latency and target.level != "MIN":
        reason = f"the target {target.metric} {target.level!r} is not MIN"
        raise UserFileError(source=source, reason=reason)
    least: Bound = value if target.metric == "iops" else f"{value:.12g} MiB/s"
    names = {"throughput": "bw", "latency": target.level.lower()}
    try:
        return BoundLimit(
            metric=names.get(target.metric, target.metric),
            at_least=None if is_latency else least,
            at_most=f"{value:.12g} us" if is_latency else None,
            test=target.test,
            direction=target.direction,
            accept=(STEADY_STATE,),
        )
    except ValueError as error:
        raise UserFileError(source=source, reason=str(error)) from None
