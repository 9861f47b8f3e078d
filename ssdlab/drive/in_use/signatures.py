"""Signatures of file systems, volumes, arrays and partition tables on a device.

``wipefs --no-act`` lists all that libblkid knows with their places, also where a
checksum is wrong, and a GPT of which one copy is left; ``blkid -p`` stops at the first
and passes over those. Where wipefs sees nothing blkid has to see nothing either, and
then this module looks for what both may miss. All of them open the device to read.
"""

import json
import os
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ssdlab.drive.in_use.copies import SuperblockCopies, find_superblock_copies
from ssdlab.drive.privileges import missing_right
from ssdlab.drive.shown import shown
from ssdlab.drive.tools import Ask, ask_tool
from ssdlab.model.drive import Use
from ssdlab.system.files import ROOT, within

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
    "LVM2_member": "take it out of its volume group (pvs; vgreduce or vgremove)",
    "linux_raid_member": "see its array (mdadm --examine)",
    "zfs_member": "see its pool (zpool import)",
    "crypto_LUKS": "without its header the volume can never be opened again",
    **dict.fromkeys(
        ("ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "vfat", "exfat", "ntfs"),
        "copies of its superblock that this leaves are named then",
    ),
}
_NOT_OF_ITS_OWN = ("DEVNAME=", "PART_ENTRY_")
_GPT = b"EFI PART"
_FAR_END_BYTES = 1 << 20
_BTRFS_COPIES = (1 << 26, 1 << 38, 1 << 50)


@dataclass(frozen=True, kw_only=True, slots=True)
class Signature:
    """What was found at a place of a device, as wipefs names it."""

    kind: str
    offset: int
    label: str = ""


def find_signatures(
    device: str, *, root: Path = ROOT, ask: Ask = ask_tool
) -> tuple[Use, ...]:
    """Return what is on a device or partition; empty means that nothing is."""
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
    """Return what blkid found on a device; its entry in a table is not on it."""
    lines = (line.strip() for line in text.splitlines())
    return " ".join(
        line for line in lines if line and not line.startswith(_NOT_OF_ITS_OWN)
    )


def parse_wipefs(text: str) -> tuple[Signature, ...] | None:
    """Return what ``wipefs --json`` lists; ``None`` if that is not what it says.

    With nothing to list, versions differ: an empty list, or no text at all.
    """
    if not text.strip():
        return ()
    try:
        rows = json.loads(text)["signatures"]
        return tuple(_signature(row) for row in rows)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def look_for_remains(device: str, root: Path = ROOT) -> tuple[Use, ...]:
    """Return the marks that libblkid passes over.

    A GPT is one to it only if its checksum holds and its sectors are those of the
    device: a drive that was in another enclosure may have it elsewhere. Of newer file
    systems an older libblkid knows nothing, and of most file systems it looks for the
    first superblock alone.
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
        reason=f"{device} holds copies of a superblock ({copies.kind}), by which its "
        f"file system can be brought back, at bytes {places}",
        remedy="If nobody needs it, zero the copies, which wipefs passes over: "
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
        reason = f"whether there is data on {device} cannot be seen: {right.reason}"
        return Use(kind="unknown", device=device, reason=reason, remedy=right.remedy)
    except OSError as error:
        return _unknown(device, f"{error.strerror} when it was opened to read")
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
        remedy=f"If nobody needs what is on {device}, wipe it yourself: "
        f"wipefs --all {shlex.quote(device)}{f' ({first})' if first else ''}.",
    )


def _table(device: str, tables: Sequence[Signature]) -> Use:
    kinds = ", ".join(dict.fromkeys(shown(one.kind) for one in tables))
    is_copy = {one.kind for one in tables} == {"gpt"} and all(
        one.offset > _FAR_END_BYTES for one in tables
    )
    part = (
        "the copy, at its end, of a partition table" if is_copy else "a partition table"
    )
    return Use(
        kind="partition-table",
        device=device,
        reason=f"{device} has {part} ({kinds})",
        remedy=f"If nobody needs what its partitions hold, wipe each of them and then "
        f"the table: wipefs --all {shlex.quote(device)}.",
    )


def _found_otherwise(device: str, words: str) -> Use:
    return Use(
        kind="signature",
        device=device,
        reason=f"{device} holds {words}",
        remedy=f"If nobody needs it, zero the device: blkdiscard --zeroout "
        f"{shlex.quote(device)}.",
    )


def _remains(device: str, words: str, place: tuple[int, int]) -> Use:
    offset, length = place
    is_table = "partition table" in words
    return Use(
        kind="partition-table" if is_table else "signature",
        device=device,
        reason=f"{device} has the mark of {words} at byte {offset:,}",
        remedy="If nobody needs it, zero the mark, which wipefs passes over: dd "
        f"if=/dev/zero of={shlex.quote(device)} bs=1 seek={offset} count={length} "
        "conv=notrunc.",
    )


def _unknown(device: str, why: str) -> Use:
    return Use(
        kind="unknown",
        device=device,
        reason=f"whether there is data on {device} cannot be said: {shown(why)}",
        remedy="See whether the device answers: wipefs --no-act "
        f"{shlex.quote(device)}.",
    )
