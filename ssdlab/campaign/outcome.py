"""What came of a run, in a line a test."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ssdlab.analysis.cross_stimulus import (
    recovery_text,
    summarise_access_groups,
    summarise_cross_stimulus,
)
from ssdlab.analysis.idle_recovery import summarise_idle_recovery, summarise_wait_states
from ssdlab.analysis.phases import is_cell_by_cell, phase_label, range_name
from ssdlab.campaign.extending import find_extension
from ssdlab.model.errors import RunFolderError
from ssdlab.model.units import block_size_label
from ssdlab.store.run import Run

if TYPE_CHECKING:
    import pandas as pd

_NAME_WIDTH = len("tp 1024 KiB  ")
_WDPC = "wdpc"
_MORE_ROUNDS = 10
_NOT_JUDGED = "no steady state was judged"


def outcome_lines(run: Run) -> list[str]:
    """Say whether each test of a run was steady, and what is to be said of the run.

    Parameters
    ----------
    run : Run
        A run whose tables were written.

    Returns
    -------
    list of str
        One line a test, of TP one a block size, three about the run, and how it goes
        on where its last rounds were not steady.

    Raises
    ------
    RunFolderError
        If a table is missing or damaged.
    """
    finals = run.windows[run.windows["is_final"].fillna(value=False)]
    named = [
        pair
        for test in run.record.tests
        for pair in _of_test(run, test, finals[finals["test"] == test])
    ]
    width = max((_NAME_WIDTH, *(len(name) + 2 for name, _ in named)))
    lines = [f"{name:<{width}}{outcome}" for name, outcome in named]
    return [*lines, "", *answer_lines(run), *_way_on(run)]


def _way_on(run: Run) -> list[str]:
    """Say how rounds that ended without a steady state go on, if they can."""
    is_steady = set(run.answers.steadiness.values()) <= {"reached"}
    if run.state.status != "finished" or is_steady:
        return []
    try:
        find_extension(run.path, run.record, run.state, more_rounds=_MORE_ROUNDS)
    except RunFolderError:
        return []
    return [
        "",
        "The standard leaves it to the operator to go on until it is steady:",
        f"ssdlab resume {run.path} --more-rounds {_MORE_ROUNDS}",
    ]


def _of_test(run: Run, test: str, finals: "pd.DataFrame") -> Iterator[tuple[str, str]]:
    """Yield what came of a test: its steady states, and what HIR and XSR ask for."""
    if run.record.is_procedure:
        yield from _of_procedure(run, test, finals)
        return
    if test == "xsr":
        rounds = summarise_cross_stimulus(run.measurements, run.steps)
        yield test, recovery_text(summarise_access_groups(rounds))
        return
    yield from _outcomes(test, finals)
    if test == "hir":
        yield test, _idle_recovery(run)


def _of_procedure(
    run: Run, test: str, finals: "pd.DataFrame"
) -> Iterator[tuple[str, str]]:
    """Yield the outcome of each phase that was judged, by the name of the phase."""
    for phase, judged in finals.groupby("phase", sort=False):
        yield f"{test} {phase_label(str(phase))}", _outcome(judged)
    if finals.empty:
        is_asked = any(
            getattr(phase, "tracking", None)
            for asked in run.record.asked.tests
            if asked.test_id == test
            for phase in asked.phases
        )
        yield test, _NOT_JUDGED if is_asked else "it has no steady state to reach"


def _idle_recovery(run: Run) -> str:
    """Say how much faster than their baselines the accesses of the wait states were."""
    accesses = summarise_idle_recovery(run.measurements, run.steps)
    states = summarise_wait_states(accesses).dropna(subset=["iops_ratio"])
    if states.empty:
        return "no wait state was measured with its baseline"
    ratios = ", ".join(
        f"{row.iops_ratio:.3f} after {row.wait_s:g} s" for row in states.itertuples()
    )
    return f"IOPS by those of the baseline: {ratios}"


def _outcomes(test: str, finals: "pd.DataFrame") -> Iterator[tuple[str, str]]:
    """Yield the name and outcome of each phase of a test that was judged."""
    if not len(finals):
        yield test, _NOT_JUDGED
    if is_cell_by_cell(test, finals["phase"]):
        yield test, _outcome_of_cells(finals)
        return
    for phase, judged in finals.groupby("phase", sort=False):
        before = "preconditioning " if phase == _WDPC else ""
        yield _name(test, str(phase), judged), before + _outcome(judged)


def _name(test: str, phase: str, judged: "pd.DataFrame") -> str:
    part = range_name(phase)
    if test != "tp":
        return f"{test} {part}".strip()
    size = block_size_label(int(judged["block_size_bytes"].iloc[0]))
    return f"tp {size} {part}".strip()


def _outcome_of_cells(judged: "pd.DataFrame") -> str:
    """Say how cells that were taken one by one ended, each in its own window."""
    failed = judged[~judged["is_steady"]]
    words = f"{len(judged) - len(failed)} of {len(judged)} cells steady, each by itself"
    if not len(failed):
        return words
    first = failed.iloc[0]
    return f"{words}; NOT steady: {first['tracking']}: {first['reason']}" + (
        f", and {len(failed) - 1} more" if len(failed) > 1 else ""
    )


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


def answer_lines(run: Run) -> list[str]:
    """Say whether a run conforms, got steady, and how much is doubtful.

    Parameters
    ----------
    run : Run
        A run whose tables were written.

    Returns
    -------
    list of str
        One line for each of the three questions.

    Raises
    ------
    RunFolderError
        If the table of findings is missing or damaged.
    """
    lines = run.answers.lines
    width = max(len(name) for name, _ in lines) + 2
    return [f"{name:<{width}}{words}" for name, words in lines]
