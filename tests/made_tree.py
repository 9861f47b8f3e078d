"""The ground of a made machine: files, links, nodes, and the tables of mounts."""

import os
from pathlib import Path

from ssdlab.system.files import Node, NodeKind, look_at

MIB = 1 << 20
_SWAP_HEAD = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority"


class MadeTree:
    """A folder with empty ``sys``, ``proc`` and ``dev``, and what adds to them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._nodes: dict[Path, Node] = {}
        self._minors = 0
        self._generics = 0
        self._mounts: list[str] = []
        self._swaps: list[str] = []
        for folder in ("sys/block", "sys/class/block", "sys/dev/block", "dev", "proc"):
            (root / folder).mkdir(parents=True, exist_ok=True)
        self._tell_mounts()
        self._tell_swaps()

    # --- Files ----------------------------------------------------------------

    def at(self, path: str) -> Path:
        """Return where a path of the system stands."""
        return self.root / path.lstrip("/")

    def write(self, path: str, content: str | bytes) -> Path:
        """Write a file; the kernel ends a text with a new line, so it gets one."""
        place = self.at(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            content = (content + "\n").encode("utf-8", "surrogateescape")
        place.write_bytes(content)
        return place

    def link(self, path: str, to: str) -> None:
        """Make a link to another path of the system, relative as those of sysfs."""
        place = self.at(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(os.path.relpath(self.at(to), place.parent))

    def look(self, path: Path) -> Node:
        """Return what a path of this machine stands for."""
        return self._nodes.get(Path(os.path.realpath(path)), look_at(path))

    # --- What is mounted ------------------------------------------------------

    def mount(
        self, name: str, place: str, *, source: str = "", kind: str = "ext4"
    ) -> None:
        """Say in the tables of mounts that a device is mounted at a place."""
        number = self.at(f"/sys/class/block/{name}/dev").read_text().strip()
        self.mount_line(
            f"{len(self._mounts) + 30} 1 {number} / {_octal(place)} rw,relatime "
            f"shared:1 - {kind} {source or f'/dev/{name}'} rw"
        )

    def mount_line(self, line: str) -> None:
        """Add a line to /proc/self/mountinfo as it is."""
        self._mounts.append(line)
        self._tell_mounts()

    def add_swap(self, name: str) -> None:
        """Say that a device is used as swap."""
        self._swaps.append(f"/dev/{name}" + " " * 32 + "partition\t131068\t\t0\t\t-2")
        self._tell_swaps()

    # --- Parts ----------------------------------------------------------------

    def add_disk(
        self, name: str, folder: str, size_bytes: int, *, sector_bytes: int = 512
    ) -> None:
        self.add_block(name, folder, size_bytes)
        for file, text in (
            ("removable", "0"),
            ("hidden", "0"),
            ("diskseq", str(self._minors)),
            ("queue/logical_block_size", str(sector_bytes)),
            ("queue/physical_block_size", str(sector_bytes)),
            ("queue/rotational", "0"),
            ("queue/write_cache", "write back"),
            ("queue/discard_max_bytes", str(2 << 30)),
            ("queue/write_zeroes_max_bytes", str(128 << 10)),
        ):
            self.write(f"{folder}/{file}", text)
        self.at(f"{folder}/slaves").mkdir()
        self.link(f"/sys/block/{name}", folder)

    def add_block(self, name: str, folder: str, size_bytes: int) -> None:
        self._minors += 1
        number = f"259:{self._minors}"
        self.write(f"{folder}/dev", number)
        self.write(f"{folder}/size", str(size_bytes // 512))
        self.write(f"{folder}/ro", "0")
        self.at(f"{folder}/holders").mkdir()
        self.link(f"/sys/class/block/{name}", folder)
        self.link(f"/sys/dev/block/{number}", folder)
        node = self._add_node(f"/dev/{name}", "block", number)
        os.truncate(node, size_bytes)

    def _add_node(self, path: str, kind: NodeKind, number: str) -> Path:
        node = self.write(path, b"")
        self._nodes[node.resolve()] = Node(kind=kind, number=number)
        return node

    def add_char(self, name: str, folder: str, number: str) -> None:
        self.write(f"{folder}/dev", number)
        self.link(f"/sys/dev/char/{number}", folder)
        self._add_node(f"/dev/{name}", "char", number)

    def add_generic(self, name: str, folder: str) -> None:
        self._generics += 1
        self.add_char(name, f"{folder}/{name}", f"241:{self._generics}")
        self.link(f"{folder}/{name}/device", folder)

    def system_path(self, path: str) -> str:
        real = Path(os.path.realpath(self.at(path)))
        return f"/{real.relative_to(self.root.resolve())}"

    def _tell_mounts(self) -> None:
        text = "".join(f"{line}\n" for line in self._mounts)
        self.write("/proc/self/mountinfo", text.encode())
        self.write("/proc/1/mountinfo", text.encode())
        old = "".join(f"{_old_form(line)}\n" for line in self._mounts)
        self.write("/proc/self/mounts", old.encode())
        self.write("/proc/mounts", old.encode())

    def _tell_swaps(self) -> None:
        self.write("/proc/swaps", "\n".join((_SWAP_HEAD, *self._swaps)))


def _octal(place: str) -> str:
    return "".join(
        f"\\{ord(sign):03o}" if sign in " \t\n\\" else sign for sign in place
    )


def _old_form(line: str) -> str:
    head, _, tail = line.partition(" - ")
    kind, source, options = tail.split(" ", 2)
    return f"{source} {head.split()[4]} {kind} {options} 0 0"
