"""Signatures of file systems, volumes, arrays and partition tables on a device.

``wipefs --no-act`` lists all that libblkid knows with their offsets, including those
with a wrong checksum and a GPT of which one copy is left; ``blkid -p`` stops at the
first and skips those. If wipefs finds nothing, blkid must find nothing either, and
then this module searches for what both may miss. All open the device only for reading.

Backup superblocks, left of a file system whose primary one is gone.

Tools can recover such a file system (``e2fsck -b``, ``xfs_repair``, ``btrfs rescue
super-recover``), although libblkid sees nothing. At most some 200 places are read,
where mkfs puts copies by default.
"""

import json
import os
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ssdlab.drive.privileges import missing_right
from ssdlab.drive.safe_text import shown
from ssdlab.drive.tools import Ask, ask_tool
from ssdlab.model.drive import Use
from ssdlab.system.files import ROOT, within

_EXT_BLOCKS: Final = tuple(1024 << power for power in range(7))
_EXT_GROUPS: Final = (1, 3, 5, 7, 9, 25, 27, 49)  # of sparse_super: powers of 3, 5, 7
_EXT_BYTES: Final = 1024
_EXT_MAGIC: Final = 0xEF53

_XFS_BLOCKS: Final = tuple(512 << power for power in range(8))
_XFS_USUAL_BLOCK: Final = 4096
_XFS_USUAL_GROUPS: Final = 4
_XFS_MOST_GROUPS: Final = 128  # newer mkfs makes as many as there are processors
_XFS_BIGGEST_GROUP: Final = 1 << 40  # less a block; on a drive of more than 4 TiB
_XFS_ALIGNED: Final = 1 << 20  # by the stripes of an array the groups are moved so far
_XFS_BYTES: Final = 512
_TABLES = frozenset((
    "gpt",
    "PMBR",
    "dos",
    "mac",
    "sun",
    "sgi",
    "bsd",
    "atari",
    "ultrix",
    "aix",
))
_LIMIT_S = 60.0
_NOTHING_FOUND = 2  # blkid -p: man 8 blkid; 8 is that it found several
_WORDS = {
    "LVM2_member": "is a physical volume of LVM",
    "LVM1_member": "is a physical volume of LVM",
    "linux_raid_member": "is a member of a RAID array (md)",
    "crypto_LUKS": "holds an encrypted volume (LUKS)",
    "BitLocker": "holds an encrypted volume (BitLocker)",
    "swap": "is formatted as swap",
    "swsuspend": "holds a hibernated system",
    "zfs_member": "is a member of a ZFS pool",
    "bcache": "is a device of bcache",
    "jbd": "holds the journal of another file system",
    "xfs_external_log": "holds the log of another file system",
    "ceph_bluestore": "holds an object store (Ceph)",
    "oracleasm": "is a disk of Oracle ASM",
    "VMFS_volume_member": "is a member of a VMFS volume",
    "drbd": "is a replicated device (DRBD)",
}
_FIRST_STEPS = {
    "LVM2_member": "remove it from its volume group (pvs; vgreduce or vgremove)",
    "linux_raid_member": "check its array (mdadm --examine)",
    "zfs_member": "check its pool (zpool import)",
    "crypto_LUKS": "without its header the volume can never be opened again",
    **dict.fromkeys(
        ("ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "vfat", "exfat", "ntfs"),
        "copies of its superblock that remain are then reported",
    ),
}
_NOT_OF_ITS_OWN = ("DEVNAME=", "PART_ENTRY_")
_GPT = b"EFI PART"
_FAR_END_BYTES = 1 << 20
_BTRFS_COPIES = (1 << 26, 1 << 38, 1 << 50)


@dataclass(frozen=True, kw_only=True, slots=True)
class SuperblockCopies:
    """The copies of the superblock of a file system, and their offsets [bytes]."""

    kind: str
    offsets: tuple[int, ...]


def find_superblock_copies(
    descriptor: int, size_bytes: int
) -> tuple[SuperblockCopies, ...]:
    """Return the copies of superblocks of ext2 to ext4 and of xfs that were found."""
    found = {
        "ext2, ext3 or ext4": _find_ext(descriptor, size_bytes),
        "xfs": _find_xfs(descriptor, size_bytes),
    }
    return tuple(
        SuperblockCopies(kind=kind, offsets=tuple(dict.fromkeys(offsets)))
        for kind, offsets in found.items()
        if offsets
    )


def _find_ext(descriptor: int, size_bytes: int) -> list[int]:
    found = []
    for block, group in ((b, g) for b in _EXT_BLOCKS for g in _EXT_GROUPS):
        first = 1 if block == 1024 else 0
        offset = (group * 8 * block + first) * block
        if offset + _EXT_BYTES > size_bytes:
            continue
        if _is_ext(os.pread(descriptor, _EXT_BYTES, offset), block, group):
            found.append(offset)
    return found


def _is_ext(content: bytes, block: int, group: int) -> bool:
    """Tell whether this is the copy that a group of ext2 to ext4 has."""
    return (
        int.from_bytes(content[56:58], "little") == _EXT_MAGIC
        and int.from_bytes(content[90:92], "little") == group
        and 1024 << min(int.from_bytes(content[24:28], "little"), 16) == block
    )


def _find_xfs(descriptor: int, size_bytes: int) -> list[int]:
    usual = _group_bytes(size_bytes, _XFS_USUAL_BLOCK, _XFS_USUAL_GROUPS)
    begin = max(usual - _XFS_ALIGNED, _XFS_BYTES)
    found = _search_xfs(os.pread(descriptor, 2 * _XFS_ALIGNED, begin), begin)
    for offset in _xfs_places(size_bytes):
        found += _search_xfs(os.pread(descriptor, _XFS_BYTES, offset), offset)
    return found


def _xfs_places(size_bytes: int) -> Iterator[int]:
    """Yield the offsets where the second allocation group may begin."""
    places = [
        _group_bytes(size_bytes, _XFS_USUAL_BLOCK, groups)
        for groups in range(2, _XFS_MOST_GROUPS + 1)
    ]
    places += [
        _group_bytes(size_bytes, block, _XFS_USUAL_GROUPS) for block in _XFS_BLOCKS
    ]
    places += [_XFS_BIGGEST_GROUP - block for block in _XFS_BLOCKS]
    for place in dict.fromkeys(places):
        if 0 < place <= size_bytes - _XFS_BYTES:
            yield place


def _group_bytes(size_bytes: int, block: int, groups: int) -> int:
    return -(-(size_bytes // block) // groups) * block


def _search_xfs(content: bytes, begin: int) -> list[int]:
    """Return the offsets in a part of a device where an xfs allocation group begins."""
    return [
        begin + match.start()
        for match in re.finditer(b"XFSB", content)
        if _is_xfs(content[match.start() :][:_XFS_BYTES], begin + match.start())
    ]


def _is_xfs(content: bytes, offset: int) -> bool:
    """Tell whether this is the copy that an allocation group of xfs begins with."""
    block = int.from_bytes(content[4:8], "big")
    group_bytes = int.from_bytes(content[84:88], "big") * block
    return (
        content.startswith(b"XFSB")
        and block in {*_XFS_BLOCKS}
        and group_bytes > 0
        and offset % group_bytes == 0
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Signature:
    """A signature at an offset of a device, as wipefs names it."""

    kind: str
    offset: int
    label: str = ""


def find_signatures(
    device: str, *, root: Path = ROOT, ask: Ask = ask_tool
) -> tuple[Use, ...]:
    """Return what is on a device or partition; empty means nothing."""
    fault = _find_fault(device, root)
    if fault is not None:
        return (fault,)
    answer = ask(("wipefs", "--no-act", "--json", device), timeout_s=_LIMIT_S)
    signatures = parse_wipefs(answer.stdout) if answer.exit_code == 0 else None
    if signatures is None:
        return (_unknown(device, f"{answer.line}: {answer.text}"),)
    if signatures:
        return _uses_of(device, signatures)
    answer = ask(("blkid", "--probe", "--output", "export", device), timeout_s=_LIMIT_S)
    said = answer.stdout.strip() if answer.exit_code == 0 else ""
    if not said and answer.exit_code != _NOTHING_FOUND:
        return (_unknown(device, f"{answer.line}: {answer.text}"),)
    if found := _of_its_own(said):
        return (_found_otherwise(device, f"something that blkid knows: {found}"),)
    return look_for_remains(device, root)


def _of_its_own(text: str) -> str:
    """Return what blkid found on a device itself, without its partition entry."""
    lines = (line.strip() for line in text.splitlines())
    return " ".join(
        line for line in lines if line and not line.startswith(_NOT_OF_ITS_OWN)
    )


def parse_wipefs(text: str) -> tuple[Signature, ...] | None:
    """Parse the output of ``wipefs --json``; ``None`` if it is something else.

    If nothing was found, versions print either an empty list or nothing.
    """
    if not text.strip():
        return ()
    try:
        rows = json.loads(text)["signatures"]
        return tuple(_signature(row) for row in rows)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def look_for_remains(device: str, root: Path = ROOT) -> tuple[Use, ...]:
    """Return the signatures that libblkid skips.

    It recognises a GPT only if its checksum is right and its sector size is that of the
    device: a drive that was in another enclosure may have it elsewhere. An older
    libblkid does not know newer file systems, and for most file systems it checks only
    the first superblock.
    """
    path = within(root, device)
    try:
        with path.open("rb", buffering=0) as file:
            size = file.seek(0, os.SEEK_END)
            found = [
                _remains(device, words, (offset, len(mark)))
                for offset, mark, words in _marks(size)
                if os.pread(file.fileno(), len(mark), offset) == mark
            ]
            copies = find_superblock_copies(file.fileno(), size)
    except OSError as error:
        return (_unknown(device, f"{error.strerror} when it was read"),)
    return (*found, *(_copies(device, one) for one in copies))


def _copies(device: str, copies: SuperblockCopies) -> Use:
    places = ", ".join(f"{offset:,}" for offset in copies.offsets)
    sectors = " ".join(str(offset // 512) for offset in copies.offsets)
    return Use(
        kind="signature",
        device=device,
        reason=f"{device} holds copies of a superblock ({copies.kind}), from which its "
        f"file system can be recovered, at bytes {places}",
        remedy="If it is not needed, zero the copies, which wipefs skips: "
        f"for at in {sectors}; do dd if=/dev/zero of={shlex.quote(device)} bs=512 "
        "seek=$at count=1 conv=notrunc; done.",
    )


def _marks(size: int) -> Iterable[tuple[int, bytes, str]]:
    for sector in (512, 4096):
        yield sector, _GPT, "a partition table (GPT)"
        yield max(size - sector, 0), _GPT, "the copy of a partition table (GPT)"
    for mark in (
        "c68573f64e1a45ca8265f57f48ba6d81",
        "c68573f666ce90a9d96a60cf803df7ef",
    ):
        yield 4096 + 24, bytes.fromhex(mark), "a file system (bcachefs)"
    yield 32, b"NXSB", "a file system (apfs)"
    for place in _BTRFS_COPIES:
        yield place + 64, b"_BHRfS_M", "a second superblock (btrfs)"
    yield 4096 + 1024, b"\x10\x20\xf5\xf2", "a second superblock (f2fs)"
    for sector in (512, 4096):
        yield 6 * sector + 82, b"FAT32   ", "a second boot sector (FAT32)"
        yield 12 * sector + 3, b"EXFAT   ", "a second boot sector (exFAT)"
        last = max(size - sector, 0)
        yield last + 3, b"NTFS    ", "a second boot sector (NTFS)"
    yield 3, b"-FVE-FS-", "an encrypted volume (BitLocker)"


def _find_fault(device: str, root: Path) -> Use | None:
    """Return why a device cannot be read, if it cannot."""
    path = within(root, device)
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC))
    except PermissionError:
        right = missing_right(device, path)
        reason = f"whether {device} holds data is unknown: {right.reason}"
        return Use(kind="unknown", device=device, reason=reason, remedy=right.remedy)
    except OSError as error:
        return _unknown(device, f"{error.strerror} when it was opened for reading")
    return None


def _signature(row: dict[str, Any]) -> Signature:
    return Signature(
        kind=str(row["type"]),
        offset=int(str(row["offset"]), 0),
        label=str(row.get("label") or ""),
    )


def _uses_of(device: str, signatures: Sequence[Signature]) -> tuple[Use, ...]:
    tables = [one for one in signatures if one.kind in _TABLES]
    others: dict[str, Signature] = {}
    for one in signatures:
        if one.kind not in _TABLES:
            others.setdefault(one.kind, one)
    uses = [_use_of(device, one) for one in others.values()]
    if tables:
        uses.append(_table(device, tables))
    return tuple(uses)


def _use_of(device: str, signature: Signature) -> Use:
    words = _WORDS.get(signature.kind, "")
    if not words and signature.kind.endswith("_raid_member"):
        words = f"is a member of a RAID set of the firmware ({shown(signature.kind)})"
    if not words:
        words = f"holds a file system ({shown(signature.kind)})"
    label = f" labelled '{shown(signature.label)}'" if signature.label else ""
    first = _FIRST_STEPS.get(signature.kind, "")
    return Use(
        kind="signature",
        device=device,
        reason=f"{device} {words}{label}",
        remedy=f"If nothing on {device} is needed, wipe it yourself: "
        f"wipefs --all {shlex.quote(device)}{f' ({first})' if first else ''}.",
    )


def _table(device: str, tables: Sequence[Signature]) -> Use:
    kinds = ", ".join(dict.fromkeys(shown(one.kind) for one in tables))
    is_copy = {one.kind for one in tables} == {"gpt"} and all(
        one.offset > _FAR_END_BYTES for one in tables
    )
    part = (
        "the backup of a partition table at its end" if is_copy else "a partition table"
    )
    return Use(
        kind="partition-table",
        device=device,
        reason=f"{device} has {part} ({kinds})",
        remedy=f"If nothing in its partitions is needed, wipe each of them and then "
        f"the table: wipefs --all {shlex.quote(device)}.",
    )


def _found_otherwise(device: str, words: str) -> Use:
    return Use(
        kind="signature",
        device=device,
        reason=f"{device} holds {words}",
        remedy=f"If it is not needed, zero the device: blkdiscard --zeroout "
        f"{shlex.quote(device)}.",
    )


def _remains(device: str, words: str, place: tuple[int, int]) -> Use:
    offset, length = place
    is_table = "partition table" in words
    return Use(
        kind="partition-table" if is_table else "signature",
        device=device,
        reason=f"{device} has the signature of {words} at byte {offset:,}",
        remedy="If it is not needed, zero the signature, which wipefs skips: dd "
        f"if=/dev/zero of={shlex.quote(device)} bs=1 seek={offset} count={length} "
        "conv=notrunc.",
    )


def _unknown(device: str, why: str) -> Use:
    return Use(
        kind="unknown",
        device=device,
        reason=f"whether {device} holds data is unknown: {shown(why)}",
        remedy="Check whether the device answers: wipefs --no-act "
        f"{shlex.quote(device)}.",
    )
