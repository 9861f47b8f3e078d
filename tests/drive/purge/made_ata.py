"""An ATA drive as hdparm 9.65 tells of it, with the states that no emulation has."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ssdlab.drive.tools import Answer
from tests.drive.purge.made import answer

_HEAD = """
/dev/sda:

ATA device, with non-removable media
\tModel Number:       {model:<40}
\tSerial Number:      {serial:<20}
\tFirmware Revision:  EMT02B6Q
Standards:
\tSupported: 9 8 7 6 5
Capabilities:
\tLBA, IORDY(can be disabled)
Commands/features:
\tEnabled\tSupported:
\t   *\tSMART feature set
\t    \tSecurity Mode feature set
\t   *\tWrite cache
"""
_TAIL = """\
Logical Unit WWN Device Identifier: 5002538d40878f8e
\tNAA\t\t: 5
Checksum: correct
"""
_SANITIZE = """\
\t   *\tBLOCK_ERASE_EXT command
\t   *\tCRYPTO_SCRAMBLE_EXT command
\t   *\tSANITIZE feature set
"""


@dataclass
class AtaDrive:
    """An ATA drive with a security feature set, asked and told through hdparm.

    hdparm ends with 0 whatever the drive says, as it does for drives that answer with
    another kind of sense data. ``breaks`` is called with each command before it acts.
    """

    is_supported: bool = True
    password: str = ""
    is_locked: bool = False
    is_frozen: bool = False
    is_expired: bool = False
    has_enhanced: bool = True
    takes_passwords: bool = True
    erases: bool = True
    minutes: int = 2
    sanitize_lines: str = ""
    is_silent: bool = False
    serial: str = "S5H9NS0N"
    breaks: Callable[["AtaDrive", str], None] = lambda *_: None
    asked: list[str] = field(default_factory=list)
    was_erased: bool = False

    def __call__(self, command: Sequence[str], *, timeout_s: float) -> Answer:
        assert timeout_s > 0
        assert command[0] == "hdparm"
        step = command[1] if command[1] == "-I" else command[3]
        self.asked.append(step)
        self.breaks(self, step)
        if step == "-I":
            return self._identify(command)
        assert command[1:3] == ("--user-master", "u")
        self._obey(step, command[4])
        return answer(command, stdout=f' Issuing {step} command, password="…"')

    def power_cycle(self) -> None:
        self.is_locked = bool(self.password)

    def _obey(self, step: str, given: str) -> None:
        if self.is_frozen:
            return
        is_right = given == self.password
        if step == "--security-set-pass" and self.takes_passwords:
            self.password = given
        elif step == "--security-unlock" and is_right:
            self.is_locked = False
        elif step == "--security-disable" and is_right and not self.is_locked:
            self.password = ""
        elif step.startswith("--security-erase") and is_right and self.erases:
            self.was_erased, self.password, self.is_locked = True, "", False

    def _identify(self, command: Sequence[str]) -> Answer:
        if self.is_silent:
            error = " HDIO_DRIVE_CMD(identify) failed: Input/output error"
            return answer(command, 5, "\n/dev/sda:\n", error)
        head = _HEAD.format(model="MADE 250GB", serial=self.serial)
        head += self.sanitize_lines
        return answer(command, stdout=head + self._security() + _TAIL)

    def _security(self) -> str:
        if not self.is_supported:
            return ""
        states = (
            (True, "supported"),
            (bool(self.password), "enabled"),
            (self.is_locked, "locked"),
            (self.is_frozen, "frozen"),
            (self.is_expired, "expired: security count"),
            (self.has_enhanced, "supported: enhanced erase"),
        )
        lines = [
            "Security: ",
            "\tMaster password revision code = 65534",
            *(f"\t{'' if is_so else 'not'}\t{words}" for is_so, words in states),
            *(("\tSecurity level high",) if self.password else ()),
            self._times(),
        ]
        return "\n".join(lines) + "\n"

    def _times(self) -> str:
        plain = f"\t{self.minutes}min for SECURITY ERASE UNIT."
        return f"{plain} {4 * self.minutes}min for ENHANCED SECURITY ERASE UNIT."


SANITIZE_LINES = _SANITIZE
