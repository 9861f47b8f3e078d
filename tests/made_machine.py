"""A made machine: a folder that looks like ``/`` to code with a ``root`` parameter.

``MadeMachine(tmp_path)`` has empty ``sys``, ``proc`` and ``dev``. Each ``add_…`` adds a
device as Linux 6.1 shows it, links included, and returns its kernel name; whatever else
a test needs it writes with `MadeMachine.write` (paths are those of the system)::

    made = MadeMachine(tmp_path)
    disk = made.add_nvme("nvme0n1", serial="S1")
    part = made.add_partition(disk, 1)                      # nvme0n1p1
    volume = made.add_volume("dm-0", below=[part], title="vg-home", uuid="LVM-x")
    made.mount(volume, "/home", source="/dev/mapper/vg-home")
    made.add_swap(disk)
    made.add_alias("/dev/disk/by-id/nvme-X_S1", disk)
    made.write(f"/sys/block/{disk}/ro", "1")
    read_drive(disk, root=made.root)

Nodes in its ``dev`` are files of the size of the device (sparse), not devices: nothing
real can be reached through them. `MadeMachine.look` says what they stand for; it is
for the parameter ``look`` of `find_drive`.
"""

from collections.abc import Iterable, Sequence

from tests.made_tree import MIB, MadeTree

_BUS = "/sys/devices/pci0000:00"


