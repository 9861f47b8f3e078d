"""The outcome of a run, one line per test."""

from ssdlab.model.errors import RunFolderError
from ssdlab.store.run import Run
from ssdlab.text.terminal import fact_lines

_MORE_ROUNDS = 10


def outcome_lines(run: Run) -> list[str]:
    """Return how each test of a run ended, and the answers of the run.

    If its last rounds were not steady, the last lines tell how to continue.
    """
    from ssdlab.report.view import view_of

    named = [
        pair
        for test in run.record.tests
        for pair in view_of(run.record.asked, test).outcome(run, test)
    ]
    lines = fact_lines(named)
    return [*lines, "", *answer_lines(run), *_continuation(run)]


def answer_lines(run: Run) -> list[str]:
    """Return whether a run conforms and got steady, and how many doubts it has."""
    return fact_lines(run.answers.lines)


def _continuation(run: Run) -> list[str]:
    """Return how to continue rounds that did not get steady, if that is possible."""
    is_steady = set(run.answers.steadiness.values()) <= {"reached"}
    if run.state.status != "finished" or is_steady:
        return []
    from ssdlab.campaign.extending import find_extension

    try:
        find_extension(run.path, run.record, run.state, more_rounds=_MORE_ROUNDS)
    except RunFolderError:
        return []
    return [
        "",
        "The standard lets the operator continue until steady state:",
        f"ssdlab resume {run.path} --more-rounds {_MORE_ROUNDS}",
    ]
