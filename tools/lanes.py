"""The lanes in which `make test` runs the tests: each test is in exactly one.

The markers of a test alone choose its lane, so a new test needs no entry. ``device``,
``vm`` and ``lab`` are in none: the first destroys data, the others have `make test-vm`
and `make test-lab`.
"""

import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "build" / "lanes"
NEVER = "not device and not vm and not lab"
_TIMEOUT_S = 300  # per test, so that one that hangs does not block the others for long
_PATIENCE = 4  # times as long for one that waits for the processor
_NOTHING_CHOSEN = 5  # pytest's exit code if no test was selected


@dataclass(frozen=True, kw_only=True)
class Lane:
    """Tests that run under the same conditions.

    The tests of a module stay in one of the ``workers``, by default one per processor,
    so that its fixtures are made once. Modules begin in their order, not the largest
    first: those with few tests that wait long would be the last. With ``is_bare`` their
    PATH has only the programs that `tools/setup.sh` installs. No other lane runs beside
    one that ``is_alone`` but one that ``is_light``: a single process. One that
    ``gives_way`` has the lowest priority, and more time for each test. One that
    ``waits`` does so most of the time, and runs beside those in turn. A test that
    fails is run ``again`` as often and then listed as RERUN: where something else keeps
    the machine busy, those that judge times fail, and so may those that wait for other
    programs. One ``in_memory`` keeps its files off the disk, if there is room. Only
    modules that name one of the markers ``named`` are collected; without any, all and
    the doctests.
    """

    name: str
    markers: str
    named: Sequence[str] = ()
    workers: str = "logical"
    is_bare: bool = False
    is_alone: bool = False
    is_light: bool = False
    again: int = 0
    gives_way: bool = False
    waits: bool = False
    in_memory: bool = False

    @property
    def selection(self) -> str:
        """The expression that selects the tests of the lane."""
        return f"({self.markers}) and {NEVER}"

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of its tests; importing every test module takes half a minute."""
        if not self.named:
            return ("--doctest-modules", "tests", "ssdlab")
        return tuple(
            str(path.relative_to(ROOT))
            for path in sorted(ROOT.glob("tests/**/test_*.py"))
            if any(names_marker(path, marker) for marker in self.named)
        )

    @property
    def report(self) -> Path:
        """The file with the outcome and duration of its tests."""
        return RESULTS / f"{self.name}.xml"

    def command(self, arguments: Sequence[str]) -> tuple[str, ...]:
        """Return the pytest command, with the user's arguments last."""
        nice = ("nice", "-n", "19") if self.gives_way else ()
        return (
            *nice,
            *(sys.executable, "-m", "pytest", "-q", "-m", self.selection),
            *("-n", self.workers, "--dist", "loadfile", "--no-loadscope-reorder"),
            *(("--reruns", f"{self.again}") if self.again else ()),
            f"--timeout={_TIMEOUT_S * (_PATIENCE if self.gives_way else 1)}",
            f"--junitxml={self.report}",
            *self.paths,
            *arguments,
        )

    def has_failed(self, code: int, arguments: Sequence[str]) -> bool:
        """Tell from pytest's exit code whether the lane failed.

        The user's arguments may select only tests of other lanes.
        """
        return code != 0 and not (arguments and code == _NOTHING_CHOSEN)


def names_marker(module: Path, marker: str) -> bool:
    """Tell whether a test module names a marker."""
    return f"mark.{marker}" in module.read_text("utf-8")


_PAGES = "notebook or browser"
SIMULATIONS = Lane(
    name="simulations",
    markers=f"simulation and not (timed or slurm or fio or {_PAGES})",
    named=("simulation",),
    workers="0",
    is_light=True,
    gives_way=True,
    in_memory=True,
)
PURE = Lane(
    name="pure",
    markers=f"not (timed or slurm or fio or {_PAGES} or simulation)",
    is_bare=True,
    gives_way=True,
    in_memory=True,
)
PAGES = Lane(
    name="pages",
    markers=f"({_PAGES}) and not (timed or slurm or fio)",
    named=("notebook", "browser"),
    again=1,
    in_memory=True,
)
# With more than two at once, virtual drives slow each other down.
FIO = Lane(
    name="fio",
    markers="fio and not (timed or slurm)",
    named=("fio",),
    workers="2",
    again=1,
)
# Two of its controllers would disturb each other.
SLURM = Lane(
    name="slurm",
    markers="slurm and not timed",
    named=("slurm",),
    workers="0",
    again=1,
    waits=True,
)
TIMED = Lane(
    name="timed", markers="timed", named=("timed",), workers="0", is_alone=True, again=2
)
LANES = (TIMED, SLURM, FIO, PAGES, PURE, SIMULATIONS)  # in this order
QUICK = replace(PURE, name="quick")  # those of PURE that are closest to a change


@dataclass(frozen=True, kw_only=True)
class Duration:
    """The duration of a test, with setup and teardown [s]."""

    lane: str
    test: str
    seconds: float


def read_durations(lanes: Iterable[Lane]) -> Iterator[Duration]:
    """Yield the recorded duration of every test."""
    for lane in lanes:
        if not lane.report.exists():
            continue
        for case in ET.parse(lane.report).iter("testcase"):
            yield Duration(
                lane=lane.name,
                test=f"{case.get('classname')}::{case.get('name')}",
                seconds=float(case.get("time", 0)),
            )


def render_slowest(durations: Iterable[Duration], count: int = 40) -> str:
    """Return the slowest tests of all lanes, and the total of each lane."""
    slowest = sorted(durations, key=lambda one: -one.seconds)
    totals: dict[str, float] = {}
    for one in slowest:
        totals[one.lane] = totals.get(one.lane, 0.0) + one.seconds
    lines = [
        f"{one.seconds:8.2f} s  {one.lane:11}  {one.test}" for one in slowest[:count]
    ]
    sums = [f"{seconds:8.0f} s  {lane:11}  total" for lane, seconds in totals.items()]
    return "\n".join([f"The {len(lines)} slowest tests:", *lines, *sums])
