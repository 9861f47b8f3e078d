"""The outcome of a test, in a few lines."""

from collections.abc import Iterator, Sequence

from ssdlab.model.units import block_size_label
from ssdlab.pts.shared.phases import WDPC
from ssdlab.stats.judged import JudgedWindow, by_phase, read_final_windows
from ssdlab.stats.phases import is_cell_by_cell, phase_label, range_name
from ssdlab.store.run import Run

Outcome = tuple[str, str]
_NOT_JUDGED = "no steady state was judged"


def rounds_outcome(
    run: Run, test: str, *, has_sizes: bool = False
) -> Iterator[Outcome]:
    """Yield how each judged phase of a test ended, named by its block size or not."""
    finals = read_final_windows(run.windows, test)
    if not finals:
        yield test, _NOT_JUDGED
    if is_cell_by_cell(test, (one.phase for one in finals)):
        yield test, _outcome_of_cells(finals)
        return
    for phase, judged in by_phase(finals):
        before = "preconditioning " if phase == WDPC else ""
        size = judged[0].block_size_bytes
        name = f"{test} {block_size_label(size)}" if has_sizes and size else test
        yield f"{name} {range_name(phase)}".strip(), before + _outcome(judged)


def procedure_outcome(run: Run, test: str) -> Iterator[Outcome]:
    """Yield how each phase of a procedure that was judged ended, by its name."""
    finals = read_final_windows(run.windows, test)
    for phase, judged in by_phase(finals):
        yield f"{test} {phase_label(phase)}", _outcome(judged)
    if not finals:
        (asked,) = (one for one in run.record.asked.tests if one.test_id == test)
        has_none = "no steady-state criterion"
        yield test, _NOT_JUDGED if asked.judged_phases else has_none


def _outcome_of_cells(judged: Sequence[JudgedWindow]) -> str:
    """Say how cells that were taken one by one ended, each in its own window."""
    failed = [one for one in judged if not one.is_steady]
    words = (
        f"{len(judged) - len(failed)} of {len(judged)} cells steady, each judged alone"
    )
    if not failed:
        return words
    more = f", and {len(failed) - 1} more" if len(failed) > 1 else ""
    return f"{words}; NOT steady: {failed[0].tracking}: {failed[0].reason}{more}"


def _outcome(judged: Sequence[JudgedWindow]) -> str:
    """Say how the last judgement of a phase ended, one a tracking variable."""
    if all(one.is_round_steady for one in judged):
        return f"steady in rounds {judged[0].rounds_text}"
    reasons = [
        f"{one.tracking}: {one.reason}" if len(judged) > 1 else one.reason
        for one in judged
        if not one.is_steady
    ]
    return f"NOT steady: {'; '.join(reasons)}"