class MadeMachine(MadeTree):
    """Builds the folder; ``root`` is its path."""

    # --- Drives ---------------------------------------------------------------

    def add_nvme(
        self,
        name: str = "nvme0n1",
        *,
        serial: str | bytes = "S1",
        model: str = "LAB NVMe",
        size_bytes: int = 64 * MIB,
        sector_bytes: int = 512,
    ) -> str:
        """Add a namespace of a controller of its own, with a link of PCIe 3 x4."""
        controller = name.rpartition("n")[0]
        slot = _slot(int(controller[4:]), "0001")
        folder = f"{slot}/nvme/{controller}"
        if not self.at(folder).exists():
            self._add_pci(slot)
            self.add_controller(controller, serial=serial, model=model)
        self.add_disk(name, f"{folder}/{name}", size_bytes, sector_bytes=sector_bytes)
        self._identify_namespace(f"{folder}/{name}", name)
        self.link(f"{folder}/{name}/device", folder)
        self.add_generic(f"ng{name[4:]}", folder)
        return name

    def add_shared_nvme(
        self,
        name: str = "nvme0n1",
        *,
        controllers: Sequence[str] = ("nvme0", "nvme1"),
        serial: str = "S1",
        model: str = "LAB NVMe",
        size_bytes: int = 64 * MIB,
    ) -> str:
        """Add a namespace of a subsystem, with a hidden path a controller."""
        number = int(name.rpartition("n")[2])
        instance = name[4:].rpartition("n")[0]
        subsystem = f"/sys/devices/virtual/nvme-subsystem/nvme-subsys{instance}"
        if not self.at(subsystem).exists():
            for file, text in (
                ("serial", serial.ljust(20)),
                ("model", model.ljust(40)),
                ("firmware_rev", "1.0".ljust(8)),
                ("subsysnqn", f"nqn.2019-08.org.qemu:{serial}"),
            ):
                self.write(f"{subsystem}/{file}", text)
            self.link(f"/sys/class/nvme-subsystem/nvme-subsys{instance}", subsystem)
        self.add_disk(name, f"{subsystem}/{name}", size_bytes)
        self._identify_namespace(f"{subsystem}/{name}", name)
        self.link(f"{subsystem}/{name}/device", subsystem)
        self.add_generic(f"ng{name[4:]}", subsystem)
        for path, controller in enumerate(controllers):
            slot = _slot(int(controller[4:]), "0001")
            folder = f"{slot}/nvme/{controller}"
            if not self.at(folder).exists():
                self._add_pci(slot)
                self.add_controller(controller, serial=serial, model=model)
                self.link(f"{subsystem}/{controller}", folder)
            hidden = f"nvme{instance}c{path}n{number}"
            self.write(f"{folder}/{hidden}/hidden", "1")
            self.write(f"{folder}/{hidden}/size", str(size_bytes // 512))
            self._identify_namespace(f"{folder}/{hidden}", name)
            self.link(f"{folder}/{hidden}/device", folder)
            for place in ("/sys/block", "/sys/class/block"):
                self.link(f"{place}/{hidden}", f"{folder}/{hidden}")
        return name

    def add_controller(
        self, name: str, *, serial: str | bytes = "S1", model: str = "LAB NVMe"
    ) -> str:
        """Add an NVMe controller without a namespace, and its character devices."""
        slot = _slot(int(name[4:]), "0001")
        folder = f"{slot}/nvme/{name}"
        if isinstance(serial, str):
            serial = serial.ljust(20).encode("utf-8", "surrogateescape")
        self.write(f"{folder}/serial", serial + b"\n")
        self.write(f"{folder}/model", model.ljust(40))
        self.write(f"{folder}/firmware_rev", "1.0".ljust(8))
        self.write(f"{folder}/transport", "pcie")
        self.write(f"{folder}/state", "live")
        self.link(f"{folder}/device", slot)
        self.link(f"/sys/class/nvme/{name}", folder)
        self.add_char(name, folder, f"240:{name[4:]}")
        return name

    def add_scsi(
        self,
        name: str = "sda",
        *,
        serial: str | bytes = "S1",
        vendor: str = "SSDLAB",
        model: str = "LABSCSI",
        size_bytes: int = 64 * MIB,
        bus: str = "virtio0",
        removable: str = "0",
    ) -> str:
        """Add a SCSI disk; ``bus`` is the folder between the controller and its host.

        With ``ata1`` and the vendor ``ATA`` it is an ATA disk, with ``usb2/2-1`` one on
        USB. `add_identity` gives it the page that libata adds.
        """
        number = _letters(name[2:])
        device = (
            f"{_slot(32 + number, '')}/{bus}/host{number}/target{number}:0:0/"
            f"{number}:0:0:0"
        )
        self.write(f"{device}/vendor", vendor.ljust(8))
        self.write(f"{device}/model", model[:16].ljust(16))
        self.write(f"{device}/rev", "1.0".ljust(4))
        self.write(f"{device}/type", "0")
        self.write(f"{device}/state", "running")
        if isinstance(serial, str):
            serial = serial.encode("utf-8", "surrogateescape")
        page = b"\0\x80" + len(serial).to_bytes(2, "big") + serial
        self.write(f"{device}/vpd_pg80", page)
        folder = f"{device}/block/{name}"
        self.add_disk(name, folder, size_bytes)
        self.write(f"{folder}/removable", removable)
        self.link(f"{folder}/device", device)
        self.link(f"{device}/generic", f"{device}/scsi_generic/sg{number}")
        self.link(f"{device}/scsi_generic/sg{number}/device", device)
        self.link(
            f"/sys/class/scsi_generic/sg{number}", f"{device}/scsi_generic/sg{number}"
        )
        self.add_char(
            f"sg{number}", f"{device}/scsi_generic/sg{number}", f"21:{number}"
        )
        return name

    def add_ata(
        self,
        name: str = "sda",
        *,
        serial: str = "S1",
        model: str = "LAB ATA SSD",
        firmware: str = "FW123456",
        size_bytes: int = 64 * MIB,
        media: tuple[int, str, str] = (0, "", ""),
    ) -> str:
        """Add an ATA disk, with what it says when it is asked to identify itself.

        ``media`` is word 87, the serial number of the media, and its manufacturer.
        """
        self.add_scsi(
            name,
            serial=serial.rjust(20),
            vendor="ATA",
            model=model,
            size_bytes=size_bytes,
            bus="ata1",
        )
        words = bytearray(512)
        for first, length, text in (
            (10, 20, serial),
            (23, 8, firmware),
            (27, 40, model),
            (176, 40, media[1]),
            (196, 20, media[2]),
        ):
            content = text.ljust(length).encode()[:length]
            for place in range(0, length, 2):
                at = 2 * first + place
                words[at : at + 2] = content[place : place + 2][::-1]
        words[174:176] = media[0].to_bytes(2, "little")
        page = b"\0\x89\x02\x38" + bytes(4) + b"linux   libata          0400"
        page = page.ljust(60, b"\0") + words
        self.write(f"/sys/block/{name}/device/vpd_pg89", page)
        return name

    def add_virtio(
        self, name: str = "vda", *, serial: str = "S1", size_bytes: int = 64 * MIB
    ) -> str:
        """Add a virtio disk."""
        device = f"{_slot(64 + _letters(name[2:]), '')}/virtio{_letters(name[2:])}"
        self.write(f"{device}/vendor", "0x1af4")
        folder = f"{device}/block/{name}"
        self.add_disk(name, folder, size_bytes)
        self.write(f"{folder}/serial", serial.encode())
        self.link(f"{folder}/device", device)
        self.link(f"{device}/subsystem", "/sys/bus/virtio")
        return name

    def add_loop(
        self, name: str = "loop0", *, backing: str = "", size_bytes: int = 64 * MIB
    ) -> str:
        """Add a loop device, which stands on nothing if ``backing`` is empty."""
        folder = f"/sys/devices/virtual/block/{name}"
        self.add_disk(name, folder, size_bytes if backing else 0)
        if backing:
            self.write(f"{folder}/loop/backing_file", backing)
        return name

    # --- What stands on drives ------------------------------------------------

    def add_partition(
        self, disk: str, number: int = 1, *, size_bytes: int = 8 * MIB
    ) -> str:
        """Add a partition."""
        name = f"{disk}p{number}" if disk[-1].isdigit() else f"{disk}{number}"
        folder = f"{self.system_path(f'/sys/block/{disk}')}/{name}"
        self.add_block(name, folder, size_bytes)
        self.write(f"{folder}/partition", str(number))
        self.write(f"{folder}/start", "2048")
        return name

    def add_volume(
        self,
        name: str,
        *,
        below: Iterable[str],
        title: str = "",
        uuid: str = "",
        size_bytes: int = 8 * MIB,
    ) -> str:
        """Add what stands on disks or partitions: ``dm-0``, ``md0``, ``bcache0``.

        Of a ``dm-…`` device ``title`` is its name in ``/dev/mapper`` and ``uuid`` such
        as ``LVM-…``, ``CRYPT-LUKS2-…`` or ``mpath-…``.
        """
        folder = f"/sys/devices/virtual/block/{name}"
        self.add_disk(name, folder, size_bytes)
        for part in below:
            self.link(f"{folder}/slaves/{part}", f"/sys/class/block/{part}")
            self.link(f"/sys/class/block/{part}/holders/{name}", folder)
        if name.startswith("dm-"):
            self.write(f"{folder}/dm/name", title or name)
            self.write(f"{folder}/dm/uuid", uuid)
            self.add_alias(f"/dev/mapper/{title or name}", name)
        return name

    def add_alias(self, path: str, name: str) -> str:
        """Add a link such as /dev/disk/by-id/… that leads to the node of a device."""
        self.link(path, f"/dev/{name}")
        return path

    def _identify_namespace(self, folder: str, name: str) -> None:
        instance, number = map(int, name[4:].split("n"))
        self.write(f"{folder}/nsid", str(number))
        self.write(f"{folder}/wwid", f"eui.{instance:012x}{number:04x}")

    def _add_pci(self, slot: str) -> None:
        for file, text in (
            ("current_link_speed", "8.0 GT/s PCIe"),
            ("current_link_width", "4"),
            ("max_link_speed", "16.0 GT/s PCIe"),
            ("max_link_width", "4"),
            ("numa_node", "-1"),
        ):
            self.write(f"{slot}/{file}", text)


def _slot(number: int, bridge: str) -> str:
    """Return the folder of a PCI device, below a bridge if one is named."""
    if bridge:
        return f"{_BUS}/0000:00:{number + 1:02x}.0/0000:{number + 1:02x}:00.0"
    return f"{_BUS}/0000:00:{number:02x}.0"


def _letters(name: str) -> int:
    """Return which disk ``a``, ``b`` … ``aa`` is, the first being 0."""
    count = 0
    for letter in name:
        count = count * 26 + ord(letter) - ord("a") + 1
    return count - 1
