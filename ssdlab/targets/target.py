"""The interface of a target; the engine uses nothing else."""

from collections.abc import Callable, Mapping
from typing import Protocol

from ssdlab.model.drive import (
    Consent,
    Drive,
    PurgeChoice,
    PurgeOutcome,
    WriteCacheState,
)
from ssdlab.model.host_checks import HostCheck
from ssdlab.model.io_counts import IoCounts
from ssdlab.model.records import TargetIdentity


class Target(Protocol):
    """A device to measure.

    Attributes
    ----------
    identity : TargetIdentity
        Model, serial, capacity; a resumed run must find the same.
    fio_options : mapping of str to str
        The fio options that reach the device.
    descriptor : int or None
        The open file that fio uses instead of the ``filename`` of these options;
        ``None`` if fio opens the device itself.
    purge_choice : PurgeChoice
        How it is purged, in words for the report, and why.
    telemetry_interval_s : float
        How often its telemetry is read during a run.
    drive : Drive or None
        The block device behind it, as it was when opened; a model and a file have
        none.
    consent : Consent or None
        What the user typed to consent to its erasure; a model and a file need none.
    host_checks : tuple of HostCheck
        Results of the host checks when it was opened.
    write_cache : {"enabled", "disabled", "as found"}
        The state of its volatile write cache; "as found" if unknown.
    write_cache_fault : str
        Why the write cache could not be set as requested, or an empty text.
    stopping_words : str
        During a purge, and after one was stopped: the effect of stopping it.
    """

    @property
    def identity(self) -> TargetIdentity:
        """Return model, serial and capacity."""
        ...

    @property
    def fio_options(self) -> Mapping[str, str]:
        """Return the fio options that reach the device."""
        ...

    @property
    def descriptor(self) -> int | None:
        """Return the open file that fio uses, if there is one."""
        ...

    @property
    def purge_choice(self) -> PurgeChoice:
        """Return how it is purged, and why."""
        ...

    @property
    def telemetry_interval_s(self) -> float:
        """Return how often its telemetry is read [s]."""
        ...

    @property
    def drive(self) -> Drive | None:
        """Return the block device behind it, if there is one."""
        ...

    @property
    def consent(self) -> Consent | None:
        """Return what the user typed to consent to its erasure, if that was needed."""
        ...

    @property
    def host_checks(self) -> tuple[HostCheck, ...]:
        """Return the results of the host checks when it was opened."""
        ...

    @property
    def write_cache(self) -> WriteCacheState:
        """Return the state of its write cache."""
        ...

    @property
    def write_cache_fault(self) -> str:
        """Return why the write cache could not be set, or an empty text."""
        ...

    @property
    def stopping_words(self) -> str:
        """Return the effect of stopping the purge in progress, or an empty text."""
        ...

    def purge(self, tell: Callable[[str], None]) -> PurgeOutcome:
        """Purge the device and verify it; ``tell`` receives progress messages."""
        ...

    def find_trouble(self) -> str:
        """Return why the device no longer answers, or an empty text."""
        ...

    def find_alarm(self) -> str:
        """Return why the run must stop now, or an empty text.

        It is called before each step and several times a second while fio runs, so it
        does not query the device: it uses the latest result of `read_telemetry`.
        """
        ...

    def read_counters(self) -> dict[str, float]:
        """Return the device's own counters that `find_doubt` compares."""
        ...

    def read_io(self) -> IoCounts | None:
        """Return the IO so far, as the kernel or the model counts it, if either does.

        It is called every second while fio runs, so it does not query the device.
        """
        ...

    def read_telemetry(self) -> dict[str, float]:
        """Return the readings of the device, each named with its unit."""
        ...

    def find_doubt(
        self, before: Mapping[str, float], after: Mapping[str, float]
    ) -> str:
        """Return why a measurement between two readings is doubtful."""
        ...

    def release(self) -> str:
        """End a session: undo what must not outlast it, and release the device.

        It is called after every session, however it ended, and may be called twice. It
        returns what could not be undone, or an empty text.
        """
        ...

    def close(self) -> None:
        """Release the device for good: the run no longer needs it."""
        ...
