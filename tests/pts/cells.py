"""The loops of the built tests, as plain rows to compare."""

from ssdlab.model.spec import Phase, PtsTest, Rounds, Workload
from ssdlab.model.units import KIB
from ssdlab.pts import find_profile
from ssdlab.pts.suite import build_tests

Row = tuple[str, float, int]


def build(profile: str, test_id: str) -> PtsTest:
    (test,) = build_tests(find_profile(profile), (test_id,))
    return test


def row(cell: Workload) -> Row:
    """Return access, block size [KiB] and share of reads."""
    return cell.access, cell.block_size_bytes / KIB, cell.read_percent


def loops(test: PtsTest) -> dict[str, list[Row]]:
    """Return the cells of each loop of a test, in order."""
    return {
        phase.phase_id: [row(cell) for cell in phase.cells]
        for phase in test.phases
        if isinstance(phase, Rounds)
    }


def phase_of(test: PtsTest, phase_id: str) -> Phase:
    (phase,) = (phase for phase in test.phases if phase.phase_id == phase_id)
    return phase


def rounds_of(test: PtsTest, phase_id: str = "rounds") -> Rounds:
    phase = phase_of(test, phase_id)
    assert isinstance(phase, Rounds)
    return phase


def load(cell: Workload) -> tuple[int, int]:
    """Return thread count and queue depth."""
    return cell.threads, cell.queue_depth
