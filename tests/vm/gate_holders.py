"""Drives that something else stands on, or has open."""

from typing import Final

from tests.vm.gate_case import ARRAY, EXT4, NO_VOLUME, SECRET, TABLE, VOLUME, Case

# What begins or ends in the background: when it shows, it has a second to fall idle.
BCACHE_COMES: Final = (
    "until test -e /sys/class/block/${D#/dev/}/bcache; do sleep 0.1; done; sleep 1"
)
BCACHE_GOES: Final = (
    "while test -e /sys/class/block/${D#/dev/}/bcache; do sleep 0.1; done; sleep 1"
)
HOLDERS: Final = (
    Case(
        name="volume of LVM active",
        make=TABLE + VOLUME,
        kind="holder",
        reason=r"/dev/mapper/vg-lv \(a volume of LVM\) uses $P",
        remedy="lvchange --activate n /dev/mapper/vg-lv",
        undo=NO_VOLUME,
    ),
    Case(
        name="volume of LVM mounted",
        make=TABLE + VOLUME + EXT4 + "/dev/vg/lv; mount /dev/vg/lv /mnt; sync",
        kind="mounted",
        reason="/dev/mapper/vg-lv is mounted at /mnt",
        remedy=r"umount /mnt\.",
        undo="umount /mnt; " + NO_VOLUME,
    ),
    Case(
        name="array running",
        make=ARRAY.format("1.2"),
        kind="holder",
        reason=r"/dev/md7 \(a RAID array \(md\)\) uses $D",
        remedy="mdadm --stop /dev/md7",
        undo="mdadm -q --stop /dev/md7",
    ),
    Case(
        name="encrypted volume open",
        make=f"echo secret | cryptsetup -q {SECRET} $D; "
        "echo secret | cryptsetup -q open $D safe",
        kind="holder",
        reason=r"/dev/mapper/safe \(an open encrypted volume\) uses $D",
        remedy="cryptsetup close safe",
        undo="cryptsetup close safe",
    ),
    Case(
        name="device mapper",
        make="dmsetup create 'odd name' --table \"0 2048 linear $D 0\"",
        kind="holder",
        reason=r"\(a device of the device mapper\) uses $D",
        remedy="dmsetup remove ",
        undo="dmsetup remove 'odd name'",
    ),
    Case(
        name="multipath map",
        make="modprobe dm-multipath; modprobe dm-round-robin; dmsetup create paths "
        '--uuid mpath-1 --table "0 2048 multipath 0 0 1 1 round-robin 0 1 1 $D 1"',
        kind="holder",
        reason=r"/dev/mapper/paths \(a multipath map\) uses $D",
        remedy="multipath -f paths",
        undo="dmsetup remove paths",
    ),
    Case(
        name="backing device of bcache",
        make="modprobe bcache; make-bcache -B $D; "
        "echo $D >/sys/fs/bcache/register; " + BCACHE_COMES,
        kind="holder",
        reason="$D is a backing device of bcache",
        remedy="echo 1 > /sys/class/block/[^/]+/bcache/stop",
        undo="echo 1 >/sys/class/block/${D#/dev/}/bcache/stop; " + BCACHE_GOES,
    ),
    Case(
        name="cache device of bcache",
        make="modprobe bcache; make-bcache --bucket 64k -C $D; "
        "echo $D >/sys/fs/bcache/register; " + BCACHE_COMES,
        kind="holder",
        reason="$D is a cache device of bcache",
        remedy="echo 1 > /sys/class/block/[^/]+/bcache/set/stop",
        undo="echo 1 >/sys/class/block/${D#/dev/}/bcache/set/stop; " + BCACHE_GOES,
    ),
    Case(
        name="loop device on it",
        make="losetup /dev/loop5 $D",
        kind="loop-backing",
        reason=r"/dev/loop5 \(a loop device on $D\) uses $D",
        remedy="losetup --detach /dev/loop5",
        undo="losetup -d /dev/loop5",
    ),
    Case(
        name="loop device on a partition by another name",
        make=TABLE + "mknod /run/alias b $(lsblk -dno MAJ:MIN $P | tr : ' '); "
        "losetup /dev/loop5 /run/alias; rm /run/alias",
        kind="loop-backing",
        reason=r"/dev/loop5 \(a loop device on /\S.*\) uses $P",
        remedy="losetup --detach /dev/loop5",
        undo="losetup -d /dev/loop5",
    ),
    Case(
        name="namespace of an NVMe target",
        make="modprobe configfs; mountpoint -q $C || mount -t configfs c $C; "
        "modprobe nvmet; cd $C/nvmet/subsystems; "
        "mkdir -p rack/namespaces/3; cd rack/namespaces/3; echo -n $D >device_path; "
        "echo 1 >enable",
        kind="holder",
        reason="$D is served to other hosts as a namespace of the NVMe target rack",
        remedy="echo 0 > /sys/kernel/config/nvmet/subsystems/rack/namespaces/3/enable",
        undo="cd $C/nvmet/subsystems; echo 0 >rack/namespaces/3/enable; "
        "rmdir rack/namespaces/3 rack",
    ),
    Case(
        name="store of a SCSI target",
        make="modprobe configfs; mountpoint -q $C || mount -t configfs c $C; "
        "modprobe target_core_iblock; cd $C/target/core; "
        "mkdir -p iblock_0/lun; echo udev_path=$D >iblock_0/lun/control; "
        "echo -n $D >iblock_0/lun/udev_path; echo 1 >iblock_0/lun/enable",
        kind="holder",
        reason="$D is served to other hosts by the SCSI target as lun",
        remedy="targetcli",
        undo="cd $C/target/core; rmdir iblock_0/lun iblock_0",
    ),
)


OPENED: Final = (
    Case(
        name="held exclusively by another process",
        runs="import os, time; os.open('$D', os.O_RDONLY | os.O_EXCL); "
        "print('READY', flush=True); time.sleep(999)",
        kind="opened",
        reason=r"$D is held exclusively, probably by python\S* \(process \d+\)",
        remedy="End that program",
    ),
    Case(
        name="open for writing by another process",
        runs="exec 9<>$D; echo READY; exec sleep 999",
        kind="opened",
        reason=r"$D is open for writing by sleep \(process \d+\)",
        remedy="End that program",
    ),
    Case(
        name="partition open for writing by another process",
        make=TABLE,
        runs="exec 9<>$P; echo READY; exec sleep 999",
        kind="opened",
        reason=r"$P is open for writing by sleep \(process \d+\)",
        remedy="End that program",
    ),
    Case(
        name="generic device open for writing by another process",
        runs="exec 9<>${D/nvme/ng}; echo READY; exec sleep 999",
        kind="opened",
        reason=r"/dev/ng\dn1 is open for writing by sleep \(process \d+\)",
        remedy="End that program",
    ),
    Case(
        name="read-only",
        make="blockdev --setro $D",
        kind="read-only",
        reason="$D is read-only",
        remedy="blockdev --setrw $D",
        undo="blockdev --setrw $D",
    ),
)
