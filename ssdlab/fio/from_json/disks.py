"""What fio's JSON says of the disks: the kernel's counters over the run.

No result rests on them. Kernels let a counter wrap, most often the time in queue, and
fio subtracts what it read before the run: the difference is negative then.
"""

from collections.abc import Iterator, Mapping

from ssdlab.fio.document import FioDisk
from ssdlab.fio.from_json.values import Place, take_amount, take_count, take_text

_KEY = "disk_util"
_OF_MEMBERS = "aggr_"


def read_disks(content: Mapping[str, object], place: Place) -> tuple[FioDisk, ...]:
    """Return the disks; none where fio knows none, or was told not to look.

    A disk that is made of others, such as an md array, has two entries: its own
    counters, and those of its members as fio adds them up (``aggr_`` keys). In
    client/server runs each host has its own.
    """
    place = place.aside()
    if _KEY not in content:
        return ()
    printed = content[_KEY]
    if not isinstance(printed, list):
        place.refuse_value(content, _KEY, "which is not a list")
        return ()
    return tuple(
        disk
        for number, entry in enumerate(printed)
        for disk in _disks_of(entry, place.below(f"{_KEY}[{number}]"))
    )


def _disks_of(entry: object, place: Place) -> Iterator[FioDisk]:
    if not isinstance(entry, dict):
        place.refuse("is not a JSON object")
        return
    name = take_text(entry, "name", place)
    place = place.of("disk", name)
    yield _disk(name, entry, place)
    if any(key.startswith(_OF_MEMBERS) for key in entry):
        yield _disk(name, entry, place, prefix=_OF_MEMBERS)


def _disk(
    name: str, entry: Mapping[str, object], place: Place, *, prefix: str = ""
) -> FioDisk:
    misspelt = f"{prefix}write_merge"  # so fio names it among the aggr_ keys
    write_merges = misspelt if misspelt in entry else f"{misspelt}s"
    return FioDisk(
        name=name,
        hostname=str(entry.get("hostname", "")),
        read_ios=take_count(entry, f"{prefix}read_ios", place),
        write_ios=take_count(entry, f"{prefix}write_ios", place),
        read_merges=take_count(entry, f"{prefix}read_merges", place),
        write_merges=take_count(entry, write_merges, place),
        read_ticks_ms=take_count(entry, f"{prefix}read_ticks", place),
        write_ticks_ms=take_count(entry, f"{prefix}write_ticks", place),
        in_queue_ms=take_count(entry, f"{prefix}in_queue", place),
        util_percent=take_amount(entry, f"{prefix}util", place),
        is_of_members=bool(prefix),
    )
