"""What came of a run, in a line a test."""

from ssdlab.campaign.extending import find_extension
from ssdlab.model.errors import RunFolderError
from ssdlab.report.view import view_of
from ssdlab.store.run import Run

_NAME_WIDTH = len("tp 1024 KiB  ")
_MORE_ROUNDS = 10


def outcome_lines(run: Run) -> list[str]:
    """Say how each test of a run ended, and what is to be said of the run.

    Where its last rounds were not steady, the last lines say how it goes on.

    Raises
    ------
    RunFolderError
        If a table is missing or damaged.
    """
    named = [
        pair
        for test in run.record.tests
        for pair in view_of(run.record.asked, test).outcome(run, test)
    ]
    width = max((_NAME_WIDTH, *(len(name) + 2 for name, _ in named)))
    lines = [f"{name:<{width}}{outcome}" for name, outcome in named]
    return [*lines, "", *answer_lines(run), *_way_on(run)]


def answer_lines(run: Run) -> list[str]:
    """Say whether a run conforms, got steady, and how much is doubtful.

    Raises
    ------
    RunFolderError
        If the table of findings is missing or damaged.
    """
    lines = run.answers.lines
    width = max(len(name) for name, _ in lines) + 2
    return [f"{name:<{width}}{words}" for name, words in lines]


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
