"""What an imported run does not say or did otherwise than the PTS, in words."""

from collections.abc import Iterator, Sequence

from ssdlab.importers.arrange import ArrangedTest
from ssdlab.importers.detect import CUSTOM
from ssdlab.importers.readings import Reading
from ssdlab.importers.rounds import MissingRound, cell_text
from ssdlab.importers.sources import LeftOut
from ssdlab.model.spec import Rounds, Workload
from ssdlab.model.step import Step
from ssdlab.model.units import duration_label
from ssdlab.pts.profiles import PROFILES, THREE_TRACKING
from ssdlab.pts.suite import SUITE

_NOMINAL = PROFILES["pts-2.0-enterprise"]
_SECONDS_TOLERANCE = 1.0
_MOST_NAMED = 10
_UNJUDGED = (CUSTOM, "rounds")
Gap = tuple[Step, float]


def find_import_departures(
    tests: Sequence[ArrangedTest], left_out: Sequence[LeftOut], gaps: Sequence[Gap]
) -> tuple[str, ...]:
    """Return each departure of an imported run in words; there always is one.

    Parameters
    ----------
    tests : sequence of ArrangedTest
        The tests and their files.
    left_out : sequence of LeftOut
        The files that were not imported.
    gaps : sequence of (Step, float)
        Idle time before each step [s], where it is known.

    Returns
    -------
    tuple of str
        One departure an entry.
    """
    pairs = [pair for arranged in tests for pair in arranged.steps]
    readings = [reading for _, reading in pairs]
    has_fills = any(step.kind == "precondition" for step, _ in pairs)
    unknown = (
        "purge and write cache"
        if has_fills
        else ("purge, preconditioning and write cache")
    )
    return (
        f"imported: {unknown} are not known, nor what the device did between the files",
        *(line for arranged in tests for line in find_test_departures(arranged)),
        *(line for arranged in tests for line in _of_missing(arranged)),
        *_of_times(readings),
        *_of_gaps(gaps),
        *_of_origin(readings),
        *_of_forms(readings),
        *_of_order(readings),
        *_of_values(readings),
        *_of_left_out(left_out),
    )


def find_test_departures(arranged: ArrangedTest) -> Iterator[str]:
    """Yield what a test did otherwise than the PTS, as far as its cells tell."""
    test_id = arranged.test.test_id
    if test_id == CUSTOM:
        yield "test: these workloads are of no test of the PTS"
        return
    name = test_id.upper()
    cells = _cells(arranged)
    if arranged.is_cell_by_cell:
        yield (
            f"order of {name}: cells were taken by themselves and not round by round, "
            "so each has a measurement window of its own"
        )
    yield from _of_cells(name, cells)
    first = arranged.series.first_round
    if first != 1:
        yield f"rounds of {name}: named from {first} on, counted from 1 here"
    lengths = {
        round(reading.runtime_s)
        for step, reading in arranged.steps
        if step.kind == "cell" and reading.runtime_s is not None
    }
    if any(abs(length - _NOMINAL.cell_s) > _SECONDS_TOLERANCE for length in lengths):
        least, most = duration_label(min(lengths)), duration_label(max(lengths))
        words = least if least == most else f"{least} to {most}"
        nominal = duration_label(_NOMINAL.cell_s)
        yield f"time of a cell of {name}: {words} instead of {nominal}"


def _cells(arranged: ArrangedTest) -> list[Workload]:
    kinds = {"cell", "mean"}
    cells = (step.workload for step, _ in arranged.steps if step.kind in kinds)
    return list(dict.fromkeys(cell for cell in cells if cell is not None))


def _of_cells(name: str, cells: Sequence[Workload]) -> Iterator[str]:
    """Compare the cells with those of the PTS, whatever their TC/QD."""
    nominal = {
        (cell.access, cell.block_size_bytes, cell.read_percent)
        for phase in SUITE[name.lower()](_NOMINAL).phases
        if isinstance(phase, Rounds)
        for cell in phase.cells
    }
    accesses = {cell.access for cell in cells}
    asked = {access for access, _, _ in nominal}
    if asked and accesses != asked:
        words = {"rnd": "random", "seq": "sequential"}
        yield (
            f"access of {name}: {words[accesses.pop()]} instead of {words[asked.pop()]}"
        )
    shapes = {(cell.block_size_bytes, cell.read_percent) for cell in cells}
    wanted = {(size, mix) for _, size, mix in nominal}
    if wanted and shapes != wanted:
        extra = len(shapes - wanted)
        more = f", and {extra} others" if extra else ""
        yield (
            f"cells of {name}: {len(shapes & wanted)} of the {len(wanted)} of the PTS"
            f"{more}"
        )
    if name == "IOPS":
        for tracked in THREE_TRACKING:
            if (tracked.block_size_bytes, tracked.read_percent) not in shapes:
                yield f"tracking variables of IOPS: {tracked.label} was not taken"


