"""A block device as a target: a drive, or a loop device that stands for one."""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ssdlab.drive.gate.end_digests import digest_ends, keep_ends
from ssdlab.drive.io_counts import read_io_counts
from ssdlab.drive.notes import drive_folder
from ssdlab.drive.purge import purge_drive, stopping_words
from ssdlab.drive.safety import HeldDrive, require_still_disposable
from ssdlab.drive.sysfs import block_folder
from ssdlab.drive.tools import sudoers_command
from ssdlab.drive.write_cache import (
    read_write_cache,
    restore_write_cache,
    set_write_cache,
)
from ssdlab.host.checks.check import OWN
from ssdlab.model.drive import (
    Consent,
    Drive,
    DriveChoices,
    PurgeChoice,
    PurgeOutcome,
    WriteCacheState,
)
from ssdlab.model.errors import MissingToolError, SsdlabError
from ssdlab.model.host_checks import HostCheck
from ssdlab.model.io_counts import IoCounts
from ssdlab.model.records import TargetIdentity
from ssdlab.model.telemetry import CACHE_IS_ON
from ssdlab.system.state import state_folder
from ssdlab.targets.watch import DriveWatch, reading_interval_s

_WHY = (
    "the exclusive open keeps out mounts, volumes and swap, but not programs that just "
    "write: one of another user would change the data and the rates unnoticed"
)


def find_unseen_checks(held: HeldDrive) -> tuple[HostCheck, ...]:
    """Return what is unknown of a drive that passed the gate, if anything."""
    if not held.unseen:
        return ()
    return (
        HostCheck(
            check_id="programs_on_the_drive",
            title="Programs of other users on the drive",
            verdict="unknown",
            read=f"{held.unseen} processes hide from this user what they have open "
            "(/proc/PID/fd)",
            why=_WHY,
            remedy=_remedy(),
            source=OWN,
        ),
    )


def _remedy() -> str:
    if os.geteuid() == 0:
        return "Run it on the host itself, not in a container"
    try:
        return f"Let root check for this user: {sudoers_command(['fuser'])}"
    except MissingToolError as error:
        return f"Let root check with fuser, which is not installed. {error.remedy}"


@dataclass(kw_only=True, slots=True)
class BlockTarget:
    """A drive that passed the gate, held exclusively until it is released.

    Attributes
    ----------
    drive : Drive
        Its identity; after a resume its name may differ from the run's record.
    held : HeldDrive
        The hold on it.
    folder : Path
        The run folder, for notes that must survive a crash.
    choices : DriveChoices
        The user's choices for it.
    watch : DriveWatch
        The latest reading of its health.
    ends : str
        The result of `digest_ends` at opening; empty if it could not be read.
    is_at_rest : bool
        False while a purge is in progress, or after one was stopped or failed.
    """

    identity: TargetIdentity
    drive: Drive
    fio_options: Mapping[str, str]
    purge_choice: PurgeChoice
    write_cache: WriteCacheState
    write_cache_fault: str
    held: HeldDrive
    folder: Path
    choices: DriveChoices
    watch: DriveWatch
    ends: str = ""
    is_at_rest: bool = True
    is_released: bool = False
    left_undone: str = ""
    stopping_words: str = ""
    descriptor: None = None

    def purge(self, tell: Callable[[str], None]) -> PurgeOutcome:
        """Purge it, after checking once more that it may be destroyed."""
        try:
            with self.watch.paused():
                return self._purge(tell)
        except SsdlabError as error:
            self.stopping_words = ""
            said = f"not purged, or not completely: {error}"
            return PurgeOutcome(said=said, fault=str(error))

    def _purge(self, tell: Callable[[str], None]) -> PurgeOutcome:
        require_still_disposable(self.held)
        self._set_write_cache()
        if self.purge_choice.method == "none":
            return PurgeOutcome(said=self.purge_choice.words)
        self.stopping_words = stopping_words(self.purge_choice.method)
        self.is_at_rest = False
        outcome = purge_drive(
            self.held, self.purge_choice, folder=state_folder(), tell=tell
        )
        self.stopping_words = ""
        if not outcome.fault:
            self.is_at_rest = True
            self._set_write_cache()
        return outcome

    def _set_write_cache(self) -> None:
        """Set the write cache as requested, if a purge or a reset has changed it."""
        if not self.write_cache_fault:
            set_write_cache(self.drive, self.choices.write_cache)

    def find_trouble(self) -> str:
        """Return why the device no longer answers, or an empty text."""
        return self.held.is_alive()

    def find_alarm(self) -> str:
        """Return why the run must stop now, by the latest reading."""
        return self.find_trouble() or self.watch.find_alarm()

    def read_counters(self) -> dict[str, float]:
        """Return nothing: a drive's counters are too coarse to check a step."""
        return {}

    def read_io(self) -> IoCounts | None:
        """Return the IO that the kernel counts."""
        return read_io_counts(block_folder(self.drive.name))

    @property
    def telemetry_interval_s(self) -> float:
        """Return how often its health is read [s]."""
        return reading_interval_s(self.drive)

    def read_telemetry(self) -> dict[str, float]:
        """Read the drive's health and write cache; what is not reported is left out.

        A controller that resets during a test restores its own setting of the cache.
        """
        readings = self.watch.read()
        if self.watch.is_paused:
            return {}
        cache = read_write_cache(self.drive)
        is_on = {} if cache is None else {CACHE_IS_ON: float(cache == "enabled")}
        return readings | is_on

    def find_doubt(
        self, before: Mapping[str, float], after: Mapping[str, float]
    ) -> str:
        """Return nothing: there are no counters to check."""
        del before, after
        return ""

    def release(self) -> str:
        """Note what is on the drive, restore its write cache, and release it."""
        if self.is_released:
            return self.left_undone
        self.is_released = True
        try:
            self._note_ends()
            restore_write_cache(self.drive, drive_folder(self.drive))
        except (SsdlabError, OSError) as error:
            self.left_undone = f"The write cache was not restored: {error}"
        finally:
            self.held.close()
        return self.left_undone

    def _note_ends(self) -> None:
        """Note what this session leaves, to be checked when the run is resumed.

        Reading a drive that is busy with a purge may block for hours. Without a note,
        what looks like data counts as data.
        """
        if not self.is_at_rest or self.held.is_alive():
            return
        with suppress(OSError):
            ends = digest_ends(self.held.descriptor, self.drive.capacity_bytes)
            if ends != self.ends:
                keep_ends(ends, self.folder)

    @property
    def consent(self) -> Consent | None:
        """Return what the user typed to consent to its erasure."""
        return self.held.consent

    @property
    def host_checks(self) -> tuple[HostCheck, ...]:
        """Return checks about holders of the drive that this user cannot see."""
        return find_unseen_checks(self.held)

    def close(self) -> None:
        """Release the drive."""
        self.release()
