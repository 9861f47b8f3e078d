"""A block device as a target: a drive, or a loop device that stands for one."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ssdlab.drive.gate.ends import digest_ends, keep_ends
from ssdlab.drive.notes import drive_folder
from ssdlab.drive.purge import purge_drive, stopping_words
from ssdlab.drive.safety import HeldDrive, require_still_disposable
from ssdlab.drive.write_cache import (
    read_write_cache,
    restore_write_cache,
    set_write_cache,
)
from ssdlab.model.drive import (
    Consent,
    Drive,
    DriveChoices,
    PurgeChoice,
    PurgeOutcome,
    WriteCacheState,
)
from ssdlab.model.errors import SsdlabError
from ssdlab.model.host_checks import HostCheck
from ssdlab.model.records import TargetIdentity
from ssdlab.model.telemetry import CACHE_IS_ON
from ssdlab.system.state import state_folder
from ssdlab.targets.unseen import find_unseen_checks
from ssdlab.targets.watch import DriveWatch, reading_interval_s


@dataclass(kw_only=True, slots=True)
class BlockTarget:
    """A drive that passed the gate, held exclusively until it is released.

    Attributes
    ----------
    drive : Drive
        What it is; resumed, it may have another name than the run's record has.
    held : HeldDrive
        The hold on it.
    folder : Path
        The run's, for notes that must outlast a crash.
    choices : DriveChoices
        What was chosen for it.
    watch : DriveWatch
        What the drive told last of its health.
    ends : str
        What `digest_ends` said when it was opened; empty if it could not be read.
    is_at_rest : bool
        Whether no purge of it is under way, nor was stopped or failed.
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
        """Purge it, after one more look whether it may be destroyed."""
        try:
            with self.watch.paused():
                return self._purge(tell)
        except SsdlabError as error:
            self.stopping_words = ""
            said = f"not purged, or not as it should be: {error}"
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
        """Set the write cache as asked, if a purge or a reset has put it back.

        Raises
        ------
        TargetRefusedError
            If it stood so when the run began, and cannot be set so any more.
        """
        if not self.write_cache_fault:
            set_write_cache(self.drive, self.choices.write_cache)

    def find_trouble(self) -> str:
        """Return why the device does not answer any more, or an empty text."""
        return self.held.is_alive()

    def find_alarm(self) -> str:
        """Return why the run must stop now, by what was read last."""
        return self.find_trouble() or self.watch.find_alarm()

    def read_counters(self) -> dict[str, float]:
        """Return nothing: a drive's counters are too coarse to doubt a step by."""
        return {}

    @property
    def telemetry_interval_s(self) -> float:
        """Return how often its health is read [s]."""
        return reading_interval_s(self.drive)

    def read_telemetry(self) -> dict[str, float]:
        """Ask the drive how it and its write cache are; what is not told is left out.

        A controller that resets within a test puts its own setting of the cache back.
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
        """Return nothing: there are no counters to doubt by."""
        del before, after
        return ""

    def release(self) -> str:
        """Note what is on the drive, set its write cache back, and let go of it."""
        if self.is_released:
            return self.left_undone
        self.is_released = True
        try:
            self._note_ends()
            restore_write_cache(self.drive, drive_folder(self.drive))
        except (SsdlabError, OSError) as error:
            self.left_undone = f"The write cache was not set back: {error}"
        finally:
            self.held.close()
        return self.left_undone

    def _note_ends(self) -> None:
        """Note what this session leaves, for the look at it when the run goes on.

        A drive that is busy with a purge may keep who reads it waiting for hours.
        Without a note what looks like data counts as such.
        """
        if not self.is_at_rest or self.held.is_alive():
            return
        with suppress(OSError):
            ends = digest_ends(self.held.descriptor, self.drive.capacity_bytes)
            if ends != self.ends:
                keep_ends(ends, self.folder)

    @property
    def consent(self) -> Consent | None:
        """Return what was typed so that it may be erased."""
        return self.held.consent

    @property
    def host_checks(self) -> tuple[HostCheck, ...]:
        """Return what this user could not see of who uses it."""
        return find_unseen_checks(self.held)

    def close(self) -> None:
        """Let go of the drive, which is its owner's."""
        self.release()
