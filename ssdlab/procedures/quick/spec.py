"""A quick look at an SSD: sequential and random reads and writes, a minute in all."""

from ssdlab.model.asked import Procedure
from ssdlab.model.spec import Access, PtsTest, Rounds, Workload
from ssdlab.model.units import KIB, MIB

QUICK = "quick"
ROUNDS = 6
_LOADS: tuple[tuple[Access, int, int, int], ...] = (  # those of the storage classes
    ("seq", MIB, 1, 32),
    ("rnd", 4 * KIB, 2, 16),
)
_NOTE = (
    "A quick look, not a test: no purge, no preconditioning and no steady state. A "
    "drive that is written for hours is slower; ssdlab run measures that."
)


def quick(*, seconds: float) -> Procedure:
    """Return reads and writes of two loads in six rounds, that many seconds in all."""
    cells = tuple(
        Workload(
            access=access,
            block_size_bytes=size,
            read_percent=read_percent,
            threads=threads,
            queue_depth=depth,
        )
        for access, size, threads, depth in _LOADS
        for read_percent in (0, 100)
    )
    rounds = Rounds(
        phase_id="rounds",
        cells=cells,
        cell_seconds=seconds / (ROUNDS * len(cells)),
        tracking=(),
        max_rounds=ROUNDS,
    )
    test = PtsTest(test_id=QUICK, title="Quick look", pts_section="", phases=(rounds,))
    return Procedure(
        name=QUICK,
        title="Quick look",
        source="ssdlab",
        tests=(test,),
        notes=(_NOTE,),
    )
