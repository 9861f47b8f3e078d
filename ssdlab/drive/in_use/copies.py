"""Copies of superblocks: what is left of a file system whose first one is gone.

Its own tools bring such a file system back (``e2fsck -b``, ``xfs_repair``, ``btrfs
rescue super-recover``), though libblkid sees nothing. Read are some 200 places at most,
where mkfs puts copies unless it was told otherwise.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

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


@dataclass(frozen=True, kw_only=True, slots=True)
class SuperblockCopies:
    """The copies of the superblock of a file system, and where each stands [bytes]."""

    kind: str
    offsets: tuple[int, ...]


def find_superblock_copies(
    descriptor: int, size_bytes: int
) -> tuple[SuperblockCopies, ...]:
    """Return the copies of superblocks of ext2 to ext4 and of xfs, as far as looked.

    Raises
    ------
    OSError
        If the device cannot be read.
    """
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
    """Yield where the second of the allocation groups may begin."""
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
    """Return where in a part of a device an allocation group of xfs begins."""
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
