"""NVMe format with erasure, of one namespace, keeping its LBA format or choosing one.

A format without metadata is chosen by its sector size. The drive reports how each
performs relative to the others (RP); of two of one size the better is taken.
"""

from dataclasses import dataclass
from typing import Final

from ssdlab.drive.purge.nvme import parse_json, read_whole
from ssdlab.drive.purge.work import (
    ASK_S,
    Done,
    Work,
    ask_quietly,
    failed,
    line_of,
    longest_s,
)
from ssdlab.drive.sysfs import block_folder
from ssdlab.drive.tools import Ask
from ssdlab.model.drive import Drive, PurgeMethod
from ssdlab.system.files import read_number

_ERASURES: Final[dict[PurgeMethod, int]] = {
    "nvme-format-user-data": 1,
    "nvme-format-crypto": 2,
}
FORMATS: Final = tuple(_ERASURES)
_MOST_MS: Final = 2**32 - 1  # the field of the kernel's command
_SMALLEST, _LARGEST = 9, 16  # LBADS: 512 B to 64 KiB
_WORST: Final = 3  # RP: degraded
_SETTLE_S, _PAUSE_S = 10.0, 0.5  # the kernel reads a new format soon after it


@dataclass(frozen=True, kw_only=True, slots=True)
class NamespaceLayout:
    """The format of a namespace: identify namespace, FLBAS and DPS."""

    lba_format: int
    metadata_setting: int
    protection: int
    protection_place: int


@dataclass(frozen=True, kw_only=True, slots=True)
class LbaFormat:
    """A format that a namespace may have: identify namespace, LBAF.

    ``performance`` is RP: 0 is the best, 3 is degraded.
    """

    number: int
    sector_bytes: int
    performance: int


def parse_lba_formats(text: str) -> tuple[LbaFormat, ...]:
    """Parse the formats without metadata from ``nvme id-ns``, best first by size."""
    data = parse_json(text)
    rows = data.get("lbafs")
    most = read_whole(data, "nlbaf")
    if not isinstance(rows, list) or most is None:
        return ()
    found = []
    for number, row in enumerate(rows[: most + 1]):
        known = row if isinstance(row, dict) else {}
        size, metadata = read_whole(known, "ds"), read_whole(known, "ms")
        if metadata != 0 or size is None or not _SMALLEST <= size <= _LARGEST:
            continue
        performance = read_whole(known, "rp")
        found.append(
            LbaFormat(
                number=number,
                sector_bytes=1 << size,
                performance=_WORST if performance is None else performance,
            )
        )
    return tuple(sorted(found, key=lambda one: (one.sector_bytes, one.performance)))


def read_lba_formats(drive: Drive, ask: Ask) -> tuple[LbaFormat, ...]:
    """Return the formats without metadata of a drive; none where it reports none."""
    answer = ask_quietly(ask, "nvme", "id-ns", drive.path, "--output-format=json")
    return () if isinstance(answer, str) else parse_lba_formats(answer.stdout)


def parse_layout(text: str) -> NamespaceLayout | None:
    """Parse the format of a namespace from ``nvme id-ns``, ``None`` if missing."""
    data = parse_json(text)
    flbas, dps = read_whole(data, "flbas"), read_whole(data, "dps")
    if flbas is None or dps is None:
        return None
    return NamespaceLayout(
        lba_format=flbas & 0b1111 | (flbas & 0b110_0000) >> 1,
        metadata_setting=flbas >> 4 & 1,
        protection=dps & 0b111,
        protection_place=dps >> 3 & 1,
    )


def format_namespace(work: Work) -> Done:
    """Format the namespace; the drive reports its end."""
    path = work.drive.path
    asked = work.ask(("nvme", "id-ns", path, "--output-format=json"), timeout_s=ASK_S)
    layout = parse_layout(asked.stdout)
    number = work.drive.namespace_id or read_number(
        block_folder(work.drive.name) / "nsid"
    )
    if layout is None or number is None:
        return failed(asked, "reading the format of the namespace")
    if work.sector_bytes is not None:
        formats = parse_lba_formats(asked.stdout)
        chosen = [one for one in formats if one.sector_bytes == work.sector_bytes]
        if not chosen:
            fault = f"the drive has no LBA format of {work.sector_bytes} B any more"
            return Done(said=(line_of(asked),), fault=fault)
        layout = NamespaceLayout(
            lba_format=chosen[0].number,
            metadata_setting=0,
            protection=0,
            protection_place=0,
        )
    limit_s = longest_s(work.drive, None)
    limit_ms = min(round(limit_s * 1000), _MOST_MS)
    command = (
        *("nvme", "format", path, f"--namespace-id={number}"),
        # The format sets what is not named to 0, and so changes it.
        *(f"--lbaf={layout.lba_format}", f"--ms={layout.metadata_setting}"),
        *(f"--pi={layout.protection}", f"--pil={layout.protection_place}"),
        *(f"--ses={_ERASURES[work.method]}", f"--timeout={limit_ms}"),
        "--force",  # without it, it waits and needs exclusive access to the device
    )
    work.tell("The drive is formatting itself and reports no progress.")
    had_them = _read_sectors(work) == work.sector_bytes
    answer = work.ask(command, timeout_s=limit_s + ASK_S)
    # After a format to other sectors nvme sets the block size of the open device, which
    # fails as the drive is held. Then the sectors show whether it was formatted.
    if answer.exit_code and (work.sector_bytes is None or had_them):
        return failed(answer, "the format")
    return _require_sectors(work).after(line_of(answer))


def _read_sectors(work: Work) -> int | None:
    return read_number(block_folder(work.drive.name) / "queue/logical_block_size")


def _require_sectors(work: Work) -> Done:
    """Require that the drive has the chosen sectors now, if some were chosen."""
    if work.sector_bytes is None:
        return Done()
    until_s = work.clock.now_s() + _SETTLE_S
    while (size := _read_sectors(work)) != work.sector_bytes:
        if work.clock.now_s() >= until_s:
            fault = f"its sectors have {size} B after the format, not "
            return Done(fault=f"{fault}{work.sector_bytes} B")
        work.clock.wait(_PAUSE_S)
    return Done(said=(f"its sectors have {size} B",))
