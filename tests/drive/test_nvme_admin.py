"""The command that goes to a controller, as linux/nvme_ioctl.h lays it out."""

import errno
import struct
from pathlib import Path

import pytest

from ssdlab.drive.nvme_admin import (
    IDENTIFY_CONTROLLER,
    READ_SMART_LOG,
    AdminAnswer,
    _pack,
    get_feature,
    send_admin,
    send_by_program,
    set_feature,
)
from tests.drive.recorded import DRIVES, saying


def test_a_command_is_72_bytes_and_each_field_in_its_place() -> None:
    packed = _pack(READ_SMART_LOG, 0x1122334455667788)
    assert len(packed) == 72
    assert packed[0] == 0x02  # get log page
    assert struct.unpack_from("=I", packed, 4) == (0xFFFFFFFF,)  # of the controller
    assert struct.unpack_from("=Q", packed, 24) == (0x1122334455667788,)
    assert struct.unpack_from("=I", packed, 36) == (512,)
    assert struct.unpack_from("=I", packed, 40) == (0x007F0002,)  # 128 dwords, log 2
    assert struct.unpack_from("=II", packed, 64) == (0, 0)  # the kernel's time limit


def test_a_feature_carries_no_data() -> None:
    packed = _pack(set_feature(6, 1), 0x1234)
    assert packed[0] == 0x09
    assert struct.unpack_from("=Q", packed, 24) == (0,)
    assert struct.unpack_from("=II", packed, 40) == (6, 1)
    assert _pack(get_feature(6), 0)[0] == 0x0A
    assert struct.unpack_from("=I", _pack(IDENTIFY_CONTROLLER, 0), 40) == (1,)


def test_a_file_is_no_drive(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    with pytest.raises(OSError, match="ioctl") as caught:
        send_admin(str(path), READ_SMART_LOG)
    assert caught.value.errno == errno.ENOTTY


def test_a_missing_drive_is_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nvme9n1"):
        send_admin(str(tmp_path / "nvme9n1"), READ_SMART_LOG)


def test_the_program_sends_the_same_command_and_its_words_are_read() -> None:
    """As nvme-cli 2.3 prints them: the data on one channel, the result on the other."""
    name = "nvme-2.3-admin-passthru-smart-log-qemu-7.2.txt"
    told = "Admin Command Get Log Page is Success and result: 0x00000000\n"
    ask = saying((DRIVES / name).read_text(), stderr=told)
    answer = send_by_program("/dev/nvme0n1", READ_SMART_LOG, ask=ask)
    assert answer.status == 0
    assert len(answer.data) == 512
    assert answer.data[1:3] == b"\x43\x01"  # 323 kelvin
    assert answer.data[0x20] == 3
    assert ask.asked == [
        (
            *("nvme", "admin-passthru", "/dev/nvme0n1", "--opcode=0x2"),
            *("--namespace-id=0xffffffff", "--cdw10=0x7f0002", "--cdw11=0x0"),
            *("--data-len=512", "--read"),
        )
    ]


def test_the_program_tells_the_result_of_a_feature() -> None:
    told = "Admin Command Get Features is Success and result: 0x00000001\n"
    ask = saying("", stderr=told)
    answer = send_by_program("/dev/nvme0n1", get_feature(6), ask=ask)
    assert answer == AdminAnswer(status=0, result=1)
    assert "--read" not in ask.asked[0]


def test_the_program_tells_the_status_of_a_refusal() -> None:
    told = (
        "NVMe status: Invalid Field in Command: A reserved coded value or an "
        "unsupported value in a defined field(0x4002)\n"
    )
    ask = saying("", exit_code=1, stderr=told)
    answer = send_by_program("/dev/nvme0n1", set_feature(255, 1), ask=ask)
    assert answer == AdminAnswer(status=0x4002)


@pytest.mark.parametrize(
    ("stdout", "stderr", "code"),
    [
        ("", "/dev/nvme9n1: No such file or directory", 1),
        ("", "it speaks another language now", 0),
        ("0000: 00 43 01", "is Success and result: 0x00000000", 0),
    ],
    ids=["gone", "other words", "cut off"],
)
def test_words_that_are_not_understood_are_an_error(
    stdout: str, stderr: str, code: int
) -> None:
    ask = saying(stdout, exit_code=code, stderr=stderr)
    with pytest.raises(OSError, match="nvme admin-passthru /dev/nvme9n1") as caught:
        send_by_program("/dev/nvme9n1", READ_SMART_LOG, ask=ask)
    assert caught.value.errno == errno.EIO
