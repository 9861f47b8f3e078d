"""``python -m fuzz``: fuzz every target for a while, both ways side by side.

``make fuzz FUZZ_SECONDS=600``. What was found lies in ``build/fuzz/crashes``: an
input a fault, and a text that says how to repeat it. Faults of earlier runs are tried
first; those that are gone are deleted. The exit code is 1 if there is any.
"""

import argparse
import importlib.util
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from fuzz import sanitized
from fuzz.targets import TARGETS
from ssdlab.fio.kernels import build_all

_ROOT = Path(__file__).parents[1]
_GRACE_S = 150
_RUNS = re.compile(r"stat::number_of_executed_units:\s+(\d+)")


@dataclass(frozen=True, kw_only=True)
class Way:
    """One way of fuzzing one target: a process, and where it writes."""

    name: str
    target: str
    process: "subprocess.Popen[bytes]"
    log: Path

    @property
    def runs(self) -> str:
        """How many inputs it tried, as it says."""
        text = self.log.read_text(errors="replace")
        found = _RUNS.findall(text)
        if found:
            return str(found[-1])
        last = text.strip().splitlines()[-1:] or [""]
        try:
            return str(json.loads(last[0])["runs"])
        except (ValueError, TypeError, KeyError):
            return "?"


def main() -> int:
    given = _parser().parse_args()
    folder = given.folder.resolve()
    (folder / "crashes").mkdir(parents=True, exist_ok=True)
    if not build_all():
        print("kernels cannot be built here: only what works without them is fuzzed")
    for path, target in _inputs(folder):
        if _is_gone(path, target):
            print(f"gone: {path.name}")
            path.unlink()
            path.with_suffix(".txt").unlink(missing_ok=True)
    names = given.targets or sorted(TARGETS)
    for name in names:
        _fuzz(name, folder, given.seconds / len(names))
    found = list(_inputs(folder))
    for path, target in found:
        print(f"FAULT: python -m fuzz.repeat {target} {path}")
    print(f"{len(found)} faults; {folder}")
    return 1 if found else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--folder", type=Path, default=_ROOT / "build" / "fuzz")
    return parser


def _inputs(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield each input that was kept, and its target."""
    for path in sorted((folder / "crashes").iterdir()):
        targets = [name for name in TARGETS if path.name.startswith(f"{name}-")]
        if targets and path.suffix != ".txt":
            yield path, max(targets, key=len)


def _is_gone(path: Path, target: str) -> bool:
    command = [sys.executable, "-m", "fuzz.repeat", target, str(path)]
    try:
        done = subprocess.run(
            command, cwd=_ROOT, capture_output=True, timeout=_GRACE_S, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def _fuzz(target: str, folder: Path, seconds: float) -> None:
    start_s = time.monotonic()
    ways = [
        _begin(way, target, folder, seconds=seconds, environment=environment)
        for way, environment in _ways(target).items()
    ]
    for way in ways:
        left_s = start_s + seconds + _GRACE_S - time.monotonic()
        try:
            code = way.process.wait(max(1.0, left_s))
        except subprocess.TimeoutExpired:
            way.process.kill()
            code = way.process.wait()
        if code:
            _keep_current(way, folder, code)
        print(f"{target:14} {way.name:10} {way.runs:>9} inputs", flush=True)


def _ways(target: str) -> Mapping[str, Mapping[str, str]]:
    """Return the ways that can be gone here, and what each wants in its environment."""
    ways: dict[str, Mapping[str, str]] = {"mutations": {}}
    if importlib.util.find_spec("atheris") is None:
        print("atheris is not here: no coverage-guided fuzzing (pip install .[fuzz])")
    else:
        ways["guided"] = {}
    wanted = sanitized.environment() if TARGETS[target].has_kernel else None
    return ways if wanted is None else ways | {"sanitized": wanted}


def _begin(
    way: str,
    target: str,
    folder: Path,
    *,
    seconds: float,
    environment: Mapping[str, str],
) -> Way:
    log = folder / f"{target}-{way}.log"
    command = [sys.executable, "-m", f"fuzz.{way}", target, str(folder), str(seconds)]
    with log.open("wb") as file:
        process = subprocess.Popen(
            command,
            cwd=_ROOT,
            env=os.environ | environment,
            stdout=file,
            stderr=subprocess.STDOUT,
        )
    return Way(name=way, target=target, process=process, log=log)


def _keep_current(way: Way, folder: Path, code: int) -> None:
    """Keep what a process was reading when it ended of itself or had to be ended."""
    print(f"{way.target}: {way.name} ended with {code}; it said: {way.log}")
    current = folder / f"current-{way.target}-{way.name}"
    if current.is_file():
        kept = folder / "crashes" / f"{way.target}-ended-{int(time.time())}"
        current.rename(kept)


if __name__ == "__main__":
    sys.exit(main())
