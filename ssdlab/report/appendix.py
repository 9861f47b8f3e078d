"""How to repeat a run: every step with its gap, and the exact fio jobs."""

from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from ssdlab.paper.context import Context
from ssdlab.procedures.rwsw.facts import StreamNames, stream_names
from ssdlab.stats.cells import cell_stimulus
from ssdlab.text.numbers import NOT_MEASURED, seconds_text
from ssdlab.text.table import Table, column, tabulate


@dataclass(frozen=True, kw_only=True, slots=True)
class Job:
    """What was run in one step: command line and job file."""

    step_id: str
    what: str
    command: str
    text: str


def steps_table(context: Context) -> Table:
    """Return every step of the run with its idle gap."""
    names = stream_names(context)
    return tabulate(
        context.steps.itertuples(),
        (
            column("Step", "step_id"),
            column("Workload", lambda step: _what(step, names), is_words=True),
            column("TC", "threads"),
            column("QD", "queue_depth"),
            column("Seconds", "duration_s", "{:.2f}".format),
            column("Idle before", _idle),
            column("Ready", lambda step: "yes" if step.was_armed is True else "no"),
            column("Fills", "drive_fills", "{:.3f}".format),
            column("fio", "exit_code"),
            column("Doubts", "warnings", is_words=True, missing=""),
        ),
        caption=f"All {len(context.steps):,} steps",
        note="Ready: fio was waiting when the previous step ended. Fills: bytes "
        "written since the purge of the test, divided by the user capacity. fio: "
        "exit code. Doubts: warnings of fio or the target.",
        is_folded=True,
    )


def _value(step: object, name: str) -> object:
    """Return a value of a row, or None where there is none."""
    value = getattr(step, name)
    return None if pd.isna(value) else value


def _idle(step: object) -> str:
    value = _value(step, "idle_before_s")
    text = NOT_MEASURED if value is None else seconds_text(float(str(value)))
    return text if _value(step, "is_contiguous") in {True, None} else f"{text}, gap"


def _what(step: object, names: StreamNames) -> str:
    kind = str(_value(step, "kind"))
    if _value(step, "access") is None:
        return kind
    place = (str(_value(step, "test")), str(_value(step, "phase")))
    words = names.get(place) or cell_stimulus(
        _value(step, "access"),
        _value(step, "block_size_bytes"),
        _value(step, "read_percent"),
    )
    return words if kind == "cell" else f"{kind}: {words}"


def shown_jobs(context: Context) -> tuple[Job, ...]:
    """Return the jobs that a reader needs to see: all but the repeated rounds."""
    first_round = context.steps["round"].fillna(1) <= 1
    return tuple(_jobs(context, context.steps[first_round].itertuples()))


def all_jobs(context: Context) -> dict[str, list[str]]:
    """Return command and job file of every step, by step."""
    jobs = _jobs(context, context.steps.itertuples())
    return {job.step_id: [job.command, job.text] for job in jobs}


def _jobs(context: Context, steps: Iterable[object]) -> Iterable[Job]:
    names = stream_names(context)
    for step in steps:
        step_id = str(_value(step, "step_id"))
        command, text = context.run.command(step_id), context.run.job_file(step_id)
        if command or text:
            yield Job(
                step_id=step_id, what=_what(step, names), command=command, text=text
            )
