"""``python -m benchmarks.parse``: compare ssdlab with its peers in reading fio output.

Every reader runs in its own process, in turn, on the same files; the median of the
rounds counts. Only the ratios are meaningful. Peers that are not installed (``pip
install -e .[bench]``) are listed and skipped.
"""

import argparse
import os
import platform
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.parse.contest import Rules, contest
from benchmarks.parse.make_documents import FOLDER, write_documents
from benchmarks.parse.make_histograms import PATTERN, write_histograms
from benchmarks.parse.make_log import NAME, write_log
from benchmarks.parse.table import render
from benchmarks.parse.works import DOCUMENTS, HISTOGRAMS, LOG, Work

_ROOT = Path(__file__).parents[2]
_WORKS: dict[str, tuple[Work, Callable[[Path, float], None], str]] = {
    "log": (LOG, write_log, NAME),
    "documents": (DOCUMENTS, write_documents, f"{FOLDER}/*"),
    "histograms": (HISTOGRAMS, write_histograms, PATTERN),
}


def main(arguments: Sequence[str] | None = None) -> None:
    given = _parser().parse_args(arguments)
    rules = Rules(rounds=given.rounds, limit_s=given.limit, readers=given.readers)
    print(_machine())
    for name in given.works or _WORKS:
        work, write, pattern = _WORKS[name]
        folder = given.data / f"{name}-{given.scale:g}"
        _write_once(folder, write, given.scale)
        size_bytes = sum(path.stat().st_size for path in folder.glob(pattern))
        results = contest(work, folder, rules)
        tables = render(
            work, results, size_bytes=size_bytes, is_markdown=given.markdown
        )
        print(f"\n{tables}", flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.parse", description=__doc__
    )
    parser.add_argument("works", nargs="*", metavar="WORK", help=", ".join(_WORKS))
    parser.add_argument("--data", type=Path, default=_ROOT / "build" / "bench")
    parser.add_argument("--scale", type=float, default=1.0, help="share of full size")
    parser.add_argument("--readers", default="", help="pattern of names; default: all")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--limit", type=float, default=120.0, help="limit per reader [s]"
    )
    parser.add_argument("--markdown", action="store_true")
    return parser


def _write_once(
    folder: Path, write: Callable[[Path, float], None], scale: float
) -> None:
    if folder.is_dir():
        return
    aside = folder.with_name(folder.name + ".part")
    aside.mkdir(parents=True, exist_ok=True)
    write(aside, scale)
    aside.rename(folder)


def _machine() -> str:
    cores = len(os.sched_getaffinity(0))
    return f"Python {platform.python_version()}, {cores} cores, {platform.machine()}"


if __name__ == "__main__":
    main()
