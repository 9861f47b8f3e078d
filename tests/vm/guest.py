"""A machine that is booted for the tests, under emulation (KVM is never asked for).

Traps that were met on the way, and what is done about each:

- ``/dev/kvm`` may exist where no ordinary kernel boots under it: TCG is named.
- A root reached by 9p that the guest keeps (``cache=loose``) shows late or never what
  changes on the host: what both exchange goes through ``/job``, which is not kept.
- A path of a socket has 107 bytes at most: sockets get a short folder of their own.
- Python looks for each module in many places, and each look is a journey by 9p: the
  agent starts without ``site`` (saves about a second) and loads it when code comes.
- udev's usual first trigger loads drivers for all there is (4 CPU seconds): the few
  that the drives need are loaded before, and only block devices are triggered.
- The kernel looks for drives while all else goes on, so a quiet udev does not mean
  that they are there, and their letters differ from boot to boot: they are counted at
  the start, and found by serial number (`Guest.nodes`).
- A checksum of 64 MiB takes 2 s and more in the guest, 0.1 s on the host.
- ``nvme format`` without ``--force`` waits 10 s, ``sg_unmap`` without ``-f`` 15 s.
"""

import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from tests.paths import ROOT
from tests.vm.devices import Device
from tests.vm.image import GuestImage
from tests.vm.link import Answer, GuestLostError, Job, Link
from tests.vm.machine import (
    AGENT_NAME,
    CONSOLE_NAME,
    MONITOR_NAME,
    MachinePlan,
    qemu_command,
)
from tests.vm.monitor import Monitor

START_PATIENCE_S: Final = 120.0
DRIVE_NAME: Final = re.compile(r"[sv]d[a-z]+|nvme\d+n\d+")


