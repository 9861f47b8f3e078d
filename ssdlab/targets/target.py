"""What every target can answer; the engine knows no more of it than this."""

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
        The open file that fio is to reach instead of what has the ``filename`` of
        these options; ``None`` where fio opens the device itself.
    purge_choice : PurgeChoice
        How it is purged, in words for the report, and why so.
    telemetry_interval_s : float
        How often its telemetry is read while a run lasts.
    drive : Drive or None
        The block device behind it, as it was when it was opened; a model and a file
        have none.
    consent : Consent or None
        What was typed so that it may be erased; a model and a file need none.
    host_checks : tuple of HostCheck
        What was found of the host when it was opened.
    write_cache : {"enabled", "disabled", "as found"}
        How its volatile write cache stands; "as found" where that is not known.
    write_cache_fault : str
        Why the write cache could not be set as it was to be, or an empty text.
    stopping_words : str
        While it is purged, and once that was stopped: what stopping does to it.
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
        """Return the open file that fio is to reach, where it is held so."""
        ...

    @property
    def purge_choice(self) -> PurgeChoice:
        """Return how it is purged, and why so."""
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
        """Return what was typed so that it may be erased, if that was needed."""
        ...

    @property
    def host_checks(self) -> tuple[HostCheck, ...]:
        """Return what was found of the host when it was opened."""
        ...

    @property
    def write_cache(self) -> WriteCacheState:
        """Return how its write cache stands."""
        ...

    @property
    def write_cache_fault(self) -> str:
        """Return why the write cache could not be set, or an empty text."""
        ...

    @property
    def stopping_words(self) -> str:
        """Return what stopping does to the purge under way, or an empty text."""
        ...

    def purge(self, tell: Callable[[str], None]) -> PurgeOutcome:
        """Purge the device, and see whether that shows; ``tell`` hears how it goes."""
        ...

    def find_trouble(self) -> str:
        """Return why the device does not answer any more, or an empty text."""
        ...

    def find_alarm(self) -> str:
        """Return why the run must stop now, or an empty text.

        It is asked before each step and several times a second while fio runs, so it
        asks the device nothing: it knows what `read_telemetry` read last.
        """
        ...

    def read_counters(self) -> dict[str, float]:
        """Return the device's own counters that `find_doubt` compares."""
        ...

    def read_telemetry(self) -> dict[str, float]:
        """Return the readings of the device, each named with its unit."""
        ...

    def find_doubt(
        self, before: Mapping[str, float], after: Mapping[str, float]
    ) -> str:
        """Return why what was measured between two readings may be doubted."""
        ...

    def release(self) -> str:
        """End a session: undo what must not outlast it, and let go of the device.

        It is called after every session, however that ended, and may be called twice.
        It returns what could not be undone, or an empty text.
        """
        ...

    def close(self) -> None:
        """Let go of the device for good: the run needs it no more."""
        ...
