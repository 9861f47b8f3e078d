"""Commands of ssdlab in a process of their own each, which is forked and not begun.

Importing costs more than most commands. Each has an end in time and in memory.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tests.paths import ROOT

_WORKER = """
import gc, json, os, resource, signal, sys, traceback
import pandas, plotly.graph_objects, pyarrow.parquet, scipy.stats
import ssdlab.engine.suite, ssdlab.compare.runs, ssdlab.explorer.run_cache
import ssdlab.report.render, ssdlab.store.export
import ssdlab
from ssdlab.cli import main

def explore(run):
    from ssdlab.explorer.run_cache import RunCache
    run_cache = RunCache([run])
    for name in run_cache.listed:
        run_cache.load((name, "cells", "total"))
    print(len(run_cache.listed), [one.trouble for one in run_cache.listed.values()])

def carry_out(words):
    if words[:1] == ["explore"]:
        explore(words[1])
        return
    sys.argv = ["ssdlab", *words]
    main()

def held_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()

# Templates and parts of plotly are loaded by the first report.
ssdlab.report.render_report(ssdlab.open_run("data/samples/virtual-lat"))
gc.freeze()  # a collection in a child would copy all of our memory
for line in sys.stdin:
    words, folder, said, most_bytes, most_s = json.loads(line)
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for number, name in enumerate(said, 1):
            file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(file, number)
        os.chdir(folder)
        most = held_bytes() + most_bytes
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        signal.alarm(most_s)
        code = 0
        try:
            carry_out(words)
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
        except Exception as error:
            from ssdlab.model.errors import SsdlabError
            code = getattr(error, "exit_code", 1)
            print(error) if isinstance(error, SsdlabError) else traceback.print_exc()
        sys.stdout.flush()
        os._exit(code)
    _, status, usage = os.wait4(child, 0)
    print(json.dumps((os.waitstatus_to_exitcode(status), usage.ru_maxrss)), flush=True)
"""


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How a command ended; ``exit_code`` is negative if a signal ended it."""

    exit_code: int
    out: str
    err: str
    most_mib: float

    @property
    def said(self) -> str:
        """What it wrote, standard output first."""
        return self.out + self.err


@dataclass(frozen=True)
class Warm:
    """A process that has imported everything, and carries commands out."""

    stdin: IO[str]
    stdout: IO[str]
    folder: Path

    def run(
        self,
        words: Sequence[object],
        *,
        folder: Path = ROOT,
        most_bytes: int = 2**31,
        most_s: int = 60,
    ) -> Ended:
        """Carry out a command in a folder; return how it ended."""
        said = [self.folder / name for name in ("out", "err")]
        files = [str(path) for path in said]
        asked = [[str(word) for word in words], str(folder), files, most_bytes, most_s]
        self.stdin.write(f"{json.dumps(asked)}\n")
        self.stdin.flush()
        code, most_kib = json.loads(self.stdout.readline())
        out, err = (path.read_text("utf-8", errors="replace") for path in said)
        return Ended(exit_code=code, out=out, err=err, most_mib=most_kib / 1024)


@contextmanager
def warmed(folder: Path) -> Iterator[Warm]:
    environment = {**os.environ, "COLUMNS": "400"}
    with subprocess.Popen(
        [sys.executable, "-c", _WORKER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=environment,
    ) as worker:
        assert worker.stdin is not None
        assert worker.stdout is not None
        try:
            yield Warm(worker.stdin, worker.stdout, folder)
        finally:
            worker.stdin.close()
