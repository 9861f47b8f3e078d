"""Check the code and run the tests, with the tools of .venv.

    python -m tools.check lint                only the checks
    python -m tools.check quick               what a change affects, in a minute
    python -m tools.check test [ARGS]         the checks, then every test, lane by lane
    python -m tools.check lane NAME [ARGS]    the tests of one lane
    python -m tools.check vm [ARGS]           the tests that boot a guest
    python -m tools.check lab [ARGS]          the tests that kill engines of a lab

ARGS are passed to pytest. Every check runs even if an earlier one failed; the exit code
is 1 if any failed. Outcomes and durations of tests are kept in ``build/lanes``.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NoReturn

from tools.bare_path import bare_path
from tools.changes import Change, find_changes, touched_tests
from tools.lanes import (
    LANES,
    PURE,
    QUICK,
    RESULTS,
    ROOT,
    Lane,
    read_durations,
    render_slowest,
)

Command = Sequence[str]

NOTEBOOKS = tuple(
    str(path.relative_to(ROOT)) for path in sorted(ROOT.glob("notebooks/*.ipynb"))
)
TYPES = ("mypy",)
LAYERS = ("lint-imports",)
LINT: tuple[Command, ...] = (
    ("ruff", "check", "--quiet"),
    ("ruff", "format", "--check", "--quiet"),
    TYPES,
    LAYERS,
    ("python", "-m", "tools.build_notebooks", "--check"),
    ("python", "-m", "tools.build_data_dictionary", "--check"),
    ("python", "-m", "tools.build_reference", "--check"),
    ("nbstripout", "--verify", *NOTEBOOKS),
    ("python", "-m", "tools.check_docstrings"),
)
_GUEST = ("python", "-m", "pytest", "-m", "vm", "--durations=10", "tests/vm")
_LAB_TESTS = ("tests/campaign", "tests/fleet")
_LAB = ("python", "-m", "pytest", "-m", "lab or slurm", "--durations=20", *_LAB_TESTS)
# It also compiles the tests once: every worker of the lanes that follow would.
_COLLECT = (
    *("nice", "-n", "19", "python", "-m", "pytest", "-qqq"),
    "--collect-only",
    *PURE.paths,
)
_MEMORY = Path("/dev/shm")
_MEMORY_BYTES = 4 * 2**30  # more than the tests of all lanes use at once
_QUICK_TESTS_S = 50.0  # CPU time: less than half a minute on two processors


@dataclass
class Checks:
    """Runs commands, and records which of them failed.

    ``in_memory`` is the folder for temporary files that need not be on a disk.
    """

    environment: Mapping[str, str]
    in_memory: str
    failed: list[str] = field(default_factory=list)

    def run(self, command: Command, *, name: str = "", is_quiet: bool = False) -> None:
        """Run a command; with ``is_quiet`` its output is printed at the end."""
        words = name or " ".join(command)
        print(f"check: {words}", flush=True)
        if self._call(command, self.environment, words, is_quiet=is_quiet):
            self.failed.append(words)

    def run_lane(
        self, lane: Lane, arguments: Sequence[str], *, is_quiet: bool = False
    ) -> None:
        """Run a lane; with ``is_quiet`` its output is printed at the end."""
        print(f"check: lane {lane.name}", flush=True)
        environment = dict(self.environment)
        if lane.is_bare:
            links = ROOT / "build" / "bare"
            environment["PATH"] = bare_path(links, environment["PATH"])
        if lane.in_memory:
            environment["TMPDIR"] = self.in_memory
        place = f"--basetemp={environment['TMPDIR']}/{lane.name}"
        command, words = lane.command([place, *arguments]), f"lane {lane.name}"
        code = self._call(command, environment, words, is_quiet=is_quiet)
        if lane.has_failed(code, arguments):
            self.failed.append(words)

    @staticmethod
    def _call(
        command: Command,
        environment: Mapping[str, str],
        words: str,
        *,
        is_quiet: bool = False,
    ) -> int:
        began = time.monotonic()
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE if is_quiet else None,
            stderr=subprocess.STDOUT if is_quiet else None,
            text=True,
        )
        said = process.stdout.read() if process.stdout else ""
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall_s, cpu_s = time.monotonic() - began, used.ru_utime + used.ru_stime
        took = f"check: {words}: {wall_s:.0f} s, processor time {cpu_s:.0f} s"
        print(said, took, sep="", flush=True)
        return process.returncode


def lint(checks: Checks, *, is_quiet: bool = False) -> None:
    """Check the code."""
    for command in LINT:
        gives_way = ("nice", "-n", "19", *command)
        checks.run(gives_way, name=" ".join(command), is_quiet=is_quiet)


def test(checks: Checks, arguments: Sequence[str]) -> None:
    """Check the code, and run every lane.

    The checks and then light lanes, one process at a time, run beside a lane that is
    alone, and give way to it. The others run at once, as their tests also wait, for the
    processes they start; those that use virtual drives in turn.
    """
    for lane in LANES:
        lane.report.unlink(missing_ok=True)
    others = [lane for lane in LANES if not (lane.is_alone or lane.is_light)]
    at_once = [lane for lane in others if lane.gives_way or lane.waits]
    in_turn = [lane for lane in others if lane not in at_once]
    with ThreadPoolExecutor(1 + len(at_once)) as beside:
        under_way = [beside.submit(_check_lightly, checks, arguments)]
        for lane in LANES:
            if lane.is_alone:
                checks.run_lane(lane, arguments)
        for lane in at_once:
            later = beside.submit(checks.run_lane, lane, arguments, is_quiet=True)
            under_way.append(later)
        for lane in in_turn:
            checks.run_lane(lane, arguments)
        for one in under_way:
            one.result()
    slowest = render_slowest(read_durations(LANES))
    (RESULTS / "slowest.txt").write_text(f"{slowest}\n", "utf-8")
    print(slowest)


def _check_lightly(checks: Checks, arguments: Sequence[str]) -> None:
    checks.run(_COLLECT, name="every test can be collected", is_quiet=True)
    lint(checks, is_quiet=True)
    for lane in LANES:
        if lane.is_light:
            checks.run_lane(lane, arguments, is_quiet=True)


def quick(checks: Checks) -> None:
    """Check the changes since the main branch, and run the tests closest to them."""
    change = find_changes()
    print(f"check: {len(change.files)} files differ from {change.base[:10]}")
    if not change.files:
        return
    with ThreadPoolExecutor(1) as beside:
        typed = beside.submit(checks.run, TYPES, is_quiet=True)
        _quick_tests(checks, change)
        typed.result()


def _quick_tests(checks: Checks, change: Change) -> None:
    if change.python:
        files = tuple(map(str, change.python))
        checks.run(("ruff", "check", "--quiet", *files), name="ruff check")
        checks.run(("ruff", "format", "--check", "--quiet", *files), name="ruff format")
        checks.run(LAYERS)
    choice = touched_tests(change, budget_s=_QUICK_TESTS_S)
    if not choice.chosen:
        return
    paths = map(str, choice.chosen)
    command = (
        *("python", "-m", "pytest", "-q", "-m", QUICK.selection),
        *("-n", "logical", "--dist", "loadfile", "--hypothesis-profile=quick"),
        f"--junitxml={QUICK.report}",
        *paths,
    )
    checks.run(command, name=f"{len(choice.chosen)} test modules")
    if choice.left:
        print(f"check: {len(choice.left)} less related test modules were skipped")


def main(arguments: Sequence[str]) -> int:
    """Run the requested checks; return the exit code."""
    signal.signal(signal.SIGTERM, _end)
    RESULTS.mkdir(parents=True, exist_ok=True)
    # Short paths, as they hold sockets.
    with TemporaryDirectory() as temporary, TemporaryDirectory(dir=_memory()) as memory:
        path = f"{Path(sys.executable).parent}:{os.environ.get('PATH', os.defpath)}"
        environment = {**os.environ, "PATH": path, "TMPDIR": temporary}
        # Each worker of each lane would compile every module that it imports.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        checks = Checks(environment=environment, in_memory=memory)
        match arguments:
            case ["lint"]:
                lint(checks)
            case ["quick"]:
                quick(checks)
            case ["test", *others]:
                test(checks, others)
            case ["lane", name, *others] if name in {lane.name for lane in LANES}:
                (lane,) = (lane for lane in LANES if lane.name == name)
                checks.run_lane(lane, others)
            case ["vm", *others]:
                checks.run((*_GUEST, *others), name="tests in the guest")
            case ["lab", *others]:
                checks.run((*_LAB, *others), name="tests of a lab")
            case _:
                print(__doc__, file=sys.stderr)
                return 2
    return _conclude(checks.failed)


def _memory() -> Path | None:
    """Return the in-memory file system, if it has room and allows execution.

    Most tests make, sync and remove many small files, which on a disk takes a quarter
    of their time. They also load libraries that they compile.
    """
    if not os.access(_MEMORY, os.W_OK):
        return None
    system = os.statvfs(_MEMORY)
    has_room = system.f_bavail * system.f_frsize >= _MEMORY_BYTES
    return None if system.f_flag & os.ST_NOEXEC or not has_room else _MEMORY


def _conclude(failed: Sequence[str]) -> int:
    if failed:
        print("check: FAILED:", *failed, sep="\n  ", file=sys.stderr)
        return 1
    print("check: all passed")
    return 0


def _end(*_: object) -> NoReturn:
    raise KeyboardInterrupt


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
