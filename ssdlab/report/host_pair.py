"""Two runs of the same drive on two hosts: their common curves, and what differs.

A comparison of hosts holds only if nothing else differs; any difference is reported.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from ssdlab.model.errors import RunFolderError
from ssdlab.model.records import RunRecord
from ssdlab.paper.context import Context, read_context
from ssdlab.procedures.saturate.curve import StimulusCurve, read_attempts, read_curve
from ssdlab.procedures.saturate.spec import SATURATE
from ssdlab.pts.shared.head_facts import write_cache_text
from ssdlab.stats.bottleneck import (
    CurveShape,
    HostComparison,
    assess_decline,
    compare_hosts,
)
from ssdlab.store.run import Run
from ssdlab.text.numbers import or_unknown

HOSTS = ("A", "B")
End = Literal["steady", "NOT steady", "not judged"]
_SATURATION = "saturation"  # the phase of WSAT
_REMEDY = (
    "Give two runs of the same procedure and stimulus: a write saturation (ssdlab run "
    "--tests wsat) or a single-stimulus saturation (ssdlab saturate)"
)


@dataclass(frozen=True, kw_only=True)
class HostPair:
    """Two runs of a drive, the curves of both, and what they show about the hosts."""

    contexts: tuple[Context, Context]
    curves: tuple[StimulusCurve, StimulusCurve]
    shapes: tuple[CurveShape, CurveShape]
    ends: tuple[End, End]
    comparison: HostComparison
    differences: tuple[str, ...]

    @property
    def title(self) -> str:
        """What both runs measured."""
        return self.curves[0].name


def read_hosts(run_a: Run, run_b: Run) -> HostPair:
    """Return two runs of the same drive on two hosts, by their first common curve."""
    return read_all_hosts(run_a, run_b)[0]


def read_all_hosts(run_a: Run, run_b: Run) -> tuple[HostPair, ...]:
    """Return two runs of the same drive on two hosts, once for each common curve."""
    _require_two(run_a, run_b)
    contexts = (read_context(run_a), read_context(run_b))
    return tuple(_pair(contexts, curves) for curves in _common_curves(*contexts))


def _pair(
    contexts: tuple[Context, Context], curves: tuple[StimulusCurve, StimulusCurve]
) -> HostPair:
    """Return what one curve of both runs shows about the hosts."""
    first, second = (
        assess_decline(curve.rates, written_fills=curve.written_fills)
        for curve in curves
    )
    comparison = compare_hosts(first, second, is_random_write=curves[0].is_random_write)
    return HostPair(
        contexts=contexts,
        curves=curves,
        shapes=(first, second),
        ends=(_end(contexts[0], curves[0]), _end(contexts[1], curves[1])),
        comparison=comparison,
        differences=tuple(_differences(contexts, curves)),
    )


def _require_two(run_a: Run, run_b: Run) -> None:
    """Require two runs."""
    is_same_folder = run_a.path.resolve() == run_b.path.resolve()
    if is_same_folder or run_a.record.run_id == run_b.record.run_id:
        raise RunFolderError(
            folder=str(run_b.path),
            reason=f"both folders hold the run {run_b.record.run_id}",
            remedy="Give two runs, one from each host.",
        )


def _end(context: Context, curve: StimulusCurve) -> End:
    """Tell whether the last window of a curve was steady."""
    finals = context.final_windows(curve.test, curve.phase)
    if not finals:
        return "not judged"
    is_steady = all(one.is_round_steady for one in finals)
    return "steady" if is_steady else "NOT steady"


def _common_curves(
    first: Context, second: Context
) -> list[tuple[StimulusCurve, StimulusCurve]]:
    """Return the curves that both runs have, or refuse."""
    curves, others = _curves(first), _curves(second)
    shared = [(curve, others[name]) for name, curve in curves.items() if name in others]
    if not shared:
        at, reason = second, "the stimulus or procedure differs from the other run's: "
        reason += " and ".join("; ".join(found) for found in (curves, others))
        if not (curves and others):
            at = second if curves else first
            reason = "it has no finished round of a saturation"
        raise RunFolderError(
            folder=str(at.run.path), reason=reason, remedy=f"{_REMEDY}."
        )
    return shared


def _curves(context: Context) -> dict[str, StimulusCurve]:
    """Return the curves of a run by procedure and stimulus; of attempts the last."""
    found: dict[str, StimulusCurve] = {}
    for test in context.record.tests:
        if context.procedure == SATURATE:
            for curve in read_attempts(context, test):
                found[f"{SATURATE}: {curve.name}"] = curve
        elif not context.procedure:
            saturation = read_curve(context, test=test, phase=_SATURATION)
            if saturation:
                found[f"{test}: {saturation.name}"] = saturation
    return found


def _differences(
    contexts: tuple[Context, Context], curves: tuple[StimulusCurve, StimulusCurve]
) -> Iterator[str]:
    """Yield what differs besides the host, or cannot be compared."""
    records = (contexts[0].record, contexts[1].record)
    for name, value in _CONDITIONS.items():
        first, second = (or_unknown(value(context)) for context in contexts)
        if first != second:
            yield f"{name}: {first} on A, {second} on B"
        elif name in _MUST_BE_KNOWN and first == or_unknown(""):
            yield f"{name}: not recorded in either run"
    yield from _options(*records)
    if curves[0].phase != curves[1].phase:
        yield "attempt: one run needed its second attempt, the other did not"
    counts = [len(curve.rounds) for curve in curves]
    if counts[0] != counts[1]:
        yield f"number of rounds: {counts[0]} on A, {counts[1]} on B"
    lengths = [float(curve.rounds["time_s"].iloc[0]) for curve in curves]
    if min(lengths) < 0.9 * max(lengths):
        yield f"length of a round: {lengths[0]:.3g} s on A, {lengths[1]:.3g} s on B"


def _options(first: RunRecord, second: RunRecord) -> Iterator[str]:
    """Yield each option of the target that differs."""
    one, other = first.target.options, second.target.options
    for name in sorted({*one, *other} - {"linger_s"}):
        values = [str(options.get(name, "not set")) for options in (one, other)]
        if values[0] != values[1]:
            yield f"target option {name}: {values[0]} on A, {values[1]} on B"


def _active_range(context: Context) -> str:
    value = context.record.asked.active_range_percent
    return f"{value:g}" if isinstance(value, int | float) else str(value)


_MUST_BE_KNOWN = ("serial number", "firmware")
_CONDITIONS: dict[str, Callable[[Context], object]] = {
    "serial number": lambda context: context.record.target.serial,
    "firmware": lambda context: context.record.target.firmware,
    "model": lambda context: context.record.target.model,
    "user capacity": lambda context: context.record.target.capacity_bytes or "",
    "target": lambda context: context.record.target.kind,
    "procedure": lambda context: context.record.asked.name,
    "purge": lambda context: context.record.purge_method,
    "write cache": write_cache_text,
    "active range [%]": _active_range,
    "fio version": lambda context: context.record.host.fio_version,
}