class Guest:
    """A machine with the drives that it was given; use it in a ``with`` statement.

    Its root is this machine's, read-only, below a layer in memory. The folder
    ``shared`` is its ``/job``: what the guest writes there stands on the host at once
    and stays when the power goes.
    """

    def __init__(
        self,
        image: GuestImage,
        *,
        devices: Sequence[Device] = (),
        memory_mib: int = 1024,
        kernel_args: str = "",
        machine_args: Sequence[str] = (),
        shared: Path | None = None,
    ) -> None:
        self._image = image
        self._devices = {device.device_id: device for device in devices}
        self._memory_mib = memory_mib
        self._kernel_args = kernel_args
        self._machine_args = tuple(machine_args)
        self._folder = Path(tempfile.mkdtemp(prefix="ssdlab-vm-"))
        self.shared = shared or self._folder / "job"
        self.boot_s = 0.0

    def __enter__(self) -> Self:
        began = time.monotonic()
        try:
            self._launch()
            self._link = Link(str(self._folder / AGENT_NAME))
            self._monitor = Monitor(str(self._folder / MONITOR_NAME))
            self._await_agent()
            self._await_drives()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        self.boot_s = time.monotonic() - began
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.power_off_hard()
        shutil.rmtree(self._folder, ignore_errors=True)

    # --- Commands -------------------------------------------------------------

    def start(self, command: str | Sequence[str]) -> Job:
        """Begin a command: a text for bash, or its words."""
        words = ["/bin/bash", "-c", command] if isinstance(command, str) else command
        return self._link.ask({"do": "run", "argv": [str(word) for word in words]})

    def run(self, command: str | Sequence[str], timeout_s: float = 120) -> Answer:
        """Run a command to its end, whatever that is."""
        return self.start(command).wait(timeout_s)

    def check(self, command: str | Sequence[str], timeout_s: float = 120) -> Answer:
        """Run a command that must end well.

        Raises
        ------
        AssertionError
            If it does not; with what it said.
        """
        return _require_good(self.run(command, timeout_s), str(command))

    def start_python(self, code: str) -> Job:
        """Begin Python code in a fork of the agent."""
        return self._link.ask({"do": "python", "code": code})

    def python(self, code: str, timeout_s: float = 120) -> Answer:
        """Run Python code in a fork of the agent, to its end."""
        return self.start_python(code).wait(timeout_s)

    def check_python(self, code: str, timeout_s: float = 120) -> Answer:
        """Run Python code that must end well.

        Raises
        ------
        AssertionError
            If it does not; with what it said.
        """
        return _require_good(self.python(code, timeout_s), code)

    def warm(self, *modules: str, timeout_s: float = 180) -> None:
        """Load modules in the agent, once for all Python code that follows.

        Raises
        ------
        AssertionError
            If one cannot be loaded.
        """
        job = self._link.ask({"do": "warm", "modules": modules})
        _require_good(job.wait(timeout_s), f"import {', '.join(modules)}")

    def sha256(self, device: str, timeout_s: float = 120) -> str:
        """Return the checksum of a whole device, past the cache.

        That of its image on the host (`image_sha256`) takes a twentieth of the time.
        """
        read = f"dd if={shlex.quote(device)} iflag=direct bs=1M status=none"
        text = f"set -o pipefail; {read} | busybox sha256sum"
        return self.check(text, timeout_s).stdout.split()[0]

    def nodes(self, serial: str) -> list[str]:
        """Return the drives of this serial number, such as ``["/dev/sda"]``.

        Which letter a drive gets differs from boot to boot. The serial number is that
        of lsblk: udev writes ``_`` for letters that it does not like.
        """
        drives = self.check(["lsblk", "-J", "-d", "-o", "PATH,SERIAL"]).json()
        found = drives["blockdevices"]
        return sorted(item["path"] for item in found if item["serial"] == serial)

    def open_python(self) -> None:
        """Let every user run this Python on this checkout.

        Both may lie in a folder that is root's alone.
        """
        folders = {*Path(sys.executable).resolve().parents, *ROOT.parents}
        self.check(["chmod", "a+rx", *map(str, sorted(folders))])

    def await_nodes(self, serial: str, count: int = 1) -> list[str]:
        """Return the drives of this serial number when there are so many.

        Raises
        ------
        TimeoutError
            If there are not, after ``START_PATIENCE_S``.
        """
        deadline = time.monotonic() + START_PATIENCE_S
        while len(nodes := self.nodes(serial)) != count:
            if time.monotonic() > deadline:
                text = f"{count} drives of serial {serial!r} expected, not {nodes}"
                raise TimeoutError(text)
        self.check("udevadm settle")
        return nodes

    # --- The machine ----------------------------------------------------------

    def qmp(self, command: str, **arguments: object) -> Any:
        """Ask QEMU's monitor; a dash in an argument's name is written ``_`` here."""
        named = {name.replace("_", "-"): value for name, value in arguments.items()}
        return self._monitor.execute(command, **named)

    def set_property(self, path: str, name: str, value: object) -> None:
        """Set a property of a device (its id) or of any object (its whole path)."""
        whole = path if path.startswith("/") else f"/machine/peripheral/{path}"
        self._monitor.execute("qom-set", path=whole, property=name, value=value)

    def throttle(self, group: str, **limits: int) -> None:
        """Limit a throttle group, as in ``iops_total=500``; nothing frees it."""
        named = {name.replace("_", "-"): value for name, value in limits.items()}
        self.set_property(f"/objects/{group}", "limits", named)

    def unplug(self, device_id: str, timeout_s: float = START_PATIENCE_S) -> None:
        """Take a drive away while the machine runs."""
        self._monitor.execute("device_del", id=device_id)
        self._monitor.wait_for_event(
            "DEVICE_DELETED", device=device_id, timeout_s=timeout_s
        )

    def plug(self, device_id: str, **changes: object) -> None:
        """Plug a drive in again that was unplugged, maybe with other properties."""
        for part in self._devices[device_id].parts:
            self._monitor.execute("device_add", **{**part, **changes})

    def power_off_hard(self) -> None:
        """Take the power away; nothing is flushed in the guest."""
        process = getattr(self, "_process", None)
        if process is not None:
            process.kill()
            process.wait()
        for end in (getattr(self, "_link", None), getattr(self, "_monitor", None)):
            if end is not None:
                end.close()

    def console(self) -> str:
        """Return what the kernel has said."""
        path = self._folder / CONSOLE_NAME
        return path.read_text(errors="replace") if path.exists() else ""

    def _launch(self) -> None:
        self.shared.mkdir(parents=True, exist_ok=True)
        plan = MachinePlan(
            folder=self._folder,
            shared=self.shared.resolve(),
            devices=tuple(self._devices.values()),
            memory_mib=self._memory_mib,
            kernel_args=self._kernel_args,
            machine_args=self._machine_args,
        )
        with (self._folder / "qemu.log").open("wb") as log:
            self._process = subprocess.Popen(
                qemu_command(self._image, plan),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
            )

    def _await_agent(self) -> None:
        deadline = time.monotonic() + START_PATIENCE_S
        while not self._link.ready.ends_within(0.5):
            if self._process.poll() is not None or time.monotonic() > deadline:
                break
        else:
            if self._link.is_open:
                return
        said = (self._folder / "qemu.log").read_text(errors="replace")
        code = self._process.poll()
        text = f"the guest did not start (exit code {code}): {said}{self.console()}"
        raise GuestLostError(text[-5000:])

    def _await_drives(self) -> None:
        """Wait for the drives: the kernel finds them while all else goes on.

        Raises
        ------
        GuestLostError
            If they do not come.
        """
        count = sum(device.drives for device in self._devices.values())
        deadline = time.monotonic() + START_PATIENCE_S
        while True:
            names = self.check("udevadm settle --timeout=60; ls /sys/block").stdout
            seen = [name for name in names.split() if DRIVE_NAME.fullmatch(name)]
            if len(seen) >= count:
                return
            if time.monotonic() > deadline:
                text = (
                    f"{count} drives expected, not {seen}: {self.check('dmesg').output}"
                )
                raise GuestLostError(text)


def _require_good(answer: Answer, command: str) -> Answer:
    if answer.exit_code:
        text = f"exit code {answer.exit_code} of {command}\n{answer.output}"
        raise AssertionError(text)
    return answer
