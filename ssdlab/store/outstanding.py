"""The IOs of a block trace that have begun and not ended."""

from dataclasses import dataclass, field, replace

from ssdlab.model.spec import Access

_Place = tuple[bool, int]  # direction and first sector


@dataclass(frozen=True, kw_only=True, slots=True)
class BegunIo:
    """One IO: where it lies, and how it was counted when it began.

    ``step`` is the step it was counted in, from 0, and ``before`` the sector where the
    IO of its direction before it had ended, ``None`` if it was the first. ``is_part``
    is what is left of one of which a part was completed.
    """

    is_read: bool
    sector: int
    sectors: int
    access: Access
    step: int
    before: int | None
    is_part: bool = False


@dataclass(slots=True)
class Outstanding:
    """IOs by direction, sector and length; two of the same extent are two."""

    held: dict[_Place, list[BegunIo]] = field(default_factory=dict)
    count: int = 0

    def begin(self, io: BegunIo) -> None:
        """Take an IO in."""
        self.held.setdefault((io.is_read, io.sector), []).append(io)
        self.count += 1

    def complete(self, is_read: bool, sector: int, sectors: int) -> None:  # noqa: FBT001 - three parts of one extent
        """End what an extent covers, the oldest of equal ones first.

        A request may be completed in parts, and one that was merged from several may
        be completed at once.
        """
        while sectors > 0:
            io = self._take((is_read, sector), sectors)
            if io is None:
                return
            if io.sectors > sectors:
                left = io.sectors - sectors
                rest = replace(io, sector=sector + sectors, sectors=left, is_part=True)
                self.begin(rest)
            sector, sectors = sector + io.sectors, sectors - io.sectors

    def requeue(self, is_read: bool, sector: int, sectors: int) -> BegunIo | None:  # noqa: FBT001 - three parts of one extent
        """Take back the newest IO of exactly that extent; nothing if there is none."""
        held = self.held.get((is_read, sector), [])
        found = [io for io in held if io.sectors == sectors]
        if found:
            self._drop((is_read, sector), found[-1])
            return found[-1]
        return None

    def clear(self) -> None:
        """Forget all of them."""
        self.held.clear()
        self.count = 0

    def _take(self, place: _Place, sectors: int) -> BegunIo | None:
        held = self.held.get(place)
        if not held:
            return None
        exact = [io for io in held if io.sectors == sectors]
        io = (exact or held)[0]
        self._drop(place, io)
        return io

    def _drop(self, place: _Place, io: BegunIo) -> None:
        held = self.held[place]
        held.remove(io)
        if not held:
            del self.held[place]
        self.count -= 1
