"""A published TKperf report as a run: known rounds as cells, the rest as means.

No round is invented. Tracking variables have the rounds of their windows; every other
cell has one step of kind ``mean``, which belongs to no round. So does a tracking
variable whose mean is printed without its fraction, as the rounds do not give that.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ssdlab.importers.arrange import TITLES, ArrangedTest
from ssdlab.importers.departures import find_test_departures
from ssdlab.importers.readings import Reading
from ssdlab.importers.tkperf import MIXED_LATENCIES
from ssdlab.model.departure import Departure
from ssdlab.model.errors import FioOutputError
from ssdlab.model.spec import Metric, PtsTest, Rounds, Tracking, Workload
from ssdlab.model.step import Step, StepResult
from ssdlab.model.units import KIB, MIB
from ssdlab.pts.departures import clause_of
from ssdlab.reference.tkperf_form import Setup, TkperfReport
from ssdlab.reference.tkperf_reports import find_tkperf_file, parse_tkperf_report
from ssdlab.reference.tkperf_tables import PrintedTest, printed_tests

_PREFIX = "reference:"
_MOST_BYTES = 1 << 20
_NS_PER_US = 1e3
_NS_PER_MS = 1e6
_ORIGIN = Departure(
    code="imported",
    subject="imported",
    done="transcribed from a published report; purge, preconditioning and what the "
    "device did between rounds are unknown",
)
_ROUNDS = Departure(
    code="import-rounds-missing",
    subject="rounds",
    done="the report prints only the rounds of tracking variables in their windows; "
    "any other cell has only its mean, and a maximum latency only the maximum, over "
    "the window",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Units:
    """The metric of a test, and the units of its window and table."""

    metric: Metric
    window: float
    table: float


_UNITS = {
    "iops": _Units(metric="iops", window=1.0, table=1.0),
    "tp": _Units(metric="bw_bytes_per_s", window=KIB, table=MIB),
    "lat": _Units(metric="lat_mean_ns", window=_NS_PER_US, table=_NS_PER_MS),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Published:
    """One published report: its source and its content."""

    source: str
    data: bytes
    report: TkperfReport

    @property
    def file_name(self) -> str:
        """The name of its file in the run folder."""
        return f"{Path(self.source.removeprefix(_PREFIX)).stem}.toml"


def find_published(paths: Sequence[str | Path]) -> Published | None:
    """Return the published report of an import, None if it has other files.

    One that comes with ssdlab is named ``reference:NAME``; any other is a TOML file.
    """
    texts = [str(path) for path in paths]
    named = [text for text in texts if _is_published(text)]
    if not named:
        return None
    (source, *more) = named
    if more or len(texts) > 1:
        raise FioOutputError(
            source=source,
            reason="a published report cannot be imported with other files",
            remedy="Import it by itself.",
        )
    data = _read(source)
    return Published(
        source=source, data=data, report=parse_tkperf_report(data, source=source)
    )


def _is_published(text: str) -> bool:
    is_file = Path(text).suffix.lower() == ".toml" and not Path(text).is_dir()
    return text.startswith(_PREFIX) or is_file


def _read(source: str) -> bytes:
    """Return the content of a report; one that comes with ssdlab is found by name."""
    if source.startswith(_PREFIX):
        return find_tkperf_file(source.removeprefix(_PREFIX))
    try:
        with Path(source).open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        why = f"it cannot be read ({error.strerror})"
    else:
        why = "" if len(data) <= _MOST_BYTES else "it is too large for a report"
    if why:
        raise FioOutputError(
            source=source,
            reason=why,
            remedy="Name a TOML file with the numbers of a report.",
        )
    return data


def arrange_published(published: Published) -> tuple[ArrangedTest, ...]:
    """Return the tests of a report, with phases and steps that have no numbers."""
    return tuple(_arrange(published, test) for test in printed_tests(published.report))


def _arrange(published: Published, test: PrintedTest) -> ArrangedTest:
    title, section = TITLES[test.test_id]
    phases = tuple(_phases(test, published.report.setup))
    steps = [pair for phase in phases for pair in _steps(published, test, phase)]
    return ArrangedTest(
        test=PtsTest(
            test_id=test.test_id, title=title, pts_section=section, phases=phases
        ),
        steps=tuple(steps),
    )


def _phases(test: PrintedTest, setup: Setup) -> Iterator[Rounds]:
    """Yield the phases: in TP one per block size, of which only 1024 KiB is tracked."""
    cells = sorted(test.averages, key=lambda cell: (-cell[1], -cell[0]))
    groups: dict[str, list[tuple[int, int]]] = {}
    for cell in sorted(cells, key=lambda cell: -cell[0] * (test.test_id == "tp")):
        size = f"-{cell[0] / KIB:g}KiB" if test.test_id == "tp" else ""
        groups.setdefault(f"rounds{size}", []).append(cell)
    tracked_phase = next(name for name in groups if test.tracked in groups[name])
    for name, group in groups.items():
        is_tracked = name == tracked_phase
        yield Rounds(
            phase_id=name,
            cells=tuple(_workload(test, setup, cell) for cell in group),
            cell_seconds=0.0,
            tracking=(_tracking(test),) if is_tracked else (),
            max_rounds=setup.max_rounds,
            same_rounds_as="" if is_tracked else tracked_phase,
        )


def _workload(test: PrintedTest, setup: Setup, cell: tuple[int, int]) -> Workload:
    is_alone = test.test_id == "lat"  # one job at depth 1, regardless of the options
    return Workload(
        access="seq" if test.test_id == "tp" else "rnd",
        block_size_bytes=cell[0],
        read_percent=cell[1],
        threads=1 if is_alone else setup.numjobs,
        queue_depth=1 if is_alone else setup.iodepth,
    )


def _tracking(test: PrintedTest) -> Tracking:
    return Tracking(
        access="seq" if test.test_id == "tp" else "rnd",
        block_size_bytes=test.tracked[0],
        read_percent=test.tracked[1],
        metric=_UNITS[test.test_id].metric,
    )


def _steps(
    published: Published, test: PrintedTest, phase: Rounds
) -> Iterator[tuple[Step, Reading]]:
    for place, workload in enumerate(phase.cells, start=1):
        cell = (workload.block_size_bytes, workload.read_percent)
        for number, known in _numbers(test, cell):
            step = Step(
                step_id="",
                test_id=test.test_id,
                phase_id=phase.phase_id,
                kind="mean" if number is None else "cell",
                round=number,
                cell=place,
                workload=workload,
            )
            yield step, _reading(published, step, workload, known=known)


def _numbers(
    test: PrintedTest, cell: tuple[int, int]
) -> Iterator[tuple[int | None, Mapping[str, float]]]:
    """Yield the known numbers of a cell: by round from 1, or over the whole window."""
    units = _UNITS[test.test_id]
    printed = test.averages[cell]
    over_window: dict[str, float] = {units.metric: float(printed * units.table)}
    if cell == test.tracked:
        is_cut = test.test_id == "iops" and isinstance(printed, int)
        over_window = over_window if is_cut else {}
        for number, value in zip(test.window.rounds, test.window.values, strict=True):
            yield number + 1, {units.metric: value * units.window}
    if test.maxima:
        over_window["lat_max_ns"] = test.maxima[cell] * units.table
    if over_window:
        yield None, over_window


def _reading(
    published: Published,
    step: Step,
    workload: Workload,
    *,
    known: Mapping[str, float],
) -> Reading:
    where = "mean" if step.round is None else f"round {step.round}"
    return Reading(
        path=Path(published.source),
        group=0,
        name=f"{step.test_id} {where}",
        kind=step.kind,
        workload=workload,
        result=StepResult(
            step_id="",
            iops=known.get("iops"),
            bw_bytes_per_s=known.get("bw_bytes_per_s"),
            lat_mean_ns=known.get("lat_mean_ns"),
        ),
        round=step.round,
        fio_version=_fio_version(published.report.setup),
        rows=({"direction": "total", **known},),
    )


def _fio_version(setup: Setup) -> str:
    return f"fio-{setup.fio_version}" if setup.fio_version else ""


def find_published_departures(
    published: Published, tests: Sequence[ArrangedTest]
) -> tuple[Departure, ...]:
    """Return each departure of a published report; it always has some."""
    setup = published.report.setup
    found = {arranged.test.test_id for arranged in tests}
    return (
        _ORIGIN,
        _ROUNDS,
        *(line for arranged in tests for line in find_test_departures(arranged)),
        *_of_workers(setup, found),
        *_of_write_cache(setup),
        *((MIXED_LATENCIES,) if "lat" in found else ()),
        *_of_capacity(setup),
        *(_doubt(words) for words in setup.doubts),
    )


def _doubt(words: str) -> Departure:
    return Departure(code="import-numbers", subject="", done=words)


def _of_capacity(setup: Setup) -> Iterator[Departure]:
    if setup.capacity_mb:
        yield _doubt("capacity: printed in whole MB, so not exact to the byte")


def _of_workers(setup: Setup, tests: set[str]) -> Iterator[Departure]:
    workers = f"T{setup.numjobs or '?'}/Q{setup.iodepth or '?'}"
    if "tp" in tests and workers != "T1/Q32":
        yield Departure(
            code="profile-value",
            subject="threads and queue depth of TP",
            done=workers,
            asked="T1/Q32",
            clause=clause_of(["tp"]),
            tests=("tp",),
        )


def _of_write_cache(setup: Setup) -> Iterator[Departure]:
    if setup.write_cache is None:
        yield Departure(code="write-cache", subject="write cache", done="unknown")
    elif setup.write_cache:
        yield Departure(
            code="write-cache", subject="write cache", done="enabled", asked="disabled"
        )
