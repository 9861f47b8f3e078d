"""What a device has done so far, as the kernel or a model counts it, and its rates."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class LiveIo:
    """What a device does now: rates over the last second or so.

    ``in_flight`` are the IOs outstanding at its end.
    """

    read_iops: float
    write_iops: float
    read_bytes_per_s: float
    write_bytes_per_s: float
    in_flight: int

    @property
    def words(self) -> str:
        """The rates in words; what does not happen is left out.

        >>> idle = LiveIo(read_iops=0, write_iops=0, read_bytes_per_s=0,
        ...     write_bytes_per_s=0, in_flight=0)
        >>> idle.words
        'no IO'
        """
        sides = (
            ("read", self.read_iops, self.read_bytes_per_s),
            ("write", self.write_iops, self.write_bytes_per_s),
        )
        parts = [
            f"{name} {iops:,.0f} IOPS {rate / 1e6:,.4g} MB/s"
            for name, iops, rate in sides
            if iops >= 0.5
        ]
        if parts and self.in_flight:
            parts.append(f"{self.in_flight} outstanding")
        return ", ".join(parts) or "no IO"


@dataclass(frozen=True, kw_only=True, slots=True)
class IoCounts:
    """IOs and bytes since a device was started, and the IOs that are outstanding."""

    reads: int
    writes: int
    read_bytes: int
    written_bytes: int
    in_flight: int

    def rates_since(self, before: "IoCounts", seconds: float) -> LiveIo | None:
        """Return the rates since an earlier count, or ``None`` if there are none.

        >>> zero = IoCounts(reads=0, writes=0, read_bytes=0, written_bytes=0,
        ...     in_flight=0)
        >>> later = IoCounts(reads=8, writes=2, read_bytes=32768, written_bytes=8192,
        ...     in_flight=4)
        >>> later.rates_since(zero, 2.0).words
        'read 4 IOPS 0.01638 MB/s, write 1 IOPS 0.004096 MB/s, 4 outstanding'
        """
        differences = (
            self.reads - before.reads,
            self.writes - before.writes,
            self.read_bytes - before.read_bytes,
            self.written_bytes - before.written_bytes,
        )
        if seconds <= 0 or min(differences) < 0:  # the device was started anew
            return None
        reads, writes, read, written = (one / seconds for one in differences)
        return LiveIo(
            read_iops=reads,
            write_iops=writes,
            read_bytes_per_s=read,
            write_bytes_per_s=written,
            in_flight=self.in_flight,
        )
