"""What a run by a procedure did, phase by phase, for the head of its pages."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pandas as pd

from ssdlab.model.units import capacity_label, duration_label
from ssdlab.paper.blocks import Block, Page
from ssdlab.paper.context import Context
from ssdlab.procedures.rwsw.facts import workloads_of
from ssdlab.pts.shared.head_facts import Facts, common_facts
from ssdlab.pts.shared.headlines import Headline, window_headlines
from ssdlab.pts.shared.outcome import procedure_outcome
from ssdlab.pts.shared.verdict import windows_summary
from ssdlab.pts.shared.view import View, no_overview
from ssdlab.stats.cells import cell_stimulus
from ssdlab.stats.judged import by_phase
from ssdlab.stats.phases import phase_label
from ssdlab.text.numbers import NOT_RECORDED, workers_text
from ssdlab.text.quantities import is_missing


def procedure_view(
    pages: Callable[[Context, str], tuple[Page, ...]],
    headlines: Callable[[Context, str], Iterable[Headline]] = window_headlines,
    overview: Callable[[Context], Iterable[Block]] = no_overview,
) -> View:
    """Return how a test of a procedure with these pages is shown."""
    return View(
        pages=pages,
        headlines=headlines,
        set_up=procedure_set_up,
        stimulus=procedure_stimulus,
        summary=windows_summary,
        outcome=procedure_outcome,
        overview=overview,
    )


def procedure_set_up(context: Context, test: str) -> Facts:
    """Return what filled the device, and the windows of what is judged."""
    steps = context.steps_of(test)
    facts = common_facts(context, test)
    for _, row in steps[steps["kind"] == "precondition"].iterrows():
        words = f"{_work_text(row)}, {_amount_text(context, row['written_bytes'])}"
        facts.append((_title(row["phase"]), words))
    return [*facts, *_windows(context, test)]


def procedure_stimulus(context: Context, test: str) -> Facts:
    """Return the workload and the time of each phase that measures."""
    steps = context.steps_of(test)
    runtimes = context.totals.set_index("step_id")["runtime_s"]
    steps = steps.assign(runtime_s=steps["step_id"].map(runtimes))
    facts = common_facts(context, test)
    measured = steps[steps["kind"].isin(["cell", "histogram"])]
    for phase, rows in measured.groupby("phase", sort=False):
        took = _time_text(rows["runtime_s"].median()) + _ramp_text(context, test, phase)
        if (rows["kind"] == "cell").all():
            took = f"{len(rows)} rounds of {took} (median)"
        facts.append((_title(phase), f"{_work_text(rows.iloc[0])}, {took}"))
    return facts


def _windows(context: Context, test: str) -> Iterator[tuple[str, str]]:
    """Yield the last window of each phase, by the name of the phase."""
    finals = context.final_windows(test)
    for phase, judged in by_phase(finals):
        is_steady = all(one.is_round_steady for one in judged)
        outcome = "" if is_steady else ": SS NOT ACHIEVED"
        yield f"SS rounds, {phase_label(phase)}", f"{judged[0].rounds_text}{outcome}"
    if not finals and context.asks_steady_state(test):
        yield "Note", "not judged: no full window"


def _amount_text(context: Context, written_bytes: Any) -> str:
    if is_missing(written_bytes):
        return NOT_RECORDED
    capacity = context.record.target.capacity_bytes
    if not capacity:
        return capacity_label(float(written_bytes))
    return f"{written_bytes / capacity:.3g}X user capacity"


def _ramp_text(context: Context, test: str, phase: object) -> str:
    """Return the ramp time before the stated time, if there was one."""
    workload = workloads_of(context).get((test, str(phase)))
    if workload is None or not workload.ramp_s:
        return ""
    return f" after {_time_text(workload.ramp_s)} ramp"


def _title(phase: object) -> str:
    label = phase_label(str(phase))
    return label[:1].upper() + label[1:]


def _work_text(row: "pd.Series[Any]") -> str:
    words = cell_stimulus(row["access"], row["block_size_bytes"], row["read_percent"])
    return f"{words}, {workers_text(row['threads'], row['queue_depth'])}"


def _time_text(seconds: Any) -> str:
    if is_missing(seconds):
        return NOT_RECORDED
    return duration_label(seconds) if seconds >= 60 else f"{seconds:.3g} s"
