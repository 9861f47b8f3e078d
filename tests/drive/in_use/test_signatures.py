"""What is on a device: the real wipefs and blkid on made images, and odd answers."""

import os
import random
import re
import shutil
import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.drive.in_use.signatures import (
    Signature,
    find_signatures,
    look_for_remains,
    parse_wipefs,
)
from ssdlab.drive.tools import Answer, ask_tool
from ssdlab.model.drive import Use
from tests.drive.recorded import saying
from tests.drive.users import as_nobody, only_root
from tests.made_tree import MIB
from tests.paths import require_program

SIZE = 64 * MIB
# A file is no whole disk to wipefs, which then wants to be forced at a table.
WIPE = ("wipefs", "--all", "--quiet", "--force")


def image(tmp_path: Path, *parts: tuple[int, bytes]) -> Path:
    path = tmp_path / "disk.img"
    with path.open("wb") as file:
        file.truncate(SIZE)
        for offset, content in parts:
            file.seek(offset if offset >= 0 else SIZE + offset)
            file.write(content)
    return path


def look(path: Path) -> tuple[Use, ...]:
    before = path.read_bytes()
    found = find_signatures(str(path), ask=ask_tool)
    assert path.read_bytes() == before
    return found


LABEL = b"LABELONE" + struct.pack("<QII", 1, 0, 32) + b"LVM2 001"
FAT = (
    b"\xeb\x3c\x90mkfs.fat"
    + struct.pack("<HBHBHHBHHHII", 512, 4, 4, 2, 512, 0, 0xF8, 128, 32, 64, 0, 131072)
    + b"\x80\0\x29abcdNO NAME    FAT16   "
).ljust(510, b"\0") + b"\x55\xaa"
RING = b"".join(struct.pack("<QQQ", 0xBAB10C, 5000, n).ljust(1024) for n in range(8))
F2FS = struct.pack("<IHHIIII", 0xF2F52010, 1, 16, 9, 3, 12, 9).ljust(3072, b"\0")
GPT = b"EFI PART" + struct.pack("<II", 0x10000, 92)
MD = struct.pack("<IIIII", 0xA92B4EFC, 0, 90, 0, 0) + b"abcd" + bytes(80)
KNOWN = {
    "vfat": ([(0, FAT)], r"holds a file system \(vfat\)"),
    "f2fs": ([(1024, F2FS)], r"holds a file system \(f2fs\)"),
    "exfat": ([(0, b"\xeb\x76\x90EXFAT   ")], r"holds a file system \(exfat\)"),
    "iso": (
        [(32768, b"\x01CD001\x01"), (34816, b"\xffCD001\x01")],
        r"holds a file system \(iso9660\)",
    ),
    "lvm": ([(512, LABEL)], "is a physical volume of LVM"),
    "md at the end": ([(-65536, MD)], r"is a member of a RAID array \(md\)"),
    "zfs": ([(128 << 10, RING)], "is a member of a ZFS pool"),
    "zfs at the end": ([((128 << 10) - (512 << 10), RING)], "a member of a ZFS pool"),
    "fake raid": (
        [(-1024, b"Intel Raid ISM Cfg Sig. 1.1.00")],
        r"RAID set of the firmware \(isw_raid_member\)",
    ),
    "ceph": ([(0, b"bluestore block device")], r"an object store \(Ceph\)"),
    "asm": ([(32, b"ORCLDISKDATA01")], "is a disk of Oracle ASM"),
    "boot record": ([(510, b"\x55\xaa")], r"has a partition table \(dos\)"),
}


@pytest.mark.parametrize("name", KNOWN)
def test_signature_is_found_wherever_it_stands(name: str, tmp_path: Path) -> None:
    parts, reason = KNOWN[name]
    path = image(tmp_path, *parts)
    found = look(path)
    assert [use for use in found if use.kind == "unknown"] == []
    assert any(
        use.reason.startswith(str(path)) and re.search(reason, use.reason)
        for use in found
    ), found
    assert all(f"wipefs --all {path}" in use.remedy for use in found)
    subprocess.run([*WIPE, path], check=True)
    assert find_signatures(str(path)) == ()


@pytest.mark.parametrize(
    "command",
    [["mkfs.ext4", "-q", "-F"], ["mkswap", "-q"]],
    ids=lambda command: command[0],
)
def test_what_a_program_formats_is_found_until_it_is_wiped(
    command: list[str], tmp_path: Path
) -> None:
    path = image(tmp_path)
    assert look(path) == ()
    subprocess.run([*command, str(path)], check=True, capture_output=True)
    (use,) = look(path)
    assert use.kind == "signature"
    subprocess.run([*WIPE, path], check=True)
    for copies in look(path):  # of ext4, which wipefs leaves
        follow(copies)
    assert look(path) == ()