def _of_missing(arranged: ArrangedTest) -> Iterator[str]:
    """Name the rounds that were not read, and that nothing tells of which some are."""
    name, series = arranged.test.test_id.upper(), arranged.series
    if series.missing:
        gaps = "; ".join(map(_gap_text, series.missing[:_MOST_NAMED]))
        more = len(series.missing) - _MOST_NAMED
        yield (
            f"missing rounds of {name}: {len(series.missing)} cells were not read, and "
            f"no window holds or spans their rounds: {gaps}"
            + (f"; and {more} more" if more > 0 else "")
        )
    if series.unplaced:
        first = series.unplaced[0]
        yield (
            f"missing rounds of {name}: of which cell or round {len(series.unplaced)} "
            "files are that cannot be read is not known, so that a window may span "
            f"one; such as {first.path} ({first.why})"
        )


def _gap_text(gap: MissingRound) -> str:
    where = f"round {gap.round} of {cell_text(gap.workload)}"
    return f"{where} ({gap.file}: {gap.why})" if gap.file else f"{where} ({gap.why})"


def _of_times(readings: Sequence[Reading]) -> Iterator[str]:
    files = [reading for reading in readings if not reading.rows]
    unknown = sum(reading.when_s is None for reading in files)
    vague = sum(reading.ended_s is None for reading in files) - unknown
    if vague:
        yield (
            f"times: of {vague} of {len(files)} results it is known which came first, "
            "and not when they were taken, nor what passed between them"
        )
    if unknown:
        yield (
            f"times: {unknown} of {len(files)} files do not say when they were "
            "written; without that their order is that of their names"
        )


def _of_gaps(gaps: Sequence[Gap]) -> Iterator[str]:
    """Name the rests inside a phase; a window of ours would begin afresh after each."""
    judged = (gap for step, gap in gaps if (step.test_id, step.phase_id) != _UNJUDGED)
    long = [gap for gap in judged if gap > _NOMINAL.max_idle_s]
    if long:
        yield (
            f"gaps: the device rested {len(long)} times for more than "
            f"{_NOMINAL.max_idle_s:g} s between two cells of a phase, "
            f"{duration_label(max(long))} at most; no window begins afresh after it"
        )


def _of_origin(readings: Sequence[Reading]) -> Iterator[str]:
    for what, name in (("versions of fio", "fio_version"), ("devices", "device")):
        found = sorted({getattr(reading, name) for reading in readings} - {""})
        if len(found) > 1:
            yield f"{what}: {', '.join(found)} in one run"
    hosts = sorted({host for reading in readings for host in reading.hostnames})
    if len(hosts) > 1:
        yield f"hosts: {', '.join(hosts)} in one run"


def _of_forms(readings: Sequence[Reading]) -> Iterator[str]:
    """Name the outputs whose numbers fio rounded for the eye, or are of clat."""
    of_clat = sum(reading.has_clat_levels for reading in readings)
    if of_clat:
        yield (
            f"percentiles: those of {of_clat} of {len(readings)} files are of "
            "completion latency (clat), without the submission that means and greatest "
            "values include"
        )
    normal = sum(reading.form == "normal" for reading in readings)
    if normal:
        yield (
            f"numbers: {normal} of {len(readings)} files are of fio's normal text, "
            "which gives about three digits"
        )


def _of_order(readings: Sequence[Reading]) -> Iterator[str]:
    """Name the results of which only their groups say that they ran apart."""
    untold = sum(not reading.is_order_told for reading in readings)
    if untold:
        yield (
            f"numbers: {untold} of {len(readings)} results are of groups of jobs in "
            "one output; that they ran one after another is not said but taken to be so"
        )


def _of_values(readings: Sequence[Reading]) -> Iterator[str]:
    """Name the values that cannot be and that no result rests on."""
    doubtful = [reading for reading in readings if reading.doubts]
    if doubtful:
        first, doubt = doubtful[0], doubtful[0].doubts[0]
        yield (
            f"values: {len(doubtful)} of {len(readings)} files have some that cannot "
            "be; no result rests on them, and they are absent; such as "
            f"{first.path}: {doubt.place}: {doubt.meaning}"
        )


def _of_left_out(left_out: Sequence[LeftOut]) -> Iterator[str]:
    doubtful = [entry for entry in left_out if entry.is_doubt]
    if doubtful:
        first = doubtful[0]
        yield (
            f"left out: {len(doubtful)} files that may be of this run, such as "
            f"{first.file} ({first.why})"
        )
