"""Admin commands to the controller of an NVMe drive, directly through the kernel.

A query costs a fraction of a millisecond this way, and some milliseconds of CPU if
``nvme`` is started for it. The call is the same: ``NVME_IOCTL_ADMIN_CMD`` of
``linux/nvme_ioctl.h``, for which the kernel requires CAP_SYS_ADMIN. For a user without
it who may run ``nvme`` by sudo, that program sends it.
"""

import errno
import os
import re
import struct
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ssdlab.drive.tools import Ask, ask_tool, is_raised
from ssdlab.model.errors import MissingToolError
from ssdlab.system.unix import fcntl

_ADMIN_COMMAND = 0xC0484E41  # _IOWR('N', 0x41, struct nvme_passthru_cmd)
_COMMAND = struct.Struct("=BBHIIIQQII6III")
_RESULT_AT = 68
_OF_ALL = 0xFFFFFFFF
_GET_LOG_PAGE, _IDENTIFY, _SET_FEATURES, _GET_FEATURES = 0x02, 0x06, 0x09, 0x0A
_LOG_BYTES = 512  # of each log page below
_CONTROLLER, _CONTROLLER_BYTES = 0x01, 4096
WRITE_CACHE_FEATURE = 0x06
_PROGRAM: Final = "nvme"
_PROGRAM_S: Final = 120.0  # longer than the kernel's own limit
_SAID_RESULT: Final = re.compile(r"is Success and result: 0x([0-9a-f]{1,8})\b")
_SAID_STATUS: Final = re.compile(r"NVMe status: .*\(0x([0-9a-f]{1,4})\)")
_SAID_DATA: Final = re.compile(r"^[0-9a-f]{4,}:((?: [0-9a-f]{2}){1,16})", re.MULTILINE)


@dataclass(frozen=True, kw_only=True, slots=True)
class AdminCommand:
    """A command to a controller; it answers with ``answer_bytes`` of data."""

    opcode: int
    namespace_id: int = 0
    dword10: int = 0
    dword11: int = 0
    answer_bytes: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class AdminAnswer:
    """The answer: ``status`` is 0, or the NVMe status of the refusal."""

    status: int
    result: int = 0
    data: bytes = b""


SendAdmin = Callable[[str, AdminCommand], AdminAnswer]


def _read_log(page: int) -> AdminCommand:
    return AdminCommand(
        opcode=_GET_LOG_PAGE,
        namespace_id=_OF_ALL,
        dword10=(_LOG_BYTES // 4 - 1) << 16 | page,
        answer_bytes=_LOG_BYTES,
    )


READ_SMART_LOG = _read_log(0x02)
READ_OCP_LOG = _read_log(0xC0)
READ_LATENCY_MONITOR = _read_log(0xC3)
READ_INTEL_LOG = _read_log(0xCA)
IDENTIFY_CONTROLLER = AdminCommand(
    opcode=_IDENTIFY, dword10=_CONTROLLER, answer_bytes=_CONTROLLER_BYTES
)


def get_feature(feature: int) -> AdminCommand:
    """Return the command that reads a feature of the controller."""
    return AdminCommand(opcode=_GET_FEATURES, dword10=feature)


def set_feature(feature: int, value: int) -> AdminCommand:
    """Return the command that changes a feature until the next power cycle or reset."""
    return AdminCommand(opcode=_SET_FEATURES, dword10=feature, dword11=value)


def send_admin(path: str, command: AdminCommand) -> AdminAnswer:
    """Send a command to the controller of the drive at ``path``.

    The time limit is the kernel's own: after a shorter one it would reset the
    controller, which would disturb more than a late answer.
    """
    try:
        return _send_directly(path, command)
    except PermissionError:
        try:
            is_by_sudo = is_raised(_PROGRAM)
        except MissingToolError:
            is_by_sudo = False
        if not is_by_sudo:
            raise
    return send_by_program(path, command)


def send_by_program(
    path: str, command: AdminCommand, *, ask: Ask = ask_tool
) -> AdminAnswer:
    """Let ``nvme`` send a command, and parse the answer from its output."""
    options = [
        f"--opcode={command.opcode:#x}",
        f"--namespace-id={command.namespace_id:#x}",
        f"--cdw10={command.dword10:#x}",
        f"--cdw11={command.dword11:#x}",
    ]
    if command.answer_bytes:
        options += [f"--data-len={command.answer_bytes}", "--read"]
    answer = ask((_PROGRAM, "admin-passthru", path, *options), timeout_s=_PROGRAM_S)
    if refused := _SAID_STATUS.search(answer.text):
        return AdminAnswer(status=int(refused[1], 16))
    result = _SAID_RESULT.search(answer.text)
    data = bytes.fromhex("".join(_SAID_DATA.findall(answer.stdout)))
    if answer.exit_code or result is None or len(data) != command.answer_bytes:
        reason = f"{answer.line}; it said: {answer.text[:300]}"
        raise OSError(errno.EIO, reason, path)
    return AdminAnswer(status=0, result=int(result[1], 16), data=data)


def _send_directly(path: str, command: AdminCommand) -> AdminAnswer:
    data = array("B", bytes(command.answer_bytes))
    asked = bytearray(_pack(command, data.buffer_info()[0]))
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        status = fcntl.ioctl(descriptor, _ADMIN_COMMAND, asked)
    finally:
        os.close(descriptor)
    (result,) = struct.unpack_from("=I", asked, _RESULT_AT)
    return AdminAnswer(status=status, result=result, data=data.tobytes())


def _pack(command: AdminCommand, address: int) -> bytes:
    return _COMMAND.pack(
        *(command.opcode, 0, 0, command.namespace_id, 0, 0),
        *(0, address if command.answer_bytes else 0, 0, command.answer_bytes),
        *(command.dword10, command.dword11, 0, 0, 0, 0),
        *(0, 0),
    )
