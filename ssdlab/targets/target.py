"""What every target can answer; the engine knows no more of it than this."""

from collections.abc import Mapping
from typing import Protocol

from ssdlab.model.records import TargetIdentity


class Target(Protocol):
    """A device to measure.

    Attributes
    ----------
    identity : TargetIdentity
        Model, serial, capacity; a resumed run must find the same.
    fio_options : mapping of str to str
        The fio options that reach the device.
    purge_method : str
        How it is purged, in words for the report.
    departures : tuple of str
        What about this target departs from the standard, in words.
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
    def purge_method(self) -> str:
        """Return how it is purged, in words."""
        ...

    @property
    def departures(self) -> tuple[str, ...]:
        """Return what about this target departs from the standard."""
        ...

    def purge_job(self) -> str | None:
        """Return a fio job that purges the device, if that is how it is done."""
        ...

    def purge(self) -> str:
        """Purge the device by other means than fio; return what was said."""
        ...

    def find_purge_fault(self) -> str:
        """Return why the last purge cannot have worked, or an empty text."""
        ...

    def find_trouble(self) -> str:
        """Return why the device does not answer any more, or an empty text."""
        ...

    def read_counters(self) -> dict[str, float]:
        """Return the device's own counters, for the telemetry."""
        ...

    def find_doubt(
        self, before: Mapping[str, float], after: Mapping[str, float]
    ) -> str:
        """Return why what was measured between two readings may be doubted."""
        ...

    def close(self) -> None:
        """Let go of the device."""
        ...
