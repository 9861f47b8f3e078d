"""Whether a run can take more rounds than planned at its start, and from where.

PTS 2.0.2 checks for a steady state after each round up to the 25th, and leaves it to
the operator whether to continue after that. A test can continue only directly after
its last round: where other steps followed, the drive was purged or filled otherwise.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from ssdlab.engine.sessions import now_text
from ssdlab.ingest.ingest import plan_inputs
from ssdlab.model.errors import RunFolderError
from ssdlab.model.records import MOST_MORE_ROUNDS, Extension, RunRecord
from ssdlab.model.spec import Rounds
from ssdlab.plan.extension import loops_of
from ssdlab.plan.following import follow_plan
from ssdlab.store.raw import read_all_steps
from ssdlab.store.records import RunState

_Place = tuple[str, str]
_NEW_RUN = (
    "Start a new run that allows more rounds from the start: a profile of your own "
    "with max_rounds, which is not a departure if it is more than 25."
)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Progress:
    """How far a run got: its phases in order, the last one it reached, its loops.

    ``unsteady`` are the loops that have rounds and did not end in a steady window.
    """

    places: tuple[_Place, ...]
    last: int
    loops: dict[_Place, Rounds]
    unsteady: tuple[_Place, ...]

    @property
    def closed(self) -> tuple[_Place, ...]:
        """The unsteady loops that were followed by other steps."""
        return tuple(
            place for place in self.unsteady if self.places.index(place) < self.last
        )


def find_extension(
    folder: Path,
    record: RunRecord,
    state: RunState,
    *,
    more_rounds: int,
    has_pause: bool = True,
) -> Extension:
    """Return the extension of a run by so many rounds; write nothing."""
    if record.is_imported or record.is_procedure:
        kind = "was imported" if record.is_imported else "follows a procedure"
        _refuse(
            folder,
            f"it {kind}, and only the tests of the PTS leave more rounds to the "
            "operator",
            "Resume it without --more-rounds, or start a new run.",
        )
    progress = _find_progress(folder, record, state)
    if state.status == "finished":
        _require_unsteady_end(folder, progress)
        if record.target.kind == "virtual":
            _refuse(
                folder,
                "the run is finished, and its virtual SSD is gone with all its data",
                _NEW_RUN,
            )
    coming = [
        loop
        for place, loop in progress.loops.items()
        if progress.places.index(place) >= progress.last
    ]
    if not coming:
        _refuse(
            folder,
            f"it has no rounds left that run until steady{_closed_words(progress)}",
            f"Resume it without --more-rounds. {_NEW_RUN}",
        )
    window = min(loop.criteria.window_rounds for loop in coming) if has_pause else 1
    _require_rounds(folder, more_rounds, least=window)
    test, phase = progress.places[progress.last]
    return Extension(
        asked_at=now_text(), more_rounds=more_rounds, test=test, phase=phase
    )


def _find_progress(folder: Path, record: RunRecord, state: RunState) -> _Progress:
    tests, context = plan_inputs(record, state.extensions)
    steps = list(read_all_steps(folder))
    results = {kept.step.step_id: kept.result for kept in steps}
    judgements, _ = follow_plan(tests, context, results)
    reached = {(kept.step.test_id, kept.step.phase_id) for kept in steps}
    ends = {(one.test_id, one.phase_id): one.is_round_steady for one in judgements}
    loops = {(test.test_id, loop.phase_id): loop for test, loop in loops_of(tests)}
    places = tuple(
        (test.test_id, phase.phase_id) for test in tests for phase in test.phases
    )
    return _Progress(
        places=places,
        last=max((at for at, one in enumerate(places) if one in reached), default=0),
        loops=loops,
        unsteady=tuple(
            place for place in loops if place in reached and not ends.get(place)
        ),
    )


def _require_unsteady_end(folder: Path, progress: _Progress) -> None:
    """Require that a finished run ended with a loop that was not steady."""
    if progress.places[progress.last] in progress.unsteady:
        return
    if not progress.unsteady:
        _refuse(
            folder,
            "the run is finished, and none of its rounds ended without a steady state",
            "There is nothing to continue.",
        )
    why = _closed_words(progress)
    _refuse(
        folder,
        f"the run is finished, and none of its rounds can continue{why}",
        _NEW_RUN,
    )


def _closed_words(progress: _Progress) -> str:
    if not progress.closed:
        return ""
    names = ", ".join(f"{phase} of {test}" for test, phase in progress.closed)
    return (
        f": {names} did not become steady, but other steps followed, and a test can "
        "continue only directly after its last round, without a purge"
    )


def _require_rounds(folder: Path, more_rounds: int, *, least: int) -> None:
    """Require enough rounds for a window, and not more than any drive needs."""
    if least <= more_rounds <= MOST_MORE_ROUNDS:
        return
    why = f", and a window of {least} starts anew after the pause" * (least > 1)
    _refuse(
        folder,
        f"{more_rounds} more rounds were requested{why}",
        f"Request {least} to {MOST_MORE_ROUNDS} more rounds.",
    )


def _refuse(folder: Path, reason: str, remedy: str) -> NoReturn:
    raise RunFolderError(folder=str(folder), reason=reason, remedy=remedy)
