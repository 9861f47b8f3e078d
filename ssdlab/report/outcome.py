"""What came of a test, in a line or some."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ssdlab.analysis.phases import is_cell_by_cell, phase_label, range_name
from ssdlab.model.units import block_size_label
from ssdlab.pts.wdpc import WDPC
from ssdlab.store.run import Run

if TYPE_CHECKING:
    import pandas as pd

Outcome = tuple[str, str]
_NOT_JUDGED = "no steady state was judged"


def rounds_outcome(
    run: Run, test: str, *, has_sizes: bool = False
) -> Iterator[Outcome]:
    """Yield how each judged phase of a test ended, named by its block size or not."""
    finals = _final_windows(run, test)
    if finals.empty:
        yield test, _NOT_JUDGED
    if is_cell_by_cell(test, finals["phase"]):
        yield test, _outcome_of_cells(finals)
        return
    for phase, judged in finals.groupby("phase", sort=False):
        before = "preconditioning " if phase == WDPC else ""
        size = judged["block_size_bytes"].iloc[0]
        name = f"{test} {block_size_label(int(size))}" if has_sizes else test
        yield f"{name} {range_name(str(phase))}".strip(), before + _outcome(judged)


def procedure_outcome(run: Run, test: str) -> Iterator[Outcome]:
    """Yield how each phase of a procedure that was judged ended, by its name."""
    finals = _final_windows(run, test)
    for phase, judged in finals.groupby("phase", sort=False):
        yield f"{test} {phase_label(str(phase))}", _outcome(judged)
    if finals.empty:
        (asked,) = (one for one in run.record.asked.tests if one.test_id == test)
        has_none = "it has no steady state to reach"
        yield test, _NOT_JUDGED if asked.judged_phases else has_none


def _final_windows(run: Run, test: str) -> "pd.DataFrame":
    windows = run.windows
    is_final = windows["is_final"].fillna(value=False)
    chosen: pd.DataFrame = windows[is_final & (windows["test"] == test)]
    return chosen


def _outcome_of_cells(judged: "pd.DataFrame") -> str:
    """Say how cells that were taken one by one ended, each in its own window."""
    failed = judged[~judged["is_steady"]]
    words = f"{len(judged) - len(failed)} of {len(judged)} cells steady, each by itself"
    if failed.empty:
        return words
    first = failed.iloc[0]
    more = f", and {len(failed) - 1} more" if len(failed) > 1 else ""
    return f"{words}; NOT steady: {first['tracking']}: {first['reason']}{more}"


def _outcome(judged: "pd.DataFrame") -> str:
    """Say how the last judgement of a phase ended, one row a tracking variable."""
    if judged["is_round_steady"].all():
        first, last = judged[["window_first_round", "window_last_round"]].iloc[0]
        return f"steady in rounds {first} - {last}"
    failed = judged[~judged["is_steady"]]
    reasons = [
        f"{row.tracking}: {row.reason}" if len(judged) > 1 else str(row.reason)
        for row in failed.itertuples()
    ]
    return f"NOT steady: {'; '.join(reasons)}"
