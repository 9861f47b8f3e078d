"""Ways in which a drive is in use, as commands that bring them about in a guest."""

from dataclasses import dataclass
from typing import Final

from ssdlab.model.drive import UseKind


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """One way: how it is brought about and ended, and what the gate must say of it.

    In the commands ``$D`` is the drive, ``$P`` its first partition, ``$OTHER`` another
    drive and ``$C`` where the kernel is configured; in what is said ``$D`` and ``$P``.
    ``runs`` goes on while the gate looks, and says READY: a command, or Python code if
    it begins with an import. At the end the drive is in use and idle, so that nothing
    writes to it by itself.
    """

    name: str
    make: str = ""
    runs: str = ""
    kind: UseKind
    reason: str
    remedy: str
    undo: str = ""


TABLE: Final = "echo ',,L' | sfdisk -q $D; udevadm settle; "
EXT4: Final = "mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 "
VOLUME: Final = "vgcreate -qq -y vg $P; lvcreate -qq -y -n lv -L 32M vg; "
NO_VOLUME: Final = "vgchange -qq -an vg; "
ARRAY: Final = (
    "mdadm -q --create /dev/md7 --run --level 1 --raid-devices 2 --metadata {} $D "
    "missing; while grep -q active /sys/block/md7/md/array_state; do sleep 0.1; done; "
)
SECRET: Final = "luksFormat --pbkdf pbkdf2 --pbkdf-force-iterations 1000"
