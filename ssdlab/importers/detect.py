"""Infers the test of a set of cells when the user does not name it."""

from collections.abc import Collection, Iterable

from ssdlab.importers.rounds import Series
from ssdlab.model.errors import FioOutputError, UnknownNameError
from ssdlab.model.spec import PTS_CRITERIA, Workload
from ssdlab.model.units import KIB
from ssdlab.pts.lat.spec import Lat

CUSTOM = "custom"
TESTS = ("iops", "tp", "lat", "wsat", CUSTOM)
_LONG_SERIES_ROUNDS = 26  # one more than the rounds of any other test


def find_test(series: Series) -> str:
    """Return the test that cells look like; ``custom`` is not a test of the PTS."""
    cells = series.cells
    if _why_no_test(cells):
        return CUSTOM
    sizes = {workload.block_size_bytes for workload in cells}
    mixes = {workload.read_percent for workload in cells}
    rounds = min(map(series.last_round, cells)) + len(series.unplaced)
    first = next(iter(cells))
    if len(cells) == 1:
        is_saturating = (first.access, first.block_size_bytes, first.read_percent) == ((
            "rnd",
            4 * KIB,
            0,
        ))
        return "wsat" if is_saturating and rounds >= _LONG_SERIES_ROUNDS else CUSTOM
    if rounds < PTS_CRITERIA.window_rounds:
        return CUSTOM
    if _is_latency(first, sizes, mixes):
        return "lat"
    if first.access == "seq":
        is_both = mixes == {0, 100} and first.threads <= 1
        return "tp" if is_both else CUSTOM
    return "iops" if len(sizes) > 1 and len(mixes) > 1 else CUSTOM


def require_test(test: str, cells: Collection[Workload]) -> None:
    """Require that the cells fit the test that the user named."""
    if test not in TESTS:
        raise UnknownNameError(kind="test", name=test, known=TESTS)
    why = "" if test == CUSTOM else _why_no_test(cells)
    if test == "wsat" and len(cells) > 1:
        why = f"there are {len(cells)} workloads, but WSAT has one"
    if test == "tp" and any(w.read_percent not in {0, 100} for w in cells):
        why = "a cell mixes reads and writes, but TP has no mixes"
    if why:
        raise FioOutputError(
            source=f"import as {test}",
            reason=why,
            remedy="Omit --test, or import fewer files.",
        )


def _why_no_test(cells: Iterable[Workload]) -> str:
    """Return why no PTS test can have these cells, empty if one can.

    A test has one access, TC and QD: its tables differ by block size and mix only.
    """
    accesses = {workload.access for workload in cells}
    depths = {(workload.threads, workload.queue_depth) for workload in cells}
    if len(accesses) > 1:
        return "some cells are random, others sequential"
    if len(depths) > 1:
        words = ", ".join(f"T{t or '?'}/Q{q or '?'}" for t, q in sorted(depths))
        return f"its cells have several TC/QD: {words}"
    return ""


def _is_latency(first: Workload, sizes: set[int], mixes: set[int]) -> bool:
    """Tell whether cells are those of LAT; some authors measured it sequentially."""
    is_alone = (first.threads, first.queue_depth) == (1, 1)
    is_shaped = sizes <= set(Lat().block_sizes) and mixes <= set(Lat().mixes)
    is_told = first.access == "rnd" or 65 in mixes
    return is_alone and is_shaped and is_told
