"""What a run by a capture of IO streams did, from its record."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd

from ssdlab.model.capture import EXPERIMENTAL, Capture
from ssdlab.model.plain import from_plain
from ssdlab.model.spec import Workload
from ssdlab.model.units import capacity_label, duration_label
from ssdlab.text.numbers import NOT_RECORDED

if TYPE_CHECKING:
    from ssdlab.paper.context import Context

Facts = list[tuple[str, str]]
StreamNames = dict[tuple[str, str], str]
_PREFIX = "rwsw-"


def is_of_streams(context: "Context") -> bool:
    """Tell whether a run follows a procedure by a capture of IO streams."""
    return context.procedure.startswith(_PREFIX)


def capture_of(context: "Context") -> Capture | None:
    """Return the capture of a run; nothing if its record has no complete one."""
    asked = context.record.asked
    try:
        return from_plain(Capture, asked.given["capture"])  # type: ignore[union-attr] # it is a procedure
    except (AttributeError, KeyError, ValueError):
        return None


def workloads_of(context: "Context") -> dict[tuple[str, str], Workload]:
    """Return the planned workload, by test and phase."""
    return {
        (test.test_id, phase.phase_id): workload
        for test in context.record.asked.tests
        for phase in test.possible_phases
        if isinstance(workload := getattr(phase, "workload", None), Workload)
    }


def stream_names(context: "Context") -> StreamNames:
    """Return the name of each mix of streams, by test and phase; else nothing."""
    if not is_of_streams(context):
        return {}
    found = workloads_of(context).items()
    return {place: workload.label for place, workload in found if workload.streams}


def stream_set_up(context: "Context", test: str) -> Facts:
    """Return how the drive was prepared."""
    facts: Facts = [("Standard", EXPERIMENTAL), ("Data pattern", "RND")]
    steps = context.steps_of(test)
    capacity = context.record.target.capacity_bytes
    for written in steps.loc[steps["kind"] == "precondition", "written_bytes"].dropna():
        amount = f"{written / capacity:.3g}X user capacity" if capacity else ""
        words = ", ".join(filter(None, (capacity_label(float(written)), amount)))
        facts.append(("Pre-condition 1", f"SEQ 128 KiB 0/100; {words}"))
    for window in context.final_windows(test):
        facts.append(("SS rounds", window.rounds_text))
        if not window.is_round_steady:
            facts.append(("Note", "SS NOT ACHIEVED"))
    return facts


def stream_stimulus(context: "Context", test: str) -> Facts:
    """Return what was applied."""
    found = workloads_of(context).items()
    workloads = {phase: work for (held, phase), work in found if held == test}
    capture = capture_of(context)
    facts: Facts = [("Capture", capture.name if capture else NOT_RECORDED)]
    names = dict.fromkeys(workload.label for workload in workloads.values())
    words = ", ".join(names) if len(names) <= 4 else f"{len(names)} different mixes"
    facts.append(("Test stimulus", words or NOT_RECORDED))
    depths = [work.threads * work.queue_depth for work in workloads.values()]
    if depths:
        least, most = min(depths), max(depths)
        span = f"{least:,}" if least == most else f"{least:,} to {most:,}"
        facts.append(("OIO (TC x QD)", span))
    return [*facts, *_times(context.steps_of(test))]


def _times(steps: pd.DataFrame) -> Iterator[tuple[str, str]]:
    names = {"cell": "Each round, median", "histogram": "Each step, median"}
    for kind, name in names.items():
        median = steps.loc[steps["kind"] == kind, "duration_s"].median()
        if pd.notna(median):
            is_long = median >= 60
            yield name, duration_label(median) if is_long else f"{median:.3g} s"