def follow(use: Use) -> None:
    """Do what a use asks for."""
    command = use.remedy.partition(": ")[2].removesuffix(".")
    subprocess.run(["sh", "-c", command], check=True, capture_output=True)


def test_label_is_told_as_it_can_be_printed() -> None:
    row = '{"type": "ext4", "offset": "0x438", "label": "a\\u001b[31m"}'
    text = f'{{"signatures": [{row}]}}'
    (use,) = find_signatures("/dev/null", ask=saying(text))
    assert use.reason.endswith(r"labelled 'a\x1b[31m'")


def test_label_that_is_no_utf8_hides_no_file_system(tmp_path: Path) -> None:
    path = image(tmp_path)
    label = b'AB\xb0\\x"'
    subprocess.run(["mkfs.ext4", "-q", "-F", b"-L", label, path], check=True)
    (use,) = look(path)
    assert use.kind == "signature"
    assert "holds a file system (ext4) labelled 'AB\ufffd" in use.reason


def table(path: Path) -> Path:
    script = "label: gpt\n,16M,L\n"
    require_program("sfdisk")
    subprocess.run(["sfdisk", "--quiet", path], input=script, text=True, check=True)
    return path


@pytest.mark.parametrize(
    ("wiped", "words"),
    [
        ((), r"has a partition table (gpt, PMBR)"),
        ((0,), r"has a partition table (gpt)"),
        ((0, 512), r"has the backup of a partition table at its end (gpt)"),
        ((512, SIZE - 512), r"has a partition table (PMBR)"),
    ],
    ids=["whole", "without boot record", "copy alone", "boot record alone"],
)
def test_partition_table_is_found_if_only_a_part_of_it_is_left(
    wiped: tuple[int, ...], words: str, tmp_path: Path
) -> None:
    path = table(image(tmp_path))
    with path.open("r+b") as file:
        for offset in wiped:
            file.seek(offset)
            file.write(bytes(512))
    (use,) = look(path)
    assert (use.kind, words in use.reason) == ("partition-table", True), use
    subprocess.run([*WIPE, path], check=True)
    assert look(path) == ()


# --- What both programs pass over ---------------------------------------------


@pytest.mark.parametrize("offset", [512, 4096, -512, -4096])
def test_partition_table_of_other_sectors_or_a_broken_one_is_found(
    offset: int, tmp_path: Path
) -> None:
    path = image(tmp_path, (offset, GPT))
    (use,) = look(path)
    place = offset if offset > 0 else SIZE + offset
    assert use.kind == "partition-table"
    assert f"(GPT) at byte {place:,}" in use.reason
    undo = use.remedy.partition(": ")[2].removesuffix(".").split()
    subprocess.run([*undo, "status=none"], check=True)
    assert look(path) == ()


@pytest.mark.parametrize(
    ("offset", "mark", "words"),
    [
        (4120, bytes.fromhex("c68573f64e1a45ca8265f57f48ba6d81"), "bcachefs"),
        (4120, bytes.fromhex("c68573f666ce90a9d96a60cf803df7ef"), "bcachefs"),
        (32, b"NXSB", "apfs"),
        (3, b"-FVE-FS-", "BitLocker"),
    ],
)
def test_mark_that_an_older_library_does_not_know_is_found(
    offset: int, mark: bytes, words: str, tmp_path: Path
) -> None:
    (use,) = look_for_remains(str(image(tmp_path, (offset, mark))))
    assert (use.kind, words in use.reason) == ("signature", True)


@pytest.mark.parametrize(
    ("offset", "mark", "words"),
    [
        ((64 << 20) + 64, b"_BHRfS_M", r"a second superblock \(btrfs\)"),
        ((256 << 30) + 64, b"_BHRfS_M", r"a second superblock \(btrfs\)"),
        (5120, struct.pack("<I", 0xF2F52010), r"a second superblock \(f2fs\)"),
        (6 * 512 + 82, b"FAT32   ", r"a second boot sector \(FAT32\)"),
        (6 * 4096 + 82, b"FAT32   ", r"a second boot sector \(FAT32\)"),
        (12 * 512 + 3, b"EXFAT   ", r"a second boot sector \(exFAT\)"),
        (-512 + 3, b"NTFS    ", r"a second boot sector \(NTFS\)"),
        (-4096 + 3, b"NTFS    ", r"a second boot sector \(NTFS\)"),
    ],
)
def test_second_mark_of_a_file_system_is_found(
    offset: int, mark: bytes, words: str, tmp_path: Path
) -> None:
    path = sparse(tmp_path, 300 << 30)
    place = offset if offset >= 0 else (300 << 30) + offset
    with path.open("r+b") as file:
        file.seek(place)
        file.write(mark)
    (use,) = look_for_remains(str(path))
    assert use.kind == "signature"
    assert re.search(f"the signature of {words} at byte {place:,}", use.reason)


