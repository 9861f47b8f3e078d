"""More rounds than planned at the start: the standard leaves them to the operator."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ssdlab.model.records import Extension
from ssdlab.model.spec import Phase, PtsTest, Rounds


def extend_tests(
    tests: Sequence[PtsTest], extensions: Iterable[Extension]
) -> tuple[PtsTest, ...]:
    """Return tests whose loops may take as many more rounds as requested."""
    extended = tuple(tests)
    for extension in extensions:
        extended = _extend(extended, extension)
    return extended


def loops_of(tests: Iterable[PtsTest]) -> Iterator[tuple[PtsTest, Rounds]]:
    """Yield the loops that run until steady, in the order of the run."""
    for test in tests:
        for phase in test.phases:
            if isinstance(phase, Rounds) and phase.tracking:
                yield test, phase


def _extend(tests: Sequence[PtsTest], extension: Extension) -> tuple[PtsTest, ...]:
    places = [(test.test_id, phase.phase_id) for test in tests for phase in test.phases]
    named = (extension.test, extension.phase)
    reached = set(places[places.index(named) :]) if named in places else set()

    def extended(test: PtsTest, phase: Phase) -> Phase:
        is_open = (test.test_id, phase.phase_id) in reached
        if not (is_open and isinstance(phase, Rounds) and phase.tracking):
            return phase
        return replace(phase, max_rounds=phase.max_rounds + extension.more_rounds)

    return tuple(
        replace(test, phases=tuple(extended(test, phase) for phase in test.phases))
        for test in tests
    )
