"""Drives of this folder's tests: what their tools print, and how they behave.

The texts have the form in which hdparm 9.65, nvme-cli 2.3 and sg3-utils 1.46 print
them. The states of a drive that no emulation has (ATA security and sanitize, NVMe and
SCSI sanitize) are kept by small machines here.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ssdlab.drive.purge.work import Clock, Work
from ssdlab.drive.tools import Answer, Ask
from ssdlab.model.drive import Bus, Drive, PurgeMethod
from ssdlab.model.units import MIB

NO_ROOT = Path("/nonexistent")  # so nothing of the machine under test counts


def made_drive(bus: Bus, **changed: object) -> Drive:
    names = {"nvme": "nvme0n1", "loop": "loop0", "virtio": "vda"}
    name = names.get(bus, "sda")
    values = {
        "path": f"/dev/{name}",
        "name": name,
        "model": "MADE",
        "serial": "S5H9NS0N",
        "firmware": "1",
        "wwn": "",
        "bus": bus,
        "capacity_bytes": 64 * MIB,
        "logical_sector_bytes": 512,
        "physical_sector_bytes": 512,
        "device_number": "8:0",
        "namespace_id": 1 if bus == "nvme" else None,
        "discard_max_bytes": 2**31,
    }
    return Drive(**(values | changed))  # type: ignore[arg-type]  # as given


def answer(
    command: Sequence[str], exit_code: int = 0, stdout: str = "", stderr: str = ""
) -> Answer:
    return Answer(
        command=tuple(command),
        exit_code=exit_code,
        stdout=stdout,
        stderr=stderr,
        took_s=0.01,
    )


@dataclass
class MadeClock:
    """Time that passes only when one waits."""

    time_s: float = 0.0
    speed: float = 1.0

    def clock(self) -> Clock:
        return Clock(now_s=lambda: self.time_s, wait=self.wait)

    def wait(self, seconds: float) -> None:
        self.time_s += seconds * self.speed


@dataclass
class MadeWork:
    """A work on a made drive, and what was told while it lasted."""

    folder: Path
    told: list[str] = field(default_factory=list)
    clock: MadeClock = field(default_factory=MadeClock)

    def on(
        self,
        drive: Drive,
        method: PurgeMethod,
        ask: Ask,
        *,
        sector_bytes: int | None = None,
    ) -> Work:
        return Work(
            drive=drive,
            descriptor=-1,
            method=method,
            folder=self.folder,
            ask=ask,
            tell=self.told.append,
            clock=self.clock.clock(),
            sector_bytes=sector_bytes,
        )


@dataclass
class Recorded:
    """Answers by the words that a command begins with; the longest that fits."""

    answers: dict[str, tuple[int, str, str]]
    asked: list[tuple[str, ...]] = field(default_factory=list)

    def __call__(self, command: Sequence[str], *, timeout_s: float) -> Answer:
        assert timeout_s > 0
        self.asked.append(tuple(command))
        text = " ".join(command)
        fitting = [words for words in self.answers if text.startswith(words)]
        assert fitting, f"nothing is recorded for: {text}"
        return answer(command, *self.answers[max(fitting, key=len)])

    @property
    def lines(self) -> list[str]:
        return [" ".join(command) for command in self.asked]


# --- NVMe ---------------------------------------------------------------------


def id_ctrl(*, oacs: int = 0x10A, fna: int = 0, sanicap: int = 0) -> str:
    fields = {
        "vid": 6966,
        "sn": "S5H9NS0N            ",
        "mn": "MADE",
        "oacs": oacs,
        "tnvmcap": "0",
        "sanicap": sanicap,
        "fna": fna,
        "psds": [{"max_power": 2500}],
    }
    return json.dumps(fields, indent=2)


def id_ns(
    *, flbas: int = 0, dps: int = 0, lbafs: Sequence[tuple[int, int, int]] = ()
) -> str:
    """Identify a namespace; its formats are metadata, data size (2^n) and RP."""
    formats = [{"ms": ms, "ds": ds, "rp": rp} for ms, ds, rp in lbafs]
    fields = {"nsze": 131072, "nlbaf": 7, "flbas": flbas, "dps": dps, "lbafs": formats}
    return json.dumps(fields, indent=2)


def list_ns(*numbers: int) -> str:
    return json.dumps({"nsid_list": [{"nsid": number} for number in numbers]})


_SANITIZE_WORDS = {
    0: "NVM Subsystem has never been sanitized.",
    1: "Most Recent Sanitize Command Completed Successfully.",
    2: "Sanitize in Progress.",
    3: "Most Recent Sanitize Command Failed.",
}


def sanitize_log(
    status: int, *, progress: int = 65535, action: int = 2, block_s: int = 2**32 - 1
) -> str:
    fields = {
        "nvme0n1": {
            "sprog": progress,
            "sstat": {
                "global_erased": 0,
                "no_cmplted_passes": 0,
                "status": f"({status}) {_SANITIZE_WORDS[status]}",
            },
            "cdw10_info": action | 8,
            "time_over_write": 2**32 - 1,
            "time_block_erase": block_s,
            "time_crypto_erase": 2**32 - 1,
        }
    }
    return json.dumps(fields, indent=2)


@dataclass
class NvmeSanitizer:
    """A drive that sanitizes: busy for some looks, then well or not."""

    looks: int = 3
    ends: int = 1
    logs: int = 0
    status: int = 0
    action: int = 0
    exit_failure_code: int = 0
    asked: list[tuple[str, ...]] = field(default_factory=list)

    def __call__(self, command: Sequence[str], *, timeout_s: float) -> Answer:
        assert timeout_s > 0
        self.asked.append(tuple(command))
        match command[1]:
            case "sanitize":
                return self._start(command)
            case "sanitize-log":
                return self._log(command)
            case _:
                raise AssertionError(command)

    def _start(self, command: Sequence[str]) -> Answer:
        action = int(command[3].removeprefix("--sanact="))
        if action == 1:
            return answer(command, self.exit_failure_code, stderr="NVMe status: no")
        self.status, self.action, self.logs = 2, action, 0
        return answer(command)

    def _log(self, command: Sequence[str]) -> Answer:
        self.logs += 1
        if self.status == 2 and self.logs > self.looks:
            self.status = self.ends
        progress = min(65535, 65536 * self.logs // (self.looks + 1))
        text = sanitize_log(self.status, progress=progress, action=self.action)
        return answer(command, stdout=text)
