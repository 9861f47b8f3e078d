"""Processes of labs, forked from one that has imported what they need.

To import it costs more processor time than most of them need besides. Each is a process
of its own all the same, with its own session, environment and files for its output:
signals and errors end it as they end ``python -m ssdlab.cli``.
"""

import atexit
import multiprocessing
import os
import runpy
import subprocess
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import ssdlab

_IMPORTED = [
    *("IPython", "pandas", "papermill", "plotly.graph_objects", "scipy.special"),
    *("ssdlab.ingest.opening", "ssdlab.engine.suite", "ssdlab.cli"),
    *("ssdlab.notebook", "ssdlab.report", __name__),
]
_SERVER = multiprocessing.get_context("forkserver")
_SERVER.set_forkserver_preload(_IMPORTED)


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a process works, what surrounds it, and the files that it writes to."""

    folder: Path
    environment: Mapping[str, str]
    out: Path
    err: Path

    def enter(self) -> None:
        """Become a process that was started there, with a session of its own."""
        os.setsid()
        os.chdir(self.folder)
        os.environ.clear()
        os.environ.update(self.environment)
        warnings.simplefilter("default")
        for number, path in enumerate((Path(os.devnull), self.out, self.err)):
            file = os.open(path, os.O_RDWR)
            os.dup2(file, number)
            os.close(file)
        runpy.run_path(str(self.folder / "site" / "sitecustomize.py"))


@dataclass(frozen=True)
class Forked:
    """A forked process, with what labs use of `subprocess.Popen`."""

    process: ForkServerProcess

    @property
    def pid(self) -> int:
        """Its number."""
        assert self.process.pid
        return self.process.pid

    @property
    def returncode(self) -> int | None:
        """Its exit code once it has ended, negative if a signal ended it."""
        return self.process.exitcode

    def poll(self) -> int | None:
        """Return its exit code once it has ended."""
        return self.process.exitcode

    def wait(self, timeout: float) -> int:
        """Wait for its end; return its exit code.

        Raises
        ------
        subprocess.TimeoutExpired
            If it still lives then.
        """
        self.process.join(timeout)
        if self.process.exitcode is None:
            raise subprocess.TimeoutExpired(self.process.name, timeout)
        return self.process.exitcode


def fork(place: Place, work: Callable[..., object], **arguments: object) -> Forked:
    """Start a process that calls a function of a module."""
    process = _SERVER.Process(target=_live, args=(place, work), kwargs=arguments)
    process.start()
    return Forked(process)


def _live(place: Place, work: Callable[..., object], **arguments: object) -> None:
    assert sys.modules.keys() >= set(_IMPORTED), "it is imported in each process"
    place.enter()
    try:
        work(**arguments)
    except ssdlab.SsdlabError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    finally:
        atexit._run_exitfuncs()  # which a forked process does not do by itself


def be_command_line(words: Sequence[str]) -> None:
    """Be the command line of ssdlab."""
    from ssdlab.cli import main  # noqa: PLC0415

    sys.argv = ["ssdlab", *words]
    main()
