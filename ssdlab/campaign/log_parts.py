"""Engines that sum up the parts of a log: processes of this machine, or Slurm."""

import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Event
from typing import Final, Protocol

from ssdlab.campaign.backends.slurm import call_slurm
from ssdlab.fio.logs.choice import PartSums
from ssdlab.fio.logs.files import LogFile, OpenLog, Span
from ssdlab.fio.logs.parts import (
    PartsAsked,
    edges_sha256,
    find_parts,
    write_asked,
)
from ssdlab.fio.logs.scan import LogScanner
from ssdlab.model.errors import CampaignError, ExportError, PartsMissingError
from ssdlab.system.folders import Folder

_WORKER: Final = (sys.executable, "-m", "ssdlab.fio.logs.worker")
_POLL_S: Final = 2.0
_EMPTY_LOOKS: Final = 3  # a shared folder may show a file later than the queue its end
_SAID_BYTES: Final = 1 << 16
Tell = Callable[[int, int], object]


class PartEngine(Protocol):
    """Starts the worker for parts of a log, and waits until they have ended."""

    def make(
        self, folder: Folder, asked: PartsAsked, places: Sequence[int], *, tell: Tell
    ) -> str:
        """Make parts; return what the worker of one that failed said, if one did.

        ``tell`` takes the place of a part and how many bytes of it are read.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class InParts:
    """Sums up a log in parts, of which each is a file that stays.

    Parameters
    ----------
    file : LogFile
        The log, which is a file.
    folder : Path
        For the files of its parts; those that are there are taken.
    parts : int
        Into how many it is split.
    engine : PartEngine
        Who makes the parts that are missing.
    tell : callable
        Called with the parts asked for, before they are made, and returns what is told
        how far they are.
    """

    file: LogFile
    folder: Path
    parts: int
    engine: PartEngine
    tell: Callable[[PartsAsked, Sequence[int]], Tell]

    def spans(self, log: OpenLog, begin: int) -> Sequence[Span]:
        """Return the parts, from the first line on."""
        return log.spans(begin, max(1, -(-(log.size - begin) // self.parts)))

    def add(
        self,
        log: OpenLog,
        scanner: LogScanner,
        spans: Sequence[Span],
        *,
        interval_ms: int,
    ) -> Sequence[PartSums]:
        """Return the sums of each part; a part that is missing is an error."""
        asked = PartsAsked(
            path=str((self.file.path or Path(self.file.name)).absolute()),
            size=log.size,
            mtime_ns=self.file.mtime_ns,
            edges=edges_sha256(log),
            roles=tuple(map(int, scanner.form.roles)),
            greatest_value=scanner.form.greatest_value,
            interval_ms=interval_ms,
            spans=tuple(spans),
        )
        try:
            return self._parts(asked)
        except OSError as error:
            raise ExportError(
                place=str(self.folder),
                reason=f"parts cannot be written there ({error.strerror or error})",
                remedy="Name another folder with --parts-folder.",
            ) from error

    def _parts(self, asked: PartsAsked) -> Sequence[PartSums]:
        folder = Folder(self.folder).make()
        write_asked(folder, asked)
        found, missing = find_parts(folder, asked, range(len(asked.spans)))
        if missing:
            tell = self.tell(asked, missing)
            said = self.engine.make(folder, asked, missing, tell=tell)
            made, missing = find_parts(folder, asked, missing)
            found |= made
            if missing:
                raise PartsMissingError(
                    source=self.file.name,
                    places=[place + 1 for place in missing],
                    count=len(asked.spans),
                    reason=said,
                )
        return [part for _, part in sorted(found.items())]


@dataclass(frozen=True, kw_only=True)
class LocalParts:
    """Makes parts in processes of this machine, so many at once."""

    processes: int
    _running: list["subprocess.Popen[str]"] = field(default_factory=list, init=False)
    _is_stopped: Event = field(default_factory=Event, init=False)

    def make(
        self, folder: Folder, asked: PartsAsked, places: Sequence[int], *, tell: Tell
    ) -> str:
        """Make parts; the processes are ended with this one's wait."""
        make = partial(self._make_one, folder, asked, tell=tell)
        with ThreadPoolExecutor(self.processes) as pool:
            made = [pool.submit(make, place) for place in places]
            try:
                said = [one.result() for one in as_completed(made)]
            except BaseException:
                self._is_stopped.set()
                pool.shutdown(wait=False, cancel_futures=True)
                for process in self._running:
                    _end(process)
                raise
        return next(filter(None, said), "")

    def _make_one(
        self, folder: Folder, asked: PartsAsked, place: int, *, tell: Tell
    ) -> str:
        process = subprocess.Popen(
            [*_WORKER, str(folder.path.absolute()), asked.key, str(place)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,  # Ctrl-C is for this process, which ends that one
        )
        self._running.append(process)
        if self._is_stopped.is_set():
            _end(process)
        with process:
            for line in process.stdout or ():
                tell(place, int(line))
            said = process.stderr.read() if process.stderr else ""
        self._running.remove(process)
        return _last_line(said) if process.returncode else ""


def _end(process: "subprocess.Popen[str]") -> None:
    with suppress(ProcessLookupError):
        process.send_signal(signal.SIGTERM)


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1].strip().rstrip(".") if lines else "its process was killed"


