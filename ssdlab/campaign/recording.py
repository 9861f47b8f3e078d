"""What was recorded, and where: the outputs of fio that a plan's steps are found in.

Recorded are either plain outputs of fio, found by the pattern of their names, or the
step folders of a run of ours.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ssdlab.campaign.patterns import compile_pattern, fields_of, fio_size
from ssdlab.campaign.raw import finished_steps, read_record_of
from ssdlab.model.errors import FioOutputError, StepError
from ssdlab.model.spec import Access
from ssdlab.model.step import Step, StepKind
from ssdlab.system.folders import Folder


class StepNotRecordedError(StepError):
    """A plan asks for a step that the recording does not hold."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Stimulus:
    """What a step asks for, whatever its number: the key of a recording.

    An empty ``phase_id`` stands for every phase, and a ``cell`` of ``None`` for every
    cell that is alike in all else.
    """

    test_id: str
    kind: StepKind
    phase_id: str = ""
    access: Access | None = None
    block_size_bytes: int = 0
    read_percent: int = 0
    round: int | None = None
    cell: int | None = None


def stimulus_of(step: Step) -> Stimulus:
    """Return what a step asks for."""
    blank = Stimulus(
        test_id=step.test_id,
        kind=step.kind,
        phase_id=step.phase_id,
        round=step.round,
        cell=step.cell,
    )
    if step.workload is None:
        return blank
    return replace(
        blank,
        access=step.workload.access,
        block_size_bytes=step.workload.block_size_bytes,
        read_percent=step.workload.read_percent,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Recording:
    """Where each recorded step lies: an output of fio, or a step folder of ours.

    ``breaks`` names the steps before which the recorded run was interrupted.
    """

    source: str
    places: Mapping[Stimulus, Path | Folder]
    breaks: frozenset[str] = frozenset()

    def __or__(self, other: "Recording") -> "Recording":
        """Return both in one; where both hold a step, the other's counts."""
        sources = dict.fromkeys((self.source, other.source))
        return Recording(
            source=", ".join(sources),
            places={**self.places, **other.places},
            breaks=self.breaks | other.breaks,
        )

    def find(self, step: Step) -> Path | Folder:
        """Return where a step was recorded.

        Raises
        ------
        StepNotRecordedError
            If it was not.
        """
        asked = stimulus_of(step)
        alike = replace(asked, cell=None)
        for stimulus in (asked, alike, replace(alike, phase_id="")):
            if stimulus in self.places:
                return self.places[stimulus]
        raise StepNotRecordedError(
            step_id=step.step_id,
            reason=f"it was not recorded in {self.source}",
            remedy="A replay ends where its recording ends; what was replayed is kept.",
        )


def read_recorded_files(folder: Path, pattern: str, *, like: Stimulus) -> Recording:
    """Find the outputs of fio whose names follow a pattern.

    Parameters
    ----------
    folder : Path
        The folder of the outputs.
    pattern : str
        A name with fields, such as
        ``wdpc_bs{block_size}_read{read_percent}_round{round}.json``.
    like : Stimulus
        What holds for all of them; a field of the pattern comes before it.

    Returns
    -------
    Recording
        What was found; the outputs are read when they are replayed.

    Raises
    ------
    FioOutputError
        If no name follows the pattern, or two mean the same step.
    ValueError
        If the pattern has a field that is none.
    """
    shape = compile_pattern(pattern)
    places: dict[Stimulus, Path] = {}
    for path in sorted(folder.iterdir()):
        match = shape.fullmatch(path.name)
        if match is None:
            continue
        stimulus = _stimulus_of_name(match, like)
        if stimulus in places:
            raise FioOutputError(
                source=str(path),
                reason=f"it is of the same step as {places[stimulus].name}",
                remedy="Give a pattern that tells the two apart, or move one away.",
            )
        places[stimulus] = path
    if not places:
        raise FioOutputError(
            source=str(folder),
            reason=f"no file in it is named like {pattern}",
            remedy="Look at the names and give the pattern that they follow.",
        )
    return Recording(source=str(folder), places=places)


def _stimulus_of_name(match: re.Match[str], like: Stimulus) -> Stimulus:
    said = fields_of(match)
    if "block_size" in said:
        like = replace(like, block_size_bytes=fio_size(said["block_size"]))
    if "read_percent" in said:
        like = replace(like, read_percent=int(said["read_percent"]))
    return replace(like, round=int(said["round"])) if "round" in said else like


def read_recorded_run(run: Path) -> Recording:
    """Find the finished steps of a run folder of ours."""
    folders = finished_steps(run)
    records = [read_record_of(folder) for folder in folders]
    return Recording(
        source=str(run),
        places={
            stimulus_of(record.step): folder
            for record, folder in zip(records, folders, strict=True)
        },
        breaks=frozenset(
            record.step.step_id for record in records if not record.result.is_contiguous
        ),
    )