def sparse(folder: Path, size: int) -> Path:
    path = folder / "disk.img"
    with path.open("wb") as file:
        file.truncate(size)
    return path


def ext_copy(block: int, group: int) -> bytes:
    """Return the copy that a group of ext4 begins with, as far as it is looked at."""
    content = bytearray(1024)
    struct.pack_into("<I", content, 24, (block // 1024).bit_length() - 1)
    struct.pack_into("<H", content, 56, 0xEF53)
    struct.pack_into("<H", content, 90, group)
    return bytes(content)


def xfs_copy(block: int, blocks_of_a_group: int) -> bytes:
    """Return what an allocation group of xfs begins with, as far as it is looked at."""
    content = bytearray(512)
    struct.pack_into(">4sIQ", content, 0, b"XFSB", block, 4 * blocks_of_a_group)
    struct.pack_into(">II", content, 84, blocks_of_a_group, 4)
    return bytes(content)


@pytest.mark.parametrize(
    ("block", "group", "byte"),  # mke2fs -n prints the block numbers
    [
        (1024, 1, 8193 * 1024),
        (1024, 3, 24577 * 1024),
        (2048, 1, 16384 * 2048),
        (4096, 1, 32768 * 4096),
        (4096, 9, 294912 * 4096),
        (65536, 1, 524288 * 65536),
    ],
)
def test_copy_of_a_superblock_of_ext_is_found(
    block: int, group: int, byte: int, tmp_path: Path
) -> None:
    path = sparse(tmp_path, 40 << 30)
    with path.open("r+b") as file:
        file.seek(byte)
        file.write(ext_copy(block, group))
    (use,) = look_for_remains(str(path))
    assert "holds copies of a superblock (ext2, ext3 or ext4)" in use.reason
    assert use.reason.endswith(f" at bytes {byte:,}")
    with path.open("r+b") as file:  # one that belongs elsewhere is chance
        file.seek(byte)
        file.write(ext_copy(block, group + 1))
    assert look_for_remains(str(path)) == ()


@pytest.mark.parametrize(
    ("size", "block", "blocks", "byte"),
    [
        (300 << 20, 4096, 19200, 78643200),  # as mkfs.xfs 6.1 made them
        (20 << 30, 4096, 1310720, 5368709120),
        (5 << 40, 4096, 268435455, 1099511623680),
        (300 << 20, 1024, 76800, 78643200),
        ((300 << 20) + 4096, 4096, 19201, 78647296),
        (64 << 30, 4096, 1048576, 4 << 30),  # 16 groups
        (300 << 20, 4096, 19328, 79167488),  # aligned to 512 KiB
        (40 << 30, 65536, 163840, 10 << 30),
    ],
)
def test_copy_of_a_superblock_of_xfs_is_found(
    size: int, block: int, blocks: int, byte: int, tmp_path: Path
) -> None:
    assert block * blocks == byte
    path = sparse(tmp_path, size)
    with path.open("r+b") as file:
        file.seek(byte)
        file.write(xfs_copy(block, blocks))
    (use,) = look_for_remains(str(path))
    assert "holds copies of a superblock (xfs)" in use.reason
    assert use.reason.endswith(f" at bytes {byte:,}")
    with path.open("r+b") as file:
        file.seek(byte)
        file.write(xfs_copy(block, blocks + 1))
    assert look_for_remains(str(path)) == ()


@pytest.mark.parametrize(
    ("command", "gone"),
    [
        (("mkfs.ext4", "-qF"), 4096),
        (("mkfs.ext4", "-qF", "-b", "1024"), 4096),
        (("mkfs.ext3", "-qF", "-b", "2048"), 4096),
        (("mkfs.xfs", "-q", "-f"), 4096),
        (("mkfs.btrfs", "-q", "-f"), 1 << 20),
        (("mkfs.f2fs", "-q", "-f"), 4096),
        (("mkfs.vfat", "-F", "32"), 512),
        (("mkfs.exfat",), 512),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, tuple) else str(value),
)
def test_file_system_whose_first_superblock_is_gone_is_found(
    command: Sequence[str], gone: int, tmp_path: Path
) -> None:
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    path = sparse(tmp_path, 384 << 20)
    subprocess.run([*command, path], check=True, capture_output=True)
    with path.open("r+b") as file:
        file.write(bytes(gone))
    assert ask_tool(("wipefs", "--no-act", str(path)), timeout_s=60).stdout == ""
    (use,) = find_signatures(str(path), ask=ask_tool)
    assert use.kind == "signature"
    assert "a second" in use.reason or "holds copies of a superblock" in use.reason
    follow(use)
    assert find_signatures(str(path), ask=ask_tool) == ()


def test_few_places_are_read_for_copies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The gate looks several times, and a slow drive answers in milliseconds."""
    path = sparse(tmp_path, 4 << 40)
    read: list[int] = []
    pread = os.pread

    def note(descriptor: int, count: int, offset: int) -> bytes:
        read.append(count)
        return pread(descriptor, count, offset)

    monkeypatch.setattr("ssdlab.drive.in_use.signatures.os.pread", note)
    assert look_for_remains(str(path)) == ()
    assert len(read) < 260
    assert sum(read) < 3 * MIB


def test_device_of_less_than_a_sector_has_nothing(tmp_path: Path) -> None:
    path = tmp_path / "small"
    path.write_bytes(b"x")
    assert look_for_remains(str(path)) == ()


def test_random_data_is_no_signature(tmp_path: Path) -> None:
    content = random.Random(5).randbytes(MIB)
    assert look(image(tmp_path, (0, content))) == ()


# --- Programs that do not answer as they should --------------------------------

NOTHING = '{"signatures": []}'


@pytest.mark.parametrize(
    ("stdout", "exit_code"),
    [
        ("", 1),
        ("not JSON", 0),
        ("[]", 0),
        ("null", 0),
        ('{"signatures": [{"offset": "0x0"}]}', 0),
        ('{"signatures": [{"type": "ext4", "offset": "far"}]}', 0),
        ('{"signatures": [3]}', 0),
        (NOTHING, -1),
    ],
)
def test_drive_is_not_taken_for_empty_when_wipefs_does_not_say_so(
    stdout: str, exit_code: int
) -> None:
    ask = saying(stdout, exit_code=exit_code, stderr="probing failed")
    (use,) = find_signatures("/dev/null", ask=ask)
    assert use.kind == "unknown"
    assert "whether /dev/null holds data is unknown: wipefs" in use.reason


@pytest.mark.parametrize(
    ("exit_code", "kind"), [(0, "signature"), (8, "unknown"), (4, "unknown")]
)
def test_drive_is_not_taken_for_empty_when_blkid_finds_something(
    exit_code: int, kind: str
) -> None:
    def ask(command: object, *, timeout_s: float) -> object:
        is_blkid = "blkid" in str(command)
        said = saying(
            "TYPE=odd" if is_blkid else NOTHING, exit_code=exit_code * is_blkid
        )
        return said(command, timeout_s=timeout_s)  # type: ignore[arg-type]

    (use,) = find_signatures("/dev/null", ask=ask)  # type: ignore[arg-type]
    assert use.kind == kind


ENTRY = "DEVNAME=/dev/null\nPART_ENTRY_SCHEME=gpt\nPART_ENTRY_NUMBER=1\n"


@pytest.mark.parametrize(
    ("stdout", "kinds"),
    [
        (ENTRY, []),
        (f"{ENTRY}TYPE=odd\n", ["signature"]),
        ("\n", ["unknown"]),
    ],
    ids=["entry alone", "file system", "says nothing"],
)
def test_entry_in_the_table_is_not_on_the_partition(
    stdout: str, kinds: list[str]
) -> None:
    def ask(command: Sequence[str], *, timeout_s: float) -> Answer:
        said = saying(stdout if command[0] == "blkid" else NOTHING)
        return said(command, timeout_s=timeout_s)

    found = find_signatures("/dev/null", ask=ask)
    assert [use.kind for use in found] == kinds
    assert all("PART_ENTRY" not in use.reason for use in found)


@given(st.text(max_size=60))
def test_any_answer_of_wipefs_is_understood_or_is_no_answer(text: str) -> None:
    found = parse_wipefs(text)
    assert found is None or found == () or isinstance(found[0], Signature)


def test_device_that_is_not_there_is_unknown(tmp_path: Path) -> None:
    (use,) = find_signatures(str(tmp_path / "none"), ask=saying(NOTHING))
    assert use.kind == "unknown"
    assert "No such file or directory when it was opened for reading" in use.reason


@only_root
def test_user_who_may_not_read_is_told_which_right_gives_it(tmp_path: Path) -> None:
    path = image(tmp_path)
    path.chmod(0o600)
    with as_nobody(tmp_path):
        (use,) = find_signatures(str(path))
    assert use.kind == "unknown"
    assert "is unknown: the user nobody may not read and write it" in use.reason
    assert f"sudo setfacl --modify u:nobody:rw {path}" in use.remedy