@dataclass(frozen=True, kw_only=True)
class SlurmParts:
    """Makes parts as one array of jobs; those that are queued already are waited for.

    Parameters
    ----------
    sleep : callable
        A pause [s].
    node : str
        The node on which the log lies; empty: any.
    poll_s : float
        Between two looks at the files and the queue [s].
    """

    sleep: Callable[[float], None]
    node: str = ""
    poll_s: float = _POLL_S

    def make(
        self, folder: Folder, asked: PartsAsked, places: Sequence[int], *, tell: Tell
    ) -> str:
        """Submit what is not queued, and wait for all of it."""
        name = f"ssdlab-parts-{asked.key}"
        queued = _queued(name)
        left = set(places)
        if submitted := sorted(left - (queued or set())):
            self._submit(folder, asked, submitted)
        empty = 0
        while left and empty < _EMPTY_LOOKS:
            self.sleep(self.poll_s)
            for place in sorted(left):
                if folder.has_file(asked.part_name(place)):
                    left.discard(place)
                    begin, end = asked.spans[place]
                    tell(place, end - begin)
            queued = _queued(name)
            is_waited_for = queued is None or bool(left & queued)
            empty = 0 if is_waited_for else empty + 1
        return self._said(folder, asked, min(left)) if left else ""

    def _submit(self, folder: Folder, asked: PartsAsked, places: Sequence[int]) -> None:
        at = folder.path.absolute()
        command = shlex.join([*_WORKER, str(at), asked.key])
        node = [f"--nodelist={self.node}"] if self.node else []
        ended = call_slurm(
            *("sbatch", "--parsable", "--requeue", "--open-mode=append"),
            f"--job-name=ssdlab-parts-{asked.key}",
            f"--array={','.join(map(str, places))}",
            f"--output={at}/{_output_name(asked, '%a')}",
            f"--chdir={at}",
            *("--nodes=1", "--ntasks=1", "--cpus-per-task=1"),
            *node,
            f'--wrap=exec {command} "$SLURM_ARRAY_TASK_ID"',
        )
        if ended.exit_code:
            said = " ".join((ended.stderr or ended.stdout).split())[:300]
            raise CampaignError(
                folder=str(folder.path),
                reason=f"Slurm refused the parts: {said}",
                remedy="Take fewer with --parts, or --engine local.",
            )

    @staticmethod
    def _said(folder: Folder, asked: PartsAsked, place: int) -> str:
        with suppress(OSError):
            name = _output_name(asked, str(place))
            lines = folder.text(name, limit=_SAID_BYTES).strip().splitlines()
            told = [line for line in lines if not line.strip().isdigit()]
            return _last_line("\n".join(told))
        return "its job left no output"


def _output_name(asked: PartsAsked, place: str) -> str:
    return f"{asked.key}-{place}.txt"


def _queued(name: str) -> AbstractSet[int] | None:
    """Return the parts that are queued or run; ``None`` without the controller."""
    ended = call_slurm(
        *("squeue", "--noheader", "--array", f"--name={name}", "--format=%K"),
    )
    if ended.exit_code:
        return None
    return {int(word) for word in ended.stdout.split() if word.isdigit()}


def remove_parts(folder: Path) -> None:
    """Remove files of parts from a folder, and the folder if nothing else is in it."""
    there = Folder(folder)
    for name in there.names():
        key, _, _ = name.partition(".")[0].partition("-")
        is_ours = len(key) == 16 and not set(key) - set("0123456789abcdef")
        if is_ours and name.endswith((".json", ".part", ".txt")):
            there.remove(name)
    with suppress(OSError):
        there.remove_empty()
