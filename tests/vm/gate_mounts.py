"""Drives that are mounted or hold swap."""

from typing import Final

from tests.vm.gate_case import ARRAY, EXT4, NO_VOLUME, SECRET, TABLE, VOLUME, Case

MOUNTS: Final = (
    Case(
        name="mounted",
        make=EXT4 + "$D; mount $D /mnt",
        kind="mounted",
        reason="$D is mounted at /mnt",
        remedy=r"umount /mnt\.",
        undo="umount /mnt",
    ),
    Case(
        name="partition mounted",
        make=TABLE + EXT4 + "$P; mount $P /mnt",
        kind="mounted",
        reason="$P is mounted at /mnt",
        remedy=r"umount /mnt\.",
        undo="umount /mnt",
    ),
    Case(
        name="mounted read-only",
        make=EXT4 + "$D; mount -o ro $D /mnt",
        kind="mounted",
        reason="$D is mounted read-only at /mnt",
        remedy=r"umount /mnt\.",
        undo="umount /mnt",
    ),
    Case(
        name="one folder of it mounted elsewhere",
        make=EXT4 + "$D; mount $D /mnt; mkdir -p /mnt/a '/run/b c'; "
        "mount --bind /mnt/a '/run/b c'; umount /mnt; sync",
        kind="mounted",
        reason="a folder of $D is mounted at /run/b c",
        remedy=r"umount '/run/b c'\.",
        undo="umount '/run/b c'",
    ),
    Case(
        name="covered by another mount",
        make=EXT4 + "$D; mount $D /mnt; mount -t tmpfs cover /mnt",
        kind="mounted",
        reason="$D is mounted at /mnt",
        remedy=r"umount /mnt\.",
        undo="umount /mnt; umount /mnt",
    ),
    Case(
        name="mounted in another mount namespace",
        make=EXT4 + "$D",
        runs="unshare --mount sh -ec 'mount $D /mnt; sync; echo READY; exec sleep 999'",
        kind="mounted",
        reason=r"$D is mounted at /mnt in the mount namespace of sleep \(process \d+\)",
        remedy=r"nsenter --mount --target \d+ umount /mnt\.",
    ),
    Case(
        name="mounted in a namespace without processes",
        make=EXT4 + "$D; mkdir -p /run/spaces; mount --bind /run/spaces /run/spaces; "
        "mount --make-private /run/spaces; touch /run/spaces/one; "
        "unshare --mount=/run/spaces/one mount $D /mnt; sync",
        kind="opened",
        reason="the kernel reports that $D is claimed, by a holder that is not visible",
        remedy="Check on the host",
        undo="umount /run/spaces/one; umount /run/spaces",
    ),
    Case(
        name="unmounted lazily and still open",
        make=EXT4 + "$D",
        runs="mount $D /mnt; exec 9>/mnt/file; sync; umount --lazy /mnt; echo READY; "
        "exec sleep 999",
        kind="mounted",
        reason=r"has no visible mount, but sleep \(process \d+\) has files",
        remedy="End that program",
    ),
    Case(
        name="second device of btrfs mounted",
        make="modprobe btrfs; truncate -s 200M /run/other; "
        "o=$(losetup -f --show /run/other); mkfs.btrfs -q $o $D; "
        "btrfs device scan; mount $o /mnt; sync",
        kind="mounted",
        reason="$D is part of a btrfs file system that is mounted at /mnt",
        remedy=r"umount /mnt\.",
        undo="umount /mnt; losetup -D; rm /run/other",
    ),
    Case(
        name="journal of a file system on another drive",
        make="mke2fs -q -O journal_dev -b 4096 $D; "
        + EXT4
        + "-b 4096 -J device=$D $OTHER; mount $OTHER /mnt; sync; sleep 1",
        kind="opened",
        reason="the kernel reports that $D is claimed",
        remedy="Check on the host",
        undo="umount /mnt; wipefs -aq $OTHER; blkdiscard -z $OTHER",
    ),
    Case(
        name="home",
        make=TABLE + VOLUME + EXT4 + "/dev/vg/lv; mount /dev/vg/lv /home; sync",
        kind="root",
        reason="system disk: /dev/mapper/vg-lv is mounted at /home",
        remedy="Choose another drive",
        undo="umount /home; " + NO_VOLUME,
    ),
    Case(
        name="boot on an encrypted array",
        make=ARRAY.format("1.2") + f"echo secret | cryptsetup -q {SECRET} /dev/md7; "
        "echo secret | cryptsetup -q open /dev/md7 safe; "
        + EXT4
        + "/dev/mapper/safe; mkdir -p /boot/efi; mount /dev/mapper/safe /boot/efi; sync"
        "; sleep 1",
        kind="root",
        reason="system disk: /dev/mapper/safe is mounted at /boot/efi",
        remedy="Choose another drive",
        undo="umount /boot/efi; cryptsetup close safe; mdadm -q --stop /dev/md7",
    ),
)


SWAPS: Final = (
    Case(
        name="swap",
        make="mkswap -q $D; swapon $D",
        kind="swap",
        reason="$D is used as swap",
        remedy=r"swapoff $D\.",
        undo="swapoff $D",
    ),
    Case(
        name="partition as swap",
        make=TABLE + "mkswap -q $P; swapon $P",
        kind="swap",
        reason="$P is used as swap",
        remedy=r"swapoff $P\.",
        undo="swapoff $P",
    ),
    Case(
        name="swap file on it",
        make=EXT4 + "$D; mount $D /mnt; dd if=/dev/zero of=/mnt/swap bs=1M count=16 "
        "status=none; chmod 600 /mnt/swap; mkswap -q /mnt/swap; swapon /mnt/swap; sync",
        kind="swap",
        reason="the swap file /mnt/swap is on $D",
        remedy=r"swapoff /mnt/swap\.",
        undo="swapoff /mnt/swap; umount /mnt",
    ),
    Case(
        name="memory swaps to it",
        make="modprobe zram num_devices=1; echo $D >/sys/block/zram0/backing_dev; "
        "echo 32M >/sys/block/zram0/disksize",
        kind="swap",
        reason=r"/dev/zram0 \(zram\) stores pages on $D",
        remedy="echo 1 > /sys/block/zram0/reset",
        undo="echo 1 >/sys/block/zram0/reset; modprobe -r zram",
    ),
)
