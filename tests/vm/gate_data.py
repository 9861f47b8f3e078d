"""Drives that nothing uses now, and that hold data."""

from typing import Final

from tests.vm.gate_case import ARRAY, EXT4, SECRET, TABLE, Case

_WIPE: Final = r"wipefs --all $D"
_WIPE_PART: Final = r"wipefs --all $P"

_PV: Final = "remove it from its volume group"
DATA: Final = (
    Case(
        name="volume group asleep",
        make="vgcreate -qq -y vg $D; lvcreate -qq -y -an -Zn -n lv -L 32M vg",
        kind="signature",
        reason="$D is a physical volume of LVM",
        remedy=rf"{_WIPE} \({_PV}",
    ),
    Case(
        name="volume group on a partition asleep",
        make=TABLE + "vgcreate -qq -y vg $P",
        kind="signature",
        reason="$P is a physical volume of LVM",
        remedy=rf"{_WIPE_PART} \({_PV}",
    ),
    Case(
        name="array stopped",
        make=ARRAY.format("1.2") + "mdadm -q --stop /dev/md7",
        kind="signature",
        reason=r"$D is a member of a RAID array \(md\)",
        remedy=_WIPE,
    ),
    *(
        Case(
            name=f"array of metadata {version} stopped, the mark at the end",
            make=ARRAY.format(version) + "mdadm -q --stop /dev/md7",
            kind="signature",
            reason=r"$D is a member of a RAID array \(md\)",
            remedy=_WIPE,
        )
        for version in ("0.90", "1.0")
    ),
    Case(
        name="encrypted volume closed",
        make=f"echo secret | cryptsetup -q {SECRET} $D",
        kind="signature",
        reason=r"$D holds an encrypted volume \(LUKS\)",
        remedy=_WIPE,
    ),
    Case(
        name="bcache asleep",
        make="modprobe bcache; make-bcache -B $D",
        kind="signature",
        reason="$D is a device of bcache",
        remedy=_WIPE,
    ),
    Case(
        name="member of a ZFS pool",
        make="python3 -c \"import struct; f = open('$D', 'r+b'); f.seek(128 << 10); "
        "[(f.seek((128 + n) << 10), f.write(struct.pack('<QQQ', 0xbab10c, 5000, n))) "
        'for n in range(8)]"',
        kind="signature",
        reason="$D is a member of a ZFS pool",
        remedy=_WIPE,
    ),
    Case(
        name="swap not in use",
        make="mkswap -q $D",
        kind="signature",
        reason="$D is formatted as swap",
        remedy=_WIPE,
    ),
    *(
        Case(
            name=f"{kind} not mounted",
            make=f"mkfs.{kind} -q {force} $D",
            kind="signature",
            reason=rf"$D holds a file system \({kind}\)",
            remedy=_WIPE,
        )
        for kind, force in (("ext4", "-F"), ("btrfs", "-f"))
    ),
    Case(
        name="file system on a partition not mounted",
        make=TABLE + EXT4 + "-L 'my data' $P",
        kind="signature",
        reason=r"$P holds a file system \(ext4\) labelled 'my data'",
        remedy=_WIPE_PART,
    ),
    Case(
        name="partition table GPT",
        make="sgdisk -n 1:2048:+32M $D >/dev/null",
        kind="partition-table",
        reason=r"$D has a partition table \(gpt, PMBR\)",
        remedy=_WIPE,
    ),
    Case(
        name="copy of a GPT alone",
        make="sgdisk -n 1:2048:+32M $D >/dev/null; "
        "dd if=/dev/zero of=$D bs=512 count=34 conv=notrunc status=none; "
        "udevadm settle; partx -d $D 2>/dev/null || true",
        kind="partition-table",
        reason=r"$D has the backup of a partition table at its end \(gpt\)",
        remedy=_WIPE,
    ),
    Case(
        name="partition table MBR",
        make="echo 'label: dos' | sfdisk -q $D",
        kind="partition-table",
        reason=r"$D has a partition table \(dos\)",
        remedy=_WIPE,
    ),
    Case(
        name="partitions that the kernel remembers",
        make="addpart $D 1 2048 4096; udevadm settle",
        kind="partition-table",
        reason=r"the system still has partitions of $D \($P\)",
        remedy="partx --delete $D",
        undo="partx --delete $D",
    ),
)
