"""Run the readers of a task in turn, and compare their answers."""

import importlib.util
import re
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.parse.answers import Answer, differences
from benchmarks.parse.measure import Run, run, worker_command
from benchmarks.parse.works import OURS, Basis, Peer, Work, find_tool

_WARM_PASSES = 4


@dataclass(frozen=True, kw_only=True)
class Rules:
    """How often each reader runs, and its time limit [s].

    ``readers`` is a pattern of names; ssdlab and the floor always run.
    """

    rounds: int
    limit_s: float
    readers: str = ""


@dataclass(kw_only=True)
class Result:
    """The results of one reader; ``verdict`` compares its answer with ssdlab's."""

    peer: Peer
    runs: list[Run] = field(default_factory=list)
    warm_s: float | None = None
    memory: Run | None = None
    verdict: str = ""
    problem: str = ""

    @property
    def has_passes(self) -> bool:
        """Whether its work was timed separately from its process."""
        return bool(self.runs and self.runs[0].passes_s)

    def seconds(self, basis: Basis) -> float | None:
        """Return the median [s], of all the data where only a share was read.

        A peer that was not run warm counts as it ran; one of our readers does not.
        """
        if basis == "warm" and (self.warm_s is not None or self.peer.is_ours):
            return self.warm_s
        if not self.runs:
            return None
        process_s = statistics.median(one.process_s for one in self.runs)
        passes = [one.passes_s[0] for one in self.runs if one.passes_s]
        if not passes:
            return process_s / self.peer.share
        work_s = statistics.median(passes)
        around_s = process_s - work_s if basis == "process" else 0.0
        return around_s + work_s / self.peer.share


def contest(work: Work, folder: Path, rules: Rules) -> Mapping[str, Result]:
    """Run every available reader; the first run of each is monitored, not timed."""
    results = {peer.name: Result(peer=peer) for peer in work.peers}
    with TemporaryDirectory() as scratch:
        arena = _Arena(folder, Path(scratch), rules)
        for result in results.values():
            is_wanted = result.peer.name in {OURS, work.floor} or re.search(
                rules.readers, result.peer.name
            )
            result.problem = (
                _missing(result.peer, arena.scratch) if is_wanted else "left out"
            )
            if not result.problem:
                arena.watch(result)
        timed = [
            result
            for result in results.values()
            if not (result.problem or result.peer.is_slow)
        ]
        for result in timed * rules.rounds:
            result.runs.append(arena.time(result.peer))
        for result in results.values():
            if result.peer.is_ours or result.peer.name == work.floor:
                arena.warm(result)
        arena.judge(results)
    return results


def _missing(peer: Peer, scratch: Path) -> str:
    packages = [name.partition(".")[0] for name in peer.needs]
    absent = [name for name in packages if importlib.util.find_spec(name) is None]
    if peer.tool and find_tool(peer.tool, scratch) is None:
        absent.append(peer.tool)
    return f"not here: {', '.join(absent)}" if absent else ""


class _Arena:
    """The folders of data and answers, and the rules."""

    def __init__(self, folder: Path, scratch: Path, rules: Rules) -> None:
        self.folder = folder
        self.scratch = scratch
        self.rules = rules
        self._answers: dict[str, Answer] = {}

    def time(self, peer: Peer) -> Run:
        return self._run(peer)

    def watch(self, result: Result) -> None:
        """Run it once for its memory and answer; a slow one is timed in this run."""
        peer = result.peer
        target = self._folder_of(peer)
        options = ["--answer", str(target / "answer.npz")] if peer.reader else []
        watched = self._run(peer, *options, is_watched=True)
        result.memory = watched
        if watched.failure:
            result.problem = f"{watched.failure}, at {watched.process_s:.1f} s"
        if peer.is_slow or watched.failure:
            result.runs.append(watched)
        elif peer.reader:
            self._answers[peer.name] = _load(target / "answer.npz")
        elif peer.check is not None:
            self._answers[peer.name] = peer.check(target)
        if peer.is_slow and peer.reader and not watched.failure:
            self._answers[peer.name] = _load(target / "answer.npz")

    def warm(self, result: Result) -> None:
        """Take the minimum of several passes in one process, without the first."""
        if result.problem or not result.peer.reader:
            return
        passes = self._run(result.peer, "--passes", str(_WARM_PASSES)).passes_s
        result.warm_s = min(passes[1:], default=None)

    def judge(self, results: Mapping[str, Result]) -> None:
        """Compare each answer with that of ssdlab."""
        for name, answer in self._answers.items():
            peer = results[name].peer
            ours = self._reference(peer.reference)
            shared = set(ours) & set(answer) if ours is not None else set()
            if name == OURS or ours is None or not shared:
                continue
            found = differences(ours, answer)
            results[name].verdict = "; ".join(found) or "same"

    def _reference(self, reader: str) -> Answer | None:
        if not reader:
            return self._answers.get(OURS)
        if reader not in self._answers:
            path = self.scratch / "reference.npz"
            command = worker_command(reader, self.folder, "--answer", str(path))
            done = run(command, environment={}, limit_s=self.rules.limit_s)
            if done.failure:
                return None
            self._answers = self._answers | {reader: _load(path)}
        return self._answers[reader]

    def _folder_of(self, peer: Peer) -> Path:
        target = self.scratch / f"of {peer.name}"
        target.mkdir(exist_ok=True)
        return target

    def _run(self, peer: Peer, *options: str, is_watched: bool = False) -> Run:
        command: Sequence[str]
        if peer.command is None:
            imports = [f"--import={name}" for name in peer.needs]
            command = worker_command(peer.reader, self.folder, *imports, *options)
        else:
            command = peer.command(self.folder, self._folder_of(peer))
        return run(
            command,
            environment=peer.environment,
            limit_s=self.rules.limit_s,
            is_watched=is_watched,
        )


def _load(path: Path) -> Answer:
    with np.load(path) as stored:
        return dict(stored)
