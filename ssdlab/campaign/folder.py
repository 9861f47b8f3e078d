"""A campaign's folder: what is true of it stands in these files, in no engine.

::

    DIR/campaign.toml, lab.toml     what was asked, and of which lab
    DIR/jobs/JOB.json               one run of one drive, complete; never changed
    DIR/requests/JOB.jsonl          what a person asked of the job since
    DIR/attempts/JOB.jsonl          each start and end; only the job's host writes it
    DIR/hosts/HOST.json             its clock, version and free space, at its last start
    DIR/progress/JOB.json           the progress of its run, some seconds old
    DIR/logs/JOB.txt                what the program said
    DIR/runs/RUN/                   the published run; MANIFEST in it is written last

The folder is shared by all hosts, or lies on the only one.
"""

import json
import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

from ssdlab.campaign.asked import Job
from ssdlab.model.errors import CampaignError, RunFolderError, UserFileError
from ssdlab.model.plain import from_plain, to_plain
from ssdlab.store.records import to_json
from ssdlab.system.folders import LOG_BYTES, Folder
from ssdlab.system.locks import try_lock

MANIFEST = "MANIFEST"
_SUFFIX = ".json"
_Kind = TypeVar("_Kind")

What = Literal[
    "run",  # the run was begun
    "resume",  # it was resumed
    "adopted",  # it went on without its parent, and was waited for
    "ended",  # the program ended
    "refused",  # another process works on the job or measures the drive
    "published",
    "not published",
    "given up",
]


@dataclass(frozen=True, kw_only=True, slots=True)
class Attempt:
    """What happened to a job on its host.

    ``state`` is that of the run folder afterwards, ``code`` the exit code of the
    program, ``engine`` the engine's id of the job, and ``restart`` how often the engine
    had started it before.
    """

    at_s: float
    what: What
    host: str
    why: str = ""
    state: str = ""
    code: int | None = None
    pid: int = 0
    engine: str = ""
    restart: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Wish:
    """What a person asked of a job; ``starts`` is how often it had been started.

    Those starts no longer count after it was asked to ``retry`` or to ``release`` it.
    """

    at_s: float
    what: Literal["cancel", "hold", "release", "retry"]
    starts: int = 0


@dataclass(frozen=True, slots=True)
class CampaignFolder:
    """The folder of a campaign."""

    path: Path

    @property
    def top(self) -> Folder:
        """The folder itself."""
        return Folder(self.path)

    @property
    def runs(self) -> Path:
        """Where runs are published."""
        return self.path / "runs"

    def require(self) -> "CampaignFolder":
        """Require that it is the folder of a campaign."""
        if not self.top.has("jobs"):
            raise CampaignError(
                folder=str(self.path),
                reason="this is not the folder of a campaign",
                remedy="Make one: ssdlab campaign submit LAB.toml CAMPAIGN.toml DIR",
            )
        return self

    def names(self) -> tuple[str, ...]:
        """Return the names of the jobs, in their order by name."""
        return tuple(
            name.removesuffix(_SUFFIX)
            for name in (self.top / "jobs").visible_names()
            if name.endswith(_SUFFIX)
        )

    def jobs(self, but: Collection[str] = ()) -> tuple[Job, ...]:
        """Return all jobs but some, in the order in which they should begin.

        Files that are not valid are left out, so that they stop no other job:
        `find_bad_files` tells them.
        """
        found = []
        for name in (one for one in self.names() if one not in but):
            with suppress(UserFileError):
                found.append(self.job(name))
        return tuple(sorted(found, key=lambda job: (-job.priority, job.rank)))

    def hosts(self) -> tuple[str, ...]:
        """Return the hosts of its jobs."""
        return tuple(dict.fromkeys(job.host for job in self.jobs()))

    def find_bad_files(self) -> tuple[str, ...]:
        """Return what is wrong with the files of jobs, in words."""
        found = []
        for name in self.names():
            try:
                self.job(name)
            except UserFileError as error:
                found.append(str(error))
        return tuple(found)

    def job(self, name: str) -> Job:
        """Read one job.

        Raises
        ------
        CampaignError
            If there is none of that name.
        UserFileError
            If its file is not valid.
        """
        source = str(self.path / "jobs" / f"{name}{_SUFFIX}")
        try:
            data = json.loads((self.top / "jobs").read(f"{name}{_SUFFIX}"))
            job = from_plain(Job, data)
        except (FileNotFoundError, NotADirectoryError):
            raise CampaignError(
                folder=str(self.path),
                reason=f"it has no job {name!r}",
                remedy="List them: ssdlab campaign status DIR",
            ) from None
        except (OSError, ValueError, RecursionError) as error:
            raise UserFileError(source=source, reason=str(error)) from None
        if job.job != name:
            raise UserFileError(source=source, reason=f"it is of job {job.job!r}")
        return job

    def write_job(self, job: Job) -> None:
        """Write a new job."""
        content = to_json(to_plain(job))
        (self.top / "jobs").make().write(f"{job.job}{_SUFFIX}", content)

    def is_published(self, job: Job) -> bool:
        """Return whether the run of a job is published whole."""
        with suppress(RunFolderError):  # something else is in its place
            return (self.top / "runs" / job.run_id).has(MANIFEST)
        return False

    def attempts(self, name: str) -> tuple[Attempt, ...]:
        """Return what happened to a job, in order."""
        return read_lines(self.top / "attempts", f"{name}.jsonl", Attempt)

    def wishes(self, name: str) -> tuple[Wish, ...]:
        """Return what was asked of a job, in order."""
        return read_lines(self.top / "requests", f"{name}.jsonl", Wish)

    def note_wish(self, name: str, wish: Wish) -> None:
        """Add what is asked of a job."""
        append_line((self.top / "requests").make(), f"{name}.jsonl", wish)

    @contextmanager
    def locked(self, name: str = "lock", *, is_shared: bool = False) -> Iterator[bool]:
        """Try to lock the campaign; yield whether that worked."""
        with self.top.opened_in_place(name) as file:
            yield try_lock(file, is_shared=is_shared)


def append_line(folder: Folder, name: str, value: object) -> None:
    """Append one line of JSON, whole and durable."""
    line = json.dumps(to_plain(value), ensure_ascii=False).encode() + b"\n"
    with folder.opened_in_place(name) as file:
        size = file.seek(0, os.SEEK_END)
        if size:
            file.seek(size - 1)
            is_cut = file.read(1) != b"\n"  # by a crash
            line = b"\n" + line if is_cut else line
        file.write(line)
        os.fsync(file.fileno())


def read_lines(folder: Folder, name: str, kind: type[_Kind]) -> tuple[_Kind, ...]:
    """Return the lines of a file; one cut by a crash, or a strange one, is left out."""
    try:
        content = folder.read(name, limit=LOG_BYTES)
    except (OSError, RunFolderError):
        return ()
    found = []
    for line in content.splitlines():
        with suppress(ValueError, RecursionError):
            found.append(from_plain(kind, json.loads(line)))
    return tuple(found)
