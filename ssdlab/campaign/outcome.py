"""What came of a run, in a line a test."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ssdlab.analysis.phases import is_cell_by_cell
from ssdlab.model.units import block_size_label
from ssdlab.store.run import Run

if TYPE_CHECKING:
    import pandas as pd

_NAME_WIDTH = len("tp 1024 KiB  ")


def outcome_lines(run: Run) -> list[str]:
    """Say whether each test of a run was steady, and the run conformant.

    Parameters
    ----------
    run : Run
        A run whose tables were written.

    Returns
    -------
    list of str
        One line a test, of TP one a block size, and one about the run.

    Raises
    ------
    RunFolderError
        If a table is missing or damaged.
    """
    finals = run.windows[run.windows["is_final"].fillna(value=False)]
    lines = [
        f"{name:<{_NAME_WIDTH}}{outcome}"
        for test in run.record.tests
        for name, outcome in _outcomes(test, finals[finals["test"] == test])
    ]
    return [*lines, _conformance(run)]


def _outcomes(test: str, finals: "pd.DataFrame") -> Iterator[tuple[str, str]]:
    """Yield the name and outcome of each phase of a test that was judged."""
    if not len(finals):
        yield test, "no steady state was judged"
    if is_cell_by_cell(test, finals["phase"]):
        yield test, _outcome_of_cells(finals)
        return
    for _, judged in finals.groupby("phase", sort=False):
        size = block_size_label(int(judged["block_size_bytes"].iloc[0]))
        yield (f"tp {size}" if test == "tp" else test), _outcome(judged)


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


def _conformance(run: Run) -> str:
    row = run.runs.iloc[0]
    if row["is_conformant"]:
        return "PTS-conformant"
    count = len(str(row["departures"]).splitlines())
    noun = "departure" if count == 1 else "departures"
    return f"not PTS-conformant: {count} {noun}, see the report"
